#include "node/log/segment_scan.h"

enum qn_status segment_header_read(struct segment_reader *reader, uint64_t owner,
                                   uint64_t first_lsn, uint64_t *salt, qn_error *err)
{
    struct segment_header header;
    struct bytes block;
    enum qn_status status = segment_reader_get(reader, 0, SEGMENT_HEADER_SIZE, &block, err);

    if (status != QN_OK) {
        return status;
    }
    status = segment_header_decode(block, &header);
    if (status == QN_UNSUPPORTED) {
        return qn_error_set(err, QN_CORRUPT,
                            "%s is of a newer format: use the version that wrote it", reader->path);
    }
    if (status != QN_OK || header.first_lsn != first_lsn) {
        return qn_error_set(err, QN_CORRUPT, "%s has a bad header", reader->path);
    }
    if (header.owner != owner) {
        return qn_error_set(err, QN_CORRUPT, "%s belongs to another lane or another disk",
                            reader->path);
    }
    *salt = header.salt;
    return QN_OK;
}

struct scan {
    const struct segment_scan_visitor *visitor;
    struct segment_scan_end *end;
    uint64_t end_lsn;
};

static void damage_tell(const struct scan *scan, uint64_t offset, const char *text)
{
    scan->end->damaged = true;
    if (scan->visitor->damage) {
        scan->visitor->damage(scan->visitor->arg, offset, text);
    }
}

/* QN_ABSENT: a header is bad, nothing behind it can be read. */
static enum qn_status records_scan(const struct scan *scan, struct bytes rest)
{
    uint64_t offset = scan->end->offset + BATCH_HEADER_SIZE;
    enum qn_status status = QN_OK;

    while (rest.size > 0 && status == QN_OK) {
        struct record record;
        size_t size;
        enum qn_status found = record_decode(rest, &record, &size);
        if (found == QN_MALFORMED || size > rest.size) {
            damage_tell(scan, offset, "bad header of a record");
            return QN_ABSENT;
        }
        if (found == QN_OK) {
            status = scan->visitor->record(scan->visitor->arg, offset, &record);
        } else {
            damage_tell(scan, offset, "bad body of a record");
        }
        rest = bytes_of(rest.data + size, rest.size - size);
        offset += size;
    }
    return status;
}

/* QN_ABSENT: no batch with the LSN due stands where the scan is. */
static enum qn_status batch_scan(const struct scan *scan, struct segment_reader *reader,
                                 uint64_t salt, qn_error *err)
{
    struct segment_scan_end *end = scan->end;
    struct batch_header header;
    struct bytes data;
    enum qn_status status = segment_reader_get(reader, end->offset, BATCH_HEADER_SIZE, &data, err);

    if (status != QN_OK) {
        return status;
    }
    if (batch_header_decode(data, salt, &header) != QN_OK || header.lsn != end->lsn ||
        header.lsn + header.size > scan->end_lsn ||
        header.size > reader->size - end->offset - BATCH_HEADER_SIZE) {
        return QN_ABSENT;
    }
    status = segment_reader_get(reader, end->offset + BATCH_HEADER_SIZE, header.size, &data, err);
    if (status == QN_OK) {
        status = records_scan(scan, data);
    }
    if (status == QN_OK) {
        end->offset += BATCH_HEADER_SIZE + header.size;
        end->lsn += header.size;
    }
    return status;
}

enum qn_status segment_scan(struct segment_reader *reader, uint64_t salt, uint64_t first_lsn,
                            uint64_t end_lsn, const struct segment_scan_visitor *visitor,
                            struct segment_scan_end *end, qn_error *err)
{
    struct scan scan = {.visitor = visitor, .end = end, .end_lsn = end_lsn};
    enum qn_status status = QN_OK;

    *end = (struct segment_scan_end){.lsn = first_lsn, .offset = SEGMENT_HEADER_SIZE};
    while (status == QN_OK && end->lsn < end_lsn) {
        status = batch_scan(&scan, reader, salt, err);
    }
    return status == QN_ABSENT ? QN_OK : status;
}

#include "node/log/txlog_read.h"

#include <inttypes.h>

#include "node/log/segment_index.h"
#include "node/log/segment_list.h"
#include "node/log/segment_scan.h"

struct reading {
    const struct txlog_query *query;
    const struct txlog_query_visitor *visitor;
    qn_error *err;
    struct segment_reader reader;
    struct segment_index index; /* of the segment that is open */
};

static enum qn_status damaged(const struct reading *r, uint64_t offset)
{
    return qn_error_set(r->err, QN_CORRUPT,
                        "%s is damaged at offset %" PRIu64
                        ": restore the data directory from a backup",
                        r->reader.path, offset);
}

/* Hand out the record at `offset` if it is wanted; `size` octets long. */
static enum qn_status record_deliver(struct reading *r, uint64_t offset, size_t size)
{
    struct record record;
    struct bytes data;
    enum qn_status status = segment_reader_get(&r->reader, offset, size, &data, r->err);

    if (status != QN_OK) {
        return status;
    }
    status = record_decode(data, &record, &size);
    if (status != QN_OK) {
        return damaged(r, offset);
    }
    return r->visitor->record(r->visitor->arg, r->reader.path, offset, &record);
}

/* One record, or the header of a batch, at `*offset`, and on to what follows. */
static enum qn_status step(struct reading *r, uint64_t *offset)
{
    struct batch_header batch;
    struct record record;
    struct bytes data;
    size_t size;
    enum qn_status status =
        segment_reader_get(&r->reader, *offset, RECORD_HEADER_SIZE, &data, r->err);

    if (status != QN_OK) {
        return status;
    }
    if (record_decode(data, &record, &size) != QN_MALFORMED) {
        if (record.partition == r->query->partition && record.index >= r->query->from_index) {
            status = record_deliver(r, *offset, size);
        }
        *offset += size;
        return status;
    }
    if (batch_header_decode(data, r->index.salt, &batch) == QN_OK) {
        *offset += BATCH_HEADER_SIZE;
        return QN_OK;
    }
    return damaged(r, *offset);
}

/* The first place from which on a record that is wanted may stand. */
static uint32_t place_first(const struct reading *r, const struct segment_index_row *row)
{
    uint64_t from = r->query->from_index;

    /* Without gaps, its place can be told from its index. */
    if (from <= row->first_index || row->last_index - row->first_index + 1 != row->records) {
        return 0;
    }
    uint64_t place = (from - row->first_index) / r->index.stride;
    return place < row->place_count ? (uint32_t)place : row->place_count - 1;
}

/* From each place to the next; with a place for every record that is one record. */
static enum qn_status row_read(struct reading *r, const struct segment_index_row *row)
{
    const uint32_t *places = r->index.places + row->place_first;
    enum qn_status status = QN_OK;

    for (uint32_t i = place_first(r, row); i < row->place_count && status == QN_OK; i++) {
        uint64_t offset = places[i];
        uint64_t end = i + 1 < row->place_count ? places[i + 1] : r->index.end_offset;
        end = r->index.stride == 1 ? offset + 1 : end;
        while (offset < end && status == QN_OK) {
            status = step(r, &offset);
        }
    }
    return status;
}

static enum qn_status segment_read(struct reading *r, uint64_t first_lsn)
{
    const struct txlog_query *query = r->query;
    enum qn_status status =
        segment_index_read(query->dir, query->owner, first_lsn, query->end_lsn, &r->index, r->err);
    const struct segment_index_row *row =
        status == QN_OK ? segment_index_find(&r->index, query->partition) : NULL;

    if (row && row->last_index >= query->from_index) {
        status = segment_reader_open(&r->reader, query->dir, first_lsn, false, r->err);
        if (status == QN_OK) {
            status = row_read(r, row);
        }
    }
    if (status == QN_OK && r->index.damaged) {
        status = damaged(r, r->index.end_offset);
    }
    segment_index_fini(&r->index);
    return status == QN_ABSENT ? QN_OK : status; /* removed: everything in it was not needed */
}

enum qn_status txlog_partition_read(const struct txlog_query *query,
                                    const struct txlog_query_visitor *visitor, qn_error *err)
{
    struct reading r = {.query = query, .visitor = visitor, .err = err, .reader = {.fd = -1}};
    struct segment_list list = {0};
    enum qn_status status = segment_list_read(query->dir, &list, err);

    for (size_t i = 0; i < list.count && status == QN_OK; i++) {
        if (list.files[i].first_lsn >= query->end_lsn) {
            break;
        }
        status = segment_read(&r, list.files[i].first_lsn);
    }
    segment_reader_fini(&r.reader);
    segment_list_fini(&list);
    return status;
}

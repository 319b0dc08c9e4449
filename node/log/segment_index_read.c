#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/log/segment_index_format.h"
#include "node/log/segment_scan.h"
#include "wire/hash.h"

/* Make room for what the counts say. */
static enum qn_status lists_make(struct segment_index *index)
{
    index->rows = calloc(index->row_count + 1, sizeof *index->rows);
    index->places = calloc(index->place_count + 1, sizeof *index->places);
    return index->rows && index->places ? QN_OK : QN_MEMORY_FULL;
}

static bool header_decode(struct bytes file, struct segment_index *index)
{
    const uint8_t *at = file.data;

    if (file.size < INDEX_HEADER_SIZE + INDEX_CRC_SIZE ||
        memcmp(at, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0 ||
        get_u32(at + AT_INDEX_CRC) != crc32c(0, bytes_of(at, AT_INDEX_CRC)) ||
        get_u32(at + AT_INDEX_FORMAT) != SEGMENT_INDEX_FORMAT) {
        return false;
    }
    index->stride = get_u32(at + AT_INDEX_STRIDE);
    index->first_lsn = get_u64(at + AT_INDEX_FIRST_LSN);
    index->end_lsn = get_u64(at + AT_INDEX_END_LSN);
    index->salt = get_u64(at + AT_INDEX_SALT);
    index->end_offset = get_u64(at + AT_INDEX_END_OFFSET);
    index->row_count = get_u32(at + AT_INDEX_ROWS);
    index->place_count = get_u32(at + AT_INDEX_PLACES);
    uint64_t size = INDEX_HEADER_SIZE + (uint64_t)index->row_count * INDEX_ROW_SIZE +
                    (uint64_t)index->place_count * INDEX_PLACE_SIZE + INDEX_CRC_SIZE;
    return index->stride > 0 && size == file.size &&
           get_u32(at + size - INDEX_CRC_SIZE) ==
               crc32c(0, bytes_of(at, (size_t)size - INDEX_CRC_SIZE));
}

/* False: the rows make no sense. */
static bool rows_decode(const uint8_t *at, struct segment_index *index)
{
    uint64_t first = 0;

    for (size_t i = 0; i < index->row_count; i++, at += INDEX_ROW_SIZE) {
        struct segment_index_row row = {.partition = get_u32(at),
                                        .place_first = (uint32_t)first,
                                        .place_count = get_u32(at + 4),
                                        .records = get_u32(at + 8),
                                        .first_index = get_u64(at + 16),
                                        .last_index = get_u64(at + 24)};
        bool ascends = i == 0 || row.partition > index->rows[i - 1].partition;
        if (!ascends || row.place_count == 0 || row.place_count > row.records) {
            return false;
        }
        first += row.place_count;
        if (first > index->place_count) {
            return false;
        }
        index->records += row.records;
        index->rows[i] = row;
    }
    return first == index->place_count;
}

static bool places_decode(const uint8_t *at, struct segment_index *index)
{
    for (size_t i = 0; i < index->place_count; i++) {
        index->places[i] = get_u32(at + i * INDEX_PLACE_SIZE);
        if (index->places[i] < SEGMENT_HEADER_SIZE || index->places[i] >= index->end_offset) {
            return false;
        }
    }
    return true;
}

/* QN_MALFORMED: to be scanned instead. */
static enum qn_status decode(struct bytes file, struct segment_index *index)
{
    if (!header_decode(file, index)) {
        return QN_MALFORMED;
    }
    enum qn_status status = lists_make(index);
    if (status != QN_OK) {
        return status;
    }
    const uint8_t *rows = file.data + INDEX_HEADER_SIZE;
    bool sound =
        rows_decode(rows, index) && places_decode(rows + index->row_count * INDEX_ROW_SIZE, index);
    return sound ? QN_OK : QN_MALFORMED;
}

/* The index file of the open segment. QN_MALFORMED: there is no sound one. */
static enum qn_status file_try(const char *dir, const struct segment_reader *reader,
                               uint64_t first_lsn, uint64_t salt, struct segment_index *index)
{
    char name[INDEX_NAME_SIZE];
    struct buf content = {0};

    segment_index_name(first_lsn, name);
    enum qn_status status = file_read(dir, name, INDEX_FILE_MAX, &content, NULL);
    if (status == QN_OK) {
        status = decode(buf_bytes(&content), index);
    }
    buf_fini(&content);
    if (status == QN_OK && (index->first_lsn != first_lsn || index->salt != salt ||
                            index->end_offset > reader->size)) {
        status = QN_MALFORMED; /* of a segment that stood here before */
    }
    if (status != QN_OK) {
        segment_index_fini(index);
    }
    return status == QN_OK || status == QN_MEMORY_FULL ? status : QN_MALFORMED;
}

static enum qn_status note(void *arg, uint64_t offset, const struct record *record)
{
    segment_index_note(arg, record->partition, record->index, offset);
    return QN_OK;
}

static enum qn_status scan(struct segment_reader *reader, uint64_t first_lsn, uint64_t end_lsn,
                           uint64_t salt, struct segment_index *index, qn_error *err)
{
    struct segment_index_builder builder = {0};
    struct segment_scan_visitor visitor = {.arg = &builder, .record = note};
    struct segment_scan_end end;
    enum qn_status status = segment_scan(reader, salt, first_lsn, end_lsn, &visitor, &end, err);

    if (status == QN_OK && segment_index_take(&builder, index) != QN_OK) {
        status = qn_error_set(err, QN_MEMORY_FULL, "no memory to index %s", reader->path);
    }
    if (status == QN_OK) {
        index->first_lsn = first_lsn;
        index->end_lsn = end.lsn;
        index->salt = salt;
        index->end_offset = end.offset;
        index->scanned = true;
        index->damaged = end.damaged;
    }
    segment_index_builder_fini(&builder);
    return status;
}

enum qn_status segment_index_read(const char *dir, uint64_t owner, uint64_t first_lsn,
                                  uint64_t end_lsn, struct segment_index *index, qn_error *err)
{
    struct segment_reader reader = {.fd = -1};
    uint64_t salt = 0;
    enum qn_status status = segment_reader_open(&reader, dir, first_lsn, false, err);

    if (status == QN_OK) {
        status = segment_header_read(&reader, owner, first_lsn, &salt, err);
    }
    if (status == QN_OK) {
        status = file_try(dir, &reader, first_lsn, salt, index);
        if (status == QN_MALFORMED) {
            status = scan(&reader, first_lsn, end_lsn, salt, index, err);
        } else if (status != QN_OK) {
            status = qn_error_set(err, status, "no memory to read the index of %s", reader.path);
        }
    }
    segment_reader_fini(&reader);
    return status;
}

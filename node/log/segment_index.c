#include "node/log/segment_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/log/segment_index_format.h"
#include "wire/hash.h"

enum { CAPACITY_FIRST = 64 };

void segment_index_name(uint64_t first_lsn, char name[INDEX_NAME_SIZE])
{
    (void)snprintf(name, INDEX_NAME_SIZE, "%020" PRIu64 ".idx", first_lsn);
}

void segment_index_builder_fini(struct segment_index_builder *builder)
{
    free(builder->rows);
    free(builder->sorted);
    free(builder->places);
    *builder = (struct segment_index_builder){0};
}

void segment_index_builder_clear(struct segment_index_builder *builder)
{
    builder->row_count = 0;
    builder->place_count = 0;
    builder->stride = 1;
    builder->given_up = false;
}

size_t segment_index_builder_memory(const struct segment_index_builder *builder)
{
    return builder->row_capacity * sizeof *builder->rows +
           builder->sorted_capacity * sizeof *builder->sorted +
           builder->place_capacity * sizeof *builder->places;
}

/* Where in `sorted` the row of a partition is or should be. */
static size_t row_place(const struct segment_index_builder *b, uint32_t partition)
{
    size_t low = 0, high = b->row_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (b->rows[b->sorted[middle]].partition < partition) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Make room for one more element. False: no memory. */
static bool grow(void **list, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity ? *capacity * 2 : CAPACITY_FIRST;
    void *larger = realloc(*list, wanted * size);
    if (!larger) {
        return false;
    }
    *list = larger;
    *capacity = wanted;
    return true;
}

/* Room for another row in both lists. */
static bool row_room(struct segment_index_builder *b)
{
    void *rows = b->rows, *sorted = b->sorted;
    bool grown = grow(&rows, &b->row_capacity, b->row_count, sizeof *b->rows);

    b->rows = rows;
    grown = grown && grow(&sorted, &b->sorted_capacity, b->row_count, sizeof *b->sorted);
    b->sorted = sorted;
    return grown;
}

static struct segment_index_row *row_get(struct segment_index_builder *b, uint32_t partition)
{
    size_t at = row_place(b, partition);

    if (at < b->row_count && b->rows[b->sorted[at]].partition == partition) {
        return &b->rows[b->sorted[at]];
    }
    if (!row_room(b)) {
        return NULL;
    }
    memmove(b->sorted + at + 1, b->sorted + at, (b->row_count - at) * sizeof *b->sorted);
    b->sorted[at] = (uint32_t)b->row_count;
    b->rows[b->row_count] = (struct segment_index_row){.partition = partition};
    return &b->rows[b->row_count++];
}

/* Keep every second place of each partition. */
static void places_thin(struct segment_index_builder *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->row_count; i++) {
        b->rows[i].place_count = 0;
    }
    for (size_t i = 0; i < b->place_count; i++) {
        if (b->rows[b->places[i].row].place_count++ % 2 == 0) {
            b->places[kept++] = b->places[i];
        }
    }
    for (size_t i = 0; i < b->row_count; i++) {
        b->rows[i].place_count = (b->rows[i].place_count + 1) / 2;
    }
    b->place_count = kept;
    b->stride *= 2;
}

static bool place_add(struct segment_index_builder *b, struct segment_index_row *row,
                      uint32_t offset)
{
    void *places = b->places;
    bool grown = grow(&places, &b->place_capacity, b->place_count, sizeof *b->places);

    b->places = places;
    if (grown) {
        b->places[b->place_count++] =
            (struct segment_index_place){.row = (uint32_t)(row - b->rows), .offset = offset};
        row->place_count++;
    }
    return grown;
}

void segment_index_note(struct segment_index_builder *b, uint32_t partition, uint64_t index,
                        uint64_t offset)
{
    struct segment_index_row *row = b->given_up ? NULL : row_get(b, partition);

    if (!row || offset > UINT32_MAX) {
        b->given_up = true;
        return;
    }
    b->stride = b->stride > 0 ? b->stride : 1;
    if (b->place_count >= SEGMENT_INDEX_PLACES_MAX) {
        places_thin(b);
    }
    if (row->records % b->stride == 0 && !place_add(b, row, (uint32_t)offset)) {
        b->given_up = true;
    }
    row->first_index = row->records == 0 ? index : row->first_index;
    row->last_index = index;
    row->records++;
}

static void gather(struct segment_index_builder *b, struct segment_index_row *rows,
                   uint32_t *places)
{
    uint32_t first = 0;

    for (size_t i = 0; i < b->row_count; i++) {
        struct segment_index_row *row = &b->rows[b->sorted[i]];
        row->place_first = first;
        first += row->place_count;
        rows[i] = *row;
    }
    for (size_t i = 0; i < b->place_count; i++) { /* which moves the rows' `place_first` on */
        places[b->rows[b->places[i].row].place_first++] = b->places[i].offset;
    }
}

static void header_encode(const struct segment_index *index, uint8_t *at)
{
    memset(at, 0, INDEX_HEADER_SIZE);
    memcpy(at, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    put_u32(at + AT_INDEX_FORMAT, SEGMENT_INDEX_FORMAT);
    put_u32(at + AT_INDEX_STRIDE, index->stride);
    put_u64(at + AT_INDEX_FIRST_LSN, index->first_lsn);
    put_u64(at + AT_INDEX_END_LSN, index->end_lsn);
    put_u64(at + AT_INDEX_SALT, index->salt);
    put_u64(at + AT_INDEX_END_OFFSET, index->end_offset);
    put_u32(at + AT_INDEX_ROWS, (uint32_t)index->row_count);
    put_u32(at + AT_INDEX_PLACES, (uint32_t)index->place_count);
    put_u32(at + AT_INDEX_CRC, crc32c(0, bytes_of(at, AT_INDEX_CRC)));
}

static void rows_encode(const struct segment_index_row *rows, size_t count, uint8_t *at)
{
    for (size_t i = 0; i < count; i++, at += INDEX_ROW_SIZE) {
        put_u32(at, rows[i].partition);
        put_u32(at + 4, rows[i].place_count);
        put_u32(at + 8, rows[i].records);
        put_u32(at + 12, 0);
        put_u64(at + 16, rows[i].first_index);
        put_u64(at + 24, rows[i].last_index);
    }
}

/* The octets of the whole file. `index` has room for rows and places. */
static enum qn_status encode(const struct segment_index *index, struct buf *out)
{
    size_t rows_size = index->row_count * INDEX_ROW_SIZE;
    size_t size = INDEX_HEADER_SIZE + rows_size + index->place_count * INDEX_PLACE_SIZE;
    uint8_t *at;
    enum qn_status status = buf_extend(out, size + INDEX_CRC_SIZE, &at);

    if (status != QN_OK) {
        return status;
    }
    header_encode(index, at);
    rows_encode(index->rows, index->row_count, at + INDEX_HEADER_SIZE);
    for (size_t i = 0; i < index->place_count; i++) {
        put_u32(at + INDEX_HEADER_SIZE + rows_size + i * INDEX_PLACE_SIZE, index->places[i]);
    }
    put_u32(at + size, crc32c(0, bytes_of(at, size)));
    return QN_OK;
}

static void store(const struct lane_dir *dir, const char *name, struct bytes content)
{
    int fd = dir->io->create(dir->io->arg, dir->fd, name);

    if (fd < 0) {
        return;
    }
    if (!file_io_write(dir->io, fd, content, 0)) {
        (void)dir->io->remove(dir->io->arg, dir->fd, name);
    }
    (void)close(fd);
}

enum qn_status segment_index_take(struct segment_index_builder *builder,
                                  struct segment_index *index)
{
    index->row_count = builder->row_count;
    index->place_count = builder->place_count;
    index->stride = builder->stride > 0 ? builder->stride : 1;
    index->rows = calloc(index->row_count + 1, sizeof *index->rows);
    index->places = calloc(index->place_count + 1, sizeof *index->places);
    if (builder->given_up || !index->rows || !index->places) {
        segment_index_fini(index);
        return QN_MEMORY_FULL;
    }
    gather(builder, index->rows, index->places);
    for (size_t i = 0; i < index->row_count; i++) {
        index->records += index->rows[i].records;
    }
    return QN_OK;
}

void segment_index_write(const struct lane_dir *dir, const struct segment *segment,
                         uint64_t end_lsn, struct segment_index_builder *builder)
{
    struct segment_index index = {.first_lsn = segment->first_lsn,
                                  .end_lsn = end_lsn,
                                  .salt = segment->salt,
                                  .end_offset = segment->at};
    char name[INDEX_NAME_SIZE];
    struct buf content = {0};

    if (segment_index_take(builder, &index) == QN_OK && encode(&index, &content) == QN_OK) {
        segment_index_name(segment->first_lsn, name);
        store(dir, name, buf_bytes(&content));
    }
    segment_index_fini(&index);
    buf_fini(&content);
}

void segment_index_fini(struct segment_index *index)
{
    free(index->rows);
    free(index->places);
    *index = (struct segment_index){0};
}

const struct segment_index_row *segment_index_find(const struct segment_index *index,
                                                   uint32_t partition)
{
    size_t low = 0, high = index->row_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (index->rows[middle].partition < partition) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < index->row_count && index->rows[low].partition == partition;
    return found ? &index->rows[low] : NULL;
}

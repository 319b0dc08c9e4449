#define _GNU_SOURCE
#include "node/snapshot/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/snapshot/snapshot_io.h"

enum { FILE_SIZE_MAX = 64 * 1024 * 1024, ROW_SIZE = 128, CAPACITY_FIRST = 16, FIELDS = 5 };

#define MANIFEST_NAME  "manifest"
#define TEMPORARY_NAME "manifest.tmp"

void manifest_fini(struct manifest *manifest)
{
    free(manifest->rows);
    *manifest = (struct manifest){0};
}

/* Where the row of a partition is or should be. */
static size_t row_place(const struct manifest *manifest, uint32_t partition)
{
    size_t low = 0, high = manifest->row_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (manifest->rows[middle].partition < partition) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct manifest_row *manifest_find(const struct manifest *manifest, uint32_t partition)
{
    size_t at = row_place(manifest, partition);
    bool found = at < manifest->row_count && manifest->rows[at].partition == partition;

    return found ? &manifest->rows[at] : NULL;
}

static enum qn_status row_room(struct manifest *manifest)
{
    if (manifest->row_count < manifest->row_capacity) {
        return QN_OK;
    }
    size_t capacity = manifest->row_capacity ? manifest->row_capacity * 2 : CAPACITY_FIRST;
    struct manifest_row *rows = realloc(manifest->rows, capacity * sizeof *rows);
    if (!rows) {
        return QN_MEMORY_FULL;
    }
    manifest->rows = rows;
    manifest->row_capacity = capacity;
    return QN_OK;
}

enum qn_status manifest_set(struct manifest *manifest, const struct manifest_row *row)
{
    size_t at = row_place(manifest, row->partition);

    if (at < manifest->row_count && manifest->rows[at].partition == row->partition) {
        manifest->rows[at] = *row;
        return QN_OK;
    }
    enum qn_status status = row_room(manifest);
    if (status == QN_OK) {
        struct manifest_row *rows = manifest->rows;
        memmove(rows + at + 1, rows + at, (manifest->row_count - at) * sizeof *rows);
        rows[at] = *row;
        manifest->row_count++;
    }
    return status;
}

static enum qn_status row_encode(const struct manifest_row *row, struct buf *text)
{
    char line[ROW_SIZE];

    (void)snprintf(line, sizeof line, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                   row->partition, row->index, row->epoch, row->size, (uint64_t)row->taken_wall_ms);
    return lines_add(text, "snapshot", bytes_of_text(line));
}

static enum qn_status encode(const struct manifest *manifest, struct buf *text)
{
    enum qn_status status = lines_add_number(text, "quoin-manifest", MANIFEST_FORMAT);

    status = status ? status : lines_add_number(text, "owner", manifest->owner);
    status = status ? status : lines_add_number(text, "log-first", manifest->log_first);
    status = status ? status : lines_add_number(text, "log-end", manifest->log_end);
    status = status ? status : lines_add_number(text, "clean", manifest->clean);
    status = status ? status : lines_add_number(text, "snapshots", manifest->row_count);
    for (size_t i = 0; i < manifest->row_count && status == QN_OK; i++) {
        status = row_encode(&manifest->rows[i], text);
    }
    return status ? status : lines_seal(text);
}

/* Take a number off the front of `text`, and the blank behind it. */
static bool field_take(struct bytes *text, uint64_t *value)
{
    const uint8_t *blank = text->size > 0 ? memchr(text->data, ' ', text->size) : NULL;
    size_t size = blank ? (size_t)(blank - text->data) : text->size;

    if (!number_parse(bytes_of(text->data, size), value)) {
        return false;
    }
    size_t used = blank ? size + 1 : size;
    *text = bytes_of(text->data + used, text->size - used);
    return true;
}

static bool row_decode(struct bytes text, struct manifest_row *row)
{
    uint64_t fields[FIELDS];

    for (int i = 0; i < FIELDS; i++) {
        if (!field_take(&text, &fields[i])) {
            return false;
        }
    }
    if (text.size > 0 || fields[0] > UINT32_MAX) {
        return false;
    }
    *row = (struct manifest_row){.partition = (uint32_t)fields[0],
                                 .index = fields[1],
                                 .epoch = fields[2],
                                 .size = fields[3],
                                 .taken_wall_ms = (int64_t)fields[4]};
    return true;
}

/* QN_CORRUPT, QN_MEMORY_FULL. */
static enum qn_status rows_decode(struct bytes *lines, uint64_t count, struct manifest *manifest)
{
    for (uint64_t i = 0; i < count; i++) {
        struct manifest_row row;
        struct bytes text;
        bool sound = lines_take(lines, "snapshot", &text) && row_decode(text, &row);
        bool ascends = sound && (i == 0 || row.partition > manifest->rows[i - 1].partition);
        if (!ascends) {
            return QN_CORRUPT;
        }
        if (manifest_set(manifest, &row) != QN_OK) {
            return QN_MEMORY_FULL;
        }
    }
    return lines->size == 0 ? QN_OK : QN_CORRUPT;
}

static enum qn_status damaged(const char *dir, qn_error *err)
{
    return qn_error_set(
        err, QN_CORRUPT,
        "%.160s/" MANIFEST_NAME " is damaged: restore the data directory from a backup", dir);
}

static enum qn_status decode(const char *dir, struct bytes text, struct manifest *manifest,
                             qn_error *err)
{
    uint64_t format, clean, count;
    struct bytes lines;

    if (lines_unseal(text, &lines) != QN_OK ||
        !lines_take_number(&lines, "quoin-manifest", &format)) {
        return damaged(dir, err);
    }
    if (format != MANIFEST_FORMAT) {
        return qn_error_set(err, QN_CORRUPT,
                            "%.160s/" MANIFEST_NAME " has format %" PRIu64
                            ", this version knows %d: use the version that wrote it",
                            dir, format, MANIFEST_FORMAT);
    }
    if (!lines_take_number(&lines, "owner", &manifest->owner) ||
        !lines_take_number(&lines, "log-first", &manifest->log_first) ||
        !lines_take_number(&lines, "log-end", &manifest->log_end) ||
        !lines_take_number(&lines, "clean", &clean) || clean > 1 ||
        !lines_take_number(&lines, "snapshots", &count) ||
        manifest->log_first > manifest->log_end) {
        return damaged(dir, err);
    }
    manifest->clean = clean == 1;
    enum qn_status status = rows_decode(&lines, count, manifest);
    if (status == QN_MEMORY_FULL) {
        return qn_error_set(err, status, "no memory to read %.160s/" MANIFEST_NAME, dir);
    }
    return status == QN_OK ? QN_OK : damaged(dir, err);
}

enum qn_status manifest_read(const char *dir, uint64_t owner, struct manifest *manifest,
                             qn_error *err)
{
    struct manifest found = {0};
    struct buf text = {0};
    enum qn_status status = file_read(dir, MANIFEST_NAME, FILE_SIZE_MAX, &text, err);

    if (status == QN_TOO_LARGE) {
        qn_error_clear(err);
        status = damaged(dir, err);
    }
    if (status == QN_OK) {
        status = decode(dir, buf_bytes(&text), &found, err);
    }
    if (status == QN_OK && found.owner != owner) {
        status = qn_error_set(err, QN_CORRUPT,
                              "%.160s/" MANIFEST_NAME " belongs to another lane or another disk: "
                              "restore the data directory from a backup",
                              dir);
    }
    buf_fini(&text);
    if (status != QN_OK) {
        manifest_fini(&found);
        return status;
    }
    *manifest = found;
    return QN_OK;
}

/* The new content under its temporary name, on disk. errno on failure: nothing is left of it. */
static bool temporary_write(const struct file_io *io, int dir_fd, struct bytes content)
{
    int fd = io->create(io->arg, dir_fd, TEMPORARY_NAME);

    if (fd < 0) {
        return false;
    }
    bool done = file_io_write(io, fd, content, 0) && io->sync(io->arg, fd) == 0;
    int number = errno;
    (void)close(fd);
    if (!done) {
        (void)io->remove(io->arg, dir_fd, TEMPORARY_NAME);
    }
    errno = number;
    return done;
}

static enum qn_status replace(const struct file_io *io, const char *dir, struct bytes content,
                              qn_error *err)
{
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir_fd < 0) {
        return file_io_failed("write", dir, MANIFEST_NAME, errno, err);
    }
    bool done = temporary_write(io, dir_fd, content) &&
                io->rename(io->arg, dir_fd, TEMPORARY_NAME, MANIFEST_NAME) == 0 &&
                io->sync_dir(io->arg, dir_fd) == 0;
    int number = errno;
    (void)close(dir_fd);
    return done ? QN_OK : file_io_failed("write", dir, MANIFEST_NAME, number, err);
}

enum qn_status manifest_write_with(const struct file_io *io, const char *dir,
                                   const struct manifest *manifest, qn_error *err)
{
    struct buf text = {0};
    enum qn_status status = encode(manifest, &text);

    if (status != QN_OK) {
        status = qn_error_set(err, status, "no memory to write %.160s/" MANIFEST_NAME, dir);
    } else {
        status = replace(io, dir, buf_bytes(&text), err);
    }
    buf_fini(&text);
    return status;
}

enum qn_status manifest_write(const char *dir, const struct manifest *manifest, qn_error *err)
{
    enum qn_status status = file_dir_make(dir, err);

    return status == QN_OK ? manifest_write_with(file_io_system(), dir, manifest, err) : status;
}

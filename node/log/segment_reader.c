#define _GNU_SOURCE
#include "node/log/segment_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_AHEAD = 4 * 1024 * 1024, /* least size of a read call */
    TAIL_STEP = 1024 * 1024,
};

static enum qn_status failed(const struct segment_reader *reader, const char *what, qn_error *err)
{
    return qn_error_set(err, QN_IO, "cannot %s %s: %s; check the disk and the file's permissions",
                        what, reader->path, strerror(errno));
}

enum qn_status segment_reader_open(struct segment_reader *reader, const char *dir,
                                   uint64_t first_lsn, bool change, qn_error *err)
{
    char name[SEGMENT_NAME_SIZE];
    struct stat st;

    segment_reader_close(reader);
    segment_name_format(first_lsn, name);
    int length = snprintf(reader->path, sizeof reader->path, "%s/%s", dir, name);
    if (length < 0 || (size_t)length >= sizeof reader->path) {
        return qn_error_set(err, QN_IO, "the path of the log is too long: %.200s", dir);
    }
    reader->fd = open(reader->path, (change ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
    if (reader->fd < 0 && errno == ENOENT) {
        return QN_ABSENT;
    }
    if (reader->fd < 0 || fstat(reader->fd, &st) != 0) {
        return failed(reader, "open", err);
    }
    reader->size = (uint64_t)st.st_size;
    (void)posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return QN_OK;
}

void segment_reader_close(struct segment_reader *reader)
{
    if (reader->fd >= 0) {
        (void)close(reader->fd);
    }
    reader->fd = -1;
    reader->start = 0;
    buf_clear(&reader->window);
}

void segment_reader_fini(struct segment_reader *reader)
{
    segment_reader_close(reader);
    buf_fini(&reader->window);
}

enum qn_status segment_reader_settle(struct segment_reader *reader, qn_error *err)
{
    /* The process before us may have been told that a sync failed: the pages then count as clean
     * although the disk never got them, and only reading them anew tells. */
    if (fsync(reader->fd) != 0) {
        return failed(reader, "sync", err);
    }
    (void)posix_fadvise(reader->fd, 0, 0, POSIX_FADV_DONTNEED);
    return QN_OK;
}

/* Drop what stands before `offset`; everything when the window does not reach it. */
static void window_move(struct segment_reader *reader, uint64_t offset)
{
    struct buf *window = &reader->window;

    if (offset < reader->start || offset - reader->start >= window->size) {
        buf_clear(window);
    } else {
        size_t drop = (size_t)(offset - reader->start);
        memmove(window->data, window->data + drop, window->size - drop);
        window->size -= drop;
    }
    reader->start = offset;
}

/* Read until the window holds `size` octets or the file ends; reads ahead. */
static enum qn_status window_fill(struct segment_reader *reader, size_t size, qn_error *err)
{
    struct buf *window = &reader->window;
    size_t wanted = size < READ_AHEAD ? READ_AHEAD : size;
    uint64_t left = reader->start < reader->size ? reader->size - reader->start : 0;

    if (wanted > left) {
        wanted = (size_t)left;
    }
    if (buf_reserve(window, wanted > window->size ? wanted - window->size : 0) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory to read %s", reader->path);
    }
    while (window->size < size && window->size < wanted) {
        ssize_t done = pread(reader->fd, window->data + window->size, wanted - window->size,
                             (off_t)(reader->start + window->size));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return qn_error_set(err, QN_IO,
                                "cannot read %s at offset %" PRIu64
                                ": %s; replace the disk and restore the data directory from a "
                                "backup",
                                reader->path, reader->start + window->size, strerror(errno));
        }
        if (done == 0) {
            break;
        }
        window->size += (size_t)done;
    }
    return QN_OK;
}

enum qn_status segment_reader_get(struct segment_reader *reader, uint64_t offset, size_t size,
                                  struct bytes *data, qn_error *err)
{
    struct buf *window = &reader->window;
    bool inside = offset >= reader->start && offset - reader->start <= window->size &&
                  window->size - (size_t)(offset - reader->start) >= size;

    if (!inside) {
        window_move(reader, offset);
        enum qn_status status = window_fill(reader, size, err);
        if (status != QN_OK) {
            return status;
        }
    }
    if (window->size == 0) { /* behind the end of the file, maybe without any memory yet */
        *data = bytes_of(NULL, 0);
        return QN_OK;
    }
    size_t skip = (size_t)(offset - reader->start);
    size_t there = window->size - skip;
    *data = bytes_of(window->data + skip, size < there ? size : there);
    return QN_OK;
}

/* Offset behind the last octet of `data` that is not zero. */
static size_t nonzero_end(struct bytes data)
{
    size_t end = data.size;

    while (end > 0 && data.data[end - 1] == 0) {
        end--;
    }
    return end;
}

/* Highest durable LSN of the sound batch headers that lie wholly in `data`. */
static uint64_t durable_highest(struct bytes data, uint64_t salt)
{
    uint64_t highest = 0;

    for (size_t at = batch_magic_find(data, 0); at < data.size;
         at = batch_magic_find(data, at + 1)) {
        struct batch_header header;
        struct bytes rest = bytes_of(data.data + at, data.size - at);
        if (batch_header_decode(rest, salt, &header) == QN_OK && header.durable_lsn > highest) {
            highest = header.durable_lsn;
        }
    }
    return highest;
}

enum qn_status segment_reader_tail(struct segment_reader *reader, uint64_t from, uint64_t salt,
                                   struct segment_tail *tail, qn_error *err)
{
    struct segment_tail found = {.end = from};

    for (uint64_t at = from; at < reader->size; at += TAIL_STEP) {
        struct bytes data;
        /* Steps overlap by a header, which else could lie across their border. */
        enum qn_status status =
            segment_reader_get(reader, at, TAIL_STEP + BATCH_HEADER_SIZE, &data, err);
        if (status != QN_OK) {
            return status;
        }
        size_t end = nonzero_end(data);
        if (end == 0) {
            continue;
        }
        uint64_t durable = durable_highest(data, salt);
        found.end = at + end;
        found.durable_lsn = durable > found.durable_lsn ? durable : found.durable_lsn;
    }
    *tail = found;
    return QN_OK;
}

/* The first header in `data` that is wanted; `data.size` when there is none. */
static size_t header_find(struct bytes data, uint64_t salt, uint64_t above, uint64_t up_to,
                          struct batch_header *header)
{
    for (size_t at = batch_magic_find(data, 0); at < data.size;
         at = batch_magic_find(data, at + 1)) {
        struct bytes rest = bytes_of(data.data + at, data.size - at);
        if (batch_header_decode(rest, salt, header) == QN_OK && header->lsn > above &&
            header->lsn <= up_to) {
            return at;
        }
    }
    return data.size;
}

enum qn_status segment_reader_find(struct segment_reader *reader, uint64_t from, uint64_t salt,
                                   uint64_t above, uint64_t up_to, uint64_t *offset,
                                   struct batch_header *header, qn_error *err)
{
    for (uint64_t at = from; at < reader->size; at += TAIL_STEP) {
        struct batch_header found;
        struct bytes data;
        enum qn_status status =
            segment_reader_get(reader, at, TAIL_STEP + BATCH_HEADER_SIZE, &data, err);
        if (status != QN_OK) {
            return status;
        }
        size_t place = header_find(data, salt, above, up_to, &found);
        if (place < data.size) {
            *offset = at + place;
            *header = found;
            return QN_OK;
        }
    }
    return QN_ABSENT;
}

enum qn_status segment_reader_cut(struct segment_reader *reader, uint64_t size, qn_error *err)
{
    if (ftruncate(reader->fd, (off_t)size) != 0) {
        return failed(reader, "truncate", err);
    }
    if (fsync(reader->fd) != 0) {
        return failed(reader, "sync", err);
    }
    reader->size = size;
    buf_clear(&reader->window);
    return QN_OK;
}

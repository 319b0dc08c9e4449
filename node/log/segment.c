#define _GNU_SOURCE
#include "node/log/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "wire/assert.h"

enum { ZEROS_SIZE = 64 * 1024 };

static const uint8_t zeros[ZEROS_SIZE];

/* A write that fails on preallocated space is a failed write, whatever its number says. */
static enum qn_status write_failed(const struct lane_dir *dir, const struct segment *segment,
                                   const char *what, int number, qn_error *err)
{
    return qn_error_set(err, QN_IO,
                        "cannot %s the log segment of LSN %" PRIu64
                        " in %s: %s; check the disk, then start the node again",
                        what, segment->first_lsn, dir->path, strerror(number));
}

enum qn_status segment_prepare(const struct lane_dir *dir, const char *name, uint64_t size,
                               struct segment *segment, qn_error *err)
{
    struct segment made = {.size = size, .at = SEGMENT_HEADER_SIZE};

    if (getrandom(&made.salt, sizeof made.salt, 0) != (ssize_t)sizeof made.salt) {
        return file_io_failed("draw a salt for", dir->path, name, errno, err);
    }
    made.fd = dir->io->create(dir->io->arg, dir->fd, name);
    if (made.fd < 0) {
        return file_io_failed("create", dir->path, name, errno, err);
    }
    int number = dir->io->allocate(dir->io->arg, made.fd, (off_t)size);
    if (number != 0) {
        segment_close(&made);
        (void)dir->io->remove(dir->io->arg, dir->fd, name);
        return file_io_failed("preallocate", dir->path, name, number, err);
    }
    *segment = made;
    return QN_OK;
}

enum qn_status segment_zero(const struct lane_dir *dir, struct segment *segment, uint64_t step,
                            qn_error *err)
{
    uint64_t from = segment->zeroed;
    uint64_t end = step < segment->size - from ? from + step : segment->size;

    while (segment->zeroed < end) {
        uint64_t left = end - segment->zeroed;
        size_t size = left < ZEROS_SIZE ? (size_t)left : ZEROS_SIZE;
        if (!file_io_write(dir->io, segment->fd, bytes_of(zeros, size), segment->zeroed)) {
            return write_failed(dir, segment, "prepare", errno, err);
        }
        segment->zeroed += size;
    }
    /* A hint: what is not on its way now is written by the sync that publishes the segment. */
    (void)sync_file_range(segment->fd, (off_t)from, (off_t)(end - from), SYNC_FILE_RANGE_WRITE);
    return QN_OK;
}

enum qn_status segment_publish(const struct lane_dir *dir, const char *name, uint64_t first_lsn,
                               struct segment *segment, qn_error *err)
{
    struct segment_header header = {
        .first_lsn = first_lsn, .salt = segment->salt, .owner = dir->owner};
    uint8_t block[SEGMENT_HEADER_SIZE];
    char own[SEGMENT_NAME_SIZE];

    segment->first_lsn = first_lsn;
    segment_header_encode(&header, block);
    segment_name_format(first_lsn, own);
    if (!file_io_write(dir->io, segment->fd, bytes_of(block, sizeof block), 0)) {
        return write_failed(dir, segment, "write", errno, err);
    }
    if (dir->io->sync(dir->io->arg, segment->fd) != 0) {
        return write_failed(dir, segment, "sync", errno, err);
    }
    if (dir->io->rename(dir->io->arg, dir->fd, name, own) != 0 ||
        dir->io->sync_dir(dir->io->arg, dir->fd) != 0) {
        return write_failed(dir, segment, "name", errno, err);
    }
    return QN_OK;
}

enum qn_status segment_write(const struct lane_dir *dir, struct segment *segment,
                             struct bytes batches, qn_error *err)
{
    qn_assert(batches.size <= segment_left(segment));
    if (!file_io_write(dir->io, segment->fd, batches, segment->at)) {
        return write_failed(dir, segment, "write", errno, err);
    }
    if (dir->io->sync(dir->io->arg, segment->fd) != 0) {
        return write_failed(dir, segment, "sync", errno, err);
    }
    segment->at += batches.size;
    return QN_OK;
}

void segment_close(struct segment *segment)
{
    if (segment->fd >= 0) {
        (void)close(segment->fd);
    }
    *segment = SEGMENT_NONE;
}

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

static enum qn_status io_failed(const struct lane_dir *dir, const char *what, const char *name,
                                int number, qn_error *err)
{
    if (number == EMFILE || number == ENFILE) {
        return qn_error_set(err, QN_DISK_FULL, "cannot %s %s/%s: %s; raise ulimit -n", what,
                            dir->path, name, strerror(number));
    }
    if (number == ENOSPC || number == EDQUOT) {
        return qn_error_set(err, QN_DISK_FULL, "cannot %s %s/%s: %s; make space there", what,
                            dir->path, name, strerror(number));
    }
    return qn_error_set(err, QN_IO,
                        "cannot %s %s/%s: %s; check the disk, then start the node again", what,
                        dir->path, name, strerror(number));
}

/* A write that fails on preallocated space is a failed write, whatever its number says. */
static enum qn_status write_failed(const struct lane_dir *dir, const struct segment *segment,
                                   const char *what, int number, qn_error *err)
{
    return qn_error_set(err, QN_IO,
                        "cannot %s the log segment of LSN %" PRIu64
                        " in %s: %s; check the disk, then start the node again",
                        what, segment->first_lsn, dir->path, strerror(number));
}

/* Write all of it; errno on failure. */
static bool write_all(const struct txlog_io *io, int fd, const uint8_t *data, size_t size,
                      uint64_t offset)
{
    while (size > 0) {
        ssize_t done = io->write_at(io->arg, fd, data, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
        data += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

enum qn_status segment_prepare(const struct lane_dir *dir, const char *name, uint64_t size,
                               struct segment *segment, qn_error *err)
{
    struct segment made = {.size = size, .at = SEGMENT_HEADER_SIZE};

    if (getrandom(&made.salt, sizeof made.salt, 0) != (ssize_t)sizeof made.salt) {
        return io_failed(dir, "draw a salt for", name, errno, err);
    }
    made.fd = openat(dir->fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (made.fd < 0) {
        return io_failed(dir, "create", name, errno, err);
    }
    int number = dir->io->allocate(dir->io->arg, made.fd, (off_t)size);
    if (number != 0) {
        segment_close(&made);
        (void)unlinkat(dir->fd, name, 0);
        return io_failed(dir, "preallocate", name, number, err);
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
        if (!write_all(dir->io, segment->fd, zeros, size, segment->zeroed)) {
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
    if (!write_all(dir->io, segment->fd, block, sizeof block, 0)) {
        return write_failed(dir, segment, "write", errno, err);
    }
    if (dir->io->sync(dir->io->arg, segment->fd) != 0) {
        return write_failed(dir, segment, "sync", errno, err);
    }
    if (renameat(dir->fd, name, dir->fd, own) != 0 || fsync(dir->fd) != 0) {
        return write_failed(dir, segment, "name", errno, err);
    }
    return QN_OK;
}

enum qn_status segment_write(const struct lane_dir *dir, struct segment *segment,
                             struct bytes batches, qn_error *err)
{
    qn_assert(batches.size <= segment_left(segment));
    if (!write_all(dir->io, segment->fd, batches.data, batches.size, segment->at)) {
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

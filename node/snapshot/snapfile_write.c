#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/snapshot/snapfile_format.h"
#include "node/snapshot/snapshot_io.h"
#include "wire/compress.h"
#include "wire/hash.h"

enum {
    PATH_SIZE = 4096,
    FOLDER_SIZE = 16,
    /* Octets that are sent to the disk at once. A sync of the log waits behind twice as much: with
     * 4 MiB its p99 grew eight times while a snapshot was written, with 256 KiB by half. */
    SEND_STEP = 256 * 1024,
};

struct snapfile {
    const struct file_io *io;
    char dir[PATH_SIZE]; /* of the partition */
    int dir_fd;
    int fd;
    uint64_t index;
    uint32_t seed;    /* what block headers are tied to */
    uint32_t number;  /* of the next block */
    uint64_t at;      /* octets so far */
    uint64_t arrived; /* of them on the disk, as far as is known without a sync */
    uint64_t sent;    /* of them on their way there */
    struct buf out;   /* one block as it is stored */
};

static enum qn_status failed(const struct snapfile *file, const char *what, qn_error *err)
{
    return file_io_failed(what, file->dir, SNAP_TEMPORARY, errno, err);
}

static void destroy(struct snapfile *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    if (file->dir_fd >= 0) {
        (void)close(file->dir_fd);
    }
    buf_fini(&file->out);
    free(file);
}

/* Make the partition's folder and its name durable. Always synced: whoever made it may have been
 * killed before the sync. errno on failure. */
static bool folder_make(const struct file_io *io, int data_fd, const char *folder)
{
    return io->make_dir(io->arg, data_fd, folder) == 0 && io->sync_dir(io->arg, data_fd) == 0;
}

static enum qn_status folder_open(struct snapfile *file, const char *data, uint32_t partition,
                                  qn_error *err)
{
    char folder[FOLDER_SIZE];
    int data_fd = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)snprintf(folder, sizeof folder, "p%" PRIu32, partition);
    (void)snprintf(file->dir, sizeof file->dir, "%s/%s", data, folder);
    if (data_fd < 0) {
        return failed(file, "make the folder of", err);
    }
    if (folder_make(file->io, data_fd, folder)) {
        file->dir_fd = openat(data_fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    int number = errno;
    (void)close(data_fd);
    errno = number;
    return file->dir_fd < 0 ? failed(file, "make the folder of", err) : QN_OK;
}

static enum qn_status header_write(struct snapfile *file, uint64_t owner,
                                   const struct snap_head *head, qn_error *err)
{
    uint8_t header[SNAP_HEADER_SIZE];

    file->fd = file->io->create(file->io->arg, file->dir_fd, SNAP_TEMPORARY);
    if (file->fd < 0) {
        return failed(file, "create", err);
    }
    file->seed = snap_header_encode(owner, head, header);
    if (!file_io_write(file->io, file->fd, bytes_of(header, sizeof header), 0)) {
        return failed(file, "write", err);
    }
    file->at = sizeof header;
    return QN_OK;
}

enum qn_status snapfile_create_with(const struct file_io *io, const char *data, uint64_t owner,
                                    const struct snap_head *head, struct snapfile **file,
                                    qn_error *err)
{
    struct snapfile *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory for a snapshot in %s", data);
    }
    made->io = io;
    made->fd = -1;
    made->dir_fd = -1;
    made->index = head->index;
    enum qn_status status = folder_open(made, data, head->partition, err);
    if (status == QN_OK) {
        status = header_write(made, owner, head, err);
    }
    if (status != QN_OK) {
        snapfile_abandon(made);
        return status;
    }
    *file = made;
    return QN_OK;
}

enum qn_status snapfile_create(const char *data, uint64_t owner, const struct snap_head *head,
                               struct snapfile **file, qn_error *err)
{
    return snapfile_create_with(file_io_system(), data, owner, head, file, err);
}

/* Send what was written on its way, and wait for what was sent the time before: the disk has the
 * one while the other gathers. What is there needs no page cache: nobody reads it soon. Hints only;
 * whether all arrived is what the sync tells. */
static void send_on(struct snapfile *file)
{
    off_t before = (off_t)file->arrived, size = (off_t)(file->sent - file->arrived);
    off_t from = (off_t)file->sent, step = (off_t)(file->at - file->sent);

    if (step < SEND_STEP) {
        return;
    }
    if (size > 0) {
        (void)sync_file_range(file->fd, before, size,
                              SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                                  SYNC_FILE_RANGE_WAIT_AFTER);
        (void)posix_fadvise(file->fd, before, size, POSIX_FADV_DONTNEED);
    }
    (void)sync_file_range(file->fd, from, step, SYNC_FILE_RANGE_WRITE);
    file->arrived = file->sent;
    file->sent = file->at;
}

/* Write `file->out`: room for the header, then the stored octets. */
static enum qn_status block_write(struct snapfile *file, enum snap_block_kind kind, size_t plain,
                                  qn_error *err)
{
    struct bytes stored =
        bytes_of(file->out.data + SNAP_BLOCK_HEADER_SIZE, file->out.size - SNAP_BLOCK_HEADER_SIZE);
    struct snap_block block = {.kind = kind,
                               .number = file->number,
                               .plain = (uint32_t)plain,
                               .stored = (uint32_t)stored.size,
                               .crc = crc32c(0, stored)};

    snap_block_encode(&block, file->seed, file->out.data);
    if (!file_io_write(file->io, file->fd, buf_bytes(&file->out), file->at)) {
        return failed(file, "write", err);
    }
    file->number++;
    file->at += file->out.size;
    send_on(file);
    return QN_OK;
}

/* The block as it will be stored, behind room for its header. */
static enum qn_status block_pack(struct snapfile *file, struct bytes block,
                                 enum snap_block_kind *kind)
{
    uint8_t *header;

    buf_clear(&file->out);
    enum qn_status status = buf_extend(&file->out, SNAP_BLOCK_HEADER_SIZE, &header);
    if (status != QN_OK) {
        return status;
    }
    *kind = SNAP_BLOCK_PACKED;
    status = compress(block, &file->out);
    if (status == QN_ABSENT) {
        *kind = SNAP_BLOCK_PLAIN;
        status = buf_append(&file->out, block.data, block.size);
    }
    return status;
}

enum qn_status snapfile_add(struct snapfile *file, struct bytes block, qn_error *err)
{
    enum snap_block_kind kind;

    if (block.size > SNAP_BLOCK_MAX) {
        return qn_error_set(err, QN_TOO_LARGE, "a block of %zu octets is too large for %s",
                            block.size, file->dir);
    }
    if (block_pack(file, block, &kind) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory for a snapshot in %s", file->dir);
    }
    return block_write(file, kind, block.size, err);
}

static enum qn_status end_write(struct snapfile *file, qn_error *err)
{
    uint8_t end[SNAP_BLOCK_HEADER_SIZE + SNAP_END_SIZE];

    put_u64(end + SNAP_BLOCK_HEADER_SIZE, file->number);
    put_u64(end + SNAP_BLOCK_HEADER_SIZE + 8, file->at);
    buf_clear(&file->out);
    if (buf_append(&file->out, end, sizeof end) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory for a snapshot in %s", file->dir);
    }
    return block_write(file, SNAP_BLOCK_END, SNAP_END_SIZE, err);
}

/* Durable under its own name. */
static enum qn_status publish(struct snapfile *file, qn_error *err)
{
    const struct file_io *io = file->io;
    char name[SNAP_NAME_SIZE];

    snap_name_format(file->index, name);
    if (io->sync(io->arg, file->fd) != 0) {
        return failed(file, "sync", err);
    }
    if (io->rename(io->arg, file->dir_fd, SNAP_TEMPORARY, name) != 0) {
        return failed(file, "rename", err);
    }
    if (io->sync_dir(io->arg, file->dir_fd) != 0) {
        return failed(file, "name", err);
    }
    (void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    return QN_OK;
}

enum qn_status snapfile_finish(struct snapfile *file, uint64_t *size, qn_error *err)
{
    enum qn_status status = end_write(file, err);

    if (status == QN_OK) {
        status = publish(file, err);
    }
    if (status != QN_OK) {
        snapfile_abandon(file);
        return status;
    }
    *size = file->at;
    destroy(file);
    return QN_OK;
}

void snapfile_abandon(struct snapfile *file)
{
    if (!file) {
        return;
    }
    if (file->fd >= 0) {
        (void)file->io->remove(file->io->arg, file->dir_fd, SNAP_TEMPORARY);
    }
    destroy(file);
}

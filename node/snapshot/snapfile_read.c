#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/snapshot/snapfile_format.h"
#include "wire/compress.h"
#include "wire/hash.h"

enum { FORGET_STEP = 8 * 1024 * 1024, END_OF_PATH_SIZE = 48 };

struct reading {
    const char *path;
    int fd;
    uint64_t owner;
    const struct snap_visitor *visitor;
    qn_error *err;
    uint64_t size; /* of the file */
    uint64_t at;
    uint64_t forgotten; /* the page cache no longer has what lies before */
    uint32_t seed;
    uint32_t blocks;
    struct buf stored;
    struct buf plain;
};

static enum qn_status corrupt(const struct reading *r, uint64_t offset, const char *what)
{
    if (r->visitor->damage) {
        r->visitor->damage(r->visitor->arg, offset, what);
    }
    return qn_error_set(r->err, QN_CORRUPT,
                        "%s is damaged at offset %" PRIu64
                        ": %s; restore the data directory from a backup",
                        r->path, offset, what);
}

static enum qn_status failed(const struct reading *r, const char *what)
{
    return qn_error_set(r->err, QN_IO, "cannot %s %s: %s; check the disk", what, r->path,
                        strerror(errno));
}

/* The next `size` octets; the caller knows that the file has them. */
static enum qn_status take(struct reading *r, uint8_t *to, size_t size)
{
    while (size > 0) {
        ssize_t done = pread(r->fd, to, size, (off_t)r->at);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return failed(r, "read");
        }
        if (done == 0) {
            return corrupt(r, r->at, "the file ends");
        }
        to += done;
        size -= (size_t)done;
        r->at += (uint64_t)done;
    }
    return QN_OK;
}

/* Does the path say what the header says? Otherwise the file was put in the place of another. */
static bool path_matches(const char *path, const struct snap_head *head)
{
    char end[END_OF_PATH_SIZE];

    if (!snapfile_path("", head->partition, head->index, end, sizeof end)) {
        return false;
    }
    size_t size = strlen(end), path_size = strlen(path);
    return path_size >= size && strcmp(path + path_size - size, end) == 0;
}

static enum qn_status header_read(struct reading *r)
{
    uint8_t octets[SNAP_HEADER_SIZE];
    struct snap_head head;
    uint64_t owner;

    if (r->size < sizeof octets) {
        return corrupt(r, r->size, "the file ends in its header");
    }
    enum qn_status status = take(r, octets, sizeof octets);
    if (status != QN_OK) {
        return status;
    }
    status = snap_header_decode(bytes_of(octets, sizeof octets), &owner, &head, &r->seed);
    if (status == QN_UNSUPPORTED) {
        return qn_error_set(r->err, QN_CORRUPT,
                            "%s is of a newer format: use the version that wrote it", r->path);
    }
    if (status != QN_OK) {
        return corrupt(r, 0, "bad header");
    }
    if (owner != r->owner) {
        return corrupt(r, 0, "a snapshot of another disk");
    }
    if (!path_matches(r->path, &head)) {
        return corrupt(r, 0, "a snapshot of another partition or index");
    }
    return r->visitor->head(r->visitor->arg, &head);
}

/* The header of the block that comes next. */
static enum qn_status block_header_read(struct reading *r, struct snap_block *block)
{
    uint8_t octets[SNAP_BLOCK_HEADER_SIZE];
    uint64_t offset = r->at;

    if (r->size - r->at < sizeof octets) {
        return corrupt(r, offset, "the file ends before its end block");
    }
    enum qn_status status = take(r, octets, sizeof octets);
    if (status != QN_OK) {
        return status;
    }
    if (snap_block_decode(bytes_of(octets, sizeof octets), r->seed, block) != QN_OK ||
        block->number != r->blocks) {
        return corrupt(r, offset, "bad header of a block");
    }
    if (block->stored > r->size - r->at) {
        return corrupt(r, offset, "the file ends in a block");
    }
    return QN_OK;
}

/* The stored octets of the block, checked. */
static enum qn_status block_stored_read(struct reading *r, const struct snap_block *block)
{
    uint64_t offset = r->at;
    uint8_t *place;

    buf_clear(&r->stored);
    if (block->stored == 0) {
        return block->crc == crc32c(0, buf_bytes(&r->stored))
                   ? QN_OK
                   : corrupt(r, offset, "bad checksum of a block");
    }
    if (buf_extend(&r->stored, block->stored, &place) != QN_OK) {
        return qn_error_set(r->err, QN_MEMORY_FULL, "no memory to read %s", r->path);
    }
    enum qn_status status = take(r, place, block->stored);
    if (status == QN_OK && crc32c(0, buf_bytes(&r->stored)) != block->crc) {
        status = corrupt(r, offset, "bad checksum of a block");
    }
    return status;
}

static enum qn_status block_unpack(struct reading *r, const struct snap_block *block,
                                   struct bytes *plain)
{
    if (block->kind == SNAP_BLOCK_PLAIN) {
        *plain = buf_bytes(&r->stored);
        return QN_OK;
    }
    size_t size = 0;
    enum qn_status status = decompress_size(buf_bytes(&r->stored), &size);
    buf_clear(&r->plain);
    if (status == QN_OK && size == block->plain) {
        status = decompress(buf_bytes(&r->stored), SNAP_BLOCK_MAX, &r->plain);
    }
    if (status == QN_MEMORY_FULL) {
        return qn_error_set(r->err, QN_MEMORY_FULL, "no memory to read %s", r->path);
    }
    if (status != QN_OK || size != block->plain) {
        return corrupt(r, r->at - block->stored, "a block does not unpack");
    }
    *plain = buf_bytes(&r->plain);
    return QN_OK;
}

static enum qn_status end_check(const struct reading *r, const struct snap_block *block)
{
    const uint8_t *end = r->stored.data;
    uint64_t before = r->at - block->stored - SNAP_BLOCK_HEADER_SIZE;

    if (get_u64(end) != block->number || get_u64(end + 8) != before) {
        return corrupt(r, before, "the end block counts something else");
    }
    return r->at == r->size ? QN_OK : corrupt(r, r->at, "octets behind the end block");
}

/* A snapshot is read once: leave the page cache to others. */
static void forget(struct reading *r)
{
    if (r->at - r->forgotten >= FORGET_STEP) {
        (void)posix_fadvise(r->fd, (off_t)r->forgotten, (off_t)(r->at - r->forgotten),
                            POSIX_FADV_DONTNEED);
        r->forgotten = r->at;
    }
}

/* `*end`: that was the end block. */
static enum qn_status block_read(struct reading *r, bool *end)
{
    struct snap_block block;
    struct bytes plain = {0};
    enum qn_status status = block_header_read(r, &block);

    if (status == QN_OK) {
        status = block_stored_read(r, &block);
    }
    if (status != QN_OK) {
        return status;
    }
    *end = block.kind == SNAP_BLOCK_END;
    if (*end) {
        return end_check(r, &block);
    }
    status = block_unpack(r, &block, &plain);
    if (status == QN_OK) {
        r->blocks++;
        forget(r);
        status = r->visitor->block(r->visitor->arg, plain);
    }
    return status;
}

static enum qn_status open_read(struct reading *r)
{
    struct stat st;

    r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (r->fd < 0) {
        return errno == ENOENT ? qn_error_set(r->err, QN_ABSENT, "%s is missing", r->path)
                               : failed(r, "open");
    }
    if (fstat(r->fd, &st) != 0) {
        return failed(r, "look at");
    }
    if (!S_ISREG(st.st_mode)) {
        return corrupt(r, 0, "not a file");
    }
    r->size = (uint64_t)st.st_size;
    (void)posix_fadvise(r->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return QN_OK;
}

enum qn_status snapfile_read(const char *path, uint64_t owner, const struct snap_visitor *visitor,
                             uint64_t *size, qn_error *err)
{
    struct reading r = {.path = path, .fd = -1, .owner = owner, .visitor = visitor, .err = err};
    bool end = false;
    enum qn_status status = open_read(&r);

    if (status == QN_OK) {
        status = header_read(&r);
    }
    while (status == QN_OK && !end) {
        status = block_read(&r, &end);
    }
    if (status == QN_OK && size) {
        *size = r.size;
    }
    if (r.fd >= 0) {
        (void)close(r.fd);
    }
    buf_fini(&r.stored);
    buf_fini(&r.plain);
    return status;
}

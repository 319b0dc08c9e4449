/* Any octets as a snapshot file, or as a manifest: reading ends without a crash, with bounded
 * memory, and hands out nothing of a file that is not whole; a manifest that is read is written and
 * read again the same.
 *
 * First octet: bit 0 = it is a manifest, otherwise a snapshot; bit 1 = give the file a sound
 * header, bit 2 = and its blocks sound headers, bit 3 = and their octets sound checksums; of a
 * manifest bit 1 = a sound seal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/snapshot/manifest.h"
#include "node/snapshot/snapfile_format.h"
#include "wire/assert.h"
#include "wire/hash.h"

enum {
    MANIFEST = 1,
    SOUND_HEADER = 2,
    SOUND_BLOCKS = 4,
    SOUND_OCTETS = 8,
    OWNER = 7,
    INPUT_MAX = 64 * 1024,
    PATH_SIZE = 128,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct snap_head fuzzed_head = {.partition = 1, .index = 2, .epoch = 3};

struct seen {
    uint64_t heads, blocks, octets;
};

static enum qn_status take_head(void *arg, const struct snap_head *head)
{
    struct seen *seen = arg;

    qn_assert(head->partition == fuzzed_head.partition);
    qn_assert(head->index == fuzzed_head.index);
    qn_assert(seen->blocks == 0);
    seen->heads++;
    return QN_OK;
}

static enum qn_status take_block(void *arg, struct bytes block)
{
    struct seen *seen = arg;

    qn_assert(seen->heads == 1);
    qn_assert(block.size <= SNAP_BLOCK_MAX);
    seen->blocks++;
    seen->octets += block.size + (block.size > 0 ? hash_bytes(block) % 2 : 0);
    return QN_OK;
}

static void store(const char *path, struct bytes content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    qn_assert(fd >= 0);
    qn_assert(write(fd, content.data, content.size) == (ssize_t)content.size);
    (void)close(fd);
}

/* Turn octets into blocks that follow each other: kinds and sizes are taken from them. */
static void blocks_mend(uint8_t *data, size_t size, uint32_t seed, uint8_t flags)
{
    for (uint32_t number = 0; size >= SNAP_BLOCK_HEADER_SIZE; number++) {
        size_t left = size - SNAP_BLOCK_HEADER_SIZE;
        struct snap_block block = {.kind = data[0] % 4,
                                   .number = number,
                                   .plain = get_u32(data + 8) % (2 * SNAP_BLOCK_MAX),
                                   .stored = get_u16(data + 12),
                                   .crc = get_u32(data + 16)};
        size_t stored = block.stored < left ? block.stored : left;
        uint8_t *octets = data + SNAP_BLOCK_HEADER_SIZE;
        if (block.kind == SNAP_BLOCK_PLAIN) {
            block.plain = block.stored;
        } else if (block.kind == SNAP_BLOCK_END) {
            block.plain = SNAP_END_SIZE;
            block.stored = SNAP_END_SIZE;
            stored = SNAP_END_SIZE < left ? SNAP_END_SIZE : left;
        }
        if (flags & SOUND_OCTETS) {
            block.crc = crc32c(0, bytes_of(octets, stored));
        }
        snap_block_encode(&block, seed, data);
        data = octets + stored;
        size = left - stored;
    }
}

static void snapshot_fuzz(const char *dir, uint8_t flags, struct buf *octets)
{
    struct seen first = {0}, second = {0};
    struct snap_visitor visitor = {.arg = &first, .head = take_head, .block = take_block};
    char path[PATH_SIZE], folder[PATH_SIZE];
    uint64_t size = 0;

    if ((flags & SOUND_HEADER) && octets->size >= SNAP_HEADER_SIZE) {
        uint32_t seed = snap_header_encode(OWNER, &fuzzed_head, octets->data);
        if (flags & SOUND_BLOCKS) {
            blocks_mend(octets->data + SNAP_HEADER_SIZE, octets->size - SNAP_HEADER_SIZE, seed,
                        flags);
        }
    }
    (void)snprintf(folder, sizeof folder, "%s/p1", dir);
    qn_assert(mkdir(folder, 0700) == 0);
    qn_assert(snapfile_path(dir, 1, 2, path, sizeof path));
    store(path, buf_bytes(octets));
    enum qn_status status = snapfile_read(path, OWNER, &visitor, &size, NULL);
    qn_assert(status == QN_OK || status == QN_CORRUPT);
    qn_assert(status != QN_OK || size == octets->size);
    visitor.arg = &second;
    qn_assert(snapfile_read(path, OWNER, &visitor, NULL, NULL) == status);
    qn_assert(first.blocks == second.blocks && first.octets == second.octets);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void manifest_fuzz(const char *dir, uint8_t flags, struct buf *octets)
{
    struct manifest found = {0}, again = {0};
    char path[PATH_SIZE];

    if (flags & SOUND_HEADER) {
        qn_assert(lines_seal(octets) == QN_OK);
    }
    (void)snprintf(path, sizeof path, "%s/manifest", dir);
    store(path, buf_bytes(octets));
    enum qn_status status = manifest_read(dir, OWNER, &found, NULL);
    qn_assert(status == QN_OK || status == QN_CORRUPT);
    if (status == QN_OK) {
        qn_assert(manifest_write(dir, &found, NULL) == QN_OK);
        qn_assert(manifest_read(dir, OWNER, &again, NULL) == QN_OK);
        qn_assert(found.row_count == again.row_count && found.log_first == again.log_first);
        manifest_fini(&again);
    }
    manifest_fini(&found);
    (void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/dev/shm/quoin-fuzz-XXXXXX";
    struct buf octets = {0};

    if (size < 1 || size > INPUT_MAX || !mkdtemp(dir)) {
        return 0;
    }
    qn_assert(buf_append(&octets, data + 1, size - 1) == QN_OK);
    if (data[0] & MANIFEST) {
        manifest_fuzz(dir, data[0], &octets);
    } else {
        snapshot_fuzz(dir, data[0], &octets);
    }
    (void)rmdir(dir);
    buf_fini(&octets);
    return 0;
}

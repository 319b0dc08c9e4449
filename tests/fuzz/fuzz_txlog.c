/* Any octets as segments of a log: recovery ends without a crash, hands out sound records only, and
 * a second one finds the same records and nothing left to cut.
 *
 * First octet: bit 0 = give the segments a sound header, bit 1 = the checksums of batches and
 * records are made sound where they stand, bit 2 = the octets are two segments, cut in the middle,
 * bit 3 = a manifest knows where the log is needed from and how far it reached (the second and
 * third octet), bit 4 = the octets are the index of a segment. What reads one partition must end as
 * well, and a look must find what a start finds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/log/segment_index_format.h"
#include "node/log/txlog.h"
#include "node/log/txlog_format.h"
#include "node/log/txlog_read.h"
#include "wire/assert.h"
#include "wire/hash.h"

enum {
    SOUND_SEGMENT = 1,
    SOUND_BATCHES = 2,
    TWO_SEGMENTS = 4,
    MANIFEST = 8,
    INDEX = 16,
    SALT = 77,
    INPUT_MAX = 64 * 1024,
    PATH_SIZE = 128,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t records, damages, hash;
};

static enum qn_status take_record(void *arg, const struct record *record)
{
    struct seen *seen = arg;

    seen->records++;
    seen->hash = seen->hash * 31 + hash_bytes(record->effects) + hash_bytes(record->result) +
                 record->index + record->partition;
    return QN_OK;
}

static void take_damage(void *arg, const struct txlog_damage *damage)
{
    struct seen *seen = arg;

    qn_assert(damage->file[0] == '/');
    seen->damages++;
}

/* Give the records in `data` the checksums that they should have. */
static void records_mend(uint8_t *data, size_t size)
{
    while (size >= RECORD_HEADER_SIZE) {
        size_t body = (size_t)get_u32(data + 88) + get_u32(data + 92);
        if (body > size - RECORD_HEADER_SIZE) {
            body = size - RECORD_HEADER_SIZE;
        }
        put_u32(data + 112, crc32c(0, bytes_of(data + RECORD_HEADER_SIZE, body)));
        put_u32(data + 116, crc32c(0, bytes_of(data, 116)));
        data += RECORD_HEADER_SIZE + body;
        size -= RECORD_HEADER_SIZE + body;
    }
}

/* Turn octets into batches that follow each other: sizes are taken from them, LSNs counted. */
static uint64_t batches_mend(uint8_t *data, size_t size, uint64_t lsn)
{
    while (size >= BATCH_HEADER_SIZE) {
        size_t left = size - BATCH_HEADER_SIZE;
        size_t records = get_u16(data + 4);
        bool bad = data[6] & 1; /* leave this one's records as they are */
        if (records > left) {
            records = left;
        }
        struct batch_header header = {
            .salt = SALT, .lsn = lsn, .durable_lsn = lsn, .size = (uint32_t)records};
        batch_header_encode(&header, data);
        if (!bad) {
            records_mend(data + BATCH_HEADER_SIZE, records);
        }
        lsn += records;
        data += BATCH_HEADER_SIZE + records;
        size = left - records;
    }
    return lsn;
}

static void segment_store(const char *dir, uint64_t first_lsn, uint8_t flags, struct bytes octets)
{
    struct segment_header header = {.first_lsn = first_lsn, .salt = SALT};
    uint8_t block[SEGMENT_HEADER_SIZE];
    char name[SEGMENT_NAME_SIZE], path[PATH_SIZE];

    segment_name_format(first_lsn, name);
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    qn_assert(fd >= 0);
    if (flags & SOUND_SEGMENT) {
        segment_header_encode(&header, block);
        qn_assert(write(fd, block, sizeof block) == (ssize_t)sizeof block);
    }
    qn_assert(write(fd, octets.data, octets.size) == (ssize_t)octets.size);
    (void)close(fd);
}

static void segment_forget(const char *dir, uint64_t first_lsn)
{
    char name[SEGMENT_NAME_SIZE], path[PATH_SIZE];

    segment_name_format(first_lsn, name);
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    (void)unlink(path);
}

/* What the second and third octet say that a manifest knows. */
struct known {
    uint64_t needed_from, known_end;
};

static void recover_twice(const char *dir, const struct known *known)
{
    struct seen look = {0}, first = {0}, second = {0};
    struct txlog_visitor visitor = {.arg = &look,
                                    .record = take_record,
                                    .damage = take_damage,
                                    .needed_from = known->needed_from,
                                    .known_end = known->known_end,
                                    .read_only = true};
    struct txlog_report report, again;

    enum qn_status status_look = txlog_recover(dir, &visitor, &report, NULL);
    visitor.arg = &first;
    visitor.read_only = false;
    enum qn_status status = txlog_recover(dir, &visitor, &report, NULL);
    visitor.arg = &second;
    enum qn_status status_again = txlog_recover(dir, &visitor, &again, NULL);
    qn_assert(status == status_look && status == status_again);
    qn_assert(first.records == look.records && first.records == second.records);
    qn_assert(first.damages == look.damages && first.damages == second.damages);
    qn_assert(first.hash == look.hash && first.hash == second.hash);
    if (status == QN_OK) {
        qn_assert(report.next_lsn == again.next_lsn || report.damages > 0);
        qn_assert(report.next_lsn >= known->known_end || report.damages > 0);
        qn_assert(again.torn_bytes == 0);
    }
}

static enum qn_status take_partition(void *arg, const char *path, uint64_t offset,
                                     const struct record *record)
{
    (void)path;
    qn_assert(offset >= SEGMENT_HEADER_SIZE);
    qn_assert(record->partition == *(const uint32_t *)arg);
    return QN_OK;
}

static void partition_read(const char *dir, uint32_t partition)
{
    struct txlog_query query = {.dir = dir, .partition = partition, .end_lsn = UINT64_MAX};
    struct txlog_query_visitor visitor = {.arg = &partition, .record = take_partition};
    enum qn_status status = txlog_partition_read(&query, &visitor, NULL);

    qn_assert(status == QN_OK || status == QN_CORRUPT);
}

/* The octets as the index of a sound, empty segment, with sound checksums. */
static void index_fuzz(const char *dir, uint8_t *octets, size_t size)
{
    char name[INDEX_NAME_SIZE], path[PATH_SIZE];

    if (size >= INDEX_HEADER_SIZE + INDEX_CRC_SIZE) {
        memcpy(octets, INDEX_MAGIC, INDEX_MAGIC_SIZE);
        put_u32(octets + AT_INDEX_FORMAT, SEGMENT_INDEX_FORMAT);
        put_u64(octets + AT_INDEX_FIRST_LSN, 0);
        put_u64(octets + AT_INDEX_SALT, SALT);
        put_u64(octets + AT_INDEX_END_OFFSET, SEGMENT_HEADER_SIZE + 100);
        put_u32(octets + AT_INDEX_CRC, crc32c(0, bytes_of(octets, AT_INDEX_CRC)));
        put_u32(octets + size - INDEX_CRC_SIZE, crc32c(0, bytes_of(octets, size - INDEX_CRC_SIZE)));
    }
    segment_store(dir, 0, SOUND_SEGMENT, bytes_of(octets, size));
    segment_index_name(0, name);
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    qn_assert(fd >= 0);
    qn_assert(write(fd, octets, size) == (ssize_t)size);
    (void)close(fd);
    partition_read(dir, 0);
    (void)unlink(path);
    segment_forget(dir, 0);
}

static void log_fuzz(const char *dir, uint8_t flags, const struct known *known, uint8_t *octets,
                     size_t all)
{
    size_t half = flags & TWO_SEGMENTS ? all / 2 : all;
    uint64_t second_lsn = 1000;

    if (flags & SOUND_BATCHES) {
        second_lsn = batches_mend(octets, half, 0);
        (void)batches_mend(octets + half, all - half, second_lsn);
    }
    segment_store(dir, 0, flags, bytes_of(octets, half));
    if (flags & TWO_SEGMENTS && second_lsn > 0) {
        segment_store(dir, second_lsn, flags, bytes_of(octets + half, all - half));
    }
    partition_read(dir, 0);
    recover_twice(dir, known);
    segment_forget(dir, 0);
    segment_forget(dir, second_lsn);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/dev/shm/quoin-fuzz-XXXXXX";
    struct known known = {0};

    if (size < 3 || size > INPUT_MAX || !mkdtemp(dir)) {
        return 0;
    }
    uint8_t flags = data[0];
    size_t all = size - 3;
    uint8_t *octets = malloc(all + 1);
    qn_assert(octets != NULL);
    memcpy(octets, data + 3, all);
    if (flags & MANIFEST) {
        known =
            (struct known){.needed_from = data[1] * 20u, .known_end = data[1] * 20u + data[2] * 9u};
    }
    if (flags & INDEX) {
        index_fuzz(dir, octets, all);
    } else {
        log_fuzz(dir, flags, &known, octets, all);
    }
    (void)rmdir(dir);
    free(octets);
    return 0;
}

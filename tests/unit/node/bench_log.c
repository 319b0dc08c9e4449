/* How fast the transaction log is: appending, making durable in groups, replaying.
 *
 *     bench_log DIRECTORY [SECONDS]
 *
 * `in flight` is how many records wait for the disk at a time: as many as there are clients that
 * wait for an answer. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "node/log/txlog.h"
#include "wire/assert.h"

enum {
    BODY_SIZE = 130,
    SEGMENT_SIZE = 64 << 20,
    REPLAY_RECORDS = 4000000,
    APPEND_ROUND = 256,
    APPEND_ROUNDS = 2000
};

struct bench {
    struct txlog *log;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t index;
    uint64_t lsn;
};

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void moved(void *arg)
{
    struct bench *bench = arg;

    (void)pthread_mutex_lock(&bench->lock);
    (void)pthread_cond_signal(&bench->moved);
    (void)pthread_mutex_unlock(&bench->lock);
}

static enum qn_status count_record(void *arg, const struct record *record)
{
    *(uint64_t *)arg += record->index != 0;
    return QN_OK;
}

static void no_damage(void *arg, const struct txlog_damage *damage)
{
    (void)arg;
    (void)fprintf(stderr, "damage in %s at %" PRIu64 ": %s\n", damage->file, damage->offset,
                  damage->text);
    exit(1);
}

static struct txlog_report replay(const char *dir)
{
    uint64_t count = 0;
    qn_error err = QN_ERROR_INIT;
    struct txlog_report report = {0};
    struct txlog_visitor visitor = {.arg = &count, .record = count_record, .damage = no_damage};

    if (txlog_recover(dir, &visitor, &report, &err) != QN_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    qn_assert(count == report.records);
    return report;
}

static void bench_open(struct bench *bench, const char *dir)
{
    qn_error err = QN_ERROR_INIT;
    struct txlog_options options = {.dir = dir,
                                    .segment_size_bytes = SEGMENT_SIZE,
                                    .next_lsn = replay(dir).next_lsn,
                                    .notify = moved,
                                    .arg = bench};

    if (txlog_open(&options, &bench->log, &err) != QN_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

static void append(struct bench *bench)
{
    static const uint8_t body[BODY_SIZE] = {1, 2, 3};
    struct record record = {
        .type = RECORD_WRITE, .index = ++bench->index, .effects = bytes_of(body, BODY_SIZE)};

    if (txlog_append(bench->log, &record, &bench->lsn) != QN_OK) {
        (void)fprintf(stderr, "append failed\n");
        exit(1);
    }
}

/* Until everything below `lsn` is on disk. */
static void wait_durable(struct bench *bench, uint64_t lsn)
{
    (void)pthread_mutex_lock(&bench->lock);
    while (txlog_durable(bench->log) < lsn) {
        qn_assert(!txlog_failed(bench->log, NULL));
        (void)pthread_cond_wait(&bench->moved, &bench->lock);
    }
    (void)pthread_mutex_unlock(&bench->lock);
}

/* Keep `in_flight` records on their way: what became durable is followed by as many new ones. */
static void run(struct bench *bench, uint64_t in_flight, double seconds)
{
    const uint64_t size = RECORD_HEADER_SIZE + BODY_SIZE;
    struct txlog_stats before, after;
    double start = now_s(), end = start + seconds;

    txlog_stats(bench->log, &before);
    while (now_s() < end) {
        uint64_t waiting = (bench->lsn - txlog_durable(bench->log)) / size;
        if (bench->lsn == 0) {
            waiting = 0;
        }
        for (; waiting < in_flight; waiting++) {
            append(bench);
        }
        txlog_flush(bench->log);
        wait_durable(bench, bench->lsn - (in_flight - 1) * size);
    }
    wait_durable(bench, bench->lsn);
    txlog_stats(bench->log, &after);
    double took = now_s() - start;
    double records = (double)(after.records - before.records);
    double syncs = (double)(after.syncs - before.syncs);
    (void)printf("in flight %5" PRIu64 ": %9.0f records/s  %7.0f syncs/s  %6.1f records/sync  "
                 "%6.0f us/sync\n",
                 in_flight, records / took, syncs / took, records / syncs,
                 (double)(after.sync_ns - before.sync_ns) / syncs / 1e3);
}

/* What an append costs the thread that calls it, with a round's worth of records at a time. */
static void run_append(struct bench *bench)
{
    double took = 0;

    for (int round = 0; round < APPEND_ROUNDS; round++) {
        double start = now_s();
        for (int i = 0; i < APPEND_ROUND; i++) {
            append(bench);
        }
        took += now_s() - start;
        txlog_flush(bench->log);
        wait_durable(bench, bench->lsn);
    }
    (void)printf("append: %.0f ns per record of %d octets\n",
                 took / APPEND_ROUND / APPEND_ROUNDS * 1e9, RECORD_HEADER_SIZE + BODY_SIZE);
}

int main(int argc, char **argv)
{
    static const uint64_t in_flight[] = {1, 16, 64, 256, 1024};
    struct bench bench = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    double seconds = argc > 2 ? atof(argv[2]) : 2;

    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_log DIRECTORY [SECONDS]\n");
        return 2;
    }
    bench_open(&bench, argv[1]);
    for (size_t i = 0; i < sizeof in_flight / sizeof *in_flight; i++) {
        run(&bench, in_flight[i], seconds);
    }
    run_append(&bench);
    while (bench.index < REPLAY_RECORDS) {
        run(&bench, 1024, 1);
    }
    qn_assert(txlog_close(bench.log) == QN_OK);
    double start = now_s();
    struct txlog_report report = replay(argv[1]);
    double took = now_s() - start;
    (void)printf("replay: %" PRIu64 " records in %.2f s, %.2f M records/s, %.0f MB/s\n",
                 report.records, took, (double)report.records / took / 1e6,
                 (double)report.bytes / took / 1e6);
    return 0;
}

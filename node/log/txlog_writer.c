/* The writer's thread: takes all batches that wait, writes them with one write, syncs once.
 *
 *     take -> [roll to the next segment] -> write, sync, report -> prepare the next segment -> take
 *
 * A batch never straddles two segments, and nothing goes into a segment before all that went into
 * the one before it is on disk: only the last segment can have a torn tail. */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "node/log/txlog_internal.h"
#include "wire/assert.h"

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void txlog_room_publish(struct txlog *log, size_t written)
{
    /* The greater of the two, not their sum: what fits into one file alone also fits when it begins
     * in the other, however the batches fall. */
    uint64_t spare = segment_left(&log->spare), current = segment_left(&log->current);

    (void)pthread_mutex_lock(&log->lock);
    log->taken -= written;
    log->room = spare > current ? spare : current;
    (void)pthread_mutex_unlock(&log->lock);
}

static void space_short_set(struct txlog *log, bool space_short)
{
    (void)pthread_mutex_lock(&log->lock);
    log->space_short = space_short;
    (void)pthread_mutex_unlock(&log->lock);
}

/* Wait, lock held, until woken or it is time to look for space again. */
static void wait_retry(struct txlog *log)
{
    int64_t end_ns = log->look_at_ns;
    struct timespec end = {.tv_sec = end_ns / 1000000000, .tv_nsec = end_ns % 1000000000};

    (void)pthread_cond_timedwait(&log->wake, &log->lock, &end);
}

/* Prepare a file. A full disk is not an error of the log: `*segment` is then left as it was. */
static enum qn_status prepare(struct txlog *log, const char *name, uint64_t size,
                              struct segment *segment, qn_error *err)
{
    qn_error own = QN_ERROR_INIT;
    enum qn_status status = segment_prepare(&log->dir, name, size, segment, &own);

    int64_t wait_ns = (int64_t)log->dir.io->space_retry_ms * 1000000;
    log->look_at_ns = status == QN_DISK_FULL ? now_ns() + wait_ns : 0;
    space_short_set(log, status == QN_DISK_FULL);
    if (status == QN_OK || status == QN_DISK_FULL) {
        return QN_OK;
    }
    return qn_error_set(err, status, "%s", own.text);
}

/* Have the next segment ready, or a part of it: `written` octets went to the disk since the last
 * time, so that it is full of zeros well before it is needed. */
static enum qn_status spare_prepare(struct txlog *log, uint64_t written, qn_error *err)
{
    enum qn_status status = QN_OK;

    if (log->spare.fd < 0 && now_ns() >= log->look_at_ns) {
        status = prepare(log, SPARE_NAME, log->segment_size, &log->spare, err);
        txlog_room_publish(log, 0);
    }
    if (status == QN_OK && log->spare.fd >= 0 && log->spare.zeroed < log->spare.size) {
        status = segment_zero(&log->dir, &log->spare, 2 * written + SPARE_ZERO_STEP, err);
    }
    return status;
}

/* Wait until there is space for a file, or the log is to stop. */
static enum qn_status prepare_wait(struct txlog *log, const char *name, uint64_t size,
                                   struct segment *segment, qn_error *err)
{
    for (;;) {
        enum qn_status status = prepare(log, name, size, segment, err);
        if (status != QN_OK || segment->fd >= 0) {
            return status;
        }
        (void)pthread_mutex_lock(&log->lock);
        while (!log->stopping && now_ns() < log->look_at_ns) {
            wait_retry(log);
        }
        bool stopping = log->stopping;
        (void)pthread_mutex_unlock(&log->lock);
        if (stopping) {
            return qn_error_set(err, QN_DISK_FULL,
                                "no space in %s for the records that wait: make space there, then "
                                "start the node again",
                                log->path);
        }
    }
}

/* Go on in a new segment, in which a batch of `size` octets fits. */
static enum qn_status roll(struct txlog *log, uint64_t lsn, size_t size, qn_error *err)
{
    bool large = size > log->segment_size - SEGMENT_HEADER_SIZE;
    struct segment next = large ? SEGMENT_NONE : log->spare;
    const char *name = large ? LARGE_NAME : SPARE_NAME;
    uint64_t file_size = large ? size + SEGMENT_HEADER_SIZE : log->segment_size;
    enum qn_status status = QN_OK;

    if (!large) {
        log->spare = SEGMENT_NONE;
    }
    if (next.fd < 0) {
        status = prepare_wait(log, name, file_size, &next, err);
    }
    if (status == QN_OK) {
        status = segment_publish(&log->dir, name, lsn, &next, err);
    }
    if (status != QN_OK) {
        segment_close(&next);
        return status;
    }
    segment_close(&log->current);
    log->current = next;
    atomic_fetch_add_explicit(&log->counters.segments, 1, memory_order_relaxed);
    return QN_OK;
}

/* What the next write covers. */
struct group {
    size_t size;    /* octets of whole batches */
    uint64_t lsn;   /* behind the last of them */
    uint64_t count; /* of records */
};

/* Complete the headers of as many batches as the current segment can take, from `at` on. The
 * headers there were written by this process a moment ago, so they are sound. */
static struct group group_form(struct txlog *log, size_t at)
{
    uint64_t left = segment_left(&log->current), durable = atomic_load(&log->durable);
    struct group group = {.lsn = durable};

    while (at + group.size < log->writing.size) {
        uint8_t *place = log->writing.data + at + group.size;
        struct batch_header header;
        enum qn_status status =
            batch_header_decode(bytes_of(place, log->writing.size - at - group.size), 0, &header);
        qn_assert(status == QN_OK);
        size_t size = BATCH_HEADER_SIZE + header.size;
        if (size > left - group.size) {
            break;
        }
        header.salt = log->current.salt;
        header.durable_lsn = durable;
        batch_header_encode(&header, place);
        group.size += size;
        group.lsn = header.lsn + header.size;
        group.count += header.count;
    }
    return group;
}

static void group_report(struct txlog *log, const struct group *group, int64_t took_ns)
{
    struct txlog_counters *counters = &log->counters;

    atomic_fetch_add_explicit(&counters->records, group->count, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->bytes, group->size, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->syncs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->sync_ns, (uint64_t)took_ns, memory_order_relaxed);
    txlog_room_publish(log, group->size);
    atomic_store_explicit(&log->durable, group->lsn, memory_order_release);
    log->notify(log->arg);
}

static enum qn_status group_write(struct txlog *log, size_t at, const struct group *group,
                                  qn_error *err)
{
    int64_t started_ns = now_ns();
    enum qn_status status =
        segment_write(&log->dir, &log->current, bytes_of(log->writing.data + at, group->size), err);

    if (status == QN_OK) {
        group_report(log, group, now_ns() - started_ns);
    }
    return status;
}

/* Size of the batch at `at`, header included. */
static size_t batch_size(const struct txlog *log, size_t at)
{
    struct batch_header header;
    enum qn_status status =
        batch_header_decode(bytes_of(log->writing.data + at, log->writing.size - at), 0, &header);

    qn_assert(status == QN_OK);
    return BATCH_HEADER_SIZE + header.size;
}

/* Write all that was taken: one write and one sync, or one more for each segment it reaches. */
static enum qn_status taken_write(struct txlog *log, qn_error *err)
{
    enum qn_status status = QN_OK;
    size_t at = 0;

    while (status == QN_OK && at < log->writing.size) {
        struct group group = group_form(log, at);
        if (group.size == 0) {
            status = roll(log, group.lsn, batch_size(log, at), err);
            continue;
        }
        status = group_write(log, at, &group, err);
        at += group.size;
    }
    return status;
}

static void buffers_swap(struct txlog *log)
{
    struct buf written = log->writing;

    if (written.capacity > BUFFER_KEEP_MAX) {
        buf_fini(&written);
    }
    buf_clear(&written);
    log->writing = log->waiting;
    log->waiting = written;
    log->taken = log->writing.size;
}

/* Wait for something to do. False: the log is to stop and nothing waits. */
static bool writer_wait(struct txlog *log)
{
    (void)pthread_mutex_lock(&log->lock);
    if (log->waiting.size == 0 && !log->stopping) {
        if (log->space_short) {
            wait_retry(log);
        } else {
            (void)pthread_cond_wait(&log->wake, &log->lock);
        }
    }
    bool more = log->waiting.size > 0 || !log->stopping;
    buffers_swap(log);
    (void)pthread_mutex_unlock(&log->lock);
    return more;
}

/* An empty batch that says what is durable: after a clean stop no damage passes for a torn tail. */
static enum qn_status stop_mark_write(struct txlog *log, qn_error *err)
{
    uint64_t durable = atomic_load(&log->durable);
    struct batch_header header = {
        .salt = log->current.salt, .lsn = durable, .durable_lsn = durable};
    uint8_t mark[BATCH_HEADER_SIZE];

    if (log->current.at == SEGMENT_HEADER_SIZE || segment_left(&log->current) < sizeof mark) {
        return QN_OK;
    }
    batch_header_encode(&header, mark);
    return segment_write(&log->dir, &log->current, bytes_of(mark, sizeof mark), err);
}

/* For good: nothing is written after a failed write or sync. */
static void fail(struct txlog *log, const qn_error *err)
{
    (void)pthread_mutex_lock(&log->lock);
    log->error = *err;
    (void)pthread_mutex_unlock(&log->lock);
    atomic_store_explicit(&log->failed, true, memory_order_release);
    log->notify(log->arg);
}

void *txlog_writer_main(void *arg)
{
    struct txlog *log = arg;
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = spare_prepare(log, 0, &err);

    while (status == QN_OK && writer_wait(log)) {
        uint64_t size = log->writing.size;
        status = taken_write(log, &err);
        if (status == QN_OK) {
            status = spare_prepare(log, size, &err);
        }
    }
    if (status == QN_OK) {
        status = stop_mark_write(log, &err);
    }
    if (status != QN_OK) {
        fail(log, &err);
    }
    return NULL;
}

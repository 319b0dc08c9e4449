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

int64_t txlog_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
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

/* Size of the batch at `at`, header included. The salt is that of its segment once it was written.
 */
static size_t batch_size(const struct txlog *log, size_t at, uint64_t salt)
{
    struct batch_header header;
    struct bytes rest = bytes_of(log->writing.data + at, log->writing.size - at);
    enum qn_status status = batch_header_decode(rest, salt, &header);

    qn_assert(status == QN_OK);
    return BATCH_HEADER_SIZE + header.size;
}

/* Note the records of a batch whose first one stands at `offset` of the current segment. */
static void batch_index(struct txlog *log, struct bytes records, uint64_t offset)
{
    while (records.size > 0) {
        struct record record;
        size_t size;
        /* The header alone: of a body that is cut off QN_CORRUPT is said, and what is known. */
        struct bytes header = bytes_of(records.data, RECORD_HEADER_SIZE);
        enum qn_status status = record_decode(header, &record, &size);
        qn_assert(status == QN_OK || status == QN_CORRUPT);
        segment_index_note(&log->index, record.partition, record.index, offset);
        records = bytes_of(records.data + size, records.size - size);
        offset += size;
    }
}

/* Note the records of the group that was just written, up to the place where the segment is now. */
static void group_index(struct txlog *log, size_t at, size_t size)
{
    uint64_t offset = log->current.at - size;

    for (size_t end = at + size; at < end;) {
        size_t batch = batch_size(log, at, log->current.salt);
        batch_index(log,
                    bytes_of(log->writing.data + at + BATCH_HEADER_SIZE, batch - BATCH_HEADER_SIZE),
                    offset + BATCH_HEADER_SIZE);
        at += batch;
        offset += batch;
    }
}

static void group_report(struct txlog *log, const struct group *group, int64_t began_ns)
{
    int64_t now_ns = txlog_now_ns();

    (void)pthread_mutex_lock(&log->lock);
    txlog_sync_count(log, group->count, group->size, (uint64_t)(now_ns - began_ns));
    txlog_waits_settle(log, group->lsn, now_ns);
    (void)pthread_mutex_unlock(&log->lock);
    txlog_room_publish(log, group->size);
    atomic_store_explicit(&log->durable, group->lsn, memory_order_release);
    log->notify(log->arg);
}

static enum qn_status group_write(struct txlog *log, size_t at, const struct group *group,
                                  qn_error *err)
{
    int64_t began_ns = txlog_now_ns();
    enum qn_status status =
        segment_write(&log->dir, &log->current, bytes_of(log->writing.data + at, group->size), err);

    if (status == QN_OK) {
        group_report(log, group, began_ns);
        group_index(log, at, group->size); /* after the report: nobody waits for it */
    }
    return status;
}

/* Write all that was taken: one write and one sync, or one more for each segment it reaches. */
static enum qn_status taken_write(struct txlog *log, qn_error *err)
{
    enum qn_status status = QN_OK;
    size_t at = 0;

    while (status == QN_OK && at < log->writing.size) {
        struct group group = group_form(log, at);
        if (group.size == 0) {
            status = txlog_roll(log, group.lsn, batch_size(log, at, 0), err);
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
    if (log->waiting.size == 0 && !log->stopping && !txlog_removable(log)) {
        if (log->shortage != QN_OK) {
            txlog_wait_retry(log);
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

/* What comes after the last record. */
static enum qn_status finish(struct txlog *log, qn_error *err)
{
    enum qn_status status = stop_mark_write(log, err);

    if (status == QN_OK) {
        txlog_index_close(log, atomic_load(&log->durable));
    }
    while (status == QN_OK && txlog_removable(log)) {
        status = txlog_segment_remove(log, err);
    }
    return status;
}

void *txlog_writer_main(void *arg)
{
    struct txlog *log = arg;
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = txlog_spare_prepare(log, 0, &err);

    while (status == QN_OK && writer_wait(log)) {
        uint64_t size = log->writing.size;
        status = taken_write(log, &err);
        if (status == QN_OK) {
            status = txlog_segment_remove(log, &err);
        }
        if (status == QN_OK) {
            status = txlog_spare_prepare(log, size, &err);
        }
    }
    if (status == QN_OK) {
        status = finish(log, &err);
    }
    if (status != QN_OK) {
        fail(log, &err);
    }
    return NULL;
}

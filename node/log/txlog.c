#define _GNU_SOURCE
#include "node/log/txlog.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

#include "node/log/txlog_internal.h"
#include "node/log/txlog_io.h"
#include "wire/assert.h"

enum { SPACE_RETRY_MS = 1000, SPACE_MARGIN = 16 * 1024 * 1024 };

static enum qn_status locks_init(struct txlog *log, qn_error *err)
{
    pthread_condattr_t attr;
    bool done = pthread_mutex_init(&log->lock, NULL) == 0;

    done = done && pthread_condattr_init(&attr) == 0;
    done = done && pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0;
    done = done && pthread_cond_init(&log->wake, &attr) == 0;
    done = done && pthread_condattr_destroy(&attr) == 0;
    return done ? QN_OK : qn_error_set(err, QN_MEMORY_FULL, "cannot create the log's locks");
}

/* Signals are for the main thread: the writer takes none. */
static enum qn_status writer_start(struct txlog *log, qn_error *err)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int number = pthread_create(&log->thread, NULL, txlog_writer_main, log);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number == 0) {
        (void)pthread_setname_np(log->thread, "quoin-log");
    }
    return number == 0
               ? QN_OK
               : qn_error_set(err, QN_IO, "cannot start the log's thread: %s", strerror(number));
}

static void destroy(struct txlog *log)
{
    txlog_files_close(log);
    buf_fini(&log->waiting);
    buf_fini(&log->writing);
    (void)pthread_cond_destroy(&log->wake);
    (void)pthread_mutex_destroy(&log->lock);
    free(log->path);
    free(log);
}

static struct txlog *create(const struct txlog_options *options, const struct file_io *io)
{
    struct txlog *log = calloc(1, sizeof *log);
    char *path = strdup(options->dir);

    if (!log || !path) {
        free(log);
        free(path);
        return NULL;
    }
    size_t capacity = options->segment_size_bytes - SEGMENT_HEADER_SIZE - BATCH_HEADER_SIZE;
    log->path = path;
    log->dir = (struct lane_dir){.fd = -1, .path = path, .owner = options->owner, .io = io};
    log->segment_size = options->segment_size_bytes;
    log->batch_max = capacity < BATCH_FILL_MAX ? capacity : BATCH_FILL_MAX;
    log->notify = options->notify;
    log->arg = options->arg;
    log->next_lsn = options->next_lsn;
    log->error = (qn_error)QN_ERROR_INIT;
    log->current = SEGMENT_NONE;
    log->spare = SEGMENT_NONE;
    atomic_init(&log->durable, options->next_lsn);
    return log;
}

enum qn_status txlog_open_with(const struct txlog_options *options, const struct file_io *io,
                               uint32_t space_retry_ms, struct txlog **log, qn_error *err)
{
    qn_assert(options->segment_size_bytes >= TXLOG_SEGMENT_MIN);
    struct txlog *made = create(options, io);
    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory for the log in %s", options->dir);
    }
    enum qn_status status = locks_init(made, err);
    if (status == QN_OK) {
        made->space_retry_ms = space_retry_ms;
        status = txlog_files_open(made, err);
    }
    if (status == QN_OK) {
        txlog_room_publish(made, 0);
        status = writer_start(made, err);
    }
    if (status != QN_OK) {
        destroy(made);
        return status;
    }
    *log = made;
    return QN_OK;
}

enum qn_status txlog_open(const struct txlog_options *options, struct txlog **log, qn_error *err)
{
    return txlog_open_with(options, file_io_system(), SPACE_RETRY_MS, log, err);
}

enum qn_status txlog_close(struct txlog *log)
{
    if (!log) {
        return QN_OK;
    }
    (void)pthread_mutex_lock(&log->lock);
    log->stopping = true;
    (void)pthread_cond_signal(&log->wake);
    (void)pthread_mutex_unlock(&log->lock);
    (void)pthread_join(log->thread, NULL);

    enum qn_status status = log->error.status;
    destroy(log);
    return status;
}

/* A record larger than a segment gets a file of its own size: is there space for it? */
static enum qn_status reserve_large(const struct txlog *log, size_t size)
{
    struct statvfs vfs;

    if (fstatvfs(log->dir.fd, &vfs) != 0) {
        return QN_DISK_FULL;
    }
    uint64_t available = (uint64_t)vfs.f_bavail * vfs.f_frsize;
    return available / 2 > (uint64_t)size + SPACE_MARGIN ? QN_OK : QN_DISK_FULL;
}

enum qn_status txlog_reserve(struct txlog *log, size_t size)
{
    enum qn_status status = QN_OK;
    bool large = size > log->segment_size - SEGMENT_HEADER_SIZE - BATCH_HEADER_SIZE;

    (void)pthread_mutex_lock(&log->lock);
    size_t pending = log->taken + log->waiting.size;
    if (log->error.status != QN_OK) {
        status = QN_IO;
    } else if (size > WAITING_RESERVE_MAX || pending > WAITING_RESERVE_MAX - size) {
        status = QN_OVERLOADED;
    } else if (large) {
        status = log->shortage;
    } else if (pending + size + BATCH_HEADER_SIZE > log->room) {
        status = log->shortage != QN_OK ? log->shortage : QN_OVERLOADED;
    }
    (void)pthread_mutex_unlock(&log->lock);
    return status == QN_OK && large ? reserve_large(log, size) : status;
}

/* Begin a batch at the end of what waits. */
static enum qn_status batch_begin(struct txlog *log)
{
    uint8_t *at;
    enum qn_status status = buf_extend(&log->waiting, BATCH_HEADER_SIZE, &at);

    if (status == QN_OK) {
        log->filling = (struct batch_header){.lsn = log->next_lsn};
        log->filling_at = (size_t)(at - log->waiting.data);
    }
    return status;
}

/* Encode the record into what waits, in a new batch where it does not fit into the last. */
static enum qn_status append_locked(struct txlog *log, const struct record *record, size_t size)
{
    struct batch_header filling = log->filling;
    size_t filling_at = log->filling_at, before = log->waiting.size;
    enum qn_status status = QN_OK;

    if (log->error.status != QN_OK) {
        return QN_IO;
    }
    if (size > WAITING_APPEND_MAX || log->taken + before > WAITING_APPEND_MAX - size) {
        return QN_MEMORY_FULL;
    }
    if (before == 0 || log->filling.size + size > log->batch_max) {
        status = batch_begin(log);
    }
    if (status == QN_OK) {
        status = record_encode(record, &log->waiting);
    }
    if (status != QN_OK) {
        log->waiting.size = before;
        log->filling = filling;
        log->filling_at = filling_at;
        return status;
    }
    log->next_lsn += size;
    log->filling.size += (uint32_t)size;
    log->filling.count++;
    batch_header_encode(&log->filling, log->waiting.data + log->filling_at);
    txlog_waits_note(log, 1);
    return QN_OK;
}

enum qn_status txlog_append(struct txlog *log, const struct record *record, uint64_t *lsn)
{
    size_t size = record_size(record);

    (void)pthread_mutex_lock(&log->lock);
    enum qn_status status = append_locked(log, record, size);
    if (status == QN_OK) {
        *lsn = log->next_lsn;
    }
    (void)pthread_mutex_unlock(&log->lock);
    return status;
}

void txlog_flush(struct txlog *log)
{
    (void)pthread_mutex_lock(&log->lock);
    bool wake = log->waiting.size > 0;
    log->waits.open = false;
    (void)pthread_mutex_unlock(&log->lock);
    if (wake) {
        (void)pthread_cond_signal(&log->wake);
    }
}

void txlog_truncate(struct txlog *log, uint64_t lsn)
{
    (void)pthread_mutex_lock(&log->lock);
    if (lsn > log->truncate_lsn) {
        log->truncate_lsn = lsn;
        (void)pthread_cond_signal(&log->wake);
    }
    (void)pthread_mutex_unlock(&log->lock);
}

uint64_t txlog_next(const struct txlog *log)
{
    return log->next_lsn;
}

uint64_t txlog_durable(const struct txlog *log)
{
    return atomic_load_explicit(&log->durable, memory_order_acquire);
}

bool txlog_failed(const struct txlog *log, qn_error *err)
{
    if (!atomic_load_explicit(&log->failed, memory_order_acquire)) {
        return false;
    }
    /* Written once, before `failed` was set. */
    (void)qn_error_set(err, log->error.status, "%s", log->error.text);
    return true;
}

/* The files of an open log: the current segment, the one prepared ahead, those no longer needed.
 * Used by the writer's thread, and by the one that opens the log before that runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/log/txlog_internal.h"

#define SPARE_NAME "next.tmp"
#define LARGE_NAME "large.tmp"

/* Tell what stands in the directory, for the figures and for `txlog_removable`. */
static void files_publish(struct txlog *log)
{
    uint64_t bytes = log->spare.fd >= 0 ? log->spare.size : 0;

    for (size_t i = 0; i < log->files.count; i++) {
        bytes += log->files.files[i].size;
    }
    (void)pthread_mutex_lock(&log->lock);
    log->stats.first_lsn = log->files.count > 0 ? log->files.files[0].first_lsn : 0;
    log->stats.disk_bytes = bytes;
    log->stats.buffer_bytes = segment_index_builder_memory(&log->index);
    (void)pthread_mutex_unlock(&log->lock);
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

void txlog_wait_retry(struct txlog *log)
{
    int64_t end_ns = log->look_at_ns;
    struct timespec end = {.tv_sec = end_ns / 1000000000, .tv_nsec = end_ns % 1000000000};

    (void)pthread_cond_timedwait(&log->wake, &log->lock, &end);
}

/* Prepare a file. That nothing is left for it is not an error of the log: `*segment` is then left
 * as it was. */
static enum qn_status prepare(struct txlog *log, const char *name, uint64_t size,
                              struct segment *segment, qn_error *err)
{
    qn_error own = QN_ERROR_INIT;
    enum qn_status status = segment_prepare(&log->dir, name, size, segment, &own);
    bool is_short = status == QN_DISK_FULL || status == QN_OVERLOADED;

    log->look_at_ns = is_short ? txlog_now_ns() + (int64_t)log->space_retry_ms * 1000000 : 0;
    (void)pthread_mutex_lock(&log->lock);
    log->shortage = is_short ? status : QN_OK;
    (void)pthread_mutex_unlock(&log->lock);
    return status == QN_OK || is_short ? QN_OK : qn_error_set(err, status, "%s", own.text);
}

enum qn_status txlog_spare_prepare(struct txlog *log, uint64_t written, qn_error *err)
{
    enum qn_status status = QN_OK;

    if (log->spare.fd < 0 && txlog_now_ns() >= log->look_at_ns) {
        status = prepare(log, SPARE_NAME, log->segment_size, &log->spare, err);
        txlog_room_publish(log, 0);
        files_publish(log);
    }
    if (status == QN_OK && log->spare.fd >= 0 && log->spare.zeroed < log->spare.size) {
        status = segment_zero(&log->dir, &log->spare, 2 * written + SPARE_ZERO_STEP, err);
    }
    return status;
}

/* Wait until there is space for a file, or the log is to stop. Removing segments goes on: that may
 * be what makes space. */
static enum qn_status prepare_wait(struct txlog *log, const char *name, uint64_t size,
                                   struct segment *segment, qn_error *err)
{
    for (;;) {
        enum qn_status status = prepare(log, name, size, segment, err);
        if (status != QN_OK || segment->fd >= 0) {
            return status;
        }
        (void)pthread_mutex_lock(&log->lock);
        while (!log->stopping && !txlog_removable(log) && txlog_now_ns() < log->look_at_ns) {
            txlog_wait_retry(log);
        }
        bool stopping = log->stopping;
        (void)pthread_mutex_unlock(&log->lock);
        status = txlog_segment_remove(log, err);
        if (status != QN_OK) {
            return status;
        }
        if (stopping) {
            return qn_error_set(err, QN_DISK_FULL,
                                "no space in %s for the records that wait: make space there, then "
                                "start the node again",
                                log->path);
        }
    }
}

/* Give the prepared file its name, and write to it from now on. */
static enum qn_status segment_begin(struct txlog *log, const char *name, uint64_t lsn,
                                    struct segment *next, qn_error *err)
{
    struct segment_file file = {.first_lsn = lsn, .size = next->size};
    enum qn_status status = segment_publish(&log->dir, name, lsn, next, err);

    if (status == QN_OK && segment_list_add(&log->files, &file) != QN_OK) {
        status = qn_error_set(err, QN_MEMORY_FULL, "no memory to list %s", log->path);
    }
    if (status != QN_OK) {
        segment_close(next);
        return status;
    }
    txlog_index_close(log, lsn);
    segment_close(&log->current);
    log->current = *next;
    (void)pthread_mutex_lock(&log->lock);
    log->stats.segments++;
    (void)pthread_mutex_unlock(&log->lock);
    files_publish(log);
    return QN_OK;
}

enum qn_status txlog_roll(struct txlog *log, uint64_t lsn, size_t size, qn_error *err)
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
    return status == QN_OK ? segment_begin(log, name, lsn, &next, err) : status;
}

bool txlog_removable(const struct txlog *log)
{
    return segment_list_below(&log->files, log->truncate_lsn) > 0;
}

/* Remove a file of the log's directory. That it is gone already is no failure; a file that cannot
 * be removed takes space and harms nothing. */
static bool file_remove(const struct txlog *log, const char *name)
{
    return log->dir.io->remove(log->dir.io->arg, log->dir.fd, name) == 0 || errno == ENOENT;
}

enum qn_status txlog_segment_remove(struct txlog *log, qn_error *err)
{
    char name[SEGMENT_NAME_SIZE], index[INDEX_NAME_SIZE];

    (void)pthread_mutex_lock(&log->lock);
    bool removable = txlog_removable(log);
    (void)pthread_mutex_unlock(&log->lock);
    if (!removable) {
        return QN_OK;
    }
    segment_name_format(log->files.files[0].first_lsn, name);
    segment_index_name(log->files.files[0].first_lsn, index);
    bool removed = file_remove(log, index);
    removed = file_remove(log, name) && removed;
    /* The oldest first, each durably: what is left never has a hole. */
    if (log->dir.io->sync_dir(log->dir.io->arg, log->dir.fd) != 0) {
        return file_io_failed("remove", log->path, name, errno, err);
    }
    segment_list_drop(&log->files);
    log->look_at_ns = 0; /* there may be space now */
    files_publish(log);
    (void)pthread_mutex_lock(&log->lock);
    log->stats.removed += removed;
    (void)pthread_mutex_unlock(&log->lock);
    return QN_OK;
}

void txlog_index_close(struct txlog *log, uint64_t end_lsn)
{
    if (log->current.fd >= 0 && end_lsn > log->current.first_lsn) {
        segment_index_write(&log->dir, &log->current, end_lsn, &log->index);
    }
    segment_index_builder_clear(&log->index);
}

static enum qn_status dir_open(struct txlog *log, qn_error *err)
{
    enum qn_status status = file_dir_make(log->path, err);

    if (status != QN_OK) {
        return status;
    }
    log->dir.fd = open(log->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (log->dir.fd < 0) {
        return qn_error_set(err, QN_IO, "cannot open the log directory %s: %s", log->path,
                            strerror(errno));
    }
    /* Left by a process that was killed; never part of the log. */
    (void)file_remove(log, SPARE_NAME);
    (void)file_remove(log, LARGE_NAME);
    return segment_list_read(log->path, &log->files, err);
}

enum qn_status txlog_files_open(struct txlog *log, qn_error *err)
{
    struct segment first = SEGMENT_NONE;
    enum qn_status status = dir_open(log, err);

    if (status == QN_OK) {
        status = prepare(log, SPARE_NAME, log->segment_size, &first, err);
    }
    if (status != QN_OK || first.fd < 0) {
        files_publish(log);
        return status;
    }
    status = segment_zero(&log->dir, &first, FIRST_ZERO_SIZE, err);
    if (status != QN_OK) {
        segment_close(&first);
        return status;
    }
    return segment_begin(log, SPARE_NAME, log->next_lsn, &first, err);
}

void txlog_files_close(struct txlog *log)
{
    segment_close(&log->current);
    if (log->spare.fd >= 0) {
        segment_close(&log->spare);
        (void)file_remove(log, SPARE_NAME);
    }
    if (log->dir.fd >= 0) {
        (void)close(log->dir.fd);
    }
    segment_list_fini(&log->files);
    segment_index_builder_fini(&log->index);
}

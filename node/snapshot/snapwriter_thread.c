/* The thread of a snapshot writer: takes blocks off the queue, packs and writes them, and ends a
 * snapshot. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "node/snapshot/snapwriter_internal.h"

enum {
    PRIORITY = 5, /* lower than that of the shards: they shall not feel it */
    SECOND_NS = 1000000000,
};

/* What the thread is to do next. */
enum job {
    JOB_WAIT,
    JOB_STOP,
    JOB_ABANDON, /* the file that the thread has is not wanted any more */
    JOB_CREATE,
    JOB_ADD,
    JOB_FINISH,
    JOB_MANIFEST,
};

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int64_t wall_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Lock held. */
static enum job job_next(const struct snapwriter *writer)
{
    bool busy = writer->state == OPEN || writer->state == FINISHING;

    if (writer->stopping) {
        return JOB_STOP;
    }
    if (writer->file && (!busy || writer->file_generation != writer->generation)) {
        return JOB_ABANDON;
    }
    if (!busy) {
        return JOB_WAIT;
    }
    if (writer->ending.manifest_only) {
        return JOB_MANIFEST;
    }
    if (!writer->file) {
        return JOB_CREATE;
    }
    if (writer->queue_count > 0) {
        return JOB_ADD;
    }
    return writer->state == FINISHING ? JOB_FINISH : JOB_WAIT;
}

/* Wait, lock held, for a job that may be done now. */
static enum job job_wait(struct snapwriter *writer)
{
    for (;;) {
        enum job job = job_next(writer);
        if (job == JOB_ADD && atomic_load(&writer->rate_max) > 0 &&
            now_ns() < writer->next_add_ns) {
            struct timespec until = {.tv_sec = writer->next_add_ns / SECOND_NS,
                                     .tv_nsec = writer->next_add_ns % SECOND_NS};
            (void)pthread_cond_timedwait(&writer->wake, &writer->lock, &until);
        } else if (job == JOB_WAIT) {
            (void)pthread_cond_wait(&writer->wake, &writer->lock);
        } else {
            return job;
        }
    }
}

/* `size` octets are about to be written: when may the next ones be? What was not used of a second
 * is not saved up for later. */
static void rate_take(struct snapwriter *writer, size_t size)
{
    uint64_t rate_max = atomic_load(&writer->rate_max);
    int64_t now = now_ns();

    if (rate_max == 0) {
        return;
    }
    int64_t from = writer->next_add_ns > now ? writer->next_add_ns : now;
    double took_s = (double)size / (double)rate_max;
    writer->next_add_ns = from + (int64_t)(took_s * SECOND_NS);
}

static enum qn_status manifest_copy(const struct manifest *from, struct manifest *to)
{
    struct manifest copy = *from;

    copy.rows = malloc(from->row_count * sizeof *copy.rows + 1);
    if (!copy.rows) {
        return QN_MEMORY_FULL;
    }
    copy.row_capacity = from->row_count;
    if (from->row_count > 0) {
        memcpy(copy.rows, from->rows, from->row_count * sizeof *copy.rows);
    }
    *to = copy;
    return QN_OK;
}

/* Write the manifest as it is to be; it is in force once that has succeeded. `row`: NULL = none
 * changes. */
static enum qn_status manifest_switch(struct snapwriter *writer,
                                      const struct snapwriter_ending *ending,
                                      const struct manifest_row *row, qn_error *err)
{
    struct manifest next = {0};
    enum qn_status status = manifest_copy(&writer->manifest, &next);

    if (status == QN_OK && row) {
        status = manifest_set(&next, row);
    }
    if (status != QN_OK) {
        (void)qn_error_set(err, status, "no memory for the manifest in %s", writer->lane_dir);
    } else {
        next.log_first = ending->log_first;
        next.log_end = ending->log_end;
        next.clean = ending->clean;
        status = manifest_write_with(writer->io, writer->lane_dir, &next, err);
    }
    if (status != QN_OK) {
        manifest_fini(&next);
        return status;
    }
    manifest_fini(&writer->manifest);
    writer->manifest = next;
    return QN_OK;
}

/* Snapshot, manifest, then what is not needed any more. */
static enum qn_status finish(struct snapwriter *writer, const struct snapwriter_ending *ending,
                             struct snapwriter_result *result)
{
    struct manifest_row row = {.partition = writer->file_head.partition,
                               .index = writer->file_head.index,
                               .epoch = writer->file_head.epoch,
                               .taken_wall_ms = wall_ms()};
    enum qn_status status = snapfile_finish(writer->file, &row.size, &result->error);

    writer->file = NULL;
    if (status == QN_OK) {
        status = manifest_switch(writer, ending, &row, &result->error);
    }
    if (status == QN_OK) {
        snapfile_clean_with(writer->io, writer->data, row.partition, row.index);
        result->size = row.size;
    }
    return status;
}

static void file_abandon(struct snapwriter *writer)
{
    snapfile_abandon(writer->file);
    writer->file = NULL;
}

static enum qn_status create(struct snapwriter *writer, qn_error *err)
{
    writer->plain = 0;
    return snapfile_create_with(writer->io, writer->data, writer->disk, &writer->file_head,
                                &writer->file, err);
}

static enum qn_status add(struct snapwriter *writer, struct buf *block, qn_error *err)
{
    rate_take(writer, block->size);
    writer->plain += block->size;
    return snapfile_add(writer->file, buf_bytes(block), err);
}

/* Do a job that may take long: without the lock. */
static enum qn_status job_do(struct snapwriter *writer, enum job job, struct buf *block,
                             const struct snapwriter_ending *ending,
                             struct snapwriter_result *result)
{
    switch (job) {
    case JOB_ABANDON:
        file_abandon(writer);
        return QN_OK;
    case JOB_CREATE:
        return create(writer, &result->error);
    case JOB_ADD:
        return add(writer, block, &result->error);
    case JOB_FINISH:
        return finish(writer, ending, result);
    case JOB_MANIFEST:
        return manifest_switch(writer, ending, NULL, &result->error);
    case JOB_WAIT:
    case JOB_STOP:
        break;
    }
    return QN_OK;
}

/* One job, lock held before and after. */
static void job_run(struct snapwriter *writer, enum job job)
{
    struct snapwriter_result result = {.error = QN_ERROR_INIT};
    struct snapwriter_ending ending = writer->ending;
    uint64_t generation = writer->generation;
    struct buf block = {0};

    if (job == JOB_CREATE) {
        writer->file_head = writer->head;
        writer->file_generation = generation;
    } else if (job == JOB_ADD) {
        block = snapwriter_queue_take(writer);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    result.status = job_do(writer, job, &block, &ending, &result);
    result.plain = job == JOB_MANIFEST ? 0 : writer->plain;
    if (result.status != QN_OK) {
        file_abandon(writer);
    }
    (void)pthread_mutex_lock(&writer->lock);
    snapwriter_spare_keep(writer, &block);

    bool ends = result.status != QN_OK || job == JOB_FINISH || job == JOB_MANIFEST;
    bool wanted = generation == writer->generation && job != JOB_ABANDON;
    if (ends && wanted) {
        snapwriter_queue_drop(writer);
        writer->result = result;
        writer->state = DONE;
    }
    if (wanted && (ends || job == JOB_ADD)) { /* a result, or room */
        (void)pthread_mutex_unlock(&writer->lock);
        writer->notify(writer->arg);
        (void)pthread_mutex_lock(&writer->lock);
    }
}

void *snapwriter_main(void *arg)
{
    struct snapwriter *writer = arg;
    enum job job;

    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), PRIORITY);
    (void)pthread_mutex_lock(&writer->lock);
    while ((job = job_wait(writer)) != JOB_STOP) {
        job_run(writer, job);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    file_abandon(writer);
    return NULL;
}

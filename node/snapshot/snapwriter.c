#define _GNU_SOURCE
#include "node/snapshot/snapwriter.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "node/coord/file.h"
#include "node/snapshot/snapwriter_internal.h"
#include "wire/assert.h"

/* A block that one entry made larger is given back. */
enum { BLOCK_KEEP_MAX = 1024 * 1024 };

/* ---- the queue; lock held ---- */

void snapwriter_spare_keep(struct snapwriter *writer, struct buf *block)
{
    if (writer->spare_count < SNAPWRITER_SPARES && block->capacity <= BLOCK_KEEP_MAX) {
        buf_clear(block);
        writer->spares[writer->spare_count++] = *block;
        *block = (struct buf){0};
    } else {
        buf_fini(block);
    }
}

struct buf snapwriter_queue_take(struct snapwriter *writer)
{
    struct buf *place = &writer->queue[writer->queue_first];
    struct buf block = *place;

    *place = (struct buf){0};
    writer->queue_first = (writer->queue_first + 1) % SNAPWRITER_BLOCKS;
    writer->queue_count--;
    return block;
}

void snapwriter_queue_drop(struct snapwriter *writer)
{
    while (writer->queue_count > 0) {
        struct buf block = snapwriter_queue_take(writer);
        snapwriter_spare_keep(writer, &block);
    }
}

/* ---- opening and closing ---- */

static void destroy(struct snapwriter *writer)
{
    snapwriter_queue_drop(writer);
    for (size_t i = 0; i < writer->spare_count; i++) {
        buf_fini(&writer->spares[i]);
    }
    (void)pthread_cond_destroy(&writer->wake);
    (void)pthread_mutex_destroy(&writer->lock);
    free(writer->data);
    free(writer->lane_dir);
    free(writer);
}

static bool locks_init(struct snapwriter *writer)
{
    pthread_condattr_t attr;
    bool done = pthread_mutex_init(&writer->lock, NULL) == 0;

    done = done && pthread_condattr_init(&attr) == 0;
    done = done && pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0;
    done = done && pthread_cond_init(&writer->wake, &attr) == 0;
    return done && pthread_condattr_destroy(&attr) == 0;
}

/* Signals are for the main thread: this one takes none. */
static enum qn_status thread_start(struct snapwriter *writer, qn_error *err)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int number = pthread_create(&writer->thread, NULL, snapwriter_main, writer);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number != 0) {
        return qn_error_set(err, QN_IO, "cannot start the thread for snapshots: %s",
                            strerror(number));
    }
    (void)pthread_setname_np(writer->thread, "quoin-snapshot");
    return QN_OK;
}

enum qn_status snapwriter_open_with(const struct snapwriter_options *options,
                                    const struct file_io *io, struct snapwriter **writer,
                                    qn_error *err)
{
    struct snapwriter *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory for snapshots");
    }
    made->io = io;
    made->data = strdup(options->data);
    made->lane_dir = strdup(options->lane_dir);
    made->disk = options->disk;
    made->notify = options->notify;
    made->arg = options->arg;
    atomic_init(&made->rate_max, options->rate_max);
    enum qn_status status = locks_init(made) && made->data && made->lane_dir
                                ? file_dir_make(made->lane_dir, err)
                                : qn_error_set(err, QN_MEMORY_FULL, "no memory for snapshots");
    if (status == QN_OK) {
        made->manifest = options->manifest;
        status = thread_start(made, err);
    }
    if (status != QN_OK) {
        destroy(made);
        return status;
    }
    *writer = made;
    return QN_OK;
}

enum qn_status snapwriter_open(const struct snapwriter_options *options, struct snapwriter **writer,
                               qn_error *err)
{
    return snapwriter_open_with(options, file_io_system(), writer, err);
}

void snapwriter_close(struct snapwriter *writer)
{
    if (!writer) {
        return;
    }
    (void)pthread_mutex_lock(&writer->lock);
    writer->stopping = true;
    (void)pthread_cond_signal(&writer->wake);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->thread, NULL);
    manifest_fini(&writer->manifest);
    destroy(writer);
}

/* ---- the shard's side ---- */

void snapwriter_rate_set(struct snapwriter *writer, uint64_t rate_max)
{
    if (atomic_exchange(&writer->rate_max, rate_max) != rate_max) {
        (void)pthread_mutex_lock(&writer->lock);
        (void)pthread_cond_signal(&writer->wake);
        (void)pthread_mutex_unlock(&writer->lock);
    }
}

void snapwriter_begin(struct snapwriter *writer, const struct snap_head *head)
{
    (void)pthread_mutex_lock(&writer->lock);
    qn_assert(writer->state == IDLE);
    writer->state = OPEN;
    writer->generation++;
    writer->head = *head;
    writer->ending = (struct snapwriter_ending){0};
    (void)pthread_cond_signal(&writer->wake);
    (void)pthread_mutex_unlock(&writer->lock);
}

bool snapwriter_room(struct snapwriter *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    bool room = writer->state == OPEN && writer->queue_count < SNAPWRITER_BLOCKS;
    (void)pthread_mutex_unlock(&writer->lock);
    return room;
}

void snapwriter_put(struct snapwriter *writer, struct buf *block)
{
    (void)pthread_mutex_lock(&writer->lock);
    if (writer->state == OPEN) {
        qn_assert(writer->queue_count < SNAPWRITER_BLOCKS);
        size_t place = (writer->queue_first + writer->queue_count++) % SNAPWRITER_BLOCKS;
        writer->queue[place] = *block;
        *block = writer->spare_count > 0 ? writer->spares[--writer->spare_count] : (struct buf){0};
        (void)pthread_cond_signal(&writer->wake);
    } else { /* it has failed since the caller asked for room */
        buf_clear(block);
    }
    (void)pthread_mutex_unlock(&writer->lock);
}

/* End what is open, or begin to write the manifest alone. */
static void ending_set(struct snapwriter *writer, const struct snapwriter_ending *ending)
{
    writer->ending = *ending;
    writer->state = FINISHING;
    (void)pthread_cond_signal(&writer->wake);
}

void snapwriter_finish(struct snapwriter *writer, uint64_t log_first, uint64_t log_end)
{
    struct snapwriter_ending ending = {.log_first = log_first, .log_end = log_end};

    (void)pthread_mutex_lock(&writer->lock);
    qn_assert(writer->state == OPEN || writer->state == DONE);
    if (writer->state == OPEN) { /* otherwise it has failed, and the result says so */
        ending_set(writer, &ending);
    }
    (void)pthread_mutex_unlock(&writer->lock);
}

void snapwriter_abandon(struct snapwriter *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    if (writer->state != FINISHING) {
        snapwriter_queue_drop(writer);
        writer->state = IDLE;
        writer->generation++;
        (void)pthread_cond_signal(&writer->wake);
    }
    (void)pthread_mutex_unlock(&writer->lock);
}

void snapwriter_manifest(struct snapwriter *writer, uint64_t log_first, uint64_t log_end,
                         bool clean)
{
    struct snapwriter_ending ending = {
        .log_first = log_first, .log_end = log_end, .clean = clean, .manifest_only = true};

    (void)pthread_mutex_lock(&writer->lock);
    qn_assert(writer->state == IDLE);
    writer->generation++;
    ending_set(writer, &ending);
    (void)pthread_mutex_unlock(&writer->lock);
}

enum qn_status snapwriter_result(struct snapwriter *writer, struct snapwriter_result *result)
{
    enum qn_status status = QN_BUSY;

    (void)pthread_mutex_lock(&writer->lock);
    if (writer->state == IDLE) {
        status = QN_ABSENT;
    } else if (writer->state == DONE) {
        *result = writer->result;
        writer->state = IDLE;
        status = QN_OK;
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return status;
}

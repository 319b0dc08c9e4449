#define _GNU_SOURCE
#include "node/snapshot/snapwriter.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/snapshot/snapshot_io.h"
#include "wire/assert.h"

enum {
    PRIORITY = 5,                 /* lower than that of the shards: they shall not feel it */
    BLOCK_KEEP_MAX = 1024 * 1024, /* a block that one entry made larger is given back */
    SPARES = SNAPWRITER_BLOCKS + 1,
    SECOND_NS = 1000000000,
};

enum state {
    IDLE,
    OPEN,      /* blocks are taken */
    FINISHING, /* no more come */
    DONE,      /* the result waits to be taken */
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

/* What a finish shall write. */
struct ending {
    uint64_t log_first;
    uint64_t log_end;
    bool clean;
    bool manifest_only;
};

struct snapwriter {
    /* Set at opening. */
    const struct file_io *io;
    char *data;
    char *lane_dir;
    uint64_t disk;
    void (*notify)(void *arg);
    void *arg;
    uint64_t rate_max;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    enum state state;
    bool stopping;
    uint64_t generation; /* raised by begin and abandon: what belongs to an older one is void */
    struct snap_head head;
    struct buf queue[SNAPWRITER_BLOCKS]; /* a ring */
    size_t queue_first;
    size_t queue_count;
    struct buf spares[SPARES]; /* memory of blocks that were written */
    size_t spare_count;
    struct ending ending;
    struct snapwriter_result result;

    /* The thread's own. */
    struct manifest manifest; /* in force */
    struct snapfile *file;
    uint64_t file_generation;
    struct snap_head file_head;
    uint64_t plain;      /* octets of blocks so far */
    int64_t next_add_ns; /* with `rate_max`: when the next block may be written */
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

/* ---- the queue; lock held ---- */

static void spare_keep(struct snapwriter *writer, struct buf *block)
{
    if (writer->spare_count < SPARES && block->capacity <= BLOCK_KEEP_MAX) {
        buf_clear(block);
        writer->spares[writer->spare_count++] = *block;
        *block = (struct buf){0};
    } else {
        buf_fini(block);
    }
}

static struct buf queue_take(struct snapwriter *writer)
{
    struct buf *place = &writer->queue[writer->queue_first];
    struct buf block = *place;

    *place = (struct buf){0};
    writer->queue_first = (writer->queue_first + 1) % SNAPWRITER_BLOCKS;
    writer->queue_count--;
    return block;
}

static void queue_drop(struct snapwriter *writer)
{
    while (writer->queue_count > 0) {
        struct buf block = queue_take(writer);
        spare_keep(writer, &block);
    }
}

/* ---- the thread ---- */

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
        if (job == JOB_ADD && now_ns() < writer->next_add_ns) {
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
    int64_t now = now_ns();

    if (writer->rate_max == 0) {
        return;
    }
    int64_t from = writer->next_add_ns > now ? writer->next_add_ns : now;
    double took_s = (double)size / (double)writer->rate_max;
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
static enum qn_status manifest_switch(struct snapwriter *writer, const struct ending *ending,
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
static enum qn_status finish(struct snapwriter *writer, const struct ending *ending,
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
                             const struct ending *ending, struct snapwriter_result *result)
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
    struct ending ending = writer->ending;
    uint64_t generation = writer->generation;
    struct buf block = {0};

    if (job == JOB_CREATE) {
        writer->file_head = writer->head;
        writer->file_generation = generation;
    } else if (job == JOB_ADD) {
        block = queue_take(writer);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    result.status = job_do(writer, job, &block, &ending, &result);
    result.plain = job == JOB_MANIFEST ? 0 : writer->plain;
    if (result.status != QN_OK) {
        file_abandon(writer);
    }
    (void)pthread_mutex_lock(&writer->lock);
    spare_keep(writer, &block);

    bool ends = result.status != QN_OK || job == JOB_FINISH || job == JOB_MANIFEST;
    bool wanted = generation == writer->generation && job != JOB_ABANDON;
    if (ends && wanted) {
        queue_drop(writer);
        writer->result = result;
        writer->state = DONE;
    }
    if (wanted && (ends || job == JOB_ADD)) { /* a result, or room */
        (void)pthread_mutex_unlock(&writer->lock);
        writer->notify(writer->arg);
        (void)pthread_mutex_lock(&writer->lock);
    }
}

static void *thread_main(void *arg)
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

/* ---- opening and closing ---- */

static void destroy(struct snapwriter *writer)
{
    queue_drop(writer);
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
    int number = pthread_create(&writer->thread, NULL, thread_main, writer);
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
    made->rate_max = options->rate_max;
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

void snapwriter_begin(struct snapwriter *writer, const struct snap_head *head)
{
    (void)pthread_mutex_lock(&writer->lock);
    qn_assert(writer->state == IDLE);
    writer->state = OPEN;
    writer->generation++;
    writer->head = *head;
    writer->ending = (struct ending){0};
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
static void ending_set(struct snapwriter *writer, const struct ending *ending)
{
    writer->ending = *ending;
    writer->state = FINISHING;
    (void)pthread_cond_signal(&writer->wake);
}

void snapwriter_finish(struct snapwriter *writer, uint64_t log_first, uint64_t log_end)
{
    struct ending ending = {.log_first = log_first, .log_end = log_end};

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
        queue_drop(writer);
        writer->state = IDLE;
        writer->generation++;
        (void)pthread_cond_signal(&writer->wake);
    }
    (void)pthread_mutex_unlock(&writer->lock);
}

void snapwriter_manifest(struct snapwriter *writer, uint64_t log_first, uint64_t log_end,
                         bool clean)
{
    struct ending ending = {
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

#define _GNU_SOURCE
#include "node/clerk.h"

#include <stdlib.h>

#include "wire/assert.h"

/* A job with its own copy of the name. */
struct desk_job {
    struct clerk_job job;
    char name[COORD_CACHE_NAME_MAX];
};

struct clerk {
    struct clerk_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct desk_job *queue; /* a ring */
    size_t head;
    size_t count; /* waiting or under way: the one at `head` is left there until it is done */
    bool closing;
};

static void hand_back(const struct clerk *clerk, const struct clerk_job *job,
                      const struct wire_cache *cache, enum qn_status status, const qn_error *err)
{
    struct clerk_result result = {.kind = job->kind,
                                  .status = status,
                                  .cache = *cache,
                                  .correlation = job->correlation,
                                  .route = job->route,
                                  .shard = job->shard,
                                  .error = err};

    clerk->options.done(clerk->options.arg, &result);
}

static enum qn_status carry_out(const struct clerk *clerk, const struct clerk_job *job,
                                struct wire_cache *cache, qn_error *err)
{
    struct directory *directory = clerk->options.directory;

    switch (job->kind) {
    case CLERK_CREATE:
        return directory_cache_create(directory, &job->cache, cache, err);
    case CLERK_DROP:
        return directory_cache_drop(directory, job->cache.name, cache, err);
    }
    return QN_INVALID;
}

static void job_do(const struct clerk *clerk, const struct desk_job *desk, bool closing)
{
    struct clerk_job job = desk->job;
    qn_error err = QN_ERROR_INIT;

    job.cache.name = bytes_of(desk->name, job.cache.name.size);
    struct wire_cache cache = job.cache;
    enum qn_status status = closing ? qn_error_set(&err, QN_CLOSED, "the node stops")
                                    : carry_out(clerk, &job, &cache, &err);
    hand_back(clerk, &job, &cache, status, &err);
}

/* Wait for a job, which is copied out. False: closed, and nothing is left. */
static bool job_take(struct clerk *clerk, struct desk_job *desk, bool *closing)
{
    (void)pthread_mutex_lock(&clerk->lock);
    while (clerk->count == 0 && !clerk->closing) {
        (void)pthread_cond_wait(&clerk->changed, &clerk->lock);
    }
    bool there = clerk->count > 0;
    if (there) {
        *desk = clerk->queue[clerk->head];
        *closing = clerk->closing;
    }
    (void)pthread_mutex_unlock(&clerk->lock);
    return there;
}

static void job_done(struct clerk *clerk)
{
    (void)pthread_mutex_lock(&clerk->lock);
    clerk->head = (clerk->head + 1) % clerk->options.queue_max;
    clerk->count--;
    (void)pthread_mutex_unlock(&clerk->lock);
}

static void *work(void *arg)
{
    struct clerk *clerk = arg;
    struct desk_job desk;
    bool closing = false;

    while (job_take(clerk, &desk, &closing)) {
        job_do(clerk, &desk, closing);
        job_done(clerk);
    }
    return NULL;
}

enum qn_status clerk_open(const struct clerk_options *options, struct clerk **clerk, qn_error *err)
{
    struct clerk *made = calloc(1, sizeof *made);

    qn_assert(options->done);
    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->options = *options;
    if (made->options.queue_max == 0) {
        made->options.queue_max = CLERK_QUEUE_DEFAULT;
    }
    made->queue = calloc(made->options.queue_max, sizeof *made->queue);
    if (!made->queue) {
        free(made);
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->changed, NULL);
    if (pthread_create(&made->thread, NULL, work, made) != 0) {
        (void)pthread_mutex_destroy(&made->lock);
        (void)pthread_cond_destroy(&made->changed);
        free(made->queue);
        free(made);
        return qn_error_set(err, QN_IO, "cannot start a thread: raise ulimit -u");
    }
    *clerk = made;
    return QN_OK;
}

void clerk_close(struct clerk *clerk)
{
    if (!clerk) {
        return;
    }
    (void)pthread_mutex_lock(&clerk->lock);
    clerk->closing = true;
    (void)pthread_cond_signal(&clerk->changed);
    (void)pthread_mutex_unlock(&clerk->lock);
    (void)pthread_join(clerk->thread, NULL);
    (void)pthread_mutex_destroy(&clerk->lock);
    (void)pthread_cond_destroy(&clerk->changed);
    free(clerk->queue);
    free(clerk);
}

static bool queue_add(struct clerk *clerk, const struct clerk_job *job)
{
    if (clerk->closing || clerk->count == clerk->options.queue_max) {
        return false;
    }
    size_t place = (clerk->head + clerk->count++) % clerk->options.queue_max;
    clerk->queue[place].job = *job;
    memcpy(clerk->queue[place].name, job->cache.name.data, job->cache.name.size);
    return true;
}

enum qn_status clerk_post(struct clerk *clerk, const struct clerk_job *job)
{
    if (job->cache.name.size == 0 || job->cache.name.size > COORD_CACHE_NAME_MAX) {
        return QN_INVALID;
    }
    (void)pthread_mutex_lock(&clerk->lock);
    bool added = queue_add(clerk, job);
    (void)pthread_cond_signal(&clerk->changed);
    (void)pthread_mutex_unlock(&clerk->lock);
    return added ? QN_OK : QN_OVERLOADED;
}

size_t clerk_waiting(struct clerk *clerk)
{
    (void)pthread_mutex_lock(&clerk->lock);
    size_t count = clerk->count;
    (void)pthread_mutex_unlock(&clerk->lock);
    return count;
}

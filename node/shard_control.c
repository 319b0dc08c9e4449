/* Messages that are not about entries: caches, commits, settings, log levels. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "node/shard_internal.h"

enum {
    ANSWERS_FIRST = 16,
    NAME_SIZE = 64, /* of a module or a level */
};

static void cache_ack(struct shard *shard, uint64_t route, uint64_t correlation,
                      enum qn_status status, struct wire_cache *cache, const char *text)
{
    struct wire_message out = {.kind = WIRE_CACHE_ACK,
                               .correlation = correlation,
                               .status = status,
                               .text = bytes_of_text(text)};

    if (status == QN_OK) {
        out.cache = cache->id;
        out.caches = cache;
        out.cache_count = 1;
    }
    shard_send(shard, route, &out);
}

static void clerk_ask(struct shard *shard, uint64_t route, const struct wire_message *in,
                      enum clerk_kind kind)
{
    struct clerk_job job = {
        .kind = kind, .correlation = in->correlation, .route = route, .shard = shard->options.lane};

    if (in->cache_count > 0) {
        job.cache = in->caches[0];
    }
    job.cache.name = in->name;
    enum qn_status status = clerk_post(shard->options.clerk, &job);
    if (status != QN_OK) {
        cache_ack(shard, route, in->correlation, status, NULL,
                  status == QN_INVALID ? "not a name of a cache: 1 to 128 letters, digits, . _ -"
                                       : "too many caches are being created: try again");
    }
}

void shard_cache_open(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    struct wire_cache found = {0};
    qn_error err = QN_ERROR_INIT;
    enum qn_status status =
        directory_cache_open(shard->options.directory, in->name, in->create, &found, &err);

    if (status == QN_ABSENT) {
        clerk_ask(shard, route, in, CLERK_CREATE);
        return;
    }
    cache_ack(shard, route, in->correlation, status, &found, err.text);
}

void shard_cache_drop(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    if (!shard->options.directory->caches_create) {
        cache_ack(
            shard, route, in->correlation, QN_ACL, NULL,
            "clients may not drop caches: set caches.create = true in the node's settings and "
            "restart it");
        return;
    }
    clerk_ask(shard, route, in, CLERK_DROP);
}

/* Room for one more answer; lock held. */
static bool answers_room(struct shard *shard)
{
    if (shard->answer_count < shard->answer_capacity) {
        return true;
    }
    size_t capacity = shard->answer_capacity ? shard->answer_capacity * 2 : ANSWERS_FIRST;
    struct clerk_answer *answers = realloc(shard->answers, capacity * sizeof *answers);
    if (!answers) {
        return false;
    }
    shard->answers = answers;
    shard->answer_capacity = capacity;
    return true;
}

void shard_clerk_done(struct shard *shard, const struct clerk_result *result)
{
    struct clerk_answer answer = {.route = result->route,
                                  .correlation = result->correlation,
                                  .status = result->status,
                                  .cache = result->cache};

    answer.cache.name = bytes_of(NULL, 0);
    (void)snprintf(answer.text, sizeof answer.text, "%s", result->error ? result->error->text : "");
    (void)pthread_mutex_lock(&shard->lock);
    /* Without memory the client gets no answer, and asks again. */
    if (answers_room(shard)) {
        shard->answers[shard->answer_count++] = answer;
    }
    (void)pthread_mutex_unlock(&shard->lock);
    eventfd_signal(shard->wake_fd);
}

void shard_clerk_answers(struct shard *shard)
{
    struct clerk_answer *answers;
    size_t count;

    (void)pthread_mutex_lock(&shard->lock);
    answers = shard->answers;
    count = shard->answer_count;
    shard->answers = NULL;
    shard->answer_count = 0;
    shard->answer_capacity = 0;
    (void)pthread_mutex_unlock(&shard->lock);
    for (size_t i = 0; i < count; i++) {
        cache_ack(shard, answers[i].route, answers[i].correlation, answers[i].status,
                  &answers[i].cache, answers[i].text);
    }
    free(answers);
}

static void commit_ack(struct shard *shard, uint64_t route, uint64_t correlation,
                       enum qn_status status, const char *text)
{
    struct wire_message out = {.kind = WIRE_COMMIT_ACK,
                               .correlation = correlation,
                               .status = status,
                               .text = bytes_of_text(text)};

    shard_send(shard, route, &out);
}

void shard_commit(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    struct replica_event event = {.kind = REPLICA_PUBLISH};
    enum qn_status status = QN_OK;

    if (in->level != WIRE_COMMIT_SOFT && in->level != WIRE_COMMIT_HARD) {
        commit_ack(shard, route, in->correlation, QN_UNSUPPORTED,
                   "this node knows soft and hard commits");
        return;
    }
    int64_t began_ns = clock_now_ns();
    shard_step_all(shard, &event);
    histogram_count(&shard->figures.soft_commits, (uint64_t)(clock_now_ns() - began_ns));
    if (in->level == WIRE_COMMIT_HARD) {
        status = checkpoint_request(shard, route, in->correlation);
    }
    if (in->level == WIRE_COMMIT_SOFT || status != QN_OK) {
        commit_ack(shard, route, in->correlation, status,
                   status == QN_OK        ? ""
                   : status == QN_CORRUPT ? "the lane of this shard is damaged: see the node's log"
                                          : "too many hard commits wait: one is enough");
    }
}

void shard_caches(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    struct wire_message out = {.kind = WIRE_CACHES_ACK, .correlation = in->correlation};

    out.caches =
        shard->options.host.caches(shard->options.host.arg, &shard->arena, &out.cache_count);
    if (!out.caches) {
        out.status = QN_MEMORY_FULL;
        out.text = bytes_of_text("the node is out of memory for the list of caches");
    }
    shard_send(shard, route, &out);
}

void shard_settings(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    struct wire_fact facts[SHARD_FACTS_MAX];
    struct wire_message out = {
        .kind = WIRE_CONFIG_ACK, .correlation = in->correlation, .facts = facts};

    out.fact_count = shard->options.host.settings(shard->options.host.arg, &shard->arena, facts);
    shard_send(shard, route, &out);
}

struct level_list {
    struct wire_fact facts[LOGGER_MODULES];
    size_t count;
};

static void level_add(void *arg, const char *module, enum log_level level, const char *text)
{
    struct level_list *list = arg;

    (void)text;
    if (list->count < LOGGER_MODULES) {
        list->facts[list->count++] = (struct wire_fact){
            .name = bytes_of_text(module), .text = bytes_of_text(logger_level_name(level))};
    }
}

/* A name as a C string; false when it is too long to be one of ours. */
static bool name_copy(struct bytes from, char name[NAME_SIZE])
{
    if (from.size >= NAME_SIZE) {
        return false;
    }
    if (from.size > 0) {
        memcpy(name, from.data, from.size);
    }
    name[from.size] = '\0';
    return true;
}

static enum qn_status level_set(struct shard *shard, const struct wire_message *in, qn_error *err)
{
    char module[NAME_SIZE], text[NAME_SIZE];
    enum log_level level;

    if (in->text.size == 0) {
        return QN_OK;
    }
    if (!name_copy(in->name, module) || !name_copy(in->text, text)) {
        return qn_error_set(err, QN_INVALID, "no such module or level");
    }
    enum qn_status status = logger_level_parse(text, &level, err);
    if (status == QN_OK) {
        status = logger_level_set(shard->options.logger, module, level, err);
    }
    if (status == QN_OK) {
        logger_write(shard->options.logger, LOG_LEVEL_INFO, "node", "level_set", "of=%s to=%s",
                     module[0] ? module : "all", text);
    }
    return status;
}

void shard_log_level(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    struct level_list list = {.count = 0};
    struct wire_message out = {.kind = WIRE_LOG_LEVEL_ACK, .correlation = in->correlation};
    qn_error err = QN_ERROR_INIT;

    out.status = level_set(shard, in, &err);
    out.text = bytes_of_text(err.text);
    if (out.status == QN_OK) {
        logger_levels_each(shard->options.logger, level_add, &list);
        out.facts = list.facts;
        out.fact_count = list.count;
    }
    shard_send(shard, route, &out);
}

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "node/shard_internal.h"
#include "wire/assert.h"

enum {
    SLICE_SLOTS = 1024,     /* looked at in one round */
    SLICE_SIZE = 64 * 1024, /* octets of entries walked in one round */
    RETRY_MS = 5000,        /* after a snapshot that failed */
    SEAL_MS = 10000,        /* how long a stopping shard waits for its manifest */
    SEAL_STEP_MS = 20,
};

static uint64_t *index_known(struct checkpoint *c, uint32_t partition)
{
    return &c->indexes[(partition - c->plan.first) / c->plan.step];
}

uint64_t checkpoint_index(const struct checkpoint *c, uint32_t partition)
{
    return c->indexes[(partition - c->plan.first) / c->plan.step];
}

static void writer_notify(void *arg)
{
    const struct shard *shard = arg;

    eventfd_signal(shard->wake_fd);
}

enum qn_status checkpoint_begin(struct shard *shard, const struct manifest *manifest, qn_error *err)
{
    struct checkpoint *c = &shard->checkpoint;

    c->log_first = manifest->log_first;
    c->indexes = calloc(c->plan.count > 0 ? c->plan.count : 1, sizeof *c->indexes);
    if (!c->indexes) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory while starting shard %u",
                            shard->options.lane);
    }
    for (size_t i = 0; i < manifest->row_count; i++) {
        const struct manifest_row *row = &manifest->rows[i];
        if (grid_owns(shard->grid, row->partition)) {
            *index_known(c, row->partition) = row->index;
        }
    }
    return QN_OK;
}

enum qn_status checkpoint_open(struct shard *shard, struct manifest *manifest, qn_error *err)
{
    struct snapwriter_options options = {.data = shard->options.cfg->node_data_dir,
                                         .lane_dir = shard->lane_dir,
                                         .disk = shard->options.disk,
                                         .manifest = *manifest,
                                         .notify = writer_notify,
                                         .arg = shard,
                                         .rate_max = shard->options.cfg->log_snapshot_rate_bytes};
    enum qn_status status = snapwriter_open(&options, &shard->checkpoint.writer, err);

    if (status == QN_OK) {
        *manifest = (struct manifest){0};
    }
    return status;
}

void checkpoint_close(struct shard *shard)
{
    struct checkpoint *c = &shard->checkpoint;

    snapwriter_close(c->writer);
    plan_fini(&c->plan);
    buf_fini(&c->block);
    free(c->indexes);
}

/* Octets of log of this lane that a start may have to read. */
static uint64_t budget(const struct shard *shard)
{
    return shard->options.cfg->log_replay_budget_bytes / shard->options.lane_count;
}

uint64_t checkpoint_log_used(const struct shard *shard)
{
    uint64_t next = txlog_next(shard->log);

    return next - plan_wanted(&shard->checkpoint.plan, next);
}

bool checkpoint_behind(const struct shard *shard)
{
    uint64_t max = budget(shard);

    return checkpoint_log_used(shard) > max - max / 8;
}

bool checkpoint_caught_up(const struct shard *shard)
{
    uint64_t max = budget(shard);

    return checkpoint_log_used(shard) <= max - max / 4;
}

/* Snapshots take their time, so that clients notice little, until the log comes near its limit. */
static void rate_choose(struct shard *shard, uint64_t used, uint64_t max)
{
    snapwriter_rate_set(shard->checkpoint.writer,
                        used > max - max / 4 ? 0 : shard->options.cfg->log_snapshot_rate_bytes);
}

/* A pass up to `target` is wanted: now, or after the one under way, which is not made longer. */
static void pass_want(struct shard *shard, uint64_t target)
{
    struct checkpoint *c = &shard->checkpoint;

    if (c->target > 0) {
        c->target_next = target > c->target_next ? target : c->target_next;
        return;
    }
    c->target = target;
    c->pass_began_ns = shard->round_ns;
    logger_write(shard->options.logger, LOG_LEVEL_DEBUG, "checkpoint", "started",
                 "lane=%u target=%" PRIu64, shard->options.lane, target);
}

void checkpoint_look(struct shard *shard)
{
    struct checkpoint *c = &shard->checkpoint;
    int64_t interval_ms = shard->options.cfg->commit_hard_interval_ms;
    uint64_t next = txlog_next(shard->log), half = budget(shard) / 2;
    uint64_t used = checkpoint_log_used(shard);

    rate_choose(shard, used, 2 * half);
    if (used > half) {
        /* Only what is oldest: so the work is spread, and never more than needed. */
        c->trim = next - half;
    }
    if (interval_ms > 0 && shard->now_ms >= c->due_ms) {
        c->due_ms = shard->now_ms + interval_ms;
        pass_want(shard, next);
    }
}

enum qn_status checkpoint_request(struct shard *shard, uint64_t route, uint64_t correlation)
{
    struct checkpoint *c = &shard->checkpoint;
    uint64_t next = txlog_next(shard->log);

    if (c->manifest_lost) {
        return QN_CORRUPT;
    }
    if (c->wait_count == COMMIT_WAITS_MAX) {
        return QN_OVERLOADED;
    }
    c->waits[c->wait_count++] =
        (struct commit_wait){.route = route, .correlation = correlation, .target = next};
    pass_want(shard, next);
    c->retry_at_ms = 0;
    return QN_OK;
}

static void wait_answer(struct shard *shard, size_t i, enum qn_status status, const char *text)
{
    struct checkpoint *c = &shard->checkpoint;
    struct wire_message out = {.kind = WIRE_COMMIT_ACK,
                               .correlation = c->waits[i].correlation,
                               .status = status,
                               .text = bytes_of_text(text)};

    shard_send(shard, c->waits[i].route, &out);
    c->waits[i] = c->waits[--c->wait_count];
}

/* Answer those whose target is reached: nothing of the log below it is needed, and the manifest
 * says so. */
static void waits_settle(struct shard *shard, uint64_t reached)
{
    struct checkpoint *c = &shard->checkpoint;

    for (size_t i = 0; i < c->wait_count;) {
        if (c->waits[i].target <= reached) {
            wait_answer(shard, i, QN_OK, "");
        } else {
            i++;
        }
    }
}

static void waits_fail(struct shard *shard, enum qn_status status, const char *text)
{
    while (shard->checkpoint.wait_count > 0) {
        wait_answer(shard, 0, status, text);
    }
}

/* What a snapshot of the partition will not have: records that were appended and are not committed
 * yet. */
static void plan_add_uncommitted(struct shard *shard, uint32_t partition, uint64_t index)
{
    const struct waiting_ring *ring = &shard->waiting;

    for (size_t i = 0; i < ring->count; i++) {
        const struct waiting *waiting = &ring->list[(ring->head + i) & (ring->capacity - 1)];
        if (waiting->partition == partition && waiting->index > index) {
            plan_appended(&shard->checkpoint.plan, partition, waiting->begin);
            return;
        }
    }
}

static struct snap_head head_of(const struct replica_snapshot *snapshot)
{
    return (struct snap_head){
        .partition = snapshot->partition,
        .index = snapshot->index,
        .epoch = snapshot->epoch,
        .log_time_ms = snapshot->log_time_ms,
        .wall_time_ms = snapshot->wall_time_ms,
        .epoch_began_ms = snapshot->epoch_began_ms,
    };
}

/* Begin to walk a partition. False: not now. */
static bool walk_begin(struct shard *shard, uint32_t partition)
{
    struct checkpoint *c = &shard->checkpoint;
    struct replica_snapshot snapshot;

    buf_clear(&c->block);
    enum qn_status status = grid_snapshot_begin(shard->grid, partition, *index_known(c, partition),
                                                &snapshot, &c->block);
    if (status == QN_CORRUPT) {
        plan_fault(&c->plan, partition);
        return true;
    }
    if (status == QN_ABSENT) {
        /* What was appended is not committed yet: its turn comes again. */
        c->retry_at_ms = shard->now_ms + 1;
        return false;
    }
    if (status != QN_OK) {
        c->retry_at_ms = shard->now_ms + RETRY_MS;
        return false;
    }
    struct snap_head head = head_of(&snapshot);
    plan_begin(&c->plan, partition);
    plan_add_uncommitted(shard, partition, snapshot.index);
    snapwriter_begin(c->writer, &head);
    c->state = CHECKPOINT_WALKING;
    c->partition = partition;
    c->index = snapshot.index;
    c->walked = false;
    c->began_ns = shard->round_ns;
    return true;
}

/* From where on the log will be needed, as a manifest may say it: what is not on disk yet is never
 * given up. */
static uint64_t log_first_safe(struct shard *shard, uint64_t needed)
{
    uint64_t durable = txlog_durable(shard->log);

    return needed < durable ? needed : durable;
}

static void failed(struct shard *shard, enum qn_status status, const char *text)
{
    struct checkpoint *c = &shard->checkpoint;

    c->state = CHECKPOINT_IDLE;
    c->retry_at_ms = shard->now_ms + RETRY_MS;
    figure_add(&shard->figures.snapshots_failed, 1);
    logger_write(shard->options.logger, LOG_LEVEL_ERROR, "checkpoint", "failed",
                 "lane=%u partition=%u status=%s reason=\"%s\" action=\"the log is kept and grows: "
                 "make space, or check the disk\"",
                 shard->options.lane, c->partition, qn_status_name(status), text);
    waits_fail(shard, status, text);
}

/* The writer could not go on: everything of the walk is void. */
static void walk_fail(struct shard *shard, const struct snapwriter_result *result)
{
    grid_snapshot_end(shard->grid, shard->checkpoint.partition);
    plan_failed(&shard->checkpoint.plan);
    failed(shard, result->status, result->error.text);
}

/* The walk itself could not go on. */
static void walk_give_up(struct shard *shard, enum qn_status status, const char *why)
{
    struct snapwriter_result result = {.status = status, .error = QN_ERROR_INIT};

    snapwriter_abandon(shard->checkpoint.writer);
    (void)qn_error_set(&result.error, status, "%s", why);
    walk_fail(shard, &result);
}

static void block_put(struct checkpoint *c)
{
    if (c->block.size > 0) {
        snapwriter_put(c->writer, &c->block);
        buf_clear(&c->block);
    }
}

/* Walk a slice. True: there is more to do at once. */
static bool walk(struct shard *shard)
{
    struct checkpoint *c = &shard->checkpoint;
    struct snapwriter_result result;
    size_t goal = c->block.size + SLICE_SIZE;

    if (!snapwriter_room(c->writer)) {
        if (snapwriter_result(c->writer, &result) == QN_OK) {
            walk_fail(shard, &result);
        }
        return false;
    }
    if (!c->walked && grid_snapshot_next(shard->grid, c->partition, SLICE_SLOTS, goal, &c->block,
                                         &c->walked) != QN_OK) {
        walk_give_up(shard, QN_MEMORY_FULL, "no memory to walk the partition");
        return false;
    }
    if (!c->walked && c->block.size < SNAPWRITER_BLOCK_SIZE) {
        return true;
    }
    block_put(c);
    if (c->walked) {
        grid_snapshot_end(shard->grid, c->partition);
        c->log_first_new =
            log_first_safe(shard, plan_needed_after(&c->plan, txlog_next(shard->log)));
        snapwriter_finish(c->writer, c->log_first_new, txlog_durable(shard->log));
        c->state = CHECKPOINT_FINISHING;
    }
    return !c->walked;
}

static void finished_tell(struct shard *shard, const struct snapwriter_result *result)
{
    struct shard_figures *figures = &shard->figures;

    if (result->size > 0) {
        figure_add(&figures->snapshots, 1);
        figure_add(&figures->snapshot_bytes, result->size);
        logger_write(shard->options.logger, LOG_LEVEL_DEBUG, "checkpoint", "snapshot",
                     "lane=%u partition=%u index=%" PRIu64 " bytes=%" PRIu64 " plain=%" PRIu64
                     " ms=%" PRId64,
                     shard->options.lane, shard->checkpoint.partition, shard->checkpoint.index,
                     result->size, result->plain,
                     (shard->round_ns - shard->checkpoint.began_ns) / 1000000);
    }
}

/* The pass is complete when nothing below its target is in the log alone, and the manifest says so.
 */
static void pass_settle(struct shard *shard, uint64_t reached)
{
    struct checkpoint *c = &shard->checkpoint;

    waits_settle(shard, reached);
    if (c->target == 0 || reached < c->target) {
        return;
    }
    uint64_t took_ns = (uint64_t)(shard->round_ns - c->pass_began_ns);
    uint64_t next = c->target_next;
    c->target = 0;
    c->target_next = 0;
    histogram_count(&shard->figures.hard_commits, took_ns);
    figure_set(&shard->figures.checkpoint_at_ms, (uint64_t)shard->now_ms);
    logger_write(shard->options.logger, LOG_LEVEL_INFO, "checkpoint", "done",
                 "lane=%u log_first=%" PRIu64 " ms=%" PRIu64, shard->options.lane, c->log_first,
                 took_ns / 1000000);
    if (next > 0) {
        pass_want(shard, next);
    }
}

static void finish(struct shard *shard)
{
    struct checkpoint *c = &shard->checkpoint;
    struct snapwriter_result result;

    if (snapwriter_result(c->writer, &result) != QN_OK) {
        return;
    }
    bool with_snapshot = c->plan.now != UINT32_MAX;
    if (result.status != QN_OK) {
        if (with_snapshot) {
            plan_failed(&c->plan);
        }
        failed(shard, result.status, result.error.text);
        return;
    }
    if (with_snapshot) {
        plan_done(&c->plan);
        *index_known(c, c->partition) = c->index;
    }
    c->state = CHECKPOINT_IDLE;
    c->log_first = c->log_first_new;
    txlog_truncate(shard->log, c->log_first);
    finished_tell(shard, &result);
    pass_settle(shard, plan_wanted(&c->plan, txlog_next(shard->log)));
}

/* Begin what is due. True: something was begun. */
static bool begin(struct shard *shard)
{
    struct checkpoint *c = &shard->checkpoint;
    uint64_t limit = c->target > c->trim ? c->target : c->trim;
    uint64_t next = txlog_next(shard->log);
    uint32_t partition;

    if (limit == 0 || shard->now_ms < c->retry_at_ms || shard->log_broken || c->manifest_lost) {
        return false;
    }
    if (plan_next(&c->plan, limit, &partition)) {
        return walk_begin(shard, partition);
    }
    /* All partitions are where they should be. The manifest may still name an older beginning. */
    uint64_t needed = log_first_safe(shard, plan_needed(&c->plan, next));
    if (c->log_first < (limit < needed ? limit : needed)) {
        c->log_first_new = needed;
        snapwriter_manifest(c->writer, needed, txlog_durable(shard->log), false);
        c->state = CHECKPOINT_FINISHING;
        return true;
    }
    c->trim = 0;
    pass_settle(shard, plan_wanted(&c->plan, next));
    return false;
}

bool checkpoint_work(struct shard *shard)
{
    switch (shard->checkpoint.state) {
    case CHECKPOINT_IDLE:
        return begin(shard);
    case CHECKPOINT_WALKING:
        return walk(shard);
    case CHECKPOINT_FINISHING:
        finish(shard);
        return shard->checkpoint.state == CHECKPOINT_IDLE;
    }
    return false;
}

/* Wait, for a bounded time, until the writer is idle. */
static bool writer_idle_await(struct shard *shard, struct snapwriter_result *result)
{
    struct transport_wait wait = {.fd = shard->wake_fd};
    int64_t end_ms = clock_now_ms() + SEAL_MS;
    enum qn_status status;

    while ((status = snapwriter_result(shard->checkpoint.writer, result)) == QN_BUSY &&
           clock_now_ms() < end_ms) {
        (void)transport_wait(&wait, 1, SEAL_STEP_MS);
        eventfd_drain(shard->wake_fd);
    }
    return status != QN_BUSY;
}

void checkpoint_seal(struct shard *shard, bool settled)
{
    struct checkpoint *c = &shard->checkpoint;
    struct snapwriter_result result = {0};

    waits_fail(shard, QN_CLOSED, "the node is stopping");
    if (c->manifest_lost || !settled) {
        return;
    }
    if (c->state == CHECKPOINT_WALKING) {
        grid_snapshot_end(shard->grid, c->partition);
        snapwriter_abandon(c->writer);
        plan_failed(&c->plan);
        c->state = CHECKPOINT_IDLE;
    }
    if (!writer_idle_await(shard, &result)) {
        return;
    }
    if (c->state == CHECKPOINT_FINISHING && result.status == QN_OK) {
        c->log_first = c->log_first_new;
    }
    snapwriter_manifest(c->writer, c->log_first, txlog_durable(shard->log), true);
    (void)writer_idle_await(shard, &result);
}

#define _GNU_SOURCE
#include "node/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "node/shard_internal.h"
#include "wire/assert.h"

_Static_assert((int)WIRE_FRAME_MAX == (int)TRANSPORT_FRAME_MAX, "what is encoded must pass");

enum {
    TICK_MS = 250,   /* each partition is ticked so often */
    TICK_STEPS = 10, /* a tenth of them at a time, so that no round takes long */
    FIGURES_MS = 1000,
    SWEEP_SLOTS = 1024,             /* looked at in one round */
    FRAMES_PER_ROUND = 256,         /* before the log is woken and answers leave */
    MOMENT_MS = 200,                /* between two looks at something else while waiting */
    DRAIN_MS = 5000,                /* how long a stopping shard waits for its log */
    HISTORY_MAX = 16 * 1024 * 1024, /* of a partition: versions that only cursors need */
    ARENA_MAX = 64 * 1024 * 1024,   /* what one frame may take for its decoding */
};

void eventfd_signal(int fd)
{
    uint64_t one = 1;

    /* Full only when nobody has read 2^64-2 of them: it is readable then as well. */
    (void)!write(fd, &one, sizeof one);
}

void eventfd_drain(int fd)
{
    uint64_t count;

    (void)!read(fd, &count, sizeof count);
}

static void phase_set(struct shard *shard, enum shard_phase phase)
{
    (void)pthread_mutex_lock(&shard->lock);
    shard->phase = phase;
    (void)pthread_cond_broadcast(&shard->changed);
    (void)pthread_mutex_unlock(&shard->lock);
}

/* Wait until the shard has come at least to `phase`. */
static void phase_wait(struct shard *shard, enum shard_phase phase)
{
    (void)pthread_mutex_lock(&shard->lock);
    while (shard->phase < phase) {
        (void)pthread_cond_wait(&shard->changed, &shard->lock);
    }
    (void)pthread_mutex_unlock(&shard->lock);
}

/* Wait for the word to serve, or to stop before that. */
static void serving_wait(struct shard *shard)
{
    (void)pthread_mutex_lock(&shard->lock);
    while (shard->phase < SHARD_SERVING && !atomic_load(&shard->stopping)) {
        (void)pthread_cond_wait(&shard->changed, &shard->lock);
    }
    (void)pthread_mutex_unlock(&shard->lock);
}

static void outbox_send(void *arg, uint64_t route, const struct wire_message *message)
{
    shard_send(arg, route, message);
}

static enum qn_status listen_open(struct shard *shard, qn_error *err)
{
    const struct cfg *cfg = shard->options.cfg;
    char endpoint[DIRECTORY_ENDPOINT_MAX];

    if (cfg->node_data_port == 0) {
        (void)snprintf(endpoint, sizeof endpoint, "tcp://%s:*", cfg->node_bind);
    } else {
        (void)snprintf(endpoint, sizeof endpoint, "tcp://%s:%u", cfg->node_bind,
                       cfg->node_data_port + shard->options.lane);
    }
    enum qn_status status = transport_open(&shard->transport);
    if (status != QN_OK) {
        return qn_error_set(err, status, "cannot start libzmq: %s", qn_status_text(status));
    }
    status = transport_server_open(shard->transport, endpoint, &shard->server, err);
    if (status == QN_OK) {
        (void)snprintf(shard->endpoint, sizeof shard->endpoint, "%s",
                       transport_server_endpoint(shard->server));
    }
    return status;
}

/* Keep this thread, and those it will start (libzmq's, the log writer's), on one of the CPUs we may
 * use: a wake-up on the same CPU is some twenty times cheaper than across. */
static void pin(const struct shard *shard)
{
    cpu_set_t allowed, one;
    uint32_t skip;

    if (shard->options.cfg->node_pin != CFG_PIN_AUTO ||
        sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0) {
        return;
    }
    skip = shard->options.lane % (uint32_t)CPU_COUNT(&allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            (void)sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

struct replica_limits shard_limits(const struct cfg *cfg)
{
    return (struct replica_limits){
        .key_size_max_bytes = cfg->limits_key_size_max_bytes,
        .value_size_max_bytes = cfg->limits_value_size_max_bytes,
        .uncommitted_max_bytes = cfg->limits_inflight_bytes,
        .session_ttl_ms = cfg->session_ttl_ms,
        .session_results_max = cfg->session_results_max,
        .session_bytes_max = cfg->session_bytes_max,
        .soft_commit_ms = cfg->commit_soft_interval_ms,
        .pins_max = cfg->views_pins_max,
        .pin_ttl_ms = cfg->views_ttl_ms,
        .history_max_bytes = HISTORY_MAX,
    };
}

static enum qn_status parts_open(struct shard *shard, qn_error *err)
{
    const struct cfg *cfg = shard->options.cfg;

    shard->pages = memory_pages_create(shard->options.memory);
    shard->caches = cache_figures_create();
    struct outbox_sender sender = {.arg = shard, .send = outbox_send};
    struct grid_options options = {
        .node = cfg->node_id,
        .partition_count = cfg->cluster_partitions,
        .service_count = shard->options.directory->service_count,
        .lane = shard->options.lane,
        .lane_count = shard->options.lane_count,
        .incarnation = (uint32_t)shard->options.directory->incarnation,
        .alone = true,
        .limits = shard_limits(cfg),
        .pages = shard->pages ? memory_pages_alloc(shard->pages) : NULL,
    };

    arena_init(&shard->arena, ARENA_MAX);
    if (!options.pages || !shard->caches || outbox_create(&sender, &shard->outbox) != QN_OK ||
        grid_create(&options, &shard->grid) != QN_OK ||
        plan_init(&shard->checkpoint.plan, shard->options.lane, shard->options.lane_count,
                  shard_partitions_all(shard)) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory while starting shard %u",
                            shard->options.lane);
    }
    return listen_open(shard, err);
}

static void parts_close(struct shard *shard)
{
    checkpoint_close(shard);
    if (txlog_close(shard->log) != QN_OK) {
        (void)pthread_mutex_lock(&shard->lock);
        (void)qn_error_set(&shard->error, QN_IO,
                           "the log could not be closed: see the lines before");
        (void)pthread_mutex_unlock(&shard->lock);
    }
    transport_server_close(shard->server);
    transport_close(shard->transport);
    grid_destroy(shard->grid);
    memory_pages_destroy(shard->pages);
    memory_charge_to(shard->options.memory, MEMORY_LOG, &shard->log_charged, 0);
    outbox_destroy(shard->outbox);
    arena_fini(&shard->arena);
    buf_fini(&shard->encoded);
    free(shard->waiting.list);
}

static int64_t boot_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Tell of a jump of the system's clock; one shard does for all. */
static void clock_tell(const struct shard *shard, enum wall_clock_event event)
{
    if (event == WALL_CLOCK_QUIET || shard->options.lane != 0) {
        return;
    }
    bool jumped = event == WALL_CLOCK_JUMPED;
    logger_write(shard->options.logger, jumped ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, "clock",
                 jumped ? "jumped" : "settled", "offset_ms=%" PRId64,
                 wall_clock_offset_ms(&shard->wall_clock, clock_wall_ms(), boot_ms()));
}

static void time_read(struct shard *shard)
{
    enum wall_clock_event event;

    shard->round_ns = clock_now_ns();
    shard->now_ms = shard->round_ns / 1000000;
    shard->wall_ms = wall_clock_read(&shard->wall_clock, clock_wall_ms(), boot_ms(), &event);
    clock_tell(shard, event);
}

/* Tell once when the disk has become full, and once when there is space again. */
static void space_watch(struct shard *shard)
{
    struct txlog_stats log;

    txlog_stats(shard->log, &log);
    bool full = log.space_short;

    if (full == (figure_get(&shard->figures.disk_full) != 0)) {
        return;
    }
    figure_set(&shard->figures.disk_full, full);
    logger_write(shard->options.logger, full ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO, "log",
                 full ? "disk_full" : "disk_space_back", "lane=%u data_dir=\"%s\"%s",
                 shard->options.lane, shard->options.cfg->node_data_dir,
                 full ? " action=\"changes are, or soon will be, refused: make space there\"" : "");
}

/* Tell once when changes are refused for want of memory, and once when they are accepted again. */
static void memory_watch(struct shard *shard)
{
    enum qn_status before = shard->memory;

    shard->memory = memory_status(shard->options.memory);
    if (shard->memory == before || shard->options.lane != 0) {
        return;
    }
    bool full = shard->memory != QN_OK;
    logger_write(shard->options.logger, full ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, "memory",
                 full ? "limit_reached" : "below_limit",
                 "used_bytes=%" PRIu64 " limit_bytes=%" PRIu64, memory_total(shard->options.memory),
                 shard->options.memory->limit_bytes);
}

/* Refuse changes while the log is at its limit. Tell once when it gets there, and once when
 * snapshots have caught up; under load it comes and goes many times in between. */
static void budget_watch(struct shard *shard)
{
    shard->log_behind = checkpoint_behind(shard);

    bool told = shard->log_told ? !checkpoint_caught_up(shard) : shard->log_behind;
    if (told == shard->log_told) {
        return;
    }
    shard->log_told = told;
    logger_write(shard->options.logger, told ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, "log",
                 told ? "at_budget" : "below_budget",
                 "lane=%u used_bytes=%" PRIu64 " budget_bytes=%" PRIu64, shard->options.lane,
                 checkpoint_log_used(shard),
                 shard->options.cfg->log_replay_budget_bytes / shard->options.lane_count);
}

/* Tick the next few partitions. */
static void partitions_tick(struct shard *shard)
{
    uint32_t count = shard->checkpoint.plan.count;
    uint32_t few = (count + TICK_STEPS - 1) / TICK_STEPS;
    bool room = shard_append_room(shard);

    for (uint32_t i = 0; i < few; i++) {
        uint32_t number = shard->tick_next < count ? shard->tick_next : 0;
        struct replica_event event = {.kind = REPLICA_TICK,
                                      .partition =
                                          shard->options.lane + number * shard->options.lane_count,
                                      .append = room && shard_append_room(shard)};
        shard->tick_next = number + 1;
        shard_step(shard, &event);
    }
}

static void tick(struct shard *shard)
{
    memory_watch(shard);
    if (shard->now_ms < shard->tick_at_ms) {
        return;
    }
    shard->tick_at_ms = shard->now_ms + TICK_MS / TICK_STEPS;
    partitions_tick(shard);
    checkpoint_look(shard);
    budget_watch(shard);
    space_watch(shard);
    if (shard->now_ms >= shard->figures_at_ms) {
        shard->figures_at_ms = shard->now_ms + FIGURES_MS;
        shard_figures_refresh(shard);
        shard->sweeping = true;
    }
}

/* Work that nobody waits for, a little in each round. True: there is more of it. */
static bool background(struct shard *shard)
{
    bool more = checkpoint_work(shard);

    if (shard->sweeping) {
        shard->sweeping = grid_sweep(shard->grid, SWEEP_SLOTS);
    }
    return more || shard->sweeping;
}

static void partitions_open(struct shard *shard)
{
    const struct directory *directory = shard->options.directory;
    struct configuration configuration =
        configuration_alone(directory->node, (uint32_t)directory->incarnation,
                            (uint32_t)directory->epoch, (uint8_t)directory->lineage);
    struct replica_event event = {.kind = REPLICA_CONFIGURATION, .configuration = &configuration};

    time_read(shard);
    shard_step_all(shard, &event);
    txlog_flush(shard->log);
    shard_figures_refresh(shard);
    shard->checkpoint.due_ms = shard->now_ms + shard->options.cfg->commit_hard_interval_ms;
}

static uint64_t route_pack(const struct transport_route *route)
{
    uint64_t packed = (uint64_t)route->size << 56;

    for (size_t i = 0; i < route->size; i++) {
        packed |= (uint64_t)route->octets[i] << (8 * i);
    }
    return packed;
}

static void frames_take(struct shard *shard)
{
    struct transport_route route;
    struct transport_frame *frame;

    for (int i = 0; i < FRAMES_PER_ROUND; i++) {
        if (transport_server_recv(shard->server, &route, &frame) != QN_OK) {
            return;
        }
        shard_frame(shard, route_pack(&route), transport_frame_bytes(frame));
        transport_frame_release(frame);
    }
}

/* One round: wait, take what has arrived, wake the log once, answer once per client. */
static void loop_round(struct shard *shard)
{
    struct transport_wait waits[] = {{.server = shard->server}, {.fd = shard->wake_fd}};
    int64_t left_ms = shard->busy ? 0 : shard->tick_at_ms - shard->now_ms;

    (void)transport_wait(waits, 2, left_ms > 0 ? left_ms : 0);
    time_read(shard);
    atomic_store_explicit(&shard->figures.last_round_ms, shard->now_ms, memory_order_relaxed);
    if (waits[1].readable) {
        eventfd_drain(shard->wake_fd);
        shard_durable(shard);
        shard_clerk_answers(shard);
    }
    shard->scans = 0;
    if (waits[0].readable) {
        frames_take(shard);
    }
    tick(shard);
    shard->busy = background(shard);
    txlog_flush(shard->log);
    outbox_flush(shard->outbox);
}

/* What has been appended is made durable and answered; nothing new is taken. */
static void drain(struct shard *shard)
{
    struct transport_wait wait = {.fd = shard->wake_fd};
    int64_t end_ms = clock_now_ms() + DRAIN_MS;

    txlog_flush(shard->log);
    while (txlog_durable(shard->log) < txlog_next(shard->log) && !shard->log_broken &&
           !txlog_failed(shard->log, NULL) && clock_now_ms() < end_ms) {
        (void)transport_wait(&wait, 1, TICK_MS);
        eventfd_drain(shard->wake_fd);
        time_read(shard);
        shard_durable(shard);
    }
    shard_durable(shard);
    outbox_flush(shard->outbox);
}

static void error_keep(struct shard *shard, const qn_error *err)
{
    (void)pthread_mutex_lock(&shard->lock);
    shard->error = *err;
    (void)pthread_mutex_unlock(&shard->lock);
}

/* The failure that ended the shard; QN_OK when none. */
static enum qn_status error_get(struct shard *shard, qn_error *err)
{
    (void)pthread_mutex_lock(&shard->lock);
    enum qn_status status = shard->error.status;
    if (status < 0) {
        (void)qn_error_set(err, status, "%s", shard->error.text);
    }
    (void)pthread_mutex_unlock(&shard->lock);
    return status;
}

static void *shard_main(void *arg)
{
    struct shard *shard = arg;
    qn_error err = QN_ERROR_INIT;

    pin(shard);
    wall_clock_init(&shard->wall_clock, clock_wall_ms(), boot_ms());
    time_read(shard);
    if (parts_open(shard, &err) != QN_OK) {
        error_keep(shard, &err);
        phase_set(shard, SHARD_ENDED);
        return NULL;
    }
    phase_set(shard, SHARD_BOUND);
    if (shard_recover(shard, &err) != QN_OK) {
        error_keep(shard, &err);
        phase_set(shard, SHARD_ENDED);
        return NULL;
    }
    phase_set(shard, SHARD_RECOVERED);
    serving_wait(shard);
    if (!atomic_load(&shard->stopping)) {
        partitions_open(shard);
    }
    while (!atomic_load_explicit(&shard->stopping, memory_order_relaxed)) {
        loop_round(shard);
    }
    drain(shard);
    bool settled = !shard->log_broken && !txlog_failed(shard->log, NULL) &&
                   txlog_durable(shard->log) == txlog_next(shard->log);
    checkpoint_seal(shard, settled);
    phase_set(shard, SHARD_ENDED);
    return NULL;
}

void shard_destroy(struct shard *shard)
{
    cache_figures_destroy(shard->caches);
    free(shard->answers);
    if (shard->wake_fd >= 0) {
        (void)close(shard->wake_fd);
    }
    (void)pthread_mutex_destroy(&shard->lock);
    (void)pthread_cond_destroy(&shard->changed);
    free(shard);
}

enum qn_status shard_start(const struct shard_options *options, struct shard **shard, qn_error *err)
{
    struct shard *made = calloc(1, sizeof *made);
    pthread_condattr_t monotonic;

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->options = *options;
    made->error = (qn_error)QN_ERROR_INIT;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&made->changed, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made->wake_fd < 0 || pthread_create(&made->thread, NULL, shard_main, made) != 0) {
        shard_destroy(made);
        return qn_error_set(err, QN_IO,
                            "cannot start shard %u: raise the limits on threads and "
                            "open files (ulimit -a)",
                            options->lane);
    }
    phase_wait(made, SHARD_BOUND);
    enum qn_status status = error_get(made, err);
    if (status < 0) {
        (void)shard_join(made, NULL);
        shard_destroy(made);
        return status;
    }
    *shard = made;
    return QN_OK;
}

const char *shard_endpoint(const struct shard *shard)
{
    return shard->endpoint;
}

/* Wait at most MOMENT_MS for the shard to come to `phase`. */
static bool phase_wait_moment(struct shard *shard, enum shard_phase phase)
{
    struct timespec end;

    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += MOMENT_MS * 1000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    (void)pthread_mutex_lock(&shard->lock);
    while (shard->phase < phase &&
           pthread_cond_timedwait(&shard->changed, &shard->lock, &end) != ETIMEDOUT) {
    }
    bool reached = shard->phase >= phase;
    (void)pthread_mutex_unlock(&shard->lock);
    return reached;
}

enum qn_status shard_wait_recovered(struct shard *shard, uint64_t *epoch, qn_error *err)
{
    if (!phase_wait_moment(shard, SHARD_RECOVERED)) {
        return QN_RECOVERING;
    }
    *epoch = shard->recovered_epoch;
    return error_get(shard, err);
}

void shard_serve(struct shard *shard)
{
    (void)pthread_mutex_lock(&shard->lock);
    if (shard->phase == SHARD_RECOVERED) {
        shard->phase = SHARD_SERVING;
        (void)pthread_cond_broadcast(&shard->changed);
    }
    (void)pthread_mutex_unlock(&shard->lock);
}

void shard_stop(struct shard *shard)
{
    (void)pthread_mutex_lock(&shard->lock);
    atomic_store(&shard->stopping, true);
    (void)pthread_cond_broadcast(&shard->changed);
    (void)pthread_mutex_unlock(&shard->lock);
    eventfd_signal(shard->wake_fd);
}

enum qn_status shard_join(struct shard *shard, qn_error *err)
{
    (void)pthread_join(shard->thread, NULL);
    parts_close(shard);
    return error_get(shard, err);
}

struct shard_figures *shard_figures(struct shard *shard)
{
    return &shard->figures;
}

const struct cache_figures *shard_cache_figures(const struct shard *shard)
{
    return shard->caches;
}

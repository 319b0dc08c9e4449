#include "tests/unit/client/sim.h"

#include <stdlib.h>

#include "wire/assert.h"

/* A frame on its way. */
struct parcel {
    int64_t at_ms;
    bool is_answer;
    bool is_held;
    uint32_t link;
    uint32_t connection;
    struct buf octets;
};

struct sim {
    struct session *session;
    struct fake_grid *grid;
    struct sim_faults faults;
    uint64_t prng;
    int64_t now_ms;
    int64_t wake_at_ms;
    int64_t up_at_ms; /* the node is there from then on */
    bool is_down;
    uint32_t connection; /* number of the current one: older frames are lost */
    bool hold_requests;
    bool hold_answers;
    struct parcel *parcels;
    size_t parcel_count;
    size_t parcel_capacity;
    size_t frames_sent;
    size_t links_open;
    size_t events[SESSION_NODE_REFUSED + 1];
    struct buf answer;
    void (*on_done)(struct session_op *op, int64_t now_ms, void *arg);
    void *on_done_arg;
};

uint32_t sim_random(struct sim *sim, uint32_t bound)
{
    sim->prng = sim->prng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((sim->prng >> 33) % bound);
}

static void traced(void *arg, enum session_event event, uint32_t number)
{
    struct sim *sim = arg;

    (void)number;
    sim->events[event]++;
}

size_t sim_events(const struct sim *sim, enum session_event event)
{
    return sim->events[event];
}

struct sim *sim_create(uint64_t seed, struct sim_faults faults)
{
    static const char *const endpoints[SIM_LINKS] = {"tcp://node:1", "tcp://node:2"};
    struct sim *sim = calloc(1, sizeof *sim);

    qn_assert(sim);
    sim->prng = seed * 2 + 1;
    sim->now_ms = 1000;
    sim->faults = faults;
    sim->grid = fake_grid_create((struct fake_options){.partition_count = SIM_PARTITIONS,
                                                       .service_count = 2,
                                                       .shard_count = SIM_LINKS,
                                                       .endpoints = endpoints});
    enum qn_status status = session_create(&(struct session_options){.client = {{(uint8_t)seed, 1}},
                                                                     .seeds = endpoints,
                                                                     .seed_count = 1,
                                                                     .now_ms = sim->now_ms,
                                                                     .prng_seed = seed,
                                                                     .trace = traced,
                                                                     .trace_arg = sim},
                                           &sim->session);
    qn_assert(status == QN_OK);
    return sim;
}

static void parcel_drop(struct sim *sim, size_t i)
{
    buf_fini(&sim->parcels[i].octets);
    sim->parcels[i] = sim->parcels[--sim->parcel_count];
}

static void done_take(struct sim *sim)
{
    for (struct session_op *op = session_take_done(sim->session); op;
         op = session_take_done(sim->session)) {
        if (sim->on_done) {
            sim->on_done(op, sim->now_ms, sim->on_done_arg);
        }
    }
}

void sim_destroy(struct sim *sim)
{
    session_give_up_all(sim->session, QN_CLOSED);
    done_take(sim);
    session_destroy(sim->session);
    while (sim->parcel_count > 0) {
        parcel_drop(sim, sim->parcel_count - 1);
    }
    free(sim->parcels);
    fake_grid_destroy(sim->grid);
    buf_fini(&sim->answer);
    free(sim);
}

int64_t sim_now_ms(const struct sim *sim)
{
    return sim->now_ms;
}

struct fake_grid *sim_grid(struct sim *sim)
{
    return sim->grid;
}

struct session *sim_session(struct sim *sim)
{
    return sim->session;
}

size_t sim_links_open(const struct sim *sim)
{
    return sim->links_open;
}

size_t sim_frames_sent(const struct sim *sim)
{
    return sim->frames_sent;
}

void sim_set_faults(struct sim *sim, struct sim_faults faults)
{
    sim->faults = faults;
}

void sim_on_done(struct sim *sim, void (*fn)(struct session_op *op, int64_t now_ms, void *arg),
                 void *arg)
{
    sim->on_done = fn;
    sim->on_done_arg = arg;
}

void sim_hold(struct sim *sim, bool requests, bool answers)
{
    sim->hold_requests = requests;
    sim->hold_answers = answers;
}

void sim_release(struct sim *sim)
{
    sim_hold(sim, false, false);
    for (size_t i = 0; i < sim->parcel_count; i++) {
        sim->parcels[i].is_held = false;
    }
}

void sim_restart(struct sim *sim, uint32_t down_ms)
{
    sim->is_down = true;
    sim->up_at_ms = sim->now_ms + down_ms;
    sim->connection++;
}

/* ---- the network ---- */

static void parcel_add(struct sim *sim, bool is_answer, uint32_t link, struct bytes octets)
{
    if (sim->parcel_count == sim->parcel_capacity) {
        sim->parcel_capacity = sim->parcel_capacity ? sim->parcel_capacity * 2 : 64;
        sim->parcels = realloc(sim->parcels, sim->parcel_capacity * sizeof *sim->parcels);
        qn_assert(sim->parcels);
    }
    struct parcel *parcel = &sim->parcels[sim->parcel_count++];
    *parcel = (struct parcel){
        .at_ms = sim->now_ms + 1 +
                 (sim->faults.delay_max_ms ? sim_random(sim, sim->faults.delay_max_ms) : 0),
        .is_answer = is_answer,
        .is_held = is_answer ? sim->hold_answers : sim->hold_requests,
        .link = link,
        .connection = sim->connection,
    };
    enum qn_status status = buf_append(&parcel->octets, octets.data, octets.size);
    qn_assert(status == QN_OK);
}

static void parcel_post(struct sim *sim, bool is_answer, uint32_t link, struct bytes octets)
{
    if (sim_random(sim, 100) < sim->faults.lose_percent) {
        return;
    }
    parcel_add(sim, is_answer, link, octets);
    if (sim_random(sim, 100) < sim->faults.repeat_percent) {
        parcel_add(sim, is_answer, link, octets);
    }
}

static void parcel_deliver(struct sim *sim, struct parcel *parcel)
{
    if (parcel->connection != sim->connection || sim->is_down) {
        return; /* its connection is gone */
    }
    if (parcel->is_answer) {
        session_receive(sim->session, parcel->link, buf_bytes(&parcel->octets), sim->now_ms);
        done_take(sim);
    } else if (fake_grid_answer(sim->grid, buf_bytes(&parcel->octets), &sim->answer) == QN_OK) {
        parcel_post(sim, true, parcel->link, buf_bytes(&sim->answer));
    }
}

/* The earliest parcel that may be delivered; SIZE_MAX = none. */
static size_t parcel_next(const struct sim *sim)
{
    size_t next = SIZE_MAX;

    for (size_t i = 0; i < sim->parcel_count; i++) {
        if (!sim->parcels[i].is_held &&
            (next == SIZE_MAX || sim->parcels[i].at_ms < sim->parcels[next].at_ms)) {
            next = i;
        }
    }
    return next;
}

static void act(struct sim *sim)
{
    struct session_actions actions;

    session_step(sim->session, sim->now_ms, &actions);
    sim->wake_at_ms = actions.wake_at_ms;
    for (size_t i = 0; i < actions.count; i++) {
        const struct session_action *action = &actions.list[i];
        sim->links_open += action->kind == SESSION_CONNECT;
        sim->links_open -= action->kind == SESSION_DISCONNECT;
        if (action->kind == SESSION_SEND && sim->is_down) {
            session_unsent(sim->session, action->link, action->message);
        } else if (action->kind == SESSION_SEND) {
            sim->frames_sent++;
            parcel_post(sim, false, action->link, action->frame);
        }
    }
    done_take(sim);
}

static void links_connect(struct sim *sim)
{
    for (uint32_t link = 0; link < SIM_LINKS_MAX; link++) {
        if (strcmp(session_link_endpoint(sim->session, link), "?") != 0 &&
            session_link_blocked(sim->session, link)) {
            session_writable(sim->session, link, sim->now_ms);
        }
    }
}

static void node_step(struct sim *sim)
{
    if (sim->is_down && sim->now_ms >= sim->up_at_ms) {
        sim->is_down = false;
        sim->connection++;
        fake_grid_restart(sim->grid);
    }
    if (!sim->is_down) {
        links_connect(sim);
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When something happens next. Blocked links are looked at every few milliseconds. */
static int64_t next_ms(const struct sim *sim, int64_t end_ms)
{
    size_t parcel = parcel_next(sim);
    int64_t at_ms = least(end_ms, least(sim->wake_at_ms, sim->now_ms + 5));

    if (parcel != SIZE_MAX) {
        at_ms = least(at_ms, sim->parcels[parcel].at_ms);
    }
    return at_ms > sim->now_ms ? at_ms : sim->now_ms;
}

static void moment(struct sim *sim)
{
    node_step(sim);
    for (size_t i = parcel_next(sim); i != SIZE_MAX && sim->parcels[i].at_ms <= sim->now_ms;
         i = parcel_next(sim)) {
        struct parcel parcel = sim->parcels[i];
        sim->parcels[i] = sim->parcels[--sim->parcel_count];
        parcel_deliver(sim, &parcel);
        buf_fini(&parcel.octets);
    }
    act(sim);
}

static void restart_maybe(struct sim *sim, int64_t passed_ms)
{
    uint32_t each_ms = sim->faults.restart_each_ms;

    if (each_ms > 0 && !sim->is_down && sim_random(sim, each_ms) < (uint32_t)passed_ms) {
        sim_restart(sim, sim_random(sim, sim->faults.down_max_ms + 1));
    }
}

void sim_run_ms(struct sim *sim, int64_t ms)
{
    int64_t end_ms = sim->now_ms + ms;

    moment(sim);
    while (sim->now_ms < end_ms) {
        int64_t before_ms = sim->now_ms;
        sim->now_ms = next_ms(sim, end_ms);
        restart_maybe(sim, sim->now_ms - before_ms);
        moment(sim);
    }
}

void sim_start(struct sim *sim, struct session_op *op, int64_t timeout_ms)
{
    op->deadline_ms = sim->now_ms + timeout_ms;
    session_start(sim->session, op, sim->now_ms);
    act(sim);
}

bool sim_finish(struct sim *sim, struct session_op *op)
{
    int64_t end_ms = op->deadline_ms + 20;

    while (op->state != OP_DONE && sim->now_ms < end_ms) {
        sim_run_ms(sim, 1);
    }
    return op->state == OP_DONE;
}

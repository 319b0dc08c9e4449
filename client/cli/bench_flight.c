#define _GNU_SOURCE
#include "client/cli/bench_flight.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "client/cli/interrupt.h"
#include "client/cli/progress.h"

enum {
    BENCH_WAIT_NS = 100 * 1000 * 1000,
    BENCH_WAIT_MS = 100,
    BENCH_GIVE_UP_NS = 1000 * 1000 * 1000,
    /* The kernel ends a sleep up to some 50 us late. Who has to be on time gets up earlier. */
    BENCH_RISE_NS = 60 * 1000,
};

/* A place for a request in flight. */
struct bench_slot {
    struct bench_slot *next; /* in the list of idle or done ones */
    struct bench_worker *worker;
    qn_op *op;        /* NULL = idle */
    uint64_t from_ns; /* what its latency is measured from */
    bool get;
};

bool bench_flight_init(struct bench_worker *worker)
{
    worker->slots = calloc(worker->plan->in_flight, sizeof *worker->slots);
    if (worker->slots == NULL) {
        return false;
    }
    for (size_t i = worker->plan->in_flight; i-- > 0;) {
        worker->slots[i].worker = worker;
        worker->slots[i].next = worker->idle;
        worker->idle = &worker->slots[i];
    }
    return true;
}

void bench_flight_fini(struct bench_worker *worker)
{
    free(worker->slots);
}

static void on_done(qn_op *op, void *arg)
{
    struct bench_slot *slot = arg;
    (void)op;
    slot->next = slot->worker->done;
    slot->worker->done = slot;
}

static void slot_end(struct bench_slot *slot, uint64_t now_ns)
{
    struct bench_worker *worker = slot->worker;
    bench_worker_count(worker, slot->get, qn_op_status(slot->op), qn_op_error(slot->op),
                       slot->from_ns, now_ns);
    qn_op_release(slot->op);
    slot->op = NULL;
    slot->next = worker->idle;
    worker->idle = slot;
    worker->busy_count--;
}

/* A request that could not even begin counts as failed; the pause keeps a dead grid from being
 * asked millions of times. */
static void slot_refused(struct bench_worker *worker, bool get, const qn_error *err,
                         uint64_t from_ns)
{
    bench_worker_count(worker, get, err->status, err, from_ns, progress_clock_ns());
    struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
}

/* Begin one request. Returns whether it is in flight. */
static bool slot_begin(struct bench_worker *worker, uint64_t from_ns)
{
    struct bench_slot *slot = worker->idle;
    struct bench_call call = bench_worker_next(worker);
    qn_error err = QN_ERROR_INIT;
    slot->get = call.get;
    slot->from_ns = from_ns;
    slot->op = call.get
                   ? qn_get_start(worker->cache, call.key, NULL, &err)
                   : qn_put_start(worker->cache, call.key, call.value, &worker->plan->put, &err);
    if (slot->op == NULL) {
        slot_refused(worker, call.get, &err, from_ns);
        return false;
    }
    worker->idle = slot->next;
    worker->busy_count++;
    if (worker->plan->dispatch) {
        qn_op_on_done(slot->op, on_done, slot);
    }
    return true;
}

/* Wait up to `wait_ns` for some to end, with the descriptor of a client that is this worker's
 * alone. */
static void reap_dispatched(struct bench_worker *worker, uint64_t wait_ns)
{
    struct pollfd descriptor = {.fd = qn_fd(worker->client), .events = POLLIN};
    struct timespec wait = {.tv_sec = (time_t)(wait_ns / 1000000000U),
                            .tv_nsec = (long)(wait_ns % 1000000000U)};
    if (ppoll(&descriptor, 1, &wait, NULL) < 0 && errno != EINTR) {
        return;
    }
    qn_dispatch(worker->client, 0);
    uint64_t now = progress_clock_ns();
    while (worker->done != NULL) {
        struct bench_slot *slot = worker->done;
        worker->done = slot->next;
        slot_end(slot, now);
    }
}

/* Wait for some to end, of a client that several workers use: for the one begun first, then look at
 * all. */
static void reap_shared(struct bench_worker *worker)
{
    struct bench_slot *oldest = NULL;
    for (size_t i = 0; i < worker->plan->in_flight; i++) {
        struct bench_slot *slot = &worker->slots[i];
        if (slot->op != NULL && (oldest == NULL || slot->from_ns < oldest->from_ns)) {
            oldest = slot;
        }
    }
    if (oldest != NULL) {
        (void)qn_op_wait(oldest->op, BENCH_WAIT_MS);
    }
    uint64_t now = progress_clock_ns();
    for (size_t i = 0; i < worker->plan->in_flight; i++) {
        struct bench_slot *slot = &worker->slots[i];
        if (slot->op != NULL && qn_op_done(slot->op)) {
            slot_end(slot, now);
        }
    }
}

/* Nobody waits for what is still in flight after an interrupt. */
static void abandon(struct bench_worker *worker)
{
    for (size_t i = 0; i < worker->plan->in_flight; i++) {
        if (worker->slots[i].op != NULL) {
            qn_op_cancel(worker->slots[i].op);
            qn_op_release(worker->slots[i].op);
            worker->slots[i].op = NULL;
        }
    }
}

/* Is there nothing left to wait for? After an interrupt there is not for long. */
static bool is_over(const struct bench_worker *worker, uint64_t now_ns, uint64_t *give_up_ns)
{
    if (interrupted() && *give_up_ns == UINT64_MAX) {
        *give_up_ns = now_ns + BENCH_GIVE_UP_NS;
    }
    return worker->busy_count == 0 || now_ns > *give_up_ns;
}

void bench_flight_run_closed(struct bench_worker *worker)
{
    uint64_t give_up_ns = UINT64_MAX;
    for (;;) {
        uint64_t now = progress_clock_ns();
        while (worker->idle != NULL && bench_worker_more(worker, now) && slot_begin(worker, now)) {
            now = progress_clock_ns();
        }
        if (is_over(worker, now, &give_up_ns)) {
            break;
        }
        if (worker->plan->dispatch) {
            reap_dispatched(worker, BENCH_WAIT_NS);
        } else {
            reap_shared(worker);
        }
    }
    abandon(worker);
}

/* ---- open loop ---- */

void bench_flight_count_late(struct bench_result *result, uint64_t due_ns, uint64_t now_ns,
                             uint64_t full_until_ns)
{
    if (due_ns < full_until_ns) {
        result->queued_count++;
    } else if (now_ns > due_ns + BENCH_LATE_NS) {
        result->late_count++;
        uint64_t late_ns = now_ns - due_ns;
        result->late_max_ns = late_ns > result->late_max_ns ? late_ns : result->late_max_ns;
    }
}

/* The stream of requests that are due, one after the other. */
struct schedule {
    struct bench_worker *worker;
    uint64_t begun;         /* requests taken from it */
    uint64_t due_ns;        /* of the next one */
    uint64_t full_until_ns; /* up to here there was no room in flight */
    bool ended;
};

static uint64_t schedule_due(const struct schedule *schedule)
{
    const struct bench_worker *worker = schedule->worker;
    return worker->plan->start_ns +
           bench_plan_due_ns(worker->plan, worker->number, schedule->begun);
}

/* How many more were due before the end, or of the whole number. */
static uint64_t schedule_rest(const struct schedule *schedule)
{
    const struct bench_worker *worker = schedule->worker;
    const struct bench_plan *plan = worker->plan;
    if (worker->remaining != UINT64_MAX) {
        return worker->remaining;
    }
    if (schedule->due_ns >= plan->end_ns) {
        return 0;
    }
    double due = (double)(plan->end_ns - plan->start_ns) / 1e9 * plan->rate / plan->thread_count;
    return due >= (double)schedule->begun + 1 ? (uint64_t)due - schedule->begun : 1;
}

/* Is it over? Time ends it, too: what was due and could not leave by then counts as unsent. */
static bool schedule_check(struct schedule *schedule, uint64_t now_ns)
{
    const struct bench_worker *worker = schedule->worker;
    uint64_t end_ns = worker->plan->end_ns;
    if (schedule->ended || interrupted()) {
        schedule->ended = true;
    } else if (worker->remaining == 0 || now_ns >= end_ns || schedule->due_ns >= end_ns) {
        schedule->ended = true;
        worker->result->unsent_count = schedule_rest(schedule);
    }
    return schedule->ended;
}

static void schedule_begin_one(struct schedule *schedule, uint64_t now_ns)
{
    struct bench_worker *worker = schedule->worker;
    uint64_t due_ns = schedule->due_ns;
    if (!bench_worker_more(worker, due_ns)) {
        return; /* interrupted just now */
    }
    if (due_ns >= worker->plan->measure_from_ns) {
        bench_flight_count_late(worker->result, due_ns, now_ns, schedule->full_until_ns);
    }
    bool begun = slot_begin(worker, due_ns);
    schedule->begun++;
    schedule->due_ns = schedule_due(schedule);
    if (!begun) {
        schedule->full_until_ns = progress_clock_ns();
    }
}

/* Begin what is due and has room. */
static void schedule_begin_due(struct schedule *schedule)
{
    const struct bench_worker *worker = schedule->worker;
    uint64_t now = progress_clock_ns();
    while (!schedule_check(schedule, now) && schedule->due_ns <= now && worker->idle != NULL) {
        schedule_begin_one(schedule, now);
        now = progress_clock_ns();
    }
    if (worker->idle == NULL) {
        schedule->full_until_ns = now;
    }
}

/* Wait until something ends or the next one is due. */
static void schedule_wait(const struct schedule *schedule)
{
    struct bench_worker *worker = schedule->worker;
    uint64_t now = progress_clock_ns();
    uint64_t wait_ns = BENCH_WAIT_NS;
    if (!schedule->ended && worker->idle != NULL) {
        wait_ns =
            schedule->due_ns > now + BENCH_RISE_NS ? schedule->due_ns - now - BENCH_RISE_NS : 0;
        wait_ns = wait_ns < BENCH_WAIT_NS ? wait_ns : BENCH_WAIT_NS;
    }
    reap_dispatched(worker, wait_ns);
    if (wait_ns == 0) {
        sched_yield(); /* the threads of the client may need this processor */
    }
}

void bench_flight_run_open(struct bench_worker *worker)
{
    struct schedule schedule = {.worker = worker};
    uint64_t give_up_ns = UINT64_MAX;
    schedule.due_ns = schedule_due(&schedule);
    for (;;) {
        schedule_begin_due(&schedule);
        if (schedule.ended && is_over(worker, progress_clock_ns(), &give_up_ns)) {
            break;
        }
        schedule_wait(&schedule);
    }
    abandon(worker);
}

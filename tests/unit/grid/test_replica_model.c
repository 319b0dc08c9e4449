/* Random clients against a replica and a model of it, from a seed.
 *
 * The replica must agree with the model in every answer, in every row of every view, and in what
 * stands in its log; through clocks that jump, crashes at any moment, and starts from snapshots.
 * `QUOIN_SEED=n` replays one run. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"
#include "tests/unit/grid/replica_model.h"
#include "wire/rows.h"

enum {
    SEEDS = 300,
    STEPS = 3000,
    CLIENTS = 4,
    OPEN_MAX = 8,    /* outstanding operations of a client */
    OPS_MAX = STEPS, /* of one client in a run */
    ROUTES_MAX = 4 * STEPS,
    CURSORS = 3,
    NOBODY = 99, /* a client that asks about others */
};

struct client {
    uint64_t session;
    uint64_t first_incomplete;
    uint64_t last_sequence;
    struct call calls[OPS_MAX + 1];
};

struct owner {
    unsigned client;
    uint64_t sequence;
    bool question; /* an OUTCOME about it */
};

/* A scan under way. */
struct cursor {
    uint64_t view; /* 0 = not begun */
    unsigned seen; /* bit k: key k */
    struct buf token;
};

struct run {
    struct lab *lab;
    struct model model;
    uint64_t seed;
    uint64_t random;
    int step;
    struct client clients[CLIENTS];
    struct owner owners[ROUTES_MAX + 1]; /* by route */
    uint64_t replies[ROUTES_MAX + 1];
    size_t replies_seen;
    uint64_t version_seen[MODEL_KEYS];
    struct cursor cursors[CURSORS];
    bool walking; /* a snapshot is being taken: */
    struct replica_snapshot snapshot;
    struct buf octets;
};

#define CHECK(run, condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("QUOIN_SEED=%llu step %d: %s (line %d)", (unsigned long long)(run)->seed,     \
                     (run)->step, #condition, __LINE__);                                           \
        }                                                                                          \
    } while (0)

static unsigned draw(struct run *run, unsigned below)
{
    return model_draw(&run->random, below);
}

/* -- checks -- */

static void check_value(struct run *run, const struct wire_result *result, struct cell cell)
{
    char text[16];

    (void)snprintf(text, sizeof text, "v%u", cell.value);
    CHECK(run, result->has_value == (cell.version > 0));
    CHECK(run, !result->has_value || bytes_equal(result->value, bytes_of_text(text)));
}

static void check_answer(struct run *run, struct call *call, const struct wire_result *result,
                         bool question)
{
    if (result->status == QN_INDETERMINATE || result->status == QN_STALE_SEQ) {
        CHECK(run, result->status != QN_STALE_SEQ || call->taken);
        return;
    }
    CHECK(run, call->executed);
    CHECK(run, result->status == call->status);
    CHECK(run, result->version == call->version);
    CHECK(run, call->index <= run->lab->durable && call->rests_on <= run->lab->durable);
    CHECK(run, call->index == 0 || result->index == call->index);
    if (call->op.flags & WIRE_RETURN_OLD) {
        check_value(run, result, call->old);
    } else {
        CHECK(run, !result->has_value);
    }
    if (!question && (call->op.flags & WIRE_VISIBLE)) {
        CHECK(run, lab_stats(run->lab).view >= call->index);
    }
    call->answered = true;
}

static void check_replies(struct run *run)
{
    for (; run->replies_seen < run->lab->reply_count; run->replies_seen++) {
        const struct lab_reply *reply = &run->lab->replies[run->replies_seen];
        const struct owner *owner = &run->owners[reply->route];
        CHECK(run, ++run->replies[reply->route] == 1);
        if (owner->sequence > 0) {
            check_answer(run, &run->clients[owner->client].calls[owner->sequence], &reply->result,
                         owner->question);
        }
    }
}

static void check_key(struct run *run, int key)
{
    struct cell cell = model_at(&run->model, key, run->lab->durable);
    int64_t time_ms = model_time(&run->model, run->lab->durable);
    const struct wire_result *result = &lab_get(run->lab, model_key(key))->result;

    if (!model_live(cell, time_ms)) {
        cell = (struct cell){0};
    }
    CHECK(run, result->status == (cell.version > 0 ? QN_OK : QN_ABSENT));
    CHECK(run, result->version == cell.version);
    check_value(run, result, cell);
    if (cell.version > 0) {
        bool never = cell.expires_at_ms == INT64_MAX;
        CHECK(run, result->ttl_ms == (never ? 0 : cell.expires_at_ms - time_ms));
        CHECK(run, cell.version >= run->version_seen[key]);
        run->version_seen[key] = cell.version;
    }
    check_replies(run);
}

static void absorb_effect(struct run *run, const struct record *record, struct effect effect)
{
    int key = model_key_of(effect.key);

    CHECK(run, effect.kind == EFFECT_REMOVE && effect.cache == LAB_CACHE && key >= 0);
    CHECK(run, run->model.newest[key].version > 0);
    CHECK(run, run->model.newest[key].expires_at_ms <= record->wall_time_ms);
    run->model.newest[key] = (struct cell){0};
}

/* Records that the replica wrote of its own: none that is not due, and no key twice. */
static void absorb(struct run *run)
{
    while (run->model.log_count < run->lab->log_count) {
        struct record record;
        struct effect effect;
        size_t size;
        unsigned mask = 0;
        struct bytes octets = buf_bytes(&run->lab->log[run->model.log_count]);
        CHECK(run, record_decode(octets, &record, &size) == QN_OK);
        CHECK(run, record.type == RECORD_EXPIRE || record.type == RECORD_CLEAR);
        while (record.type == RECORD_EXPIRE && effect_next(&record.effects, &effect) == QN_OK) {
            absorb_effect(run, &record, effect);
            mask |= 1u << model_key_of(effect.key);
        }
        mask = record.type == RECORD_CLEAR ? model_held(&run->model) : mask;
        model_append(&run->model, mask, (struct cell){0}, record.wall_time_ms);
    }
}

/* -- what clients do -- */

static uint64_t own_next_route(struct run *run, unsigned client, uint64_t sequence, bool question)
{
    uint64_t route = run->lab->next_route;

    CHECK(run, route < ROUTES_MAX);
    run->owners[route] =
        (struct owner){.client = client, .sequence = sequence, .question = question};
    return route;
}

static void send_call(struct run *run, unsigned client, struct call *call)
{
    bool clear = call->op.kind == WIRE_OP_CLEAR;

    call->op.key = clear ? bytes_of(NULL, 0) : bytes_of_text(model_key(call->key));
    call->op.value = bytes_of_text(call->text);
    call->op.first_incomplete = run->clients[client].first_incomplete;
    call->op.remaining_ms = 1 + draw(run, 300);
    (void)own_next_route(run, client, call->op.sequence, false);
    if (!call->executed && !call->taken) {
        model_execute(&run->model, call, run->lab->wall_ms);
    }
    lab_send(run->lab, client + 1, call->op);
    check_replies(run);
    CHECK(run, run->lab->log_count == run->model.log_count);
}

static bool window_full(const struct client *client)
{
    return client->last_sequence + 1 - client->first_incomplete >= OPEN_MAX ||
           client->last_sequence == OPS_MAX;
}

/* The next change of a client, not sent yet. */
static struct call *call_make(struct run *run, unsigned number)
{
    struct client *client = &run->clients[number];
    struct call *call = &client->calls[++client->last_sequence];

    model_draw_call(&run->model, &run->random, call);
    call->op.session = client->session;
    call->op.sequence = client->last_sequence;
    return call;
}

static void call_new(struct run *run, unsigned number)
{
    if (!window_full(&run->clients[number])) {
        send_call(run, number, call_make(run, number));
    }
}

/* Repeat an operation: outstanding, answered, long taken, or one that was only asked about. */
static void call_again(struct run *run, unsigned number)
{
    struct client *client = &run->clients[number];

    if (client->last_sequence == 0) {
        return;
    }
    uint64_t back = draw(run, OPEN_MAX + 2);
    uint64_t sequence = client->last_sequence > back ? client->last_sequence - back : 1;
    send_call(run, number, &client->calls[sequence]);
}

/* Somebody asks for the outcome of a change: answered, on its way, lost, or still to come. */
static void ask(struct run *run, unsigned number)
{
    struct client *client = &run->clients[number];
    struct client_id id = lab_client(number + 1);

    if (draw(run, 3) == 0 && !window_full(client)) {
        (void)call_make(run, number);
    }
    uint64_t open = client->last_sequence + 1 - client->first_incomplete;
    if (open == 0) {
        return;
    }
    uint64_t sequence = client->first_incomplete + draw(run, (unsigned)open);
    struct call *call = &client->calls[sequence];
    struct wire_op op = {.kind = WIRE_OP_OUTCOME,
                         .session = client->session,
                         .sequence = sequence,
                         .remaining_ms = 1 + draw(run, 300),
                         .value = bytes_of(id.octets, CLIENT_ID_SIZE)};
    (void)own_next_route(run, number, sequence, true);
    if (!call->executed) {
        model_withdraw(&run->model, call, run->lab->wall_ms);
    }
    lab_send(run->lab, NOBODY, op);
    check_replies(run);
    CHECK(run, run->lab->log_count == run->model.log_count);
}

static void take_answers(struct run *run, unsigned number)
{
    struct client *client = &run->clients[number];

    while (client->first_incomplete <= client->last_sequence &&
           client->calls[client->first_incomplete].answered) {
        client->calls[client->first_incomplete++].taken = true;
    }
}

/* -- views -- */

static void check_row(struct run *run, struct cursor *cursor, const struct row *row)
{
    int key = model_key_of(row->key);
    char text[16];

    CHECK(run, key >= 0 && !(cursor->seen & 1u << key));
    cursor->seen |= 1u << key;
    struct cell cell = model_at(&run->model, key, cursor->view);
    (void)snprintf(text, sizeof text, "v%u", cell.value);
    CHECK(run, row->version == cell.version);
    CHECK(run, bytes_equal(row->value, bytes_of_text(text)));
    CHECK(run, (row->ttl_ms == 0) == (cell.expires_at_ms == INT64_MAX));
}

static void cursor_reset(struct cursor *cursor)
{
    buf_fini(&cursor->token);
    *cursor = (struct cursor){0};
}

/* One answer of a scan: rows of the view it began with, each key at most once, in the end all. */
static void scan(struct run *run, struct cursor *cursor)
{
    struct row row;
    struct wire_op op = {.kind = WIRE_OP_SCAN,
                         .view = cursor->view,
                         .view_min = draw(run, 3) == 0 ? run->lab->durable : 0,
                         .count_max = 1 + draw(run, 3),
                         .value = buf_bytes(&cursor->token)};
    uint64_t route = lab_send(run->lab, NOBODY, op);
    const struct wire_result *result = &lab_reply(run->lab, route)->result;
    struct bytes rows = result->value;

    CHECK(run, result->status == QN_OK);
    CHECK(run, cursor->view == 0 || result->view == cursor->view);
    CHECK(run, cursor->view != 0 || result->view == lab_stats(run->lab).view);
    CHECK(run, op.view != 0 || result->view >= op.view_min);
    cursor->view = result->view;
    while (row_next(&rows, &row) == QN_OK) {
        check_row(run, cursor, &row);
    }
    if (result->more) {
        buf_clear(&cursor->token);
        CHECK(run, buf_append(&cursor->token, result->token.data, result->token.size) == QN_OK);
        return;
    }
    for (int key = 0; key < MODEL_KEYS; key++) {
        struct cell cell = model_at(&run->model, key, cursor->view);
        bool seen = cursor->seen & 1u << key;
        bool expired = cell.expires_at_ms <= lab_stats(run->lab).partition_time_ms;
        CHECK(run, seen ? cell.version > 0 : cell.version == 0 || expired);
    }
    cursor_reset(cursor);
}

static void count(struct run *run)
{
    uint64_t route = lab_send(run->lab, NOBODY, (struct wire_op){.kind = WIRE_OP_COUNT});
    const struct wire_result *result = &lab_reply(run->lab, route)->result;

    CHECK(run, result->status == QN_OK && result->view == lab_stats(run->lab).view);
    CHECK(run, result->count == model_count_at(&run->model, result->view));
    CHECK(run, lab_stats(run->lab).entries == model_count_at(&run->model, run->lab->durable));
}

/* -- what time and the machine do -- */

static void sync_some(struct run *run)
{
    size_t waiting = run->lab->log_count - run->lab->durable;

    if (waiting > 0) {
        lab_sync_to(run->lab, run->lab->durable + 1 + draw(run, (unsigned)waiting));
        check_replies(run);
    }
}

static void tick(struct run *run)
{
    if (draw(run, 10) == 0) {
        run->lab->wall_ms += (int64_t)draw(run, 4000) - 2000; /* a clock that is set */
    }
    /* Behind a clear on its way expiry may wait, otherwise all that is due goes. */
    bool quiet = run->lab->durable == run->lab->log_count;
    lab_tick(run->lab, draw(run, 100));
    absorb(run);
    for (int key = 0; key < MODEL_KEYS; key++) {
        struct cell cell = run->model.newest[key];
        CHECK(run, !quiet || cell.version == 0 || model_live(cell, run->lab->wall_ms));
    }
    check_replies(run);
}

static void drop(struct run *run)
{
    struct replica_event event = {.kind = REPLICA_DROP, .cache = LAB_CACHE, .append = true};

    CHECK(run, lab_step(run->lab, event) == QN_OK);
    absorb(run);
}

static void snapshot_give_up(struct run *run)
{
    buf_fini(&run->octets);
    run->walking = false;
}

/* A little of a snapshot; the last one finished is what the next start begins with. */
static void snapshot_some(struct run *run)
{
    struct replica *replica = run->lab->replica;
    uint64_t known = run->lab->snapshot.index;
    bool done = false;

    if (!run->walking) {
        run->walking =
            replica_snapshot_begin(replica, known, &run->snapshot, &run->octets) == QN_OK;
        CHECK(run, run->walking == (run->lab->durable > known));
        return;
    }
    CHECK(run, replica_snapshot_next(replica, 1 + draw(run, 9), 1 + draw(run, 200), &run->octets,
                                     &done) == QN_OK);
    if (done) {
        replica_snapshot_end(replica);
        buf_fini(&run->lab->snapshot_octets);
        run->lab->snapshot_octets = run->octets;
        run->lab->snapshot = run->snapshot;
        run->octets = (struct buf){0};
        run->walking = false;
    }
}

/* After a crash a change that was not on disk has not happened: it may be sent again. A decision
 * that was told is not asked for again (its client has it). */
static void forget_lost(struct run *run, struct client *client)
{
    for (uint64_t s = client->first_incomplete; s <= client->last_sequence; s++) {
        struct call *call = &client->calls[s];
        if (call->executed && call->index > run->lab->durable) {
            CHECK(run, !call->answered);
            call->executed = false;
        } else if (call->executed && call->index == 0) {
            call->executed = false;
            if (call->answered) {
                call->op.kind = WIRE_OP_PUT; /* a client of another mind: any new change will do */
                call->answered = false;
            }
        }
    }
}

static void crash(struct run *run)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        forget_lost(run, &run->clients[i]);
    }
    for (int i = 0; i < CURSORS; i++) {
        cursor_reset(&run->cursors[i]);
    }
    snapshot_give_up(run);
    model_cut(&run->model, run->lab->durable);
    model_append(&run->model, 0, (struct cell){0}, run->lab->wall_ms);
    lab_crash(run->lab, true);
    CHECK(run, run->lab->log_count == run->model.log_count);
    for (int key = 0; key < MODEL_KEYS; key++) {
        check_key(run, key);
    }
    count(run);
}

/* -- the run -- */

static void begin(struct run *run, uint64_t seed)
{
    memset(run, 0, sizeof *run);
    run->seed = run->random = seed;
    run->lab = lab_create();
    model_append(&run->model, 0, (struct cell){0}, run->lab->wall_ms);
    for (unsigned i = 0; i < CLIENTS; i++) {
        run->clients[i].session = lab_session(run->lab, i + 1);
        run->clients[i].first_incomplete = 1;
        model_append(&run->model, 0, (struct cell){0}, run->lab->wall_ms);
    }
    check_replies(run);
}

static void step_of_machine(struct run *run)
{
    unsigned what = draw(run, 100);

    if (what < 35) {
        tick(run);
    } else if (what < 65) {
        scan(run, &run->cursors[draw(run, CURSORS)]);
    } else if (what < 75) {
        count(run);
    } else if (what < 92) {
        snapshot_some(run);
    } else if (what < 95) {
        (void)replica_sweep(run->lab->replica, 1 + draw(run, 20));
    } else if (what < 97) {
        CHECK(run, lab_step(run->lab, (struct replica_event){.kind = REPLICA_PUBLISH}) == QN_OK);
    } else if (what < 98) {
        drop(run);
    } else {
        crash(run);
    }
}

static void one_step(struct run *run)
{
    unsigned client = draw(run, CLIENTS);
    unsigned what = draw(run, 200);

    if (what < 60) {
        if (draw(run, 2) == 0) {
            take_answers(run, client);
        }
        call_new(run, client);
    } else if (what < 85) {
        call_again(run, client);
    } else if (what < 93) {
        ask(run, client);
    } else if (what < 115) {
        take_answers(run, client);
    } else if (what < 140) {
        sync_some(run);
    } else if (what < 160) {
        check_key(run, (int)draw(run, MODEL_KEYS));
    } else {
        step_of_machine(run);
    }
}

/* In the end everything is asked for once more and answered. */
static void finish(struct run *run)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct client *client = &run->clients[i];
        for (uint64_t s = client->first_incomplete; s <= client->last_sequence; s++) {
            send_call(run, i, &client->calls[s]);
        }
    }
    lab_sync(run->lab);
    check_replies(run);
    for (unsigned i = 0; i < CLIENTS; i++) {
        take_answers(run, i);
        CHECK(run, run->clients[i].first_incomplete == run->clients[i].last_sequence + 1);
    }
    while (run->walking) {
        snapshot_some(run);
    }
    for (int i = 0; i < CURSORS; i++) {
        while (run->cursors[i].view != 0) {
            scan(run, &run->cursors[i]);
        }
    }
    CHECK(run, lab_stats(run->lab).pins == 0);
}

/* A start from the snapshot and the log behind it finds the same state as one from the log alone.
 */
static void compare_starts(struct run *run)
{
    struct replica_digest before = lab_digest(run->lab);

    for (int i = 0; i < 2; i++) {
        lab_crash(run->lab, false);
        struct replica_digest after = lab_digest(run->lab);
        CHECK(run, before.entries == after.entries && before.sessions == after.sessions);
        run->lab->snapshot = (struct replica_snapshot){0};
    }
}

static void run_seed(struct run *run, uint64_t seed)
{
    begin(run, seed);
    for (run->step = 0; run->step < STEPS; run->step++) {
        one_step(run);
    }
    finish(run);
    compare_starts(run);
    lab_destroy(run->lab);
}

/* Every acknowledged change is there, nothing else is; repetitions and questions are told the same,
 * reads see committed values only, views one moment; versions of a key only grow: through crashes
 * at any moment. */
static void random_clients_agree_with_the_model(void **state)
{
    struct run *run = malloc(sizeof *run);
    const char *one = getenv("QUOIN_SEED");

    (void)state;
    assert_non_null(run);
    if (one) {
        run_seed(run, strtoull(one, NULL, 10));
    } else {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            run_seed(run, seed);
        }
    }
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clients_agree_with_the_model),
    };
    return RUN_TESTS(tests);
}

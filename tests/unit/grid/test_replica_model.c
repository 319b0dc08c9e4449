/* Random clients against a replica and a model of it, from a seed.
 *
 * The model is the plainest thing that can be right: an array of what each key holds, and the list
 * of changes that led there, cut at a crash. The replica must agree with it in every answer.
 * `QUOIN_SEED=n` replays one run. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum {
    SEEDS = 200,
    STEPS = 3000,
    CLIENTS = 4,
    KEYS = 10,
    OPEN_MAX = 8,    /* outstanding operations of a client */
    OPS_MAX = STEPS, /* of one client in a run */
    LOG_MAX = 3 * STEPS,
    ROUTES_MAX = 3 * STEPS,
};

/* A key's content: absent when `version` is 0. */
struct cell {
    uint64_t version;
    unsigned value;
};

/* A change that the model expects in the log. */
struct step {
    int key; /* -1: no change of a key */
    struct cell now;
    unsigned client;
    uint64_t sequence;
};

/* One operation of a client, by its sequence number. */
struct call {
    struct wire_op op;
    int key;
    unsigned value;
    char text[16];
    uint64_t route;    /* latest */
    bool executed;     /* the model knows how it ends: */
    int status;        /*   like this */
    uint64_t version;  /*   with this version */
    struct cell old;   /*   and this before it */
    uint64_t index;    /* of its record; 0 = without effects */
    uint64_t rests_on; /* a decision without effects: of the entry it saw */
    bool answered;
    bool taken;
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
};

struct run {
    struct lab *lab;
    uint64_t seed;
    uint64_t random;
    int step;
    struct client clients[CLIENTS];
    struct step log[LOG_MAX + 1]; /* by index */
    uint64_t log_count;
    struct cell newest[KEYS];
    struct owner owners[ROUTES_MAX + 1]; /* by route */
    uint64_t replies[ROUTES_MAX + 1];
    size_t replies_seen;
    uint64_t version_seen[KEYS];
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
    run->random = run->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(run->random >> 33) % below;
}

static const char *key_text(int key)
{
    static const char *const texts[KEYS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    return texts[key];
}

/* -- the model -- */

static struct cell cell_at(const struct run *run, int key, uint64_t index)
{
    struct cell cell = {0};

    for (uint64_t i = 1; i <= index; i++) {
        if (run->log[i].key == key) {
            cell = run->log[i].now;
        }
    }
    return cell;
}

static void append_step(struct run *run, struct step step)
{
    CHECK(run, run->log_count < LOG_MAX);
    run->log[++run->log_count] = step;
}

static int expected_status(const struct wire_op *op, struct cell cell)
{
    bool there = cell.version > 0;

    switch (op->kind) {
    case WIRE_OP_PUT_IF_ABSENT:
        return there ? QN_EXISTS : QN_OK;
    case WIRE_OP_REPLACE:
    case WIRE_OP_REMOVE_IF:
        if (!there) {
            return QN_ABSENT;
        }
        return cell.version == op->expected_version ? QN_OK : QN_CONFLICT;
    case WIRE_OP_REMOVE:
        return there ? QN_OK : QN_ABSENT;
    default:
        return QN_OK;
    }
}

/* Index of the last change of a key in the log, be it a removal. */
static uint64_t last_change(const struct run *run, int key)
{
    for (uint64_t i = run->log_count; i > 0; i--) {
        if (run->log[i].key == key) {
            return i;
        }
    }
    return 0;
}

static void execute(struct run *run, unsigned client, struct call *call)
{
    struct cell *cell = &run->newest[call->key];
    bool removal = call->op.kind == WIRE_OP_REMOVE || call->op.kind == WIRE_OP_REMOVE_IF;

    call->executed = true;
    call->status = expected_status(&call->op, *cell);
    call->version = cell->version;
    call->old = *cell;
    call->index = 0;
    call->rests_on = last_change(run, call->key);
    if (call->status != QN_OK) {
        return;
    }
    call->index = run->log_count + 1;
    call->version = call->index;
    *cell =
        removal ? (struct cell){0} : (struct cell){.version = call->index, .value = call->value};
    append_step(
        run, (struct step){
                 .key = call->key, .now = *cell, .client = client, .sequence = call->op.sequence});
}

/* -- checks -- */

static void check_value(struct run *run, const struct wire_result *result, struct cell cell)
{
    char text[16];

    (void)snprintf(text, sizeof text, "v%u", cell.value);
    CHECK(run, result->has_value == (cell.version > 0));
    CHECK(run, !result->has_value || bytes_equal(result->value, bytes_of_text(text)));
}

static void check_answer(struct run *run, struct call *call, const struct wire_result *result)
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
    call->answered = true;
}

static void check_replies(struct run *run)
{
    for (; run->replies_seen < run->lab->reply_count; run->replies_seen++) {
        const struct lab_reply *reply = &run->lab->replies[run->replies_seen];
        const struct owner *owner = &run->owners[reply->route];
        CHECK(run, ++run->replies[reply->route] == 1);
        if (owner->sequence > 0) {
            check_answer(run, &run->clients[owner->client].calls[owner->sequence], &reply->result);
        }
    }
}

static void check_key(struct run *run, int key)
{
    struct cell cell = cell_at(run, key, run->lab->durable);
    const struct wire_result *result = &lab_get(run->lab, key_text(key))->result;

    CHECK(run, result->status == (cell.version > 0 ? QN_OK : QN_ABSENT));
    CHECK(run, result->version == cell.version);
    check_value(run, result, cell);
    CHECK(run, cell.version == 0 || cell.version >= run->version_seen[key]);
    if (cell.version > 0) {
        run->version_seen[key] = cell.version;
    }
    check_replies(run);
}

/* -- what clients do -- */

static void send_call(struct run *run, unsigned client, struct call *call)
{
    call->op.key = bytes_of_text(key_text(call->key));
    call->op.value = bytes_of_text(call->text);
    call->op.first_incomplete = run->clients[client].first_incomplete;
    call->op.remaining_ms = 1 + draw(run, 300);
    CHECK(run, run->lab->next_route < ROUTES_MAX);
    run->owners[run->lab->next_route] =
        (struct owner){.client = client, .sequence = call->op.sequence};
    if (!call->executed && !call->taken) {
        execute(run, client, call);
    }
    call->route = lab_send(run->lab, client + 1, call->op);
    check_replies(run);
    CHECK(run, run->lab->log_count == run->log_count);
}

static void call_new(struct run *run, unsigned number)
{
    static const uint32_t kinds[] = {WIRE_OP_PUT,     WIRE_OP_PUT,    WIRE_OP_PUT_IF_ABSENT,
                                     WIRE_OP_REPLACE, WIRE_OP_REMOVE, WIRE_OP_REMOVE_IF};
    struct client *client = &run->clients[number];

    if (client->last_sequence + 1 - client->first_incomplete >= OPEN_MAX ||
        client->last_sequence == OPS_MAX) {
        return;
    }
    struct call *call = &client->calls[++client->last_sequence];
    call->key = (int)draw(run, KEYS);
    call->value = draw(run, 1000000);
    (void)snprintf(call->text, sizeof call->text, "v%u", call->value);
    call->op = (struct wire_op){
        .kind = kinds[draw(run, 6)],
        .flags = draw(run, 3) == 0 ? WIRE_RETURN_OLD : 0,
        .session = client->session,
        .sequence = client->last_sequence,
    };
    /* mostly the right version, sometimes one that is not, or not yet */
    call->op.expected_version = run->newest[call->key].version + (draw(run, 4) == 0);
    call->op.expected_version += call->op.expected_version == 0;
    send_call(run, number, call);
}

/* Repeat an operation: outstanding, answered, or long taken. */
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

static void take_answers(struct run *run, unsigned number)
{
    struct client *client = &run->clients[number];

    while (client->first_incomplete <= client->last_sequence &&
           client->calls[client->first_incomplete].answered) {
        client->calls[client->first_incomplete++].taken = true;
    }
}

static void sync_some(struct run *run)
{
    size_t waiting = run->lab->log_count - run->lab->durable;

    if (waiting > 0) {
        lab_sync_to(run->lab, run->lab->durable + 1 + draw(run, (unsigned)waiting));
        check_replies(run);
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
    run->log_count = run->lab->durable;
    for (unsigned i = 0; i < CLIENTS; i++) {
        forget_lost(run, &run->clients[i]);
    }
    for (int key = 0; key < KEYS; key++) {
        run->newest[key] = cell_at(run, key, run->log_count);
    }
    append_step(run, (struct step){.key = -1});
    lab_crash(run->lab, true);
    CHECK(run, run->lab->log_count == run->log_count);
    for (int key = 0; key < KEYS; key++) {
        check_key(run, key);
    }
}

/* -- the run -- */

static void begin(struct run *run, uint64_t seed)
{
    memset(run, 0, sizeof *run);
    run->seed = run->random = seed;
    run->lab = lab_create();
    append_step(run, (struct step){.key = -1});
    for (unsigned i = 0; i < CLIENTS; i++) {
        run->clients[i].session = lab_session(run->lab, i + 1);
        run->clients[i].first_incomplete = 1;
        append_step(run, (struct step){.key = -1});
    }
    check_replies(run);
}

static void one_step(struct run *run)
{
    unsigned client = draw(run, CLIENTS);
    unsigned what = draw(run, 200);

    if (what < 70) {
        if (draw(run, 2) == 0) {
            take_answers(run, client);
        }
        call_new(run, client);
    } else if (what < 100) {
        call_again(run, client);
    } else if (what < 130) {
        take_answers(run, client);
    } else if (what < 160) {
        sync_some(run);
    } else if (what < 190) {
        check_key(run, (int)draw(run, KEYS));
    } else if (what < 199) {
        lab_tick(run->lab, draw(run, 100));
        check_replies(run);
    } else {
        crash(run);
    }
}

/* In the end everything is asked for once more and answered. */
static void finish(struct run *run)
{
    struct replica_digest before, after;

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
    replica_inspect(run->lab->replica, &before);
    lab_crash(run->lab, false);
    replica_inspect(run->lab->replica, &after);
    CHECK(run, before.entries == after.entries && before.sessions == after.sessions);
}

static void run_seed(struct run *run, uint64_t seed)
{
    begin(run, seed);
    for (run->step = 0; run->step < STEPS; run->step++) {
        one_step(run);
    }
    finish(run);
    lab_destroy(run->lab);
}

/* Every acknowledged change is there, nothing else is; repetitions are told the same, reads see
 * committed values only, versions of a key only grow: through crashes at any moment. */
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

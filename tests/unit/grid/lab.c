#include "tests/unit/grid/lab.h"

#include <stdlib.h>

#include "tests/lib/check.h"

struct replica_limits lab_limits(void)
{
    return (struct replica_limits){
        .key_size_max_bytes = 64 * 1024,
        .value_size_max_bytes = 1024 * 1024,
        .uncommitted_max_bytes = 4 * 1024 * 1024,
        .session_ttl_ms = LAB_TTL_MS,
        .session_results_max = 64,
        .session_bytes_max = 1024 * 1024,
        .soft_commit_ms = 1000,
        .pins_max = 4,
        .pin_ttl_ms = LAB_PIN_TTL_MS,
        .history_max_bytes = 1024 * 1024,
    };
}

static void start(struct lab *lab)
{
    assert_int_equal(replica_create(&lab->options, &lab->replica), QN_OK);
}

struct lab *lab_create_closed(const struct replica_limits *limits)
{
    struct lab *lab = calloc(1, sizeof *lab);

    assert_non_null(lab);
    lab_alloc_init(&lab->memory);
    lab->options = (struct replica_options){.partition = LAB_PARTITION,
                                            .node = LAB_NODE,
                                            .incarnation = 1,
                                            .min_isr = 1,
                                            .alone = true,
                                            .durable = true,
                                            .limits = *limits,
                                            .alloc = &lab->memory.alloc};
    lab->now_ms = 1000;
    lab->wall_ms = 1700000000000;
    lab->next_route = 1;
    start(lab);
    return lab;
}

struct lab *lab_create(void)
{
    struct replica_limits limits = lab_limits();
    struct lab *lab = lab_create_closed(&limits);

    lab_configure(lab, 1);
    lab_sync(lab);
    return lab;
}

static void cut_log(struct lab *lab, size_t count)
{
    while (lab->log_count > count) {
        buf_fini(&lab->log[--lab->log_count]);
    }
}

static void drop_replies(struct lab *lab)
{
    for (size_t i = 0; i < lab->reply_count; i++) {
        buf_fini(&lab->replies[i].value);
        buf_fini(&lab->replies[i].text);
        buf_fini(&lab->replies[i].token);
    }
    lab->reply_count = 0;
}

void lab_destroy(struct lab *lab)
{
    replica_destroy(lab->replica);
    assert_int_equal(lab->memory.heap.bytes, 0);
    cut_log(lab, 0);
    drop_replies(lab);
    buf_fini(&lab->snapshot_octets);
    free(lab->log);
    free(lab->replies);
    free(lab);
}

static void keep_record(struct lab *lab, const struct record *record)
{
    assert_int_equal(record->index, lab->log_count + 1);
    assert_int_equal(record->partition, LAB_PARTITION);
    if (lab->log_count == lab->log_capacity) {
        lab->log_capacity = lab->log_capacity * 2 + 64;
        lab->log = realloc(lab->log, lab->log_capacity * sizeof *lab->log);
        assert_non_null(lab->log);
    }
    lab->log[lab->log_count] = (struct buf){0};
    assert_int_equal(record_encode(record, &lab->log[lab->log_count]), QN_OK);
    lab->log_count++;
}

static void copy(struct bytes *borrowed, struct buf *owned)
{
    assert_int_equal(buf_append(owned, borrowed->data, borrowed->size), QN_OK);
    *borrowed = buf_bytes(owned);
}

static void keep_reply(struct lab *lab, const struct replica_action *action)
{
    if (lab->reply_count == lab->reply_capacity) {
        lab->reply_capacity = lab->reply_capacity * 2 + 64;
        lab->replies = realloc(lab->replies, lab->reply_capacity * sizeof *lab->replies);
        assert_non_null(lab->replies);
    }
    struct lab_reply *reply = &lab->replies[lab->reply_count++];
    *reply = (struct lab_reply){.route = action->route, .result = action->result};
    copy(&reply->result.value, &reply->value);
    copy(&reply->result.text, &reply->text);
    copy(&reply->result.token, &reply->token);
    assert_int_equal(action->result.partition, LAB_PARTITION);
}

enum qn_status lab_step(struct lab *lab, struct replica_event event)
{
    struct replica_actions actions;

    event.partition = LAB_PARTITION;
    event.now_ms = lab->now_ms;
    event.wall_ms = lab->wall_ms;
    enum qn_status status = replica_step(lab->replica, &event, &actions);
    if (status != QN_OK) {
        return status;
    }
    for (size_t i = 0; i < actions.count; i++) {
        if (actions.list[i].kind == REPLICA_APPEND) {
            keep_record(lab, &actions.list[i].record);
        } else if (actions.list[i].kind == REPLICA_REPLY) {
            keep_reply(lab, &actions.list[i]);
        }
    }
    return QN_OK;
}

void lab_configure(struct lab *lab, uint64_t epoch)
{
    struct configuration configuration = configuration_alone(LAB_NODE, 1, (uint32_t)epoch, 1);
    struct replica_event event = {.kind = REPLICA_CONFIGURATION, .configuration = &configuration};

    assert_int_equal(lab_step(lab, event), QN_OK);
    lab->epoch = epoch > lab->epoch ? epoch : lab->epoch;
}

void lab_tick(struct lab *lab, int64_t after_ms)
{
    lab->now_ms += after_ms;
    lab->wall_ms += after_ms;
    assert_int_equal(
        lab_step(lab, ((struct replica_event){.kind = REPLICA_TICK, .append = !lab->no_append})),
        QN_OK);
}

void lab_sync_to(struct lab *lab, size_t index)
{
    struct replica_event event = {.kind = REPLICA_DURABLE, .durable_index = index};

    if (index > 0) {
        struct record record;
        size_t size;
        assert_int_equal(record_decode(buf_bytes(&lab->log[index - 1]), &record, &size), QN_OK);
        event.durable_epoch = record.epoch;
    }
    lab->durable = index;
    assert_int_equal(lab_step(lab, event), QN_OK);
}

void lab_sync(struct lab *lab)
{
    lab_sync_to(lab, lab->log_count);
}

enum qn_status lab_recover(struct lab *lab, size_t index)
{
    struct record record;
    size_t size;

    assert_int_equal(record_decode(buf_bytes(&lab->log[index - 1]), &record, &size), QN_OK);
    return replica_recover(lab->replica, &record);
}

void lab_crash(struct lab *lab, bool reopen)
{
    replica_destroy(lab->replica);
    assert_int_equal(lab->memory.heap.bytes, 0);
    cut_log(lab, lab->durable);
    start(lab);
    if (lab->snapshot.index > 0) {
        struct bytes octets = buf_bytes(&lab->snapshot_octets);
        assert_int_equal(replica_restore(lab->replica, &lab->snapshot), QN_OK);
        assert_int_equal(replica_restore_part(lab->replica, octets), QN_OK);
    }
    for (size_t i = 1; i <= lab->log_count; i++) {
        assert_int_equal(lab_recover(lab, i), QN_OK);
    }
    if (reopen) {
        lab_configure(lab, lab->epoch + 1);
        lab_sync(lab);
    }
}

struct client_id lab_client(unsigned number)
{
    return (struct client_id){{(uint8_t)number, (uint8_t)(number >> 8), 77}};
}

uint64_t lab_send(struct lab *lab, unsigned client, struct wire_op op)
{
    uint64_t route = lab->next_route++;

    op.id = 1000 + route;
    op.partition = LAB_PARTITION;
    op.cache = op.cache > 0 ? op.cache : LAB_CACHE;
    op.epoch = op.epoch > 0 ? op.epoch : lab->epoch;
    op.lineage = op.lineage > 0 ? op.lineage : 1;
    op.remaining_ms = op.remaining_ms > 0 ? op.remaining_ms : 5000;
    struct replica_event event = {.kind = REPLICA_REQUEST,
                                  .op = &op,
                                  .client = lab_client(client),
                                  .route = route,
                                  .space = lab->space,
                                  .memory = lab->memory_status,
                                  .cache_ttl_ms = lab->cache_ttl_ms};
    assert_int_equal(lab_step(lab, event), QN_OK);
    return route;
}

struct wire_op lab_change(uint32_t kind, uint64_t session, uint64_t sequence, const char *key,
                          const char *value)
{
    return (struct wire_op){
        .kind = kind,
        .session = session,
        .sequence = sequence,
        .first_incomplete = 1,
        .key = bytes_of_text(key),
        .value = bytes_of_text(value),
    };
}

const struct wire_result *lab_done(struct lab *lab, unsigned client, struct wire_op op)
{
    uint64_t route = lab_send(lab, client, op);

    lab_sync(lab);
    (void)lab_status(lab, route);
    return &lab_reply(lab, route)->result;
}

uint64_t lab_session(struct lab *lab, unsigned client)
{
    uint64_t route = lab_send(lab, client, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN});

    lab_sync(lab);
    assert_int_equal(lab_status(lab, route), QN_OK);
    const struct lab_reply *reply = lab_reply(lab, route);
    return reply ? reply->result.session : 0;
}

const struct lab_reply *lab_reply(const struct lab *lab, uint64_t route)
{
    for (size_t i = lab->reply_count; i > 0; i--) {
        if (lab->replies[i - 1].route == route) {
            assert_int_equal(lab->replies[i - 1].result.id, 1000 + route);
            return &lab->replies[i - 1];
        }
    }
    return NULL;
}

size_t lab_replies_to(const struct lab *lab, uint64_t route)
{
    size_t count = 0;

    for (size_t i = 0; i < lab->reply_count; i++) {
        count += lab->replies[i].route == route;
    }
    return count;
}

int lab_status(const struct lab *lab, uint64_t route)
{
    const struct lab_reply *reply = lab_reply(lab, route);

    if (!reply) {
        fail_msg("no answer to route %llu", (unsigned long long)route);
        return QN_IO; /* not reached; the compiler does not know */
    }
    return reply->result.status;
}

const struct lab_reply *lab_get(struct lab *lab, const char *key)
{
    uint64_t route =
        lab_send(lab, 1, (struct wire_op){.kind = WIRE_OP_GET, .key = bytes_of_text(key)});

    return lab_reply(lab, route);
}

void lab_snapshot(struct lab *lab)
{
    struct replica_snapshot snapshot;
    struct buf octets = {0};
    bool done = false;

    if (replica_snapshot_begin(lab->replica, lab->snapshot.index, &snapshot, &octets) != QN_OK) {
        return;
    }
    while (!done) {
        assert_int_equal(replica_snapshot_next(lab->replica, 100, SIZE_MAX, &octets, &done), QN_OK);
    }
    replica_snapshot_end(lab->replica);
    buf_fini(&lab->snapshot_octets);
    lab->snapshot_octets = octets;
    lab->snapshot = snapshot;
}

struct replica_digest lab_digest(const struct lab *lab)
{
    struct replica_digest digest;

    replica_inspect(lab->replica, &digest);
    return digest;
}

struct replica_stats lab_stats(const struct lab *lab)
{
    struct replica_stats stats;

    replica_stats(lab->replica, &stats);
    return stats;
}

#include "grid/replica/request.h"

#include "wire/assert.h"

enum {
    EFFECT_ROOM = 64, /* more than an effect and a result need beyond key and values */
};

/* What a change will do. */
struct decision {
    bool effect;
    struct result result;
    uint64_t version;  /* of the entry found, 0 when there is none */
    uint64_t rests_on; /* index that must be committed before this may be told */
    uint64_t cleared;  /* entries that it removes at a stroke */
};

static enum qn_status decide_status(const struct wire_op *op, const struct entry *entry)
{
    bool same = entry && entry->version == op->expected_version;

    switch (op->kind) {
    case WIRE_OP_PUT_IF_ABSENT:
        return entry ? QN_EXISTS : QN_OK;
    case WIRE_OP_REPLACE:
        if (!entry) {
            return QN_ABSENT;
        }
        return same || op->expected_version == 0 ? QN_OK : QN_CONFLICT;
    case WIRE_OP_REMOVE:
    case WIRE_OP_TOUCH:
        return entry ? QN_OK : QN_ABSENT;
    case WIRE_OP_REMOVE_IF:
        if (!entry) {
            return QN_ABSENT;
        }
        return same ? QN_OK : QN_CONFLICT;
    default: /* WIRE_OP_PUT, WIRE_OP_CLEAR */
        return QN_OK;
    }
}

/* The entry that a change finds: the newest, own uncommitted changes included (B.7.4). One whose
 * time has come by the last record is none, which is only sure once that record is committed. */
static const struct entry *newest(const struct replica *replica, const struct table_key *key,
                                  uint64_t *rests_on)
{
    struct store_found found = store_newest(replica->store, key);

    *rests_on = found.decided_by;
    if (replica_expired(found.entry, replica->last.wall_time_ms)) {
        *rests_on = replica->last_index;
        return NULL;
    }
    return found.entry;
}

static void take_old_value(const struct entry *entry, struct result *result)
{
    if (entry->value_size > RESULT_VALUE_MAX) {
        result->status = QN_TOO_LARGE;
    } else {
        result->has_value = true;
        result->value = entry_value(entry);
        result->value_flags = entry->flags;
    }
}

static struct decision decide(const struct replica *replica, struct request *request)
{
    const struct wire_op *op = request->op;
    struct decision decision = {.effect = true};

    if (op->kind == WIRE_OP_CLEAR) {
        decision.cleared = store_cache_figures(replica->store, op->cache).entries;
        return decision;
    }
    request->key = store_key(op->cache, op->key);
    const struct entry *entry = newest(replica, &request->key, &decision.rests_on);
    decision.result.status = decide_status(op, entry);
    decision.version = entry ? entry->version : 0;
    if (entry && (op->flags & WIRE_RETURN_OLD)) {
        take_old_value(entry, &decision.result);
    }
    decision.effect = decision.result.status == QN_OK;
    return decision;
}

/* Partition time at which an entry written by a record of `wall_time_ms` expires. */
static int64_t expires_at(const struct request *request, int64_t wall_time_ms)
{
    int64_t ttl_ms = request->op->ttl_ms;

    if (ttl_ms == WIRE_TTL_CACHE) {
        ttl_ms = request->event->cache_ttl_ms;
    }
    if (ttl_ms <= 0 || wall_time_ms > INT64_MAX - ttl_ms) {
        return INT64_MAX;
    }
    return wall_time_ms + ttl_ms;
}

static struct effect effect_of(const struct request *request, const struct record *record)
{
    const struct wire_op *op = request->op;
    struct effect effect = {.cache = op->cache, .expires_at_ms = INT64_MAX, .key = op->key};

    switch (op->kind) {
    case WIRE_OP_REMOVE:
    case WIRE_OP_REMOVE_IF:
        effect.kind = EFFECT_REMOVE;
        break;
    case WIRE_OP_CLEAR:
        effect.kind = EFFECT_CLEAR;
        effect.key = bytes_of(NULL, 0);
        break;
    case WIRE_OP_TOUCH:
        effect.kind = EFFECT_TOUCH;
        effect.expires_at_ms = expires_at(request, record->wall_time_ms);
        break;
    default:
        effect.kind = EFFECT_PUT;
        effect.flags = (uint8_t)op->value_flags;
        effect.value = op->value;
        effect.expires_at_ms = expires_at(request, record->wall_time_ms);
        break;
    }
    return effect;
}

/* Effects and result of the record, in the scratch: neither needs memory of its own. */
static enum qn_status write_body(struct replica *replica, const struct effect *effect,
                                 const struct result *result, struct record *record)
{
    struct buf *scratch = &replica->scratch;
    enum qn_status status = scratch_reserve(replica, EFFECT_ROOM + effect->key.size +
                                                         effect->value.size + result->value.size);

    if (status != QN_OK) {
        return status;
    }
    const uint8_t *block = scratch->data;
    status = effect_encode(effect, scratch);
    size_t effects_size = scratch->size;
    if (status == QN_OK) {
        status = result_encode(result, scratch);
    }
    qn_assert(status == QN_OK && scratch->data == block);
    record->effects = bytes_of(scratch->data, effects_size);
    record->result = bytes_of(scratch->data + effects_size, scratch->size - effects_size);
    return QN_OK;
}

/* A change with effects: into the log, answered when it is committed. */
static void write_record(struct replica *replica, const struct request *request,
                         const struct decision *decision)
{
    const struct wire_op *op = request->op;
    struct record record = replica_next_record(replica, RECORD_WRITE, request->event);
    struct effect effect = effect_of(request, &record);
    struct asker asker = request_asker(request);

    asker.count = decision->cleared;
    record.client = request->event->client;
    record.session = op->session;
    record.sequence = op->sequence;
    record.first_incomplete = op->first_incomplete;
    if (write_body(replica, &effect, &decision->result, &record) != QN_OK) {
        request_refuse(replica, request, QN_MEMORY_FULL,
                       "the node has no memory for this change: remove entries or add nodes");
        return;
    }
    (void)request_append(replica, request, &record, &asker);
}

/* A decision without effects: remembered, so that a repetition is told the same; told only once
 * everything that it rests on is committed. */
static void remember(struct replica *replica, const struct request *request,
                     const struct decision *decision)
{
    struct asker asker = request_asker(request);
    struct outcome *outcome;
    enum qn_status status = apply_reserve_flight(replica);

    if (status == QN_OK) {
        status = session_add_outcome(&replica->sessions, request->session, request->op->sequence,
                                     &decision->result, &outcome);
    }
    if (status != QN_OK) {
        request_refuse(replica, request, status, "no memory to remember the answer");
        return;
    }
    outcome->version = decision->version;
    if (decision->rests_on > replica->commit_index) {
        apply_wait(replica, request->session, outcome, &asker);
        return;
    }
    outcome->waiting = false;
    outcome->index = replica->commit_index;
    outcome->epoch = replica->epoch;
    apply_tell_decision(replica, request->session, outcome, &asker);
    if (MUTANT(MISMATCHLOST)) {
        session_drop_outcome(&replica->sessions, request->session, request->op->sequence);
    }
}

/* Does it need memory that stays in use? */
static bool adds(uint32_t kind)
{
    return kind != WIRE_OP_REMOVE && kind != WIRE_OP_REMOVE_IF && kind != WIRE_OP_CLEAR;
}

/* A change that was not seen before. */
static void execute(struct replica *replica, struct request *request)
{
    const struct replica_event *event = request->event;
    struct decision decision = decide(replica, request);

    if (request_table_full(replica, request, decision.result.value.size)) {
        return;
    }
    if (!decision.effect) {
        remember(replica, request, &decision);
    } else if (event->memory != QN_OK && adds(request->op->kind)) {
        request_refuse(replica, request, event->memory,
                       "the memory limit of the node or the cache is reached: remove entries, let "
                       "them expire, or raise the limit");
    } else if (event->space != QN_OK) {
        request_refuse_space(replica, request);
    } else {
        write_record(replica, request, &decision);
    }
}

/* Asked again for what is settled. */
static void repeat(struct replica *replica, const struct request *request,
                   const struct outcome *outcome)
{
    struct asker asker = request_asker(request);

    if (outcome->logged && (request->op->flags & WIRE_VISIBLE)) {
        views_show(replica, outcome->index);
    }
    if (outcome->logged) {
        apply_reply_outcome(replica, asker.route, asker.op_id, outcome);
    } else {
        apply_tell_decision(replica, request->session, outcome, &asker);
    }
}

void request_change(struct replica *replica, struct request *request)
{
    const struct replica_event *event = request->event;
    const struct wire_op *op = request->op;
    struct session *session = sessions_find(&replica->sessions, &event->client, op->session);

    if (!session) {
        request_refuse(replica, request, QN_SESSION_EXPIRED,
                       "the session has ended: open a new one");
        return;
    }
    session_advance(&replica->sessions, session, op->first_incomplete);
    sessions_touch(&replica->sessions, session, replica_log_time(replica, event->now_ms));
    const struct outcome *outcome = session_outcome(session, op->sequence);
    request->session = session;
    if (op->sequence < session->first_incomplete) {
        request_refuse(replica, request, QN_STALE_SEQ, "the client has already taken this answer");
    } else if (!outcome) {
        execute(replica, request);
    } else if (outcome->waiting) {
        struct asker asker = request_asker(request);
        apply_attach(replica, apply_flight(replica, outcome->ticket), &asker);
    } else {
        repeat(replica, request, outcome);
    }
}

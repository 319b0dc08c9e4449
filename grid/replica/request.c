#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    RETRY_AFTER_MS = 10, /* about what a full queue of one partition needs to reach the disk */
    EFFECT_ROOM = 64,    /* more than an effect and a result need beyond key and values */
};

/* A request on its way through the checks. */
struct request {
    const struct replica_event *event;
    const struct wire_op *op;
    struct table_key key;
    struct session *session;
};

/* What a change will do. */
struct decision {
    bool effect;
    struct result result;
    uint64_t version;  /* of the entry found, 0 when there is none */
    uint64_t rests_on; /* index that must be committed before this may be told */
};

static void refuse(struct replica *replica, const struct request *request, enum qn_status status,
                   const char *text)
{
    struct wire_result *result =
        actions_reply(replica, request->event->route, request->op->id, status);

    result->text = bytes_of_text(text);
    result->retry_after_ms = status == QN_OVERLOADED ? RETRY_AFTER_MS : 0;
}

/* The log has no room (B.7.3): definite, since nothing was appended. */
static void refuse_space(struct replica *replica, const struct request *request)
{
    switch ((int)request->event->space) {
    case QN_DISK_FULL:
        refuse(replica, request, QN_DISK_FULL,
               "the node's disk is full: make space in node.data_dir");
        return;
    case QN_OVERLOADED:
        refuse(replica, request, QN_OVERLOADED, "too much waits for the disk: slow down");
        return;
    default:
        refuse(replica, request, request->event->space,
               "the node's log has failed and the node is stopping: see its log");
        return;
    }
}

static struct stage_request whom_to_answer(const struct request *request)
{
    return (struct stage_request){
        .awaited = true,
        .route = request->event->route,
        .op_id = request->op->id,
        .deadline_ms = request->event->now_ms + (int64_t)request->op->remaining_ms,
    };
}

/* -- reads: committed state only -- */

static void read_entry(struct replica *replica, const struct request *request)
{
    const struct wire_op *op = request->op;
    struct table_key key = store_key(op->cache, op->key);
    const struct entry *entry = store_committed(replica->store, &key);
    struct wire_result *result =
        actions_reply(replica, request->event->route, op->id, entry ? QN_OK : QN_ABSENT);

    if (entry) {
        result->version = entry->version;
    }
    if (entry && op->kind == WIRE_OP_GET) {
        result->has_value = true;
        result->value = entry_value(entry);
        result->value_flags = entry->flags;
    }
}

static void read_count(struct replica *replica, const struct request *request)
{
    const struct wire_op *op = request->op;

    actions_reply(replica, request->event->route, op->id, QN_OK)->count =
        store_count(replica->store, op->cache);
}

/* -- changes -- */

/* Stage the record and hand it out. */
static enum qn_status append(struct replica *replica, const struct request *request,
                             const struct record *record)
{
    struct stage_request whom = whom_to_answer(request);
    enum qn_status status = apply_stage(replica, record, &whom);

    if (status == QN_OK) {
        actions_append(replica, record);
    }
    return status;
}

/* Too much on its way to disk? A record larger than the limit passes when it is alone. */
static bool over_limit(const struct replica *replica, const struct record *record)
{
    size_t max = replica->options.limits.uncommitted_max_bytes;
    size_t waiting = replica->uncommitted_bytes;

    return max == 0 || (waiting > 0 && waiting + record_size(record) > max);
}

/* Somebody asks again for what is on its way: the latest route gets the one answer. */
static void attach(struct replica *replica, const struct request *request, uint64_t ticket)
{
    struct flight *flight = apply_flight(replica, ticket);
    struct stage_request whom = whom_to_answer(request);

    flight->awaited = true;
    flight->route = whom.route;
    flight->op_id = whom.op_id;
    flight->deadline_ms = whom.deadline_ms;
    if (whom.deadline_ms < replica->next_deadline_ms) {
        replica->next_deadline_ms = whom.deadline_ms;
    }
}

static void open_session(struct replica *replica, const struct request *request)
{
    const struct replica_event *event = request->event;
    struct session *session = sessions_find_any(&replica->sessions, &event->client);

    if (session && session->state == SESSION_OPENING) {
        attach(replica, request, session->ticket);
        return;
    }
    if (session) {
        sessions_touch(&replica->sessions, session, replica_log_time(replica, event->now_ms));
        actions_reply(replica, event->route, request->op->id, QN_OK)->session = session->id;
        return;
    }
    struct record record = replica_next_record(replica, RECORD_SESSION_OPEN, event);
    record.client = event->client;
    record.session = record.index;
    if (event->space != QN_OK) {
        refuse_space(replica, request);
    } else if (over_limit(replica, &record)) {
        refuse(replica, request, QN_OVERLOADED, "too much waits for the disk: slow down");
    } else if (append(replica, request, &record) != QN_OK) {
        refuse(replica, request, QN_MEMORY_FULL, "no memory for another session");
    }
}

static enum qn_status decide_status(const struct wire_op *op, const struct entry *entry)
{
    bool live = entry_live(entry);
    bool same = live && entry->version == op->expected_version;

    switch (op->kind) {
    case WIRE_OP_PUT_IF_ABSENT:
        return live ? QN_EXISTS : QN_OK;
    case WIRE_OP_REPLACE:
        if (!live) {
            return QN_ABSENT;
        }
        return same || op->expected_version == 0 ? QN_OK : QN_CONFLICT;
    case WIRE_OP_REMOVE:
        return live ? QN_OK : QN_ABSENT;
    case WIRE_OP_REMOVE_IF:
        if (!live) {
            return QN_ABSENT;
        }
        return same ? QN_OK : QN_CONFLICT;
    default: /* WIRE_OP_PUT */
        return QN_OK;
    }
}

/* Run the operation against the newest state, own uncommitted changes included (B.7.4). */
static struct decision decide(const struct replica *replica, const struct request *request)
{
    const struct entry *entry = store_newest(replica->store, &request->key);
    struct decision decision = {.result.status = decide_status(request->op, entry)};

    decision.rests_on = entry ? entry->version : 0;
    decision.version = entry_live(entry) ? entry->version : 0;
    if (entry_live(entry) && (request->op->flags & WIRE_RETURN_OLD)) {
        if (entry->value_size > RESULT_VALUE_MAX) {
            decision.result.status = QN_TOO_LARGE;
        } else {
            decision.result.has_value = true;
            decision.result.value = entry_value(entry);
            decision.result.value_flags = entry->flags;
        }
    }
    decision.effect = decision.result.status == QN_OK;
    return decision;
}

static bool is_removal(uint32_t kind)
{
    return kind == WIRE_OP_REMOVE || kind == WIRE_OP_REMOVE_IF;
}

/* Effects and result of the record, in the scratch: neither needs memory of its own. */
static enum qn_status write_body(struct replica *replica, const struct request *request,
                                 const struct decision *decision, struct record *record)
{
    const struct wire_op *op = request->op;
    struct buf *scratch = &replica->scratch;
    bool removal = is_removal(op->kind);
    struct effect effect = {
        .kind = removal ? EFFECT_REMOVE : EFFECT_PUT,
        .flags = removal ? 0 : (uint8_t)op->value_flags,
        .cache = op->cache,
        .expires_at_ms = INT64_MAX,
        .key = op->key,
        .value = removal ? bytes_of(NULL, 0) : op->value,
    };
    enum qn_status status = scratch_reserve(
        replica, EFFECT_ROOM + op->key.size + effect.value.size + decision->result.value.size);

    if (status != QN_OK) {
        return status;
    }
    const uint8_t *block = scratch->data;
    status = effect_encode(&effect, scratch);
    size_t effects_size = scratch->size;
    if (status == QN_OK) {
        status = result_encode(&decision->result, scratch);
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
    enum qn_status status = write_body(replica, request, decision, &record);

    record.client = request->event->client;
    record.session = op->session;
    record.sequence = op->sequence;
    record.first_incomplete = op->first_incomplete;
    if (status == QN_OK && over_limit(replica, &record)) {
        refuse(replica, request, QN_OVERLOADED, "too much waits for the disk: slow down");
        return;
    }
    if (status == QN_OK) {
        status = append(replica, request, &record);
    }
    if (status != QN_OK) {
        qn_assert(status == QN_MEMORY_FULL);
        refuse(replica, request, status, "no memory for this change: remove entries or add nodes");
    }
}

/* A decision without effects: remembered, so that a repetition is told the same; told only once
 * everything that it rests on is committed. */
static void remember(struct replica *replica, const struct request *request,
                     const struct decision *decision)
{
    struct stage_request whom = whom_to_answer(request);
    struct outcome *outcome;
    enum qn_status status = apply_reserve_flight(replica);

    if (status == QN_OK) {
        status = session_add_outcome(&replica->sessions, request->session, request->op->sequence,
                                     &decision->result, &outcome);
    }
    if (status != QN_OK) {
        refuse(replica, request, status, "no memory to remember the answer");
        return;
    }
    outcome->version = decision->version;
    if (decision->rests_on > replica->commit_index) {
        apply_wait(replica, request->session, outcome, &whom);
        return;
    }
    outcome->waiting = false;
    outcome->index = replica->commit_index;
    outcome->epoch = replica->epoch;
    apply_reply_outcome(replica, whom.route, whom.op_id, outcome);
}

static bool table_full(const struct replica *replica, const struct session *session,
                       uint64_t sequence, size_t value_size)
{
    const struct replica_limits *limits = &replica->options.limits;

    /* The oldest that the client waits for always passes: only its answer makes room. */
    return sequence > session->first_incomplete &&
           (session->outcome_count >= limits->session_results_max ||
            session->value_bytes + value_size > limits->session_bytes_max);
}

/* A change that was not seen before. */
static void execute(struct replica *replica, struct request *request)
{
    request->key = store_key(request->op->cache, request->op->key);
    struct decision decision = decide(replica, request);

    if (table_full(replica, request->session, request->op->sequence, decision.result.value.size)) {
        refuse(replica, request, QN_OVERLOADED,
               "too many results are kept for this client: take the answers, then go on");
    } else if (decision.effect && request->event->space != QN_OK) {
        refuse_space(replica, request);
    } else if (decision.effect) {
        write_record(replica, request, &decision);
    } else {
        remember(replica, request, &decision);
    }
}

static void change(struct replica *replica, struct request *request)
{
    const struct replica_event *event = request->event;
    const struct wire_op *op = request->op;
    struct session *session = sessions_find(&replica->sessions, &event->client, op->session);

    if (!session) {
        refuse(replica, request, QN_SESSION_EXPIRED, "the session has ended: open a new one");
        return;
    }
    session_advance(&replica->sessions, session, op->first_incomplete);
    sessions_touch(&replica->sessions, session, replica_log_time(replica, event->now_ms));
    const struct outcome *outcome = session_outcome(session, op->sequence);
    request->session = session;
    if (op->sequence < session->first_incomplete) {
        refuse(replica, request, QN_STALE_SEQ, "the client has already taken this answer");
    } else if (!outcome) {
        execute(replica, request);
    } else if (outcome->waiting) {
        attach(replica, request, outcome->ticket);
    } else {
        apply_reply_outcome(replica, event->route, op->id, outcome);
    }
}

void request_step(struct replica *replica, const struct replica_event *event)
{
    struct request request = {.event = event, .op = event->op};
    const char *text = "";
    enum qn_status status = request_check(replica, event, &text);

    if (status != QN_OK) {
        refuse(replica, &request, status, text);
        return;
    }
    switch ((enum wire_op_kind)event->op->kind) {
    case WIRE_OP_GET:
    case WIRE_OP_CONTAINS:
        read_entry(replica, &request);
        break;
    case WIRE_OP_COUNT:
        read_count(replica, &request);
        break;
    case WIRE_OP_SESSION_OPEN:
        open_session(replica, &request);
        break;
    case WIRE_OP_PUT:
    case WIRE_OP_PUT_IF_ABSENT:
    case WIRE_OP_REPLACE:
    case WIRE_OP_REMOVE:
    case WIRE_OP_REMOVE_IF:
        change(replica, &request);
        break;
    }
}

#include "grid/replica/request.h"

#include "wire/assert.h"

enum {
    RETRY_AFTER_MS = 10,      /* about what a full queue of one partition needs to reach the disk */
    VISIBLE_AT_ONCE_MS = 250, /* whoever wants a change visible sooner has it published at commit */
};

void request_refuse(struct replica *replica, const struct request *request, enum qn_status status,
                    const char *text)
{
    struct wire_result *result =
        actions_reply(replica, request->event->route, request->op->id, status);

    result->text = bytes_of_text(text);
    result->retry_after_ms = status == QN_OVERLOADED ? RETRY_AFTER_MS : 0;
    result->leader = replica->leader != replica->options.node ? replica->leader : 0;
}

void request_refuse_space(struct replica *replica, const struct request *request)
{
    switch ((int)request->event->space) {
    case QN_DISK_FULL:
        request_refuse(replica, request, QN_DISK_FULL,
                       "the node's disk is full: make space in node.data_dir");
        return;
    case QN_OVERLOADED:
        request_refuse(replica, request, QN_OVERLOADED, "too much waits for the disk: slow down");
        return;
    default:
        request_refuse(replica, request, request->event->space,
                       "the node's log has failed and the node is stopping: see its log");
        return;
    }
}

struct asker request_asker(const struct request *request)
{
    const struct wire_op *op = request->op;
    int64_t now_ms = request->event->now_ms;
    uint32_t within_ms = op->commit_within_ms;

    return (struct asker){
        .awaited = true,
        .route = request->event->route,
        .op_id = op->id,
        .deadline_ms = now_ms + (int64_t)op->remaining_ms,
        .visible = (op->flags & WIRE_VISIBLE) || (within_ms > 0 && within_ms < VISIBLE_AT_ONCE_MS),
        .visible_by_ms = within_ms > 0 ? now_ms + (int64_t)within_ms : INT64_MAX,
    };
}

bool request_append(struct replica *replica, const struct request *request,
                    const struct record *record, const struct asker *asker)
{
    const char *text;
    enum qn_status refused = lead_refuses(replica, &text);

    if (refused != QN_OK) {
        request_refuse(replica, request, refused, text);
        return false;
    }
    if (replica_over_limit(replica, record_size(record))) {
        request_refuse(replica, request, QN_OVERLOADED, "too much waits for the disk: slow down");
        return false;
    }
    enum qn_status status = apply_stage(replica, record, asker);
    if (status != QN_OK) {
        qn_assert(status == QN_MEMORY_FULL);
        request_refuse(replica, request, status,
                       "the node has no memory for this change: remove entries or add nodes");
        return false;
    }
    actions_append(replica, record);
    return true;
}

bool request_table_full(struct replica *replica, const struct request *request, size_t value_size)
{
    const struct replica_limits *limits = &replica->options.limits;
    const struct session *session = request->session;

    if (request->op->sequence <= session->first_incomplete ||
        (session->outcome_count < limits->session_results_max &&
         session->value_bytes + value_size <= limits->session_bytes_max)) {
        return false;
    }
    request_refuse(replica, request, QN_OVERLOADED,
                   "too many results are kept for this client: take the answers, then go on");
    return true;
}

/* -- reads: committed state only -- */

void request_answer(struct replica *replica, uint64_t route, uint64_t op_id, uint32_t kind,
                    uint32_t cache, struct bytes key)
{
    struct table_key found = store_key(cache, key);
    const struct entry *entry = MUTANT(DIRTYREAD) ? store_newest(replica->store, &found).entry
                                                  : store_committed(replica->store, &found);

    if (replica_expired(entry, replica->committed.wall_time_ms)) {
        entry = NULL;
    }
    struct wire_result *result = actions_reply(replica, route, op_id, entry ? QN_OK : QN_ABSENT);
    result->staleness_ms = replica_staleness_ms(replica);
    if (entry) {
        result->version = entry->version;
        result->ttl_ms = replica_ttl_left(replica, entry);
    }
    if (entry && kind == WIRE_OP_GET) {
        result->has_value = true;
        result->value = entry_value(entry);
        result->value_flags = entry->flags;
    }
}

/* B.12: the latest state, if it is certain that no other copy leads by now. */
static void read_entry(struct replica *replica, const struct request *request)
{
    const struct wire_op *op = request->op;
    struct reading reading = {
        .route = request->event->route,
        .op_id = op->id,
        .deadline_ms = request->event->now_ms + (int64_t)op->remaining_ms,
        .kind = op->kind,
        .cache = op->cache,
    };

    if (op->read_level != WIRE_READ_LINEARIZABLE || confirm_leased(replica)) {
        request_answer(replica, reading.route, op->id, op->kind, op->cache, op->key);
        return;
    }
    enum qn_status status = confirm_wait(replica, &reading, op->key);
    if (status != QN_OK) {
        request_refuse(replica, request, status,
                       "too many reads wait for a confirmation: slow down");
    }
}

static void read_count(struct replica *replica, const struct request *request)
{
    const struct wire_op *op = request->op;

    views_show(replica, op->view_min);
    struct wire_result *result = actions_reply(replica, request->event->route, op->id, QN_OK);
    result->count = store_cache_figures(replica->store, op->cache).visible;
    result->view = store_view(replica->store);
}

/* -- sessions -- */

static void join_session(struct replica *replica, const struct request *request,
                         const struct session *session)
{
    if (session->state == SESSION_OPENING) {
        struct asker asker = request_asker(request);
        apply_attach(replica, apply_flight(replica, session->ticket), &asker);
        return;
    }
    actions_reply(replica, request->event->route, request->op->id, QN_OK)->session = session->id;
}

/* Also at the memory limit: whoever wants to remove something needs a session. */
static void open_session(struct replica *replica, const struct request *request)
{
    const struct replica_event *event = request->event;
    const struct session *session = sessions_find_any(&replica->sessions, &event->client);

    if (session) {
        join_session(replica, request, session);
    } else if (event->space != QN_OK) {
        request_refuse_space(replica, request);
    } else {
        struct record record = replica_next_record(replica, RECORD_SESSION_OPEN, event);
        struct asker asker = request_asker(request);
        record.client = event->client;
        record.session = record.index;
        (void)request_append(replica, request, &record, &asker);
    }
}

void request_step(struct replica *replica, const struct replica_event *event)
{
    struct request request = {.event = event, .op = event->op};
    const char *text = "";
    enum qn_status status = request_check(replica, event, &text);

    if (status != QN_OK) {
        request_refuse(replica, &request, status, text);
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
    case WIRE_OP_SCAN:
        request_scan(replica, &request);
        break;
    case WIRE_OP_SESSION_OPEN:
        open_session(replica, &request);
        break;
    case WIRE_OP_PUT:
    case WIRE_OP_PUT_IF_ABSENT:
    case WIRE_OP_REPLACE:
    case WIRE_OP_REMOVE:
    case WIRE_OP_REMOVE_IF:
    case WIRE_OP_TOUCH:
    case WIRE_OP_CLEAR:
        request_change(replica, &request);
        break;
    case WIRE_OP_OUTCOME:
        request_outcome(replica, &request);
        break;
    case WIRE_OPS:
        break; /* request_check has refused it */
    }
}

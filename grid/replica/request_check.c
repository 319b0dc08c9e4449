#include "grid/replica/state.h"

/* May another copy than the leader answer it? */
static bool weak(const struct wire_op *op)
{
    switch (op->kind) {
    case WIRE_OP_GET:
    case WIRE_OP_CONTAINS:
    case WIRE_OP_COUNT:
    case WIRE_OP_SCAN:
        return op->read_level != WIRE_READ_LINEARIZABLE;
    default:
        return false;
    }
}

int64_t replica_staleness_ms(const struct replica *replica)
{
    if (replica->role == REPLICA_LEADING && confirm_leased(replica)) {
        return 0;
    }
    return replica->proved_ms > 0 ? replica->now_ms - replica->proved_ms : -1;
}

/* Is the state new enough (B.12)? */
static enum qn_status check_age(const struct replica *replica, const struct wire_op *op,
                                const char **text)
{
    int64_t age_ms = replica_staleness_ms(replica);
    bool session = op->read_level == WIRE_READ_SESSION && !MUTANT(TOKENLESS);

    if (session && replica->commit_index < op->token_index) {
        *text = "this copy has not seen yet what the session has seen: ask the leader";
        return QN_NOT_LEADER;
    }
    if (op->read_level == WIRE_READ_BOUNDED &&
        (age_ms < 0 || age_ms > (int64_t)op->staleness_max_ms)) {
        *text = "this copy can not prove to be as new as asked for: ask the leader";
        return QN_NOT_LEADER;
    }
    return QN_OK;
}

static enum qn_status check_copy(const struct replica *replica, const struct wire_op *op,
                                 const char **text)
{
    switch (replica->role) {
    case REPLICA_LEADING:
    case REPLICA_OPENING:
    case REPLICA_FOLLOWER:
    case REPLICA_SCAN:
        return check_age(replica, op, text);
    case REPLICA_WAIT_ADMIT:
        *text = "this copy is being brought up to date: ask another one";
        return QN_RECOVERING;
    case REPLICA_FAULTED:
        break;
    }
    *text = "this copy is damaged: ask another one";
    return QN_CORRUPT;
}

static enum qn_status check_role(const struct replica *replica, const char **text)
{
    switch (replica->role) {
    case REPLICA_LEADING:
        return QN_OK;
    case REPLICA_FOLLOWER:
        if (replica->leader != replica->options.node) {
            *text = "another node leads the partition: refresh the partition table";
            return QN_NOT_LEADER;
        }
        *text = "the partition waits for a leader: try again";
        return QN_NO_LEADER;
    case REPLICA_WAIT_ADMIT:
        *text = "this copy is being brought up to date: refresh the partition table";
        return QN_NOT_LEADER;
    case REPLICA_SCAN:
        *text = "the partition's log is being read: try again";
        return QN_RECOVERING;
    case REPLICA_OPENING:
        *text = "the partition is being opened: try again";
        return QN_RECOVERING;
    case REPLICA_FAULTED:
        *text = "the partition's log is damaged: the node's log names file and offset";
        return QN_CORRUPT;
    }
    return QN_CORRUPT;
}

static enum qn_status check_lineage(const struct replica *replica, const struct wire_op *op,
                                    const char **text)
{
    if (op->lineage != 0 && op->lineage < replica->lineage) {
        *text = "an operator has accepted the loss of data since: open a new connection";
        return QN_LINEAGE_CHANGED;
    }
    return QN_OK;
}

static enum qn_status check_epoch(const struct replica *replica, const struct wire_op *op,
                                  const char **text)
{
    if (op->epoch != replica->epoch && !MUTANT(STALEEPOCH)) {
        *text = "the partition is in another epoch: refresh the partition table";
        return QN_STALE_EPOCH;
    }
    return QN_OK;
}

static bool has_key(uint32_t kind)
{
    switch ((enum wire_op_kind)kind) {
    case WIRE_OP_COUNT:
    case WIRE_OP_SESSION_OPEN:
    case WIRE_OP_CLEAR:
    case WIRE_OP_OUTCOME:
    case WIRE_OP_SCAN:
    case WIRE_OPS:
        return false;
    case WIRE_OP_GET:
    case WIRE_OP_CONTAINS:
    case WIRE_OP_PUT:
    case WIRE_OP_PUT_IF_ABSENT:
    case WIRE_OP_REPLACE:
    case WIRE_OP_REMOVE:
    case WIRE_OP_REMOVE_IF:
    case WIRE_OP_TOUCH:
        return true;
    }
    return false;
}

static bool names_cache(uint32_t kind)
{
    return kind != WIRE_OP_SESSION_OPEN && kind != WIRE_OP_OUTCOME;
}

static enum qn_status check_sizes(const struct replica_limits *limits, const struct wire_op *op,
                                  const char **text)
{
    if (has_key(op->kind) && op->key.size == 0) {
        *text = "the key is empty";
        return QN_INVALID;
    }
    if (op->key.size > limits->key_size_max_bytes) {
        *text = "the key is larger than a key may be: use a shorter one";
        return QN_TOO_LARGE;
    }
    /* A scan's value is a token, which is checked where it is read. */
    if (op->kind != WIRE_OP_SCAN && op->value.size > limits->value_size_max_bytes) {
        *text = "the value is larger than a value may be: split it";
        return QN_TOO_LARGE;
    }
    return QN_OK;
}

static enum qn_status check_form(const struct wire_op *op, const char **text)
{
    const uint32_t flags = WIRE_RETURN_OLD | WIRE_VISIBLE | WIRE_KEYS_ONLY;

    if (op->kind < WIRE_OP_GET || op->kind >= WIRE_OPS || (op->flags & ~flags) != 0 ||
        op->value_flags > UINT8_MAX) {
        *text = "the node does not know this operation: use a newer node";
        return QN_UNSUPPORTED;
    }
    if (op->read_level > WIRE_READ_EVENTUAL) {
        *text = "the node does not know this read level: use a newer node";
        return QN_UNSUPPORTED;
    }
    if (op->cache == 0 && names_cache(op->kind)) {
        *text = "cache 0 does not exist: open the cache by its name";
        return QN_UNKNOWN_CACHE;
    }
    if (op->ttl_ms < WIRE_TTL_NEVER) {
        *text = "a time to live is a number of milliseconds from 1, 0 (as the cache says) or -1 "
                "(never expires)";
        return QN_INVALID;
    }
    if (op->kind == WIRE_OP_OUTCOME && op->value.size != 0 && op->value.size != CLIENT_ID_SIZE) {
        *text = "a client id has 16 octets";
        return QN_INVALID;
    }
    return QN_OK;
}

static enum qn_status check_identity(const struct replica_event *event, const char **text)
{
    static const struct client_id nobody;
    const struct wire_op *op = event->op;

    if (!wire_op_is_change(op->kind)) {
        return QN_OK;
    }
    bool names_other = op->kind == WIRE_OP_OUTCOME && op->value.size > 0;
    if (!names_other && client_id_equal(event->client, nobody)) {
        *text = "a change needs a client id";
        return QN_INVALID;
    }
    if (op->kind != WIRE_OP_SESSION_OPEN && op->sequence == 0) {
        *text = "a change needs a sequence number, from 1";
        return QN_INVALID;
    }
    return QN_OK;
}

enum qn_status request_check(const struct replica *replica, const struct replica_event *event,
                             const char **text)
{
    bool any_copy = weak(event->op);
    enum qn_status status =
        any_copy ? check_copy(replica, event->op, text) : check_role(replica, text);

    if (status == QN_OK) {
        status = check_lineage(replica, event->op, text);
    }
    if (status == QN_OK && !any_copy) {
        status = check_epoch(replica, event->op, text);
    }
    if (status == QN_OK) {
        status = check_form(event->op, text);
    }
    if (status == QN_OK) {
        status = check_sizes(&replica->options.limits, event->op, text);
    }
    if (status == QN_OK) {
        status = check_identity(event, text);
    }
    if (status == QN_OK && event->op->remaining_ms == 0) {
        *text = "the deadline had passed when the request arrived";
        status = QN_DEADLINE;
    }
    return status;
}

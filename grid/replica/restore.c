#include "wire/assert.h"

#include "grid/replica/snapshot_format.h"
#include "grid/replica/state.h"

enum qn_status replica_restore(struct replica *replica, const struct replica_snapshot *snapshot)
{
    qn_assert(replica->last_index == 0 && !replica->restore.begun);
    if (replica->role == REPLICA_FAULTED || snapshot->partition != replica->options.partition ||
        snapshot->index == 0 || snapshot->epoch == 0) {
        replica_move(replica, REPLICA_FAULTED);
        return QN_CORRUPT;
    }
    replica->restore = (struct restore){.begun = true, .snapshot = *snapshot};
    return QN_OK;
}

/* Take `size` octets off the front; NULL when there are not as many. */
static const uint8_t *take(struct bytes *left, size_t size)
{
    const uint8_t *at = left->data;

    if (left->size < size) {
        return NULL;
    }
    *left = bytes_of(at + size, left->size - size);
    return at;
}

static enum qn_status restore_head(const struct replica *replica, struct bytes item)
{
    bool sound = replica->restore.items == 0 && item.size == SNAPSHOT_HEAD_SIZE;

    if (!sound) {
        return QN_CORRUPT;
    }
    uint32_t form = get_u32(item.data);
    return form >= SNAPSHOT_FORM_MIN && form <= SNAPSHOT_FORM ? QN_OK : QN_CORRUPT;
}

static enum qn_status restore_history(struct replica *replica, struct bytes item)
{
    uint64_t epoch_before = 0, first_before = 0;

    if (replica->restore.items != 1 || item.size % SNAPSHOT_EPOCH_SIZE != 0 ||
        item.size / SNAPSHOT_EPOCH_SIZE > WIRE_HISTORY_MAX) {
        return QN_CORRUPT;
    }
    for (size_t at = 0; at < item.size; at += SNAPSHOT_EPOCH_SIZE) {
        uint64_t epoch = get_u64(item.data + at);
        uint64_t first = get_u64(item.data + at + 8);
        if (epoch <= epoch_before || first <= first_before ||
            first > replica->restore.snapshot.index || epoch > replica->restore.snapshot.epoch) {
            return QN_CORRUPT;
        }
        if (epochs_reserve(&replica->epochs) != QN_OK) {
            return QN_MEMORY_FULL;
        }
        epochs_note(&replica->epochs, epoch, first);
        epoch_before = epoch;
        first_before = first;
    }
    return QN_OK;
}

static enum qn_status restore_session(struct replica *replica, struct bytes item)
{
    struct restore *restore = &replica->restore;
    struct client_id client;

    if (item.size != SNAPSHOT_SESSION_SIZE) {
        return QN_CORRUPT;
    }
    memcpy(client.octets, item.data, CLIENT_ID_SIZE);
    uint64_t id = get_u64(item.data + 16);
    if (id == 0 || id > restore->snapshot.index || sessions_find_any(&replica->sessions, &client)) {
        return QN_CORRUPT;
    }
    enum qn_status status = sessions_add(&replica->sessions, &client, id,
                                         (int64_t)get_u64(item.data + 24), &restore->session);
    if (status == QN_OK) {
        restore->session->state = SESSION_OPEN;
        restore->session->first_incomplete = get_u64(item.data + 32);
    }
    return status;
}

static enum qn_status restore_outcome(struct replica *replica, struct bytes item)
{
    struct session *session = replica->restore.session;
    const uint8_t *at = take(&item, SNAPSHOT_OUTCOME_SIZE);
    struct outcome *outcome;

    if (!at || !session || item.size > RESULT_VALUE_MAX || at[37] > 1) {
        return QN_CORRUPT;
    }
    uint64_t sequence = get_u64(at);
    struct result result = {
        .status = (int32_t)get_u32(at + 32),
        .value_flags = at[36],
        .has_value = at[37] != 0,
        .value = item,
    };
    if (sequence == 0 || session_outcome(session, sequence) || !qn_status_known(result.status) ||
        get_u64(at + 8) > replica->restore.snapshot.index) {
        return QN_CORRUPT;
    }
    enum qn_status status =
        session_add_outcome(&replica->sessions, session, sequence, &result, &outcome);
    if (status == QN_OK) {
        outcome->index = get_u64(at + 8);
        outcome->epoch = get_u64(at + 16);
        outcome->version = get_u64(at + 24);
        outcome->logged = true;
        outcome->waiting = false;
    }
    return status;
}

static enum qn_status restore_entry(struct replica *replica, struct bytes item)
{
    const uint8_t *at = take(&item, SNAPSHOT_VERSION_SIZE);
    struct effect effect;

    if (!at || effect_next(&item, &effect) != QN_OK || item.size > 0) {
        return QN_CORRUPT;
    }
    uint64_t version = get_u64(at);
    if (effect.kind != EFFECT_PUT || effect.cache == 0 || effect.key.size == 0 ||
        effect.key.size > WIRE_KEY_MAX || version == 0 ||
        version > replica->restore.snapshot.index) {
        return QN_CORRUPT;
    }
    return store_restore(replica->store, &effect, version);
}

/* Everything is there: the replica now is where the snapshot was taken. */
static enum qn_status restore_end(struct replica *replica, struct bytes item)
{
    const struct replica_snapshot *snapshot = &replica->restore.snapshot;

    if (item.size != SNAPSHOT_END_SIZE || get_u64(item.data) != replica->restore.items ||
        get_u64(item.data + 8) != replica->restore.digest) {
        return QN_CORRUPT;
    }
    replica->restore.begun = false;
    replica->last_index = snapshot->index;
    replica->commit_index = snapshot->index;
    replica->durable_index = snapshot->index;
    replica->restored_index = snapshot->index;
    replica->epoch = snapshot->epoch;
    replica_recover_promise(replica, snapshot->epoch);
    replica->last = (struct log_point){
        .epoch = snapshot->epoch,
        .log_time_ms = snapshot->log_time_ms,
        .wall_time_ms = snapshot->wall_time_ms,
        .epoch_began_ms = snapshot->epoch_began_ms,
    };
    replica->committed = replica->last;
    store_commit(replica->store, snapshot->index);
    return QN_OK;
}

static enum qn_status restore_item(struct replica *replica, uint32_t kind, struct bytes item)
{
    if ((kind == SNAPSHOT_HEAD) != (replica->restore.items == 0)) {
        return QN_CORRUPT;
    }
    switch (kind) {
    case SNAPSHOT_HEAD:
        return restore_head(replica, item);
    case SNAPSHOT_HISTORY:
        return restore_history(replica, item);
    case SNAPSHOT_SESSION:
        return restore_session(replica, item);
    case SNAPSHOT_OUTCOME:
        return restore_outcome(replica, item);
    case SNAPSHOT_ENTRY:
        return restore_entry(replica, item);
    case SNAPSHOT_END:
        return restore_end(replica, item);
    default:
        return QN_CORRUPT;
    }
}

static enum qn_status restore_next(struct replica *replica, struct bytes *part)
{
    struct restore *restore = &replica->restore;
    struct bytes whole = *part;
    const uint8_t *at = take(part, SNAPSHOT_ITEM_HEADER);

    if (!at || !restore->begun) {
        return QN_CORRUPT;
    }
    size_t size = get_u32(at + 4);
    const uint8_t *payload = take(part, size);
    if (!payload) {
        return QN_CORRUPT;
    }
    enum qn_status status = restore_item(replica, get_u32(at), bytes_of(payload, size));
    if (status == QN_OK) {
        whole.size = SNAPSHOT_ITEM_HEADER + size;
        restore->items++;
        restore->digest = snapshot_digest(restore->digest, whole);
    }
    return status;
}

enum qn_status replica_restore_part(struct replica *replica, struct bytes part)
{
    enum qn_status status = replica->role == REPLICA_FAULTED ? QN_CORRUPT : QN_OK;

    while (status == QN_OK && part.size > 0) {
        status = restore_next(replica, &part);
    }
    if (status != QN_OK) {
        replica_move(replica, REPLICA_FAULTED);
    }
    return status;
}

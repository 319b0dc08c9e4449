#include "wire/assert.h"

#include "grid/replica/snapshot_format.h"
#include "grid/replica/state.h"

/* Where the next item goes, and what the items so far come to. */
struct writer {
    struct buf *out;
    size_t size_max;
    uint64_t items;
    uint64_t digest;
    enum qn_status status;
};

/* Append an item of `size` octets, which the caller fills in. NULL: no memory. */
static uint8_t *item_begin(struct writer *writer, enum snapshot_item kind, size_t size)
{
    uint8_t *at;

    writer->status = buf_extend(writer->out, SNAPSHOT_ITEM_HEADER + size, &at);
    if (writer->status != QN_OK) {
        return NULL;
    }
    put_u32(at, (uint32_t)kind);
    put_u32(at + 4, (uint32_t)size);
    return at + SNAPSHOT_ITEM_HEADER;
}

/* The item that ends `out` is complete. */
static void item_end(struct writer *writer, size_t size)
{
    size_t whole = SNAPSHOT_ITEM_HEADER + size;

    writer->items++;
    writer->digest = snapshot_digest(
        writer->digest, bytes_of(writer->out->data + (writer->out->size - whole), whole));
}

static void write_head(struct writer *writer)
{
    uint8_t *at = item_begin(writer, SNAPSHOT_HEAD, SNAPSHOT_HEAD_SIZE);

    if (at) {
        put_u32(at, SNAPSHOT_FORM);
        item_end(writer, SNAPSHOT_HEAD_SIZE);
    }
}

/* The epochs of the committed records: with them a copy that has no older records still knows where
 * its log and another one part (B.9). */
static void write_history(struct writer *writer, const struct epochs *epochs, uint64_t index)
{
    size_t count = 0;

    while (count < epochs->count && epochs->list[count].first <= index) {
        count++;
    }
    size_t size = count * SNAPSHOT_EPOCH_SIZE;
    uint8_t *at = item_begin(writer, SNAPSHOT_HISTORY, size);
    for (size_t i = 0; at && i < count; i++) {
        put_u64(at + i * SNAPSHOT_EPOCH_SIZE, epochs->list[i].epoch);
        put_u64(at + i * SNAPSHOT_EPOCH_SIZE + 8, epochs->list[i].first);
    }
    if (at) {
        item_end(writer, size);
    }
}

static void write_outcome(struct writer *writer, const struct outcome *outcome)
{
    size_t size = SNAPSHOT_OUTCOME_SIZE + outcome->value_size;
    uint8_t *at = item_begin(writer, SNAPSHOT_OUTCOME, size);

    if (!at) {
        return;
    }
    memset(at, 0, SNAPSHOT_OUTCOME_SIZE);
    put_u64(at, outcome->sequence);
    put_u64(at + 8, outcome->index);
    put_u64(at + 16, outcome->epoch);
    put_u64(at + 24, outcome->version);
    put_u32(at + 32, (uint32_t)outcome->status);
    at[36] = outcome->value_flags;
    at[37] = outcome->has_value;
    if (outcome->value_size > 0) {
        memcpy(at + SNAPSHOT_OUTCOME_SIZE, outcome->value, outcome->value_size);
    }
    item_end(writer, size);
}

static void write_session(struct writer *writer, const struct session *session)
{
    uint8_t *at = item_begin(writer, SNAPSHOT_SESSION, SNAPSHOT_SESSION_SIZE);

    if (!at) {
        return;
    }
    memcpy(at, session->client.octets, CLIENT_ID_SIZE);
    put_u64(at + 16, session->id);
    put_u64(at + 24, (uint64_t)session->traffic_ms);
    put_u64(at + 32, session->first_incomplete);
    item_end(writer, SNAPSHOT_SESSION_SIZE);
    for (size_t i = 0; i < session->outcome_count && writer->status == QN_OK; i++) {
        const struct outcome *outcome = &session->outcomes[i];
        if (outcome->logged && !outcome->waiting) {
            write_outcome(writer, outcome);
        }
    }
}

/* Sessions as the committed records make them: one whose end is not committed stands. */
static void write_sessions(struct writer *writer, const struct sessions *sessions)
{
    for (const struct session *s = sessions->oldest; s && writer->status == QN_OK; s = s->newer) {
        if (s->state != SESSION_OPENING) {
            write_session(writer, s);
        }
    }
}

static bool write_entry(void *context, const struct entry *entry)
{
    struct writer *writer = context;
    struct effect effect = {
        .kind = EFFECT_PUT,
        .flags = entry->flags,
        .cache = entry->cache,
        .expires_at_ms = entry_expires_at_ms(entry),
        .key = entry_key(entry),
        .value = entry_value(entry),
    };
    size_t begin = writer->out->size;
    uint8_t *at = item_begin(writer, SNAPSHOT_ENTRY, SNAPSHOT_VERSION_SIZE);

    if (!at) {
        return false;
    }
    put_u64(at, entry->version);
    writer->status = effect_encode(&effect, writer->out);
    if (writer->status != QN_OK) {
        return false;
    }
    size_t size = writer->out->size - begin - SNAPSHOT_ITEM_HEADER;
    put_u32(writer->out->data + begin + 4, (uint32_t)size);
    item_end(writer, size);
    return writer->out->size < writer->size_max;
}

static void write_end(struct writer *writer)
{
    uint8_t *at = item_begin(writer, SNAPSHOT_END, SNAPSHOT_END_SIZE);

    if (at) {
        put_u64(at, writer->items);
        put_u64(at + 8, writer->digest);
    }
}

enum qn_status replica_snapshot_begin(struct replica *replica, uint64_t index_known,
                                      struct replica_snapshot *snapshot, struct buf *out)
{
    struct writer writer = {.out = out};
    size_t size_before = out->size;

    qn_assert(!replica->walk.begun);
    if (replica->role == REPLICA_FAULTED) {
        return QN_CORRUPT;
    }
    if (replica->commit_index <= index_known || replica->restore.begun) {
        return QN_ABSENT;
    }
    write_head(&writer);
    if (writer.status == QN_OK) {
        write_history(&writer, &replica->epochs, replica->commit_index);
    }
    if (writer.status == QN_OK) {
        write_sessions(&writer, &replica->sessions);
    }
    if (writer.status == QN_OK) {
        writer.status = store_pin(replica->store, replica->commit_index);
    }
    if (writer.status != QN_OK) {
        out->size = size_before;
        return writer.status;
    }
    replica->walk = (struct snapshot_walk){
        .begun = true,
        .view = replica->commit_index,
        .items = writer.items,
        .digest = writer.digest,
    };
    *snapshot = (struct replica_snapshot){
        .partition = replica->options.partition,
        .index = replica->commit_index,
        .epoch = replica->committed.epoch,
        .log_time_ms = replica->committed.log_time_ms,
        .wall_time_ms = replica->committed.wall_time_ms,
        .epoch_began_ms = replica->committed.epoch_began_ms,
    };
    return QN_OK;
}

/* Remember where the walk stands. QN_MEMORY_FULL: nothing changed. */
static enum qn_status keep_place(struct replica *replica, const struct store_place *place)
{
    struct snapshot_walk *walk = &replica->walk;
    size_t size = place->key.size;

    if (size > walk->key_capacity) {
        uint8_t *key = alloc_get(replica->options.alloc, size);
        if (!key) {
            return QN_MEMORY_FULL;
        }
        alloc_put(replica->options.alloc, walk->key, walk->key_capacity);
        walk->key = key;
        walk->key_capacity = size;
    }
    if (size > 0) {
        memmove(walk->key, place->key.data, size);
    }
    walk->key_size = size;
    walk->tag = place->tag;
    walk->cache = place->cache;
    return QN_OK;
}

enum qn_status replica_snapshot_next(struct replica *replica, size_t slots_max, size_t size_max,
                                     struct buf *out, bool *done)
{
    struct snapshot_walk *walk = &replica->walk;
    struct store_place place = {
        .tag = walk->tag, .cache = walk->cache, .key = bytes_of(walk->key, walk->key_size)};
    struct writer writer = {
        .out = out, .size_max = size_max, .items = walk->items, .digest = walk->digest};
    size_t size_before = out->size;

    qn_assert(walk->begun);
    bool end = store_walk(replica->store, walk->view, &place, slots_max, write_entry, &writer);
    if (end && writer.status == QN_OK) {
        write_end(&writer);
    }
    if (!end && writer.status == QN_OK) {
        writer.status = keep_place(replica, &place);
    }
    if (writer.status != QN_OK) {
        out->size = size_before;
        return writer.status;
    }
    walk->items = writer.items;
    walk->digest = writer.digest;
    *done = end;
    return QN_OK;
}

void replica_snapshot_end(struct replica *replica)
{
    struct snapshot_walk *walk = &replica->walk;

    if (walk->begun) {
        store_unpin(replica->store, walk->view);
        alloc_put(replica->options.alloc, walk->key, walk->key_capacity);
    }
    *walk = (struct snapshot_walk){0};
}

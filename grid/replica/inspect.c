#include "grid/replica/inspect.h"

#include "grid/replica/state.h"
#include "wire/hash.h"

/* Hash of some numbers and octets in a row. */
static uint64_t mix(const uint64_t *numbers, size_t count, struct bytes a, struct bytes b)
{
    uint64_t parts[3] = {
        hash_bytes(bytes_of(numbers, count * sizeof *numbers)),
        hash_bytes(a),
        hash_bytes(b),
    };

    return hash_bytes(bytes_of(parts, sizeof parts));
}

static bool add_entry(void *context, const struct entry *entry)
{
    struct replica_digest *digest = context;
    uint64_t numbers[] = {entry->version, entry->cache, entry->flags,
                          (uint64_t)entry_expires_at_ms(entry)};

    digest->entries +=
        mix(numbers, sizeof numbers / sizeof *numbers, entry_key(entry), entry_value(entry));
    return true;
}

/* Every committed entry. When no more views can be held, the committed state becomes the published
 * one, which it may at any time. */
static void add_entries(struct store *store, uint64_t index, struct replica_digest *digest)
{
    struct store_place place = {0};
    bool pinned = store_pin(store, index) == QN_OK;

    if (!pinned) {
        store_publish(store, index);
    }
    while (!store_walk(store, index, &place, SIZE_MAX, add_entry, digest)) {
    }
    if (pinned) {
        store_unpin(store, index);
    }
}

static void add_outcome(struct replica_digest *digest, const struct session *session,
                        const struct outcome *outcome)
{
    uint64_t numbers[] = {session->id,          outcome->sequence,         outcome->index,
                          outcome->epoch,       (uint64_t)outcome->status, outcome->version,
                          outcome->value_flags, outcome->has_value};

    digest->outcomes += mix(numbers, sizeof numbers / sizeof *numbers,
                            bytes_of(session->client.octets, CLIENT_ID_SIZE),
                            bytes_of(outcome->value, outcome->value_size));
}

static void add_session(struct replica_digest *digest, const struct session *session)
{
    if (session->state == SESSION_OPENING) {
        return;
    }
    digest->sessions +=
        mix(&session->id, 1, bytes_of(session->client.octets, CLIENT_ID_SIZE), bytes_of(NULL, 0));
    for (size_t i = 0; i < session->outcome_count; i++) {
        const struct outcome *outcome = &session->outcomes[i];
        bool asked_for = outcome->sequence >= session->first_incomplete;
        if (asked_for && outcome->logged && !outcome->waiting) {
            add_outcome(digest, session, outcome);
        }
    }
}

void replica_inspect(const struct replica *replica, struct replica_digest *digest)
{
    *digest = (struct replica_digest){0};
    if (replica->commit_index > 0) {
        add_entries(replica->store, replica->commit_index, digest);
    }
    for (const struct session *s = replica->sessions.oldest; s; s = s->newer) {
        add_session(digest, s);
    }
}

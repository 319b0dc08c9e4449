#include "grid/replica/sessions.h"

#include "wire/assert.h"
#include "wire/hash.h"

enum {
    BUCKETS_MIN = 16,
    OUTCOMES_MIN = 4,
};

void sessions_init(struct sessions *sessions, struct alloc *alloc)
{
    *sessions = (struct sessions){.alloc = alloc};
}

static void buckets_release(struct sessions *sessions)
{
    alloc_put(sessions->alloc, sessions->buckets,
              sessions->bucket_count * sizeof *sessions->buckets);
}

void sessions_fini(struct sessions *sessions)
{
    while (sessions->oldest) {
        sessions_remove(sessions, sessions->oldest);
    }
    buckets_release(sessions);
    sessions_init(sessions, sessions->alloc);
}

static size_t bucket_of(const struct sessions *sessions, const struct client_id *client)
{
    return (size_t)hash_bytes(bytes_of(client->octets, CLIENT_ID_SIZE)) &
           (sessions->bucket_count - 1);
}

static struct session *bucket(const struct sessions *sessions, const struct client_id *client)
{
    return sessions->bucket_count > 0 ? sessions->buckets[bucket_of(sessions, client)] : NULL;
}

struct session *sessions_find(const struct sessions *sessions, const struct client_id *client,
                              uint64_t id)
{
    for (struct session *s = bucket(sessions, client); s; s = s->next_in_bucket) {
        if (s->id == id && s->state == SESSION_OPEN && client_id_equal(s->client, *client)) {
            return s;
        }
    }
    return NULL;
}

struct session *sessions_find_any(const struct sessions *sessions, const struct client_id *client)
{
    for (struct session *s = bucket(sessions, client); s; s = s->next_in_bucket) {
        if (s->state != SESSION_ENDING && client_id_equal(s->client, *client)) {
            return s;
        }
    }
    return NULL;
}

static void unlink_age(struct sessions *sessions, struct session *session)
{
    *(session->older ? &session->older->newer : &sessions->oldest) = session->newer;
    *(session->newer ? &session->newer->older : &sessions->newest) = session->older;
}

static void link_newest(struct sessions *sessions, struct session *session)
{
    session->older = sessions->newest;
    session->newer = NULL;
    *(session->older ? &session->older->newer : &sessions->oldest) = session;
    sessions->newest = session;
}

static void link_bucket(struct sessions *sessions, struct session *session)
{
    struct session **head = &sessions->buckets[bucket_of(sessions, &session->client)];

    session->next_in_bucket = *head;
    *head = session;
}

/* As many buckets as sessions. Without memory the chains only get longer, unless there is none yet.
 */
static enum qn_status grow(struct sessions *sessions)
{
    size_t bucket_count =
        sessions->bucket_count > 0 ? sessions->bucket_count * 2 : (size_t)BUCKETS_MIN;

    if (sessions->count < sessions->bucket_count) {
        return QN_OK;
    }
    struct session **buckets =
        alloc_get_zeroed(sessions->alloc, bucket_count * sizeof(struct session *));
    if (!buckets) {
        return sessions->bucket_count > 0 ? QN_OK : QN_MEMORY_FULL;
    }
    buckets_release(sessions);
    sessions->buckets = buckets;
    sessions->bucket_count = bucket_count;
    for (struct session *s = sessions->oldest; s; s = s->newer) {
        link_bucket(sessions, s);
    }
    return QN_OK;
}

enum qn_status sessions_add(struct sessions *sessions, const struct client_id *client, uint64_t id,
                            int64_t log_time_ms, struct session **session)
{
    enum qn_status status = grow(sessions);

    if (status != QN_OK) {
        return status;
    }
    struct session *made = alloc_get(sessions->alloc, sizeof *made);
    if (!made) {
        return QN_MEMORY_FULL;
    }
    *made = (struct session){
        .client = *client, .id = id, .state = SESSION_OPENING, .traffic_ms = log_time_ms};
    link_bucket(sessions, made);
    link_newest(sessions, made);
    sessions->count++;
    *session = made;
    return QN_OK;
}

static void value_release(struct sessions *sessions, struct session *session,
                          struct outcome *outcome)
{
    session->value_bytes -= outcome->value_size;
    alloc_put(sessions->alloc, outcome->value, outcome->value_size);
}

void sessions_remove(struct sessions *sessions, struct session *session)
{
    struct session **link = &sessions->buckets[bucket_of(sessions, &session->client)];

    while (*link != session) {
        link = &(*link)->next_in_bucket;
    }
    *link = session->next_in_bucket;
    unlink_age(sessions, session);
    for (size_t i = 0; i < session->outcome_count; i++) {
        value_release(sessions, session, &session->outcomes[i]);
    }
    alloc_put(sessions->alloc, session->outcomes,
              session->outcome_capacity * sizeof *session->outcomes);
    alloc_put(sessions->alloc, session, sizeof *session);
    sessions->count--;
}

void sessions_touch(struct sessions *sessions, struct session *session, int64_t log_time_ms)
{
    session->traffic_ms = log_time_ms;
    if (session != sessions->newest) {
        unlink_age(sessions, session);
        link_newest(sessions, session);
    }
}

/* Drop the settled outcomes below a sequence; with `unlogged`, also those that are in no log. */
static void drop_settled(struct sessions *sessions, struct session *session, uint64_t below,
                         bool unlogged)
{
    size_t kept = 0;

    for (size_t i = 0; i < session->outcome_count; i++) {
        struct outcome *outcome = &session->outcomes[i];
        bool dropped = outcome->sequence < below || (unlogged && !outcome->logged);
        if (dropped && !outcome->waiting) {
            value_release(sessions, session, outcome);
        } else {
            session->outcomes[kept++] = *outcome;
        }
    }
    session->outcome_count = kept;
}

void session_advance(struct sessions *sessions, struct session *session, uint64_t first_incomplete)
{
    if (first_incomplete > session->first_incomplete) {
        session->first_incomplete = first_incomplete;
    }
    if (session->outcome_count > 0 && session->outcomes[0].sequence < session->first_incomplete) {
        drop_settled(sessions, session, session->first_incomplete, false);
    }
}

void sessions_forget_unlogged(struct sessions *sessions)
{
    for (struct session *s = sessions->oldest; s; s = s->newer) {
        drop_settled(sessions, s, 0, true);
    }
}

/* First outcome whose sequence is not below `sequence`. */
static size_t position(const struct session *session, uint64_t sequence)
{
    size_t low = 0;
    size_t high = session->outcome_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (session->outcomes[middle].sequence < sequence) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct outcome *session_outcome(const struct session *session, uint64_t sequence)
{
    size_t at = position(session, sequence);

    if (at < session->outcome_count && session->outcomes[at].sequence == sequence) {
        return &session->outcomes[at];
    }
    return NULL;
}

static enum qn_status reserve(struct sessions *sessions, struct session *session)
{
    size_t capacity =
        session->outcome_capacity > 0 ? session->outcome_capacity * 2 : (size_t)OUTCOMES_MIN;

    if (session->outcome_count < session->outcome_capacity) {
        return QN_OK;
    }
    struct outcome *outcomes = alloc_get(sessions->alloc, capacity * sizeof *outcomes);
    if (!outcomes) {
        return QN_MEMORY_FULL;
    }
    if (session->outcome_count > 0) {
        memcpy(outcomes, session->outcomes, session->outcome_count * sizeof *outcomes);
    }
    alloc_put(sessions->alloc, session->outcomes,
              session->outcome_capacity * sizeof *session->outcomes);
    session->outcomes = outcomes;
    session->outcome_capacity = capacity;
    return QN_OK;
}

enum qn_status session_add_outcome(struct sessions *sessions, struct session *session,
                                   uint64_t sequence, const struct result *result,
                                   struct outcome **outcome)
{
    uint8_t *value = NULL;

    if (reserve(sessions, session) != QN_OK) {
        return QN_MEMORY_FULL;
    }
    if (result->value.size > 0) {
        value = alloc_get(sessions->alloc, result->value.size);
        if (!value) {
            return QN_MEMORY_FULL;
        }
        memcpy(value, result->value.data, result->value.size);
    }
    size_t at = position(session, sequence);
    struct outcome *made = &session->outcomes[at];
    memmove(made + 1, made, (session->outcome_count - at) * sizeof *made);
    *made = (struct outcome){
        .sequence = sequence,
        .status = result->status,
        .has_value = result->has_value,
        .value = value,
        .value_size = (uint32_t)result->value.size,
        .value_flags = result->value_flags,
        .waiting = true,
    };
    session->outcome_count++;
    session->value_bytes += result->value.size;
    *outcome = made;
    return QN_OK;
}

void session_drop_outcome(struct sessions *sessions, struct session *session, uint64_t sequence)
{
    struct outcome *outcome = session_outcome(session, sequence);

    qn_assert(outcome);
    value_release(sessions, session, outcome);
    size_t behind = session->outcome_count - (size_t)(outcome - session->outcomes) - 1;
    memmove(outcome, outcome + 1, behind * sizeof *outcome);
    session->outcome_count--;
}

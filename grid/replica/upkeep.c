#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    SESSION_ENDS_MAX = 64,    /* per TICK, so that many idle clients do not hold the others up */
    EXPIRE_RECORDS_MAX = 16,  /* per TICK */
    EXPIRE_EFFECTS_MAX = 256, /* of one record */
    EXPIRE_BYTES_MAX = 64 * 1024, /* of the effects of all of a TICK; one entry may be larger */
    EFFECT_ROOM = 64,             /* more than an effect needs beyond its key */
};

/* -- ends of sessions -- */

static bool has_waiting(const struct session *session)
{
    for (size_t i = 0; i < session->outcome_count; i++) {
        if (session->outcomes[i].waiting) {
            return true;
        }
    }
    return false;
}

static bool idle(const struct replica *replica, const struct session *session, int64_t log_ms)
{
    int64_t began_ms = replica->last.epoch_began_ms;
    int64_t since_ms = session->traffic_ms > began_ms ? session->traffic_ms : began_ms;

    return log_ms - since_ms >= replica->options.limits.session_ttl_ms;
}

/* Append the end of one session. False: no memory now, the next TICK tries again. */
static bool end_session(struct replica *replica, const struct session *session,
                        const struct replica_event *event)
{
    struct record record = replica_next_record(replica, RECORD_SESSION_END, event);

    record.client = session->client;
    record.session = session->id;
    if (apply_stage(replica, &record, NULL) != QN_OK) {
        return false;
    }
    actions_append(replica, &record);
    return true;
}

static void end_idle_sessions(struct replica *replica, const struct replica_event *event)
{
    int64_t log_ms = replica_log_time(replica, event->now_ms);
    int left = SESSION_ENDS_MAX;

    for (struct session *s = replica->sessions.oldest, *newer; s && left > 0; s = newer) {
        newer = s->newer;
        if (!idle(replica, s, log_ms)) {
            return;
        }
        if (s->state == SESSION_OPEN && !has_waiting(s)) {
            left--;
            if (!end_session(replica, s, event)) {
                return;
            }
        }
    }
}

/* -- expiry -- */

/* Stage the removal of one expired entry, with its effect behind those in the scratch. */
static enum qn_status expire_entry(struct replica *replica, const struct entry *entry,
                                   uint64_t index)
{
    struct buf *scratch = &replica->scratch;
    size_t size_before = scratch->size;
    struct effect effect = {
        .kind = EFFECT_REMOVE,
        .cache = entry->cache,
        .expires_at_ms = INT64_MAX,
        .key = entry_key(entry),
    };
    enum qn_status status = expired_reserve(&replica->expired, effect.cache);

    if (status == QN_OK) {
        status = effect_encode(&effect, scratch);
    }
    if (status == QN_OK) {
        status = store_stage(replica->store, &effect, index);
    }
    if (status == QN_OK) {
        expired_stage(&replica->expired, index, effect.cache);
    } else {
        scratch->size = size_before;
    }
    return status;
}

/* Is there room for the effect of this entry? `size` of effects are in the record already. */
static bool has_room(struct replica *replica, const struct entry *entry, size_t size)
{
    size_t more = EFFECT_ROOM + entry->key_size;
    struct buf *scratch = &replica->scratch;

    size_t record_size_max = RECORD_HEADER_SIZE + size + more;

    if (replica_over_limit(replica, record_size_max) ||
        (size > 0 && record_size_max > replica->options.limits.uncommitted_max_bytes)) {
        return false;
    }
    if (scratch->size > 0) {
        return more <= scratch->capacity - scratch->size;
    }
    return scratch_reserve(replica, more > EXPIRE_BYTES_MAX ? more : EXPIRE_BYTES_MAX) == QN_OK;
}

/* One record of expired entries. False: there are none, or no room or memory for more now. */
static bool expire_some(struct replica *replica, const struct replica_event *event)
{
    struct record record = replica_next_record(replica, RECORD_EXPIRE, event);
    size_t begin = replica->scratch.size;
    size_t count = 0;
    const struct entry *entry;

    if (apply_reserve_flight(replica) != QN_OK) {
        return false;
    }
    while (count < EXPIRE_EFFECTS_MAX &&
           (entry = store_expired(replica->store, record.wall_time_ms)) != NULL &&
           has_room(replica, entry, replica->scratch.size - begin) &&
           expire_entry(replica, entry, record.index) == QN_OK) {
        count++;
    }
    if (count == 0) {
        return false;
    }
    record.effects = bytes_of(replica->scratch.data + begin, replica->scratch.size - begin);
    struct flight *flight = apply_staged(replica, &record, NULL);
    flight->last_effect = EFFECT_REMOVE;
    actions_append(replica, &record);
    return count == EXPIRE_EFFECTS_MAX;
}

static void expire(struct replica *replica, const struct replica_event *event)
{
    struct record next = replica_next_record(replica, RECORD_EXPIRE, event);

    for (int left = EXPIRE_RECORDS_MAX;
         left > 0 && store_next_expiry_ms(replica->store) <= next.wall_time_ms; left--) {
        if (!expire_some(replica, event)) {
            return;
        }
    }
}

void upkeep_tick(struct replica *replica, const struct replica_event *event)
{
    end_idle_sessions(replica, event);
    expire(replica, event);
}

/* -- dropped caches -- */

/* Has the cache entries, or will it have some when everything staged is committed? */
static bool holds_entries(const struct replica *replica, uint32_t cache)
{
    for (size_t i = replica->flights.count; i > 0; i--) {
        const struct flight *flight = ring_at(&replica->flights, i - 1);
        if (flight->cache == cache && flight->last_effect == EFFECT_CLEAR) {
            return false;
        }
        if (flight->cache == cache && flight->last_effect == EFFECT_PUT) {
            return true;
        }
    }
    return store_cache_figures(replica->store, cache).entries > 0;
}

enum qn_status upkeep_drop(struct replica *replica, const struct replica_event *event)
{
    struct record record = replica_next_record(replica, RECORD_CLEAR, event);
    struct effect effect = {
        .kind = EFFECT_CLEAR, .cache = event->cache, .expires_at_ms = INT64_MAX};

    if (replica->role != REPLICA_LEADING || !event->append ||
        !holds_entries(replica, event->cache)) {
        return QN_OK;
    }
    enum qn_status status = scratch_reserve(replica, EFFECT_ROOM);
    if (status == QN_OK) {
        status = effect_encode(&effect, &replica->scratch);
    }
    if (status == QN_OK) {
        record.effects = buf_bytes(&replica->scratch);
        status = apply_stage(replica, &record, NULL);
    }
    if (status == QN_OK) {
        actions_append(replica, &record);
    }
    return status;
}

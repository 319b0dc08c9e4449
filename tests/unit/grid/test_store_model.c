/* The store against a naive model that keeps every version of everything: random changes, commits,
 * roll-backs, views, walks, sweeps, expiry, and refused memory. Seeds are fixed; a failure prints
 * its seed and step. */
#include <stdio.h>
#include <stdlib.h>

#include "grid/base/slab.h"
#include "grid/store/store.h"
#include "tests/lib/check.h"
#include "tests/unit/grid/lab_alloc.h"

enum {
    CACHES = 3,
    KEYS_MAX = 400,
    TWINS = 12, /* keys of which another one has the same tag */
    KEY_SIZE_MAX = 16,
    VALUE_MAX = 90,
    VIEWS_MAX = STORE_PINS_MAX + 1,
    WALKERS = 2,
    EVENTS_MIN = 16,
};

#define NEVER INT64_MAX

/* One version of a key in the model. */
struct event {
    uint64_t version;
    bool live;
    int64_t expires_at_ms;
    size_t value_size;
    uint8_t value_fill;
};

struct key {
    uint32_t cache;
    uint8_t octets[KEY_SIZE_MAX];
    size_t size;
    struct table_key found; /* as the store wants it */
    struct event *events;
    size_t event_count;
    size_t event_capacity;
};

struct clears {
    uint64_t *versions;
    size_t count;
};

struct walker {
    bool runs;
    uint64_t view;
    struct store_place place;
    uint8_t place_key[KEY_SIZE_MAX];
    size_t seen; /* entries of the expected listing met so far */
};

struct model {
    uint64_t seed;
    uint64_t random;
    unsigned step;
    struct lab_alloc memory;
    struct slab *slab;
    struct store *store;
    struct key keys[KEYS_MAX]; /* in the order of a walk */
    size_t key_count;
    struct clears clears[CACHES];
    uint64_t last; /* version staged last */
    uint64_t committed;
    uint64_t published;
    uint64_t pins[VIEWS_MAX];
    size_t pin_count;
    struct walker walkers[WALKERS];
    uint64_t visible[CACHES];
};

_Noreturn static void failed(const struct model *m, const char *condition)
{
    fail_msg("seed %llu, step %u: not true: %s", (unsigned long long)m->seed, m->step, condition);
    abort(); /* not reached: so that the compiler knows */
}

#define CHECK(m, condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failed((m), #condition);                                                               \
        }                                                                                          \
    } while (0)

static uint32_t dice(struct model *m, uint32_t sides)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((m->random >> 33) % sides);
}

/* -- the model -- */

/* Last clear of the cache up to `view`. */
static uint64_t model_cleared(const struct model *m, uint32_t cache, uint64_t view)
{
    const struct clears *clears = &m->clears[cache];
    uint64_t last = 0;

    for (size_t i = 0; i < clears->count; i++) {
        if (clears->versions[i] <= view) {
            last = clears->versions[i];
        }
    }
    return last;
}

static const struct event *last_event(const struct key *key, uint64_t view)
{
    for (size_t i = key->event_count; i > 0; i--) {
        if (key->events[i - 1].version <= view) {
            return &key->events[i - 1];
        }
    }
    return NULL;
}

static const struct event *model_at(const struct model *m, const struct key *key, uint64_t view)
{
    const struct event *event = last_event(key, view);

    if (!event || !event->live || event->version < model_cleared(m, key->cache, view)) {
        return NULL;
    }
    return event;
}

static void model_add(struct key *key, struct event event)
{
    if (key->event_count == key->event_capacity) {
        key->event_capacity = key->event_capacity > 0 ? key->event_capacity * 2 : EVENTS_MIN;
        key->events = realloc(key->events, key->event_capacity * sizeof event);
        assert_non_null(key->events);
    }
    key->events[key->event_count++] = event;
}

static void model_rollback(struct model *m, uint64_t version)
{
    for (size_t i = 0; i < m->key_count; i++) {
        struct key *key = &m->keys[i];
        while (key->event_count > 0 && key->events[key->event_count - 1].version > version) {
            key->event_count--;
        }
    }
    for (size_t i = 0; i < CACHES; i++) {
        struct clears *clears = &m->clears[i];
        while (clears->count > 0 && clears->versions[clears->count - 1] > version) {
            clears->count--;
        }
    }
    m->last = version;
}

static size_t event_size(const struct key *key, const struct event *event)
{
    size_t expiry = event->live && event->expires_at_ms != NEVER ? ENTRY_EXPIRY_SIZE : 0;

    return ENTRY_HEADER_SIZE + expiry + key->size + (event->live ? event->value_size : 0);
}

/* -- comparing -- */

static void check_entry(struct model *m, const struct key *key, const struct event *event,
                        const struct entry *entry)
{
    CHECK(m, (event != NULL) == (entry != NULL));
    if (!event || !entry) {
        return;
    }
    CHECK(m, entry->version == event->version);
    CHECK(m, entry_expires_at_ms(entry) == event->expires_at_ms);
    CHECK(m, bytes_equal(entry_key(entry), key->found.key));
    struct bytes value = entry_value(entry);
    CHECK(m, value.size == event->value_size);
    for (size_t i = 0; i < value.size; i++) {
        CHECK(m, value.data[i] == event->value_fill);
    }
}

static void check_newest(struct model *m, const struct key *key)
{
    struct store_found found = store_newest(m->store, &key->found);
    const struct event *event = model_at(m, key, UINT64_MAX);
    const struct event *last = last_event(key, UINT64_MAX);
    uint64_t cleared = model_cleared(m, key->cache, UINT64_MAX);
    uint64_t decided = last && last->version > cleared ? last->version : cleared;

    check_entry(m, key, event, found.entry);
    if (event) {
        CHECK(m, found.decided_by == event->version);
    } else if (found.decided_by != 0) {
        CHECK(m, found.decided_by == decided);
    } else { /* not known: so nothing may wait for a commit */
        CHECK(m, !model_at(m, key, m->committed));
        CHECK(m, !last || last->version <= m->committed);
    }
}

/* Views held, each once. */
static size_t held_views(const struct model *m, uint64_t views[VIEWS_MAX])
{
    size_t count = 0;

    views[count++] = m->published;
    for (size_t i = 0; i < m->pin_count; i++) {
        bool known = false;
        for (size_t j = 0; j < count; j++) {
            known = known || views[j] == m->pins[i];
        }
        if (!known) {
            views[count++] = m->pins[i];
        }
    }
    return count;
}

struct listing {
    struct model *m;
    uint64_t view;
    size_t at;     /* position among the keys */
    unsigned left; /* entries to visit before it is enough */
};

static bool meet(void *context, const struct entry *entry)
{
    struct listing *listing = context;
    struct model *m = listing->m;

    while (listing->at < m->key_count && !model_at(m, &m->keys[listing->at], listing->view)) {
        listing->at++;
    }
    CHECK(m, listing->at < m->key_count);
    const struct key *key = &m->keys[listing->at++];
    CHECK(m, key->cache == entry->cache);
    check_entry(m, key, model_at(m, key, listing->view), entry);
    return --listing->left > 0;
}

/* No entry of the listing is left over. */
static void check_listing_ends(struct model *m, const struct listing *listing)
{
    for (size_t at = listing->at; at < m->key_count; at++) {
        CHECK(m, !model_at(m, &m->keys[at], listing->view));
    }
}

static void check_view(struct model *m, uint64_t view)
{
    struct listing listing = {.m = m, .view = view, .left = UINT32_MAX};
    struct store_place place = {0};

    for (size_t i = 0; i < m->key_count; i++) {
        const struct key *key = &m->keys[i];
        check_entry(m, key, model_at(m, key, view), store_at(m->store, &key->found, view));
    }
    size_t slots_max = dice(m, 2) ? SIZE_MAX : 1 + dice(m, 40);
    while (!store_walk(m->store, view, &place, slots_max, meet, &listing)) {
    }
    check_listing_ends(m, &listing);
}

static void check_figures(struct model *m)
{
    uint64_t count = 0;

    for (uint32_t cache = 0; cache < CACHES; cache++) {
        struct store_cache expected = {.cache = cache, .visible = m->visible[cache]};
        for (size_t i = 0; i < m->key_count; i++) {
            const struct key *key = &m->keys[i];
            const struct event *event = model_at(m, key, m->committed);
            if (key->cache == cache && event) {
                expected.entries++;
                expected.bytes += event_size(key, event);
            }
        }
        struct store_cache found = store_cache_figures(m->store, cache);
        CHECK(m, found.entries == expected.entries);
        CHECK(m, found.bytes == expected.bytes);
        CHECK(m, found.visible == expected.visible);
        count += expected.entries;
    }
    CHECK(m, store_count_all(m->store) == count);
}

/* Does a held view have `event`, which `next` replaced, as the last of its key? */
static bool shown(const struct model *m, const struct key *key, const struct event *event,
                  uint64_t next)
{
    uint64_t views[VIEWS_MAX];
    size_t count = held_views(m, views);

    for (size_t i = 0; i < count; i++) {
        if (event->version <= views[i] && views[i] < next &&
            event->version >= model_cleared(m, key->cache, views[i])) {
            return true;
        }
    }
    return false;
}

/* What must be kept of old versions of a key. A tombstone on which others are staged may be there
 * without need: `*perhaps`. */
static size_t history_of(const struct model *m, const struct key *key, size_t *perhaps)
{
    size_t bytes = 0;
    bool older = false;

    for (size_t i = 0; i < key->event_count && key->events[i].version <= m->committed; i++) {
        const struct event *event = &key->events[i];
        bool last = i + 1 == key->event_count;
        bool newest = last || key->events[i + 1].version > m->committed;
        if (newest ? !event->live && older
                   : (event->live || older) && shown(m, key, event, event[1].version)) {
            bytes += event_size(key, event);
            older = true;
        } else if (newest && !last && !event->live) {
            *perhaps += event_size(key, event);
        }
    }
    return bytes;
}

static void check_history(struct model *m)
{
    size_t bytes = 0;
    size_t perhaps = 0;

    for (size_t i = 0; i < m->key_count; i++) {
        bytes += history_of(m, &m->keys[i], &perhaps);
    }
    CHECK(m, store_history_bytes(m->store) >= bytes);
    CHECK(m, store_history_bytes(m->store) <= bytes + perhaps);
}

static bool clear_staged(const struct model *m)
{
    for (uint32_t cache = 0; cache < CACHES; cache++) {
        if (model_cleared(m, cache, UINT64_MAX) > m->committed) {
            return true;
        }
    }
    return false;
}

static int64_t earliest(const struct model *m)
{
    int64_t first_ms = NEVER;

    for (size_t i = 0; i < m->key_count; i++) {
        const struct event *event = model_at(m, &m->keys[i], UINT64_MAX);
        if (event && event->expires_at_ms < first_ms) {
            first_ms = event->expires_at_ms;
        }
    }
    return first_ms;
}

static void check_all(struct model *m)
{
    uint64_t views[VIEWS_MAX];
    size_t count = held_views(m, views);

    for (size_t i = 0; i < m->key_count; i++) {
        const struct key *key = &m->keys[i];
        check_newest(m, key);
        check_entry(m, key, model_at(m, key, m->committed), store_committed(m->store, &key->found));
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(m, store_view_held(m->store, views[i]));
        check_view(m, views[i]);
    }
    check_figures(m);
    check_history(m);
    CHECK(m, store_view(m->store) == m->published);
    CHECK(m, store_next_expiry_ms(m->store) <= earliest(m));
}

/* -- steps -- */

static int64_t some_time(struct model *m)
{
    return 1000 + (int64_t)m->step + (int64_t)dice(m, 200);
}

static struct effect some_effect(struct model *m, struct key *key, uint8_t value[VALUE_MAX])
{
    static const uint8_t kinds[] = {EFFECT_PUT, EFFECT_PUT,    EFFECT_PUT,    EFFECT_PUT,
                                    EFFECT_PUT, EFFECT_REMOVE, EFFECT_REMOVE, EFFECT_TOUCH};
    struct effect effect = {
        .kind = kinds[dice(m, sizeof kinds)],
        .cache = key->cache,
        .expires_at_ms = dice(m, 3) ? NEVER : some_time(m),
        .key = key->found.key,
    };

    if (dice(m, 90) == 0) {
        effect.kind = EFFECT_CLEAR;
    }
    if (effect.kind == EFFECT_PUT) {
        effect.value = bytes_of(value, dice(m, VALUE_MAX));
        memset(value, (int)dice(m, 256), VALUE_MAX);
    }
    return effect;
}

static void model_apply(struct model *m, struct key *key, const struct effect *effect,
                        uint64_t version)
{
    struct event event = {.version = version, .expires_at_ms = effect->expires_at_ms};

    if (effect->kind == EFFECT_CLEAR) {
        struct clears *clears = &m->clears[key->cache];
        clears->versions =
            realloc(clears->versions, (clears->count + 1) * sizeof *clears->versions);
        assert_non_null(clears->versions);
        clears->versions[clears->count++] = version;
        return;
    }
    event.live = effect->kind != EFFECT_REMOVE;
    event.value_size = effect->value.size;
    event.value_fill = effect->value.size > 0 ? effect->value.data[0] : 0;
    if (effect->kind == EFFECT_TOUCH) {
        const struct event *touched = model_at(m, key, UINT64_MAX);
        CHECK(m, touched);
        event.value_size = touched->value_size;
        event.value_fill = touched->value_fill;
    }
    model_add(key, event);
}

/* Stage one effect. False: no memory. */
static bool stage(struct model *m, struct key *key, const struct effect *effect, uint64_t version)
{
    enum qn_status status = store_stage(m->store, effect, version);

    if (status == QN_MEMORY_FULL) {
        CHECK(m, m->memory.refused > 0);
        return false;
    }
    if (status == QN_ABSENT) {
        CHECK(m, effect->kind == EFFECT_TOUCH && !model_at(m, key, UINT64_MAX));
        return true;
    }
    CHECK(m, status == QN_OK);
    model_apply(m, key, effect, version);
    return true;
}

/* A record of some effects, sometimes short of memory: then it is taken back. */
static void stage_record(struct model *m)
{
    uint64_t version = m->last + 1 + (dice(m, 4) == 0);
    uint64_t before = m->last;
    uint8_t value[VALUE_MAX];

    m->memory.refused = 0;
    m->memory.grants = dice(m, 20) == 0 ? dice(m, 4) : SIZE_MAX;
    for (uint32_t left = 1 + dice(m, 4); left > 0; left--) {
        struct key *key = &m->keys[dice(m, (uint32_t)m->key_count)];
        struct effect effect = some_effect(m, key, value);
        if (!stage(m, key, &effect, version)) {
            store_rollback(m->store, before);
            model_rollback(m, before);
            break;
        }
        m->last = version;
    }
    m->memory.grants = SIZE_MAX;
}

static void commit(struct model *m)
{
    uint64_t version = m->committed + dice(m, (uint32_t)(m->last - m->committed) + 1);

    m->memory.grants = dice(m, 2) ? SIZE_MAX : 0; /* needs none */
    store_commit(m->store, version);
    m->memory.grants = SIZE_MAX;
    m->committed = version;
}

static void rollback(struct model *m)
{
    uint64_t version = m->committed + dice(m, (uint32_t)(m->last - m->committed) + 1);

    m->memory.grants = dice(m, 2) ? SIZE_MAX : 0;
    store_rollback(m->store, version);
    m->memory.grants = SIZE_MAX;
    model_rollback(m, version);
}

static void publish(struct model *m)
{
    store_publish(m->store, m->committed);
    m->published = m->committed;
    memset(m->visible, 0, sizeof m->visible);
    for (size_t i = 0; i < m->key_count; i++) {
        const struct key *key = &m->keys[i];
        m->visible[key->cache] += model_at(m, key, m->published) != NULL;
    }
}

static bool pin(struct model *m, uint64_t view)
{
    bool known = view == m->published || view == m->committed;
    bool pinned = false;

    for (size_t i = 0; i < m->pin_count; i++) {
        pinned = pinned || m->pins[i] == view;
    }
    if (m->pin_count == VIEWS_MAX) {
        return false;
    }
    enum qn_status status = store_pin(m->store, view);
    if (status == QN_OVERLOADED) {
        CHECK(m, !pinned && store_pin_count(m->store) == STORE_PINS_MAX);
        return false;
    }
    CHECK(m, status == (known || pinned ? QN_OK : QN_CURSOR_EXPIRED));
    if (status == QN_OK) {
        m->pins[m->pin_count++] = view;
    }
    return status == QN_OK;
}

static void unpin(struct model *m, size_t i)
{
    uint64_t view = m->pins[i];

    m->pins[i] = m->pins[--m->pin_count];
    store_unpin(m->store, view);
}

static void pin_or_unpin(struct model *m)
{
    uint64_t choices[] = {m->published, m->committed, m->committed / 2};

    /* the walkers' pins stand where they can be found by their view */
    if (m->pin_count > WALKERS && dice(m, 2)) {
        size_t i = dice(m, (uint32_t)m->pin_count);
        size_t holders = 0;
        bool walked = false;
        for (size_t j = 0; j < m->pin_count; j++) {
            holders += m->pins[j] == m->pins[i];
        }
        for (size_t j = 0; j < WALKERS; j++) {
            walked = walked || (m->walkers[j].runs && m->walkers[j].view == m->pins[i]);
        }
        if (!walked || holders > WALKERS) {
            unpin(m, i);
        }
        return;
    }
    (void)pin(m, choices[dice(m, 3)]);
}

static void walker_end(struct model *m, struct walker *walker)
{
    walker->runs = false;
    for (size_t i = 0; i < m->pin_count; i++) {
        if (m->pins[i] == walker->view) {
            unpin(m, i);
            return;
        }
    }
    failed(m, "the walker's view is pinned");
}

/* A walk in slices, with whatever happens between them. */
static void walk_on(struct model *m)
{
    struct walker *walker = &m->walkers[dice(m, WALKERS)];

    if (!walker->runs) {
        uint64_t view = dice(m, 2) ? m->published : m->committed;
        if (pin(m, view)) {
            *walker = (struct walker){.runs = true, .view = view};
        }
        return;
    }
    struct listing listing = {
        .m = m, .view = walker->view, .at = walker->seen, .left = 1 + dice(m, 12)};
    bool end = store_walk(m->store, walker->view, &walker->place, 1 + dice(m, 60), meet, &listing);
    walker->seen = listing.at;
    if (end) {
        check_listing_ends(m, &listing);
        walker_end(m, walker);
    } else if (walker->place.key.size > 0) {
        memcpy(walker->place_key, walker->place.key.data, walker->place.key.size);
        walker->place.key.data = walker->place_key;
    }
}

static struct key *key_of(struct model *m, const struct entry *entry)
{
    for (size_t i = 0; i < m->key_count; i++) {
        struct key *key = &m->keys[i];
        if (key->cache == entry->cache && bytes_equal(key->found.key, entry_key(entry))) {
            return key;
        }
    }
    failed(m, "the entry has a key of the model");
}

/* Remove what is due, the earliest first. */
static void expire(struct model *m)
{
    int64_t time_ms = 1000 + (int64_t)m->step;
    uint64_t version = m->last + 1;
    const struct entry *entry;

    while ((entry = store_expired(m->store, time_ms)) != NULL) {
        struct key *key = key_of(m, entry);
        const struct event *event = model_at(m, key, UINT64_MAX);
        CHECK(m, event);
        CHECK(m, event->expires_at_ms <= time_ms);
        check_entry(m, key, event, entry);
        CHECK(m, event->expires_at_ms == earliest(m) || clear_staged(m));
        struct effect effect = {.kind = EFFECT_REMOVE, .cache = key->cache, .key = key->found.key};
        CHECK(m, stage(m, key, &effect, version));
        m->last = version;
    }
    CHECK(m, earliest(m) > time_ms || clear_staged(m));
}

static void step(struct model *m)
{
    uint32_t choice = dice(m, 100);

    if (choice < 50) {
        stage_record(m);
    } else if (choice < 70) {
        commit(m);
    } else if (choice < 74) {
        rollback(m);
    } else if (choice < 79) {
        publish(m);
    } else if (choice < 84) {
        pin_or_unpin(m);
    } else if (choice < 92) {
        walk_on(m);
    } else if (choice < 97) {
        (void)store_sweep(m->store, 1 + dice(m, 30));
    } else {
        expire(m);
    }
}

/* -- keys -- */

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;

    if (a->found.tag != b->found.tag) {
        return a->found.tag < b->found.tag ? -1 : 1;
    }
    if (a->cache != b->cache) {
        return a->cache < b->cache ? -1 : 1;
    }
    size_t common = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->octets, b->octets, common);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static struct key make_key(uint32_t number)
{
    struct key key = {.cache = number % CACHES};

    key.size = (size_t)snprintf((char *)key.octets, sizeof key.octets, "%x", number);
    key.found = store_key(key.cache, bytes_of(key.octets, key.size));
    return key;
}

struct tagged {
    uint32_t tag;
    uint32_t number;
};

static int compare_tags(const void *left, const void *right)
{
    const struct tagged *a = left;
    const struct tagged *b = right;

    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Numbers of keys with the tag of another key, in pairs. */
static void find_twins(uint32_t twins[TWINS])
{
    enum { TRIED = 400000 };
    struct tagged *tagged = calloc(TRIED, sizeof *tagged);
    size_t count = 0;

    assert_non_null(tagged);
    for (uint32_t i = 0; i < TRIED; i++) {
        tagged[i] = (struct tagged){.tag = make_key(i).found.tag, .number = i};
    }
    qsort(tagged, TRIED, sizeof *tagged, compare_tags);
    for (size_t i = 1; i < TRIED && count < TWINS; i++) {
        if (tagged[i].tag == tagged[i - 1].tag) {
            twins[count++] = tagged[i - 1].number;
            twins[count++] = tagged[i].number;
        }
    }
    free(tagged);
    assert_int_equal(count, TWINS);
}

static void make_keys(struct model *m, const uint32_t twins[TWINS], size_t count)
{
    for (uint32_t i = 0; i < TWINS; i++) {
        m->keys[i] = make_key(twins[i]);
    }
    for (uint32_t i = TWINS; i < count; i++) {
        m->keys[i] = make_key(1000000 + i * 7);
    }
    m->key_count = count;
    qsort(m->keys, count, sizeof *m->keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        m->keys[i].found.key.data = m->keys[i].octets;
    }
}

/* -- a run -- */

static bool copy_entry(void *context, const struct entry *entry)
{
    struct effect effect = {
        .kind = EFFECT_PUT,
        .flags = entry->flags,
        .cache = entry->cache,
        .expires_at_ms = entry_expires_at_ms(entry),
        .key = entry_key(entry),
        .value = entry_value(entry),
    };

    assert_int_equal(store_restore(context, &effect, entry->version), QN_OK);
    assert_int_equal(store_restore(context, &effect, entry->version), QN_CORRUPT);
    return true;
}

/* What a view shows, put into another store, is the same there. The model goes on with the copy. */
static void move_to_copy(struct model *m)
{
    struct store *copy = NULL;
    struct store_place place = {0};

    assert_int_equal(store_create(slab_alloc(m->slab), &copy), QN_OK);
    assert_true(store_walk(m->store, m->published, &place, SIZE_MAX, copy_entry, copy));
    store_destroy(m->store);
    m->store = copy;
    store_publish(copy, m->published);
    for (size_t i = 0; i < m->key_count; i++) { /* it knows nothing else */
        const struct event *event = model_at(m, &m->keys[i], m->published);
        struct event kept = event ? *event : (struct event){0};
        m->keys[i].event_count = 0;
        if (event) {
            model_add(&m->keys[i], kept);
        }
    }
    for (size_t i = 0; i < CACHES; i++) {
        m->clears[i].count = 0;
    }
    check_all(m);
}

/* Everything staged is committed and shown, and no view is pinned. */
static void settle(struct model *m)
{
    store_commit(m->store, m->last);
    m->committed = m->last;
    publish(m);
    for (size_t i = 0; i < WALKERS; i++) {
        m->walkers[i].runs = false;
    }
    while (m->pin_count > 0) {
        unpin(m, dice(m, (uint32_t)m->pin_count));
    }
    check_all(m);
    CHECK(m, store_history_bytes(m->store) == 0);
}

static void clear_everything(struct model *m, size_t empty_bytes)
{
    for (uint32_t cache = 0; cache < CACHES; cache++) {
        struct effect effect = {.kind = EFFECT_CLEAR, .cache = cache};
        struct key key = {.cache = cache};
        CHECK(m, stage(m, &key, &effect, m->last + 1));
        m->last++;
    }
    settle(m);
    CHECK(m, store_count_all(m->store) == 0);
    while (store_sweep(m->store, 1 + dice(m, 5))) {
    }
    publish(m);
    check_all(m);
    CHECK(m, slab_alloc(m->slab)->bytes < empty_bytes + 8192);
}

static void run(uint64_t seed, const uint32_t twins[TWINS], size_t key_count, unsigned steps)
{
    struct model *m = calloc(1, sizeof *m);

    assert_non_null(m);
    print_message("seed %llu\n", (unsigned long long)seed);
    m->seed = seed;
    m->random = seed * UINT64_C(0x9e3779b97f4a7c15);
    lab_alloc_init(&m->memory);
    m->slab = slab_create(&m->memory.alloc);
    assert_non_null(m->slab);
    assert_int_equal(store_create(slab_alloc(m->slab), &m->store), QN_OK);
    size_t empty_bytes = slab_alloc(m->slab)->bytes;
    make_keys(m, twins, key_count);
    for (m->step = 0; m->step < steps; m->step++) {
        step(m);
        if (m->step % 16 == 0) {
            check_all(m);
        }
        if (m->step % 1024 == 1023) {
            settle(m);
            if (dice(m, 2)) {
                move_to_copy(m);
            } else {
                clear_everything(m, empty_bytes);
            }
        }
    }
    check_all(m);
    store_destroy(m->store); /* amid everything */
    slab_destroy(m->slab);
    CHECK(m, m->memory.heap.bytes == 0);
    for (size_t i = 0; i < m->key_count; i++) {
        free(m->keys[i].events);
    }
    for (size_t i = 0; i < CACHES; i++) {
        free(m->clears[i].versions);
    }
    free(m);
}

/* Whatever happens, the store shows in every view what the model shows, with few keys, so that each
 * has a long history. */
static void it_does_what_the_model_does_with_few_keys(void **state)
{
    uint32_t twins[TWINS];

    (void)state;
    find_twins(twins);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run(seed, twins, TWINS + seed, 4000);
    }
}

/* The same with more keys: tables grow, shrink and move while walks are under way. */
static void it_does_what_the_model_does_with_many_keys(void **state)
{
    uint32_t twins[TWINS];

    (void)state;
    find_twins(twins);
    for (uint64_t seed = 101; seed <= 106; seed++) {
        run(seed, twins, 50 + (seed - 100) * 58, 6000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_does_what_the_model_does_with_few_keys),
        cmocka_unit_test(it_does_what_the_model_does_with_many_keys),
    };
    return RUN_TESTS(tests);
}

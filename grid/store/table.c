#include "grid/store/table.h"

#include "wire/assert.h"
#include "wire/hash.h"

enum {
    SLOTS_MIN = 16,
    DRAIN_STEP = 32, /* slots moved per change: done long before the next growth is due */
    SLOT_SIZE = sizeof(struct entry *) + sizeof(uint32_t),
};

#define NOT_FOUND SIZE_MAX

uint32_t table_tag(uint32_t cache, struct bytes key)
{
    /* All keys of a partition agree in hash mod P, and one key may be in many caches: multiply, so
     * that every bit reaches the upper half. */
    uint64_t hash = hash_key(key) ^ (uint64_t)cache * UINT64_C(0xd6e8feb86659fd93);

    hash ^= hash >> 32;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    uint32_t tag = (uint32_t)(hash >> 32);
    return tag ? tag : 1;
}

/* Slot where an entry with this tag would stand if nothing were in its way. */
static size_t home_of(const struct table_slots *slots, uint32_t tag)
{
    return (size_t)((uint64_t)tag * slots->slot_count >> 32);
}

/* How far slot `at` is from the home of `tag`, going round the end. */
static size_t distance(const struct table_slots *slots, uint32_t tag, size_t at)
{
    size_t home = home_of(slots, tag);

    return at >= home ? at - home : at + slots->slot_count - home;
}

/* Does slot `at` have an entry? */
static bool taken(const struct table_slots *slots, size_t at)
{
    return slots->tags[at] != 0 && slots->entries[at];
}

static bool holds(const struct entry *entry, const struct table_key *key)
{
    return entry && entry->cache == key->cache && bytes_equal(entry_key(entry), key->key);
}

/* Slot of `key` among the slots from `begin` on, NOT_FOUND when it is not there. */
static size_t search(const struct table_slots *slots, size_t begin, const struct table_key *key)
{
    if (slots->used == 0) {
        return NOT_FOUND;
    }
    size_t at = home_of(slots, key->tag);
    at = at > begin ? at : begin;
    size_t probes = slots->slot_count - begin;
    for (; probes > 0; probes--) {
        uint32_t tag = slots->tags[at];
        if (tag == key->tag) {
            if (holds(slots->entries[at], key)) {
                return at;
            }
        } else if (tag == 0 || distance(slots, tag, at) < distance(slots, key->tag, at)) {
            return NOT_FOUND;
        }
        at = at + 1 < slots->slot_count ? at + 1 : begin;
    }
    return NOT_FOUND;
}

/* Place of the pointer to the entry of `key`, NULL when it is not there. */
static struct entry **place_of(const struct table *table, const struct table_key *key)
{
    size_t at = search(&table->now, 0, key);

    if (at != NOT_FOUND) {
        return &table->now.entries[at];
    }
    at = search(&table->old, table->drained, key);
    return at != NOT_FOUND ? &table->old.entries[at] : NULL;
}

/* Put in what is not there yet: at its place in the order, those behind it move up by one. */
static void insert(struct table_slots *slots, uint32_t tag, struct entry *entry)
{
    size_t at = home_of(slots, tag);

    qn_assert(slots->used < slots->slot_count);
    while (slots->tags[at] != 0) {
        if (distance(slots, slots->tags[at], at) < distance(slots, tag, at)) {
            uint32_t tag_there = slots->tags[at];
            struct entry *entry_there = slots->entries[at];
            slots->tags[at] = tag;
            slots->entries[at] = entry;
            tag = tag_there;
            entry = entry_there;
        }
        at = at + 1 < slots->slot_count ? at + 1 : 0;
    }
    slots->tags[at] = tag;
    slots->entries[at] = entry;
    slots->used++;
}

/* Empty slot `at`: those behind it that are not at home move back by one. */
static void erase(struct table_slots *slots, size_t at)
{
    for (;;) {
        size_t next = at + 1 < slots->slot_count ? at + 1 : 0;
        if (slots->tags[next] == 0 || distance(slots, slots->tags[next], next) == 0) {
            break;
        }
        slots->tags[at] = slots->tags[next];
        slots->entries[at] = slots->entries[next];
        at = next;
    }
    slots->tags[at] = 0;
    slots->used--;
}

static void slots_release(struct table *table, struct table_slots *slots)
{
    alloc_put(table->alloc, slots->entries, slots->slot_count * SLOT_SIZE);
    *slots = (struct table_slots){0};
}

/* Move up to `step` slots of the old table over; give it back when it is empty. */
static void drain(struct table *table, size_t step)
{
    struct table_slots *old = &table->old;

    if (old->slot_count == 0) {
        return;
    }
    for (; step > 0 && table->drained < old->slot_count; step--) {
        size_t at = table->drained++;
        if (taken(old, at)) {
            insert(&table->now, old->tags[at], old->entries[at]);
            old->used--;
        }
    }
    if (table->drained == old->slot_count) {
        qn_assert(old->used == 0);
        slots_release(table, old);
        table->drained = 0;
    }
}

/* Begin to move to a table of `slot_count` slots. */
static enum qn_status resize(struct table *table, size_t slot_count)
{
    struct table_slots next = {.slot_count = slot_count};

    qn_assert(table->old.slot_count == 0);
    next.entries = alloc_get(table->alloc, slot_count * SLOT_SIZE);
    if (!next.entries) {
        return QN_MEMORY_FULL;
    }
    next.tags = (uint32_t *)(void *)(next.entries + slot_count);
    memset(next.tags, 0,
           slot_count * sizeof *next.tags); /* the entries of empty slots are not read */
    table->old = table->now;
    table->now = next;
    table->drained = 0;
    return QN_OK;
}

void table_init(struct table *table, struct alloc *alloc)
{
    *table = (struct table){.alloc = alloc};
}

void table_fini(struct table *table)
{
    slots_release(table, &table->now);
    slots_release(table, &table->old);
}

struct entry *table_find(const struct table *table, const struct table_key *key)
{
    struct entry **place = place_of(table, key);

    return place ? *place : NULL;
}

enum qn_status table_reserve(struct table *table)
{
    size_t slot_count = table->now.slot_count;

    drain(table, DRAIN_STEP);
    if (table_count(table) + 1 <= slot_count - slot_count / 8) {
        return QN_OK;
    }
    drain(table, SIZE_MAX);
    enum qn_status status =
        resize(table, slot_count > 0 ? slot_count + slot_count / 2 : (size_t)SLOTS_MIN);
    if (status != QN_OK && table_count(table) + 1 < slot_count) {
        return QN_OK; /* slower, but there is still room */
    }
    drain(table, DRAIN_STEP);
    return status;
}

struct entry *table_put(struct table *table, const struct table_key *key, struct entry *entry)
{
    struct entry **place = place_of(table, key);

    if (place) {
        struct entry *replaced = *place;
        *place = entry;
        return replaced;
    }
    insert(&table->now, key->tag, entry);
    return NULL;
}

/* Leave for a smaller table when seven slots of eight are empty. Only an economy: may fail. */
static void shrink(struct table *table)
{
    size_t slot_count = table->now.slot_count;

    if (table->old.slot_count == 0 && slot_count > SLOTS_MIN && table->now.used <= slot_count / 8) {
        size_t half = slot_count / 2 > SLOTS_MIN ? slot_count / 2 : SLOTS_MIN;
        if (resize(table, half) != QN_OK) {
            return;
        }
    }
    drain(table, DRAIN_STEP);
}

void table_remove(struct table *table, const struct table_key *key)
{
    size_t at = search(&table->now, 0, key);

    if (at != NOT_FOUND) {
        erase(&table->now, at);
    } else {
        at = search(&table->old, table->drained, key);
        qn_assert(at != NOT_FOUND);
        /* The tag stays, as the order depends on it; it goes with the table. */
        table->old.entries[at] = NULL;
        table->old.used--;
    }
    shrink(table);
}

static void each(const struct table_slots *slots, size_t begin,
                 void (*visit)(void *context, struct entry *entry), void *context)
{
    for (size_t at = begin; at < slots->slot_count; at++) {
        if (taken(slots, at)) {
            visit(context, slots->entries[at]);
        }
    }
}

void table_each(const struct table *table, void (*visit)(void *context, struct entry *entry),
                void *context)
{
    each(&table->old, table->drained, visit, context);
    each(&table->now, 0, visit, context);
}

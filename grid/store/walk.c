#include "grid/store/internal.h"
#include "wire/assert.h"

struct walk {
    const struct store *store;
    uint64_t view;
    struct store_place *place;
    struct table_walk slots;
    size_t slots_max;
    bool (*visit)(void *context, const struct entry *entry);
    void *context;
};

/* Do cache and key of `a` come before those of `b`? */
static bool before(uint32_t cache_a, struct bytes a, uint32_t cache_b, struct bytes b)
{
    if (cache_a != cache_b) {
        return cache_a < cache_b;
    }
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order < 0 : a.size < b.size;
}

/* Of the entries with the tag of `place`, the one next behind it; NULL when there is none. */
static const struct entry *next_of_tag(const struct table *table, const struct store_place *place)
{
    const struct entry *next = NULL;
    struct table_walk walk = {0};

    table_walk_begin(&walk, table, place->tag);
    while (table_walk_tag(&walk) == place->tag) {
        const struct entry *entry = table_walk_step(&walk);
        if (before(place->cache, place->key, entry->cache, entry_key(entry)) &&
            (!next || before(entry->cache, entry_key(entry), next->cache, entry_key(next)))) {
            next = entry;
        }
    }
    return next;
}

/* Move behind `entry` and show what the view has there. False: the visitor has enough. */
static bool show(struct walk *walk, const struct entry *entry)
{
    const struct entry *shown = entry_at(walk->store, entry, walk->view);

    walk->place->cache = entry->cache;
    walk->place->key = entry_key(entry);
    return !shown || walk->visit(walk->context, shown);
}

/* Show the entries behind `place` that have its tag. False: it ends here. */
static bool show_tag(struct walk *walk)
{
    while (walk->slots.looked < walk->slots_max) {
        const struct entry *entry = next_of_tag(&walk->store->table, walk->place);
        if (!entry) {
            return true;
        }
        walk->slots.looked++;
        if (!show(walk, entry)) {
            return false;
        }
    }
    return false;
}

/* Show the next entry, and all others of its tag. False: it ends here. */
static bool step(struct walk *walk)
{
    uint32_t tag = (uint32_t)table_walk_tag(&walk->slots);
    const struct entry *entry = table_walk_step(&walk->slots);

    *walk->place = (struct store_place){.tag = tag};
    if (table_walk_tag(&walk->slots) != tag) {
        return show(walk, entry);
    }
    /* Those of one tag have an order of their own. */
    walk->slots.looked--;
    if (!show_tag(walk)) {
        return false;
    }
    table_walk_begin(&walk->slots, &walk->store->table, (uint64_t)tag + 1);
    return true;
}

bool store_walk(const struct store *store, uint64_t view, struct store_place *place,
                size_t slots_max, bool (*visit)(void *context, const struct entry *entry),
                void *context)
{
    struct walk walk = {.store = store,
                        .view = view,
                        .place = place,
                        .slots_max = slots_max,
                        .visit = visit,
                        .context = context};
    uint64_t begin = place->tag;

    qn_assert(slots_max > 0);
    qn_assert(store_view_held(store, view));
    if (place->key.size > 0) {
        if (!show_tag(&walk)) {
            return false;
        }
        begin++;
    }
    table_walk_begin(&walk.slots, &store->table, begin);
    while (table_walk_tag(&walk.slots) < TABLE_WALK_END) {
        if (walk.slots.looked >= slots_max) {
            *place = (struct store_place){.tag = (uint32_t)table_walk_tag(&walk.slots)};
            return false;
        }
        if (!step(&walk)) {
            return false;
        }
    }
    return true;
}

#include "grid/store/table.h"

#include "wire/assert.h"
#include "wire/hash.h"

enum {
    PLACE_SIZE = sizeof(struct entry *) + sizeof(uint32_t),
    BLOCK_MIN = 64,
    BLOCK_FINE = 512, /* up to here blocks grow by BLOCK_MIN, then by an eighth of a power of two */
    RUN_MAX = 340,    /* in 4 KiB: a larger run is split */
    RUN_JOINED = RUN_MAX / 2, /* at most, so that it is not split again at once */
    RUN_SMALL = RUN_MAX / 5,  /* worth joining */
    RUNS_MIN = 4,
    STRIDE = 8, /* first step from where a tag was guessed to be */
};

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

/* -- runs -- */

static struct entry **entries_of(const struct table_run *run)
{
    return (struct entry **)(void *)(run->tags + run->capacity);
}

/* Room in the smallest block for `count` entries: even, and more than `count` where it is to grow.
 */
static uint32_t capacity_for(uint32_t count)
{
    size_t size = BLOCK_MIN;
    size_t step = BLOCK_MIN;

    while (size / PLACE_SIZE / 2 * 2 < count) {
        if (size >= BLOCK_FINE && size >= 16 * step) {
            step *= 2;
        }
        size += step;
    }
    return (uint32_t)(size / PLACE_SIZE / 2 * 2);
}

/* A run without entries but with room; `tags` NULL: no memory. */
static struct table_run run_make(struct table *table, uint32_t first, uint32_t capacity)
{
    return (struct table_run){.first = first,
                              .capacity = capacity,
                              .tags = alloc_get(table->alloc, (size_t)capacity * PLACE_SIZE)};
}

static void run_release(struct table *table, const struct table_run *run)
{
    alloc_put(table->alloc, run->tags, (size_t)run->capacity * PLACE_SIZE);
}

/* Append `count` entries of `from`, beginning with number `at`. */
static void run_append(struct table_run *run, const struct table_run *from, uint32_t at,
                       uint32_t count)
{
    qn_assert(run->count + count <= run->capacity);
    memcpy(run->tags + run->count, from->tags + at, count * sizeof *run->tags);
    memcpy(entries_of(run) + run->count, entries_of(from) + at, count * sizeof(struct entry *));
    run->count += count;
}

/* Put the entries of a run into a block for `capacity`. */
static enum qn_status run_resize(struct table *table, struct table_run *run, uint32_t capacity)
{
    struct table_run other = run_make(table, run->first, capacity);

    if (!other.tags) {
        return QN_MEMORY_FULL;
    }
    run_append(&other, run, 0, run->count);
    run_release(table, run);
    *run = other;
    return QN_OK;
}

/* Number of the run that has `tag` in its range; there is one. It is not far from where it would be
 * if all had ranges of one size. */
static size_t run_of(const struct table *table, uint32_t tag)
{
    const struct table_run *runs = table->runs;
    size_t low = (size_t)((uint64_t)tag * table->run_count >> 32);
    size_t high = low;
    size_t stride = 1;

    if (runs[low].first <= tag) {
        high = low + stride;
        while (high < table->run_count && runs[high].first <= tag) {
            low = high;
            stride *= 2;
            high = low + stride;
        }
        high = high < table->run_count ? high : table->run_count;
    } else {
        low = high > stride ? high - stride : 0;
        while (runs[low].first > tag) {
            high = low;
            stride *= 2;
            low = high > stride ? high - stride : 0;
        }
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (runs[middle].first <= tag) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Where a tag would stand in run number `i` if the tags of its range were spread evenly. */
static size_t guess(const struct table *table, size_t i, uint32_t tag)
{
    const struct table_run *run = &table->runs[i];
    uint64_t end = i + 1 < table->run_count ? table->runs[i + 1].first : UINT64_C(1) << 32;

    return (size_t)((uint64_t)(tag - run->first) * run->count / (end - run->first));
}

/* Number of the first entry in run number `i` whose tag is at least `tag`. */
static size_t position(const struct table *table, size_t i, uint32_t tag)
{
    const struct table_run *run = &table->runs[i];
    size_t low = 0;
    size_t high = guess(table, i, tag);
    size_t stride = STRIDE;

    if (high < run->count && run->tags[high] < tag) {
        low = high + 1;
        while (low + stride <= run->count && run->tags[low + stride - 1] < tag) {
            low += stride;
            stride *= 2;
        }
        high = low + stride < run->count ? low + stride : run->count;
    } else {
        while (high > stride && run->tags[high - stride] >= tag) {
            high -= stride;
            stride *= 2;
        }
        low = high > stride ? high - stride : 0;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->tags[middle] < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Find the place of a key in run number `i`, or where it would be put. */
static bool search(const struct table *table, size_t i, const struct table_key *key, size_t *at)
{
    const struct table_run *run = &table->runs[i];

    for (*at = position(table, i, key->tag); *at < run->count && run->tags[*at] == key->tag;
         ++*at) {
        const struct entry *entry = entries_of(run)[*at];
        if (entry->cache == key->cache && bytes_equal(entry_key(entry), key->key)) {
            return true;
        }
    }
    return false;
}

/* -- the list of runs -- */

static enum qn_status reserve_run(struct table *table)
{
    if (table->run_count < table->run_capacity) {
        return QN_OK;
    }
    size_t capacity = table->run_capacity > 0 ? table->run_capacity * 2 : (size_t)RUNS_MIN;
    struct table_run *runs = alloc_get(table->alloc, capacity * sizeof *runs);
    if (!runs) {
        return QN_MEMORY_FULL;
    }
    if (table->run_count > 0) {
        memcpy(runs, table->runs, table->run_count * sizeof *runs);
    }
    alloc_put(table->alloc, table->runs, table->run_capacity * sizeof *runs);
    table->runs = runs;
    table->run_capacity = capacity;
    return QN_OK;
}

static void insert_run(struct table *table, size_t i, struct table_run run)
{
    memmove(&table->runs[i + 1], &table->runs[i], (table->run_count - i) * sizeof run);
    table->runs[i] = run;
    table->run_count++;
}

/* Leave its range to the run before it, or behind it if it is the first. */
static void erase_run(struct table *table, size_t i)
{
    table->run_count--;
    memmove(&table->runs[i], &table->runs[i + 1], (table->run_count - i) * sizeof *table->runs);
    if (table->run_count > 0) {
        table->runs[0].first = 0;
    } else {
        alloc_put(table->alloc, table->runs, table->run_capacity * sizeof *table->runs);
        table->runs = NULL;
        table->run_capacity = 0;
    }
}

/* Where to cut a run in two: between different tags, near its middle. 0: they are all equal. */
static uint32_t cut_of(const struct table_run *run)
{
    uint32_t middle = run->count / 2;

    for (uint32_t away = 0; away <= middle; away++) {
        if (middle - away > 0 && run->tags[middle - away] != run->tags[middle - away - 1]) {
            return middle - away;
        }
        if (middle + away < run->count &&
            run->tags[middle + away] != run->tags[middle + away - 1]) {
            return middle + away;
        }
    }
    return 0;
}

/* Make two of run number `i`, both with room. */
static enum qn_status split(struct table *table, size_t i, uint32_t cut)
{
    if (reserve_run(table) != QN_OK) {
        return QN_MEMORY_FULL;
    }
    struct table_run whole = table->runs[i];
    uint32_t rest = whole.count - cut;
    struct table_run left = run_make(table, whole.first, capacity_for(cut + 1));
    struct table_run right = run_make(table, whole.tags[cut], capacity_for(rest + 1));
    if (!left.tags || !right.tags) {
        run_release(table, &left);
        run_release(table, &right);
        return QN_MEMORY_FULL;
    }
    run_append(&left, &whole, 0, cut);
    run_append(&right, &whole, cut, rest);
    run_release(table, &whole);
    table->runs[i] = left;
    insert_run(table, i + 1, right);
    return QN_OK;
}

/* Join run number `i` with the one behind it. Only an economy: may fail. */
static void join(struct table *table, size_t i)
{
    const struct table_run left = table->runs[i];
    const struct table_run right = table->runs[i + 1];
    struct table_run both = run_make(table, left.first, capacity_for(left.count + right.count + 1));

    if (!both.tags) {
        return;
    }
    run_append(&both, &left, 0, left.count);
    run_append(&both, &right, 0, right.count);
    run_release(table, &left);
    run_release(table, &right);
    erase_run(table, i + 1);
    table->runs[i] = both;
}

static bool joinable(const struct table *table, size_t i)
{
    return i + 1 < table->run_count &&
           table->runs[i].count + table->runs[i + 1].count <= RUN_JOINED;
}

/* After a removal from run number `i`: give memory back when three eighths of it are not used. */
static void economize(struct table *table, size_t i)
{
    struct table_run *run = &table->runs[i];

    if (run->count == 0) {
        run_release(table, run);
        erase_run(table, i);
        return;
    }
    uint32_t fitting = capacity_for(run->count + 1);
    if (run->count > run->capacity / 8 * 5 || fitting >= run->capacity) {
        return;
    }
    if (run->count <= RUN_SMALL && joinable(table, i)) {
        join(table, i);
    } else if (run->count <= RUN_SMALL && i > 0 && joinable(table, i - 1)) {
        join(table, i - 1);
    } else {
        (void)run_resize(table, run, fitting); /* only an economy: may fail */
    }
}

/* -- the table -- */

void table_init(struct table *table, struct alloc *alloc)
{
    *table = (struct table){.alloc = alloc};
}

void table_fini(struct table *table)
{
    for (size_t i = 0; i < table->run_count; i++) {
        run_release(table, &table->runs[i]);
    }
    alloc_put(table->alloc, table->runs, table->run_capacity * sizeof *table->runs);
    table_init(table, table->alloc);
}

struct entry *table_find(const struct table *table, const struct table_key *key)
{
    size_t at;

    if (table->run_count == 0) {
        return NULL;
    }
    size_t i = run_of(table, key->tag);
    return search(table, i, key, &at) ? entries_of(&table->runs[i])[at] : NULL;
}

/* The first run of an empty table. It has no entry until one is put in. */
static enum qn_status begin(struct table *table)
{
    if (reserve_run(table) != QN_OK) {
        return QN_MEMORY_FULL;
    }
    struct table_run run = run_make(table, 0, capacity_for(1));
    if (!run.tags) {
        return QN_MEMORY_FULL;
    }
    insert_run(table, 0, run);
    return QN_OK;
}

enum qn_status table_reserve(struct table *table, uint32_t tag)
{
    if (table->run_count == 0) {
        return begin(table);
    }
    size_t i = run_of(table, tag);
    struct table_run *run = &table->runs[i];
    if (run->count < run->capacity) {
        return QN_OK;
    }
    uint32_t cut = run->count >= RUN_MAX ? cut_of(run) : 0;
    return cut > 0 ? split(table, i, cut) : run_resize(table, run, capacity_for(run->count + 1));
}

struct entry *table_put(struct table *table, const struct table_key *key, struct entry *entry)
{
    size_t at;

    qn_assert(table->run_count > 0);
    size_t i = run_of(table, key->tag);
    struct table_run *run = &table->runs[i];
    struct entry **entries = entries_of(run);
    if (search(table, i, key, &at)) {
        struct entry *replaced = entries[at];
        entries[at] = entry;
        return replaced;
    }
    qn_assert(run->count < run->capacity);
    memmove(run->tags + at + 1, run->tags + at, (run->count - at) * sizeof *run->tags);
    memmove(entries + at + 1, entries + at, (run->count - at) * sizeof(struct entry *));
    run->tags[at] = key->tag;
    entries[at] = entry;
    run->count++;
    table->count++;
    return NULL;
}

void table_remove(struct table *table, const struct table_key *key)
{
    size_t at;

    qn_assert(table->run_count > 0);
    size_t i = run_of(table, key->tag);
    struct table_run *run = &table->runs[i];
    struct entry **entries = entries_of(run);
    bool found = search(table, i, key, &at);
    qn_assert(found);
    run->count--;
    table->count--;
    memmove(run->tags + at, run->tags + at + 1, (run->count - at) * sizeof *run->tags);
    memmove(entries + at, entries + at + 1, (run->count - at) * sizeof(struct entry *));
    economize(table, i);
}

void table_each(const struct table *table, void (*visit)(void *context, struct entry *entry),
                void *context)
{
    for (size_t i = 0; i < table->run_count; i++) {
        for (size_t at = 0; at < table->runs[i].count; at++) {
            visit(context, entries_of(&table->runs[i])[at]);
        }
    }
}

/* -- walks -- */

/* Go on to the next run at the end of one. */
static void settle(struct table_walk *walk)
{
    while (walk->run < walk->table->run_count && walk->at == walk->table->runs[walk->run].count) {
        walk->run++;
        walk->at = 0;
    }
}

void table_walk_begin(struct table_walk *walk, const struct table *table, uint64_t tag)
{
    walk->table = table;
    walk->run = table->run_count;
    walk->at = 0;
    if (table->run_count > 0 && tag < TABLE_WALK_END) {
        walk->run = run_of(table, (uint32_t)tag);
        walk->at = position(table, walk->run, (uint32_t)tag);
    }
    settle(walk);
}

uint64_t table_walk_tag(const struct table_walk *walk)
{
    if (walk->run == walk->table->run_count) {
        return TABLE_WALK_END;
    }
    return walk->table->runs[walk->run].tags[walk->at];
}

struct entry *table_walk_step(struct table_walk *walk)
{
    qn_assert(walk->run < walk->table->run_count);
    struct entry *entry = entries_of(&walk->table->runs[walk->run])[walk->at];
    walk->at++;
    walk->looked++;
    settle(walk);
    return entry;
}

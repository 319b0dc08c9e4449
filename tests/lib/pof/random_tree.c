#include "tests/lib/pof/random_tree.h"

#include <math.h>

#include "wire/assert.h"
#include "wire/pof/decode.h"

enum { WIDTH_MAX = 6, TYPE_MAX = 2000 };

int32_t tree_type(struct dice *dice, unsigned depth)
{
    int32_t type;

    if (depth == 0 || dice_below(dice, 2) > 0) {
        return random_scalar_type(dice);
    }
    type = POF_COLLECTION - (int32_t)dice_below(dice, 11); /* to POF_UNIFORM_MAP, and one more */
    return type < POF_UNIFORM_MAP ? (int32_t)dice_below(dice, TYPE_MAX) : type;
}

static struct tree_node *add(struct tree *tree, struct pof_value value)
{
    struct tree_node *node = &tree->nodes[tree->count++];

    qn_assert(tree->count < TREE_NODES_MAX);
    *node = (struct tree_node){.value = value, .end = tree->count};
    return node;
}

static void grow_part(struct tree *tree, struct dice *dice, int32_t type, unsigned depth,
                      struct pof_value place);

/* A value of any type, mostly; sometimes null. */
static void grow_any(struct tree *tree, struct dice *dice, unsigned depth, struct pof_value place)
{
    int32_t type = dice_below(dice, 8) == 0 ? POF_SMALL_NULL : tree_type(dice, depth);

    grow_part(tree, dice, type, depth, place);
}

/* The parts of a container whose head is `at`: of the uniform type, or any. */
static void grow_parts(struct tree *tree, struct dice *dice, int32_t at, unsigned depth)
{
    struct tree_node *node = &tree->nodes[at];
    const struct pof_items items = node->value.as.items;
    enum pof_kind kind = node->value.kind;
    bool indexed = kind == POF_KIND_USER || kind == POF_KIND_SPARSE_ARRAY;
    int32_t index = 0;

    for (int32_t i = 0; i < node->parts; i++, index++) {
        struct pof_value place = {.is_key = kind == POF_KIND_MAP && i % 2 == 0};
        index += indexed ? (int32_t)dice_below(dice, 90) : 0;
        place.index = kind == POF_KIND_MAP ? i / 2 : index;
        bool bare = place.is_key ? items.uniform_keys : items.uniform;
        if (bare) {
            grow_part(tree, dice, place.is_key ? items.key_type : items.element_type, depth - 1,
                      place);
        } else {
            grow_any(tree, dice, depth - 1, place);
        }
    }
    if (kind == POF_KIND_SPARSE_ARRAY) {
        node->value.as.items.count = index;
    }
    node->end = tree->count;
}

static void grow_container(struct tree *tree, struct dice *dice, struct pof_value value,
                           unsigned depth)
{
    struct pof_items *items = &value.as.items;
    unsigned below = depth > 0 ? depth - 1 : 0;
    int32_t at = tree->count;
    int32_t count = (int32_t)dice_below(dice, depth > 0 ? WIDTH_MAX + 1 : 1);

    if (value.kind == POF_KIND_USER) {
        items->version = (int32_t)dice_below(dice, 3);
    } else {
        items->uniform_keys = value.type == POF_UNIFORM_KEYS_MAP || value.type == POF_UNIFORM_MAP;
        items->uniform = value.type == POF_UNIFORM_COLLECTION || value.type == POF_UNIFORM_ARRAY ||
                         value.type == POF_UNIFORM_SPARSE_ARRAY || value.type == POF_UNIFORM_MAP;
        items->key_type = items->uniform_keys ? tree_type(dice, below) : 0;
        items->element_type = items->uniform ? tree_type(dice, below) : 0;
        items->count = count;
    }
    add(tree, value)->parts = value.kind == POF_KIND_MAP ? 2 * count : count;
    grow_parts(tree, dice, at, depth);
}

/* A value of `type` at the index that `place` has. */
static void grow_part(struct tree *tree, struct dice *dice, int32_t type, unsigned depth,
                      struct pof_value place)
{
    struct pof_value value = {.type = type, .identity = -1};
    bool known = pof_decode_kind(type, &value.kind);

    qn_assert(known);
    if (type <= POF_INT16 && type >= POF_DAY_TIME_INTERVAL) {
        value = random_scalar(dice, type);
    }
    value.index = place.index;
    value.is_key = place.is_key;
    if (pof_kind_is_container(value.kind)) {
        grow_container(tree, dice, value, depth);
    } else {
        add(tree, value);
    }
}

void tree_grow(struct tree *tree, struct dice *dice, int32_t type, unsigned depth)
{
    tree->count = 0;
    grow_part(tree, dice, type, depth, (struct pof_value){.index = 0});
}

static int32_t write_node(const struct tree *tree, int32_t at, struct pof_writer *w, bool full,
                          int32_t index)
{
    const struct tree_node *node = &tree->nodes[at];
    bool indexed = node->value.kind == POF_KIND_USER || node->value.kind == POF_KIND_SPARSE_ARRAY;

    if (full) {
        pof_writer_full(w);
    }
    pof_write_value(w, index, &node->value);
    at++;
    for (int32_t i = 0; i < node->parts; i++) {
        at = write_node(tree, at, w, full, indexed ? tree->nodes[at].value.index : POF_NEXT);
    }
    if (pof_kind_is_container(node->value.kind)) {
        pof_end(w);
    }
    return at;
}

void tree_write(const struct tree *tree, struct pof_writer *w, bool full)
{
    write_node(tree, 0, w, full, POF_NEXT);
}

static bool int128_equal(struct pof_int128 a, struct pof_int128 b)
{
    return a.low == b.low && a.high == b.high;
}

static bool float_equal(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static bool date_equal(struct pof_date a, struct pof_date b)
{
    return a.year == b.year && a.month == b.month && a.day == b.day;
}

static bool time_equal(struct pof_time a, struct pof_time b)
{
    return a.hour == b.hour && a.minute == b.minute && a.second == b.second && a.nano == b.nano &&
           a.zone == b.zone && a.zone_hour == b.zone_hour && a.zone_minute == b.zone_minute;
}

static bool day_time_equal(struct pof_day_time a, struct pof_day_time b)
{
    return a.days == b.days && a.hours == b.hours && a.minutes == b.minutes &&
           a.seconds == b.seconds && a.nanos == b.nanos;
}

static bool items_equal(struct pof_items a, struct pof_items b)
{
    return a.count == b.count && a.version == b.version && a.uniform == b.uniform &&
           a.uniform_keys == b.uniform_keys && a.element_type == b.element_type &&
           a.key_type == b.key_type;
}

bool value_equal(const struct pof_value *a, const struct pof_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case POF_KIND_NULL:
        return true;
    case POF_KIND_BOOL:
        return a->as.boolean == b->as.boolean;
    case POF_KIND_OCTET:
        return a->as.octet == b->as.octet;
    case POF_KIND_CHAR:
        return a->as.character == b->as.character;
    case POF_KIND_INT16:
    case POF_KIND_INT32:
    case POF_KIND_INT64:
        return a->as.integer == b->as.integer;
    case POF_KIND_INT128:
        return int128_equal(a->as.int128, b->as.int128);
    case POF_KIND_FLOAT32:
        return float_equal((double)a->as.float32, (double)b->as.float32);
    case POF_KIND_FLOAT64:
        return float_equal(a->as.float64, b->as.float64);
    case POF_KIND_FLOAT128:
        return memcmp(a->as.float128, b->as.float128, sizeof a->as.float128) == 0;
    case POF_KIND_DECIMAL:
        return int128_equal(a->as.decimal.unscaled, b->as.decimal.unscaled) &&
               a->as.decimal.scale == b->as.decimal.scale;
    case POF_KIND_STRING:
        return bytes_equal(a->as.text, b->as.text);
    case POF_KIND_OCTETS:
        return bytes_equal(a->as.octets, b->as.octets);
    case POF_KIND_DATE:
        return date_equal(a->as.date, b->as.date);
    case POF_KIND_TIME:
        return time_equal(a->as.time, b->as.time);
    case POF_KIND_DATETIME:
        return date_equal(a->as.datetime.date, b->as.datetime.date) &&
               time_equal(a->as.datetime.time, b->as.datetime.time);
    case POF_KIND_YEAR_MONTH:
        return a->as.year_month.years == b->as.year_month.years &&
               a->as.year_month.months == b->as.year_month.months;
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
        return day_time_equal(a->as.day_time, b->as.day_time);
    case POF_KIND_REFERENCE:
        return a->as.reference == b->as.reference;
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        return items_equal(a->as.items, b->as.items);
    }
    return false;
}

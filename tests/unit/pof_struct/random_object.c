#include <float.h>
#include <math.h>

#include "tests/unit/pof_struct/random_struct.h"

struct maker {
    struct dice *dice;
    struct arena *arena;
    struct random_objects *objects;
};

static void fill(struct maker *m, const struct pof_struct *table, uint8_t *object, unsigned depth);

static void *room(struct maker *m, size_t count, size_t size)
{
    void *at = arena_calloc(m->arena, count > 0 ? count : 1, size);

    assert_non_null(at);
    return at;
}

static int64_t any_integer(struct dice *dice)
{
    static const int64_t edges[] = {0,         1,         -1,        -2,       22,        23,
                                    63,        64,        255,       8191,     INT16_MIN, INT16_MAX,
                                    INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};

    return edges[dice_below(dice, sizeof edges / sizeof edges[0])];
}

static double any_float(struct dice *dice)
{
    static const double edges[] = {
        0,    1,    -1,       -2,        22,          23,  1.5,
        0.25, -7.5, INFINITY, -INFINITY, (double)NAN, 1e9, (double)FLT_MAX};

    return edges[dice_below(dice, sizeof edges / sizeof edges[0])];
}

static struct bytes any_text(struct dice *dice)
{
    static const char *const texts[] = {
        "",
        "a",
        "abc",
        "seven ch",
        "nine char",
        "gr\xc3\xbc\xc3\x9f",
        "\xf0\x9f\x98\x80",
        "a text of more than sixteen",
        "a text of more than thirty-two octets",
        "and one of more than sixty-three octets, whose length takes two"};

    return bytes_of_text(texts[dice_below(dice, sizeof texts / sizeof texts[0])]);
}

/* Dates and the like that exist; NULL, a date of zeros. */
static void fill_temporal(struct dice *dice, enum pof_field_kind kind, void *member)
{
    static const struct pof_date dates[] = {{0, 0, 0}, {2024, 2, 29}, {-5, 12, 31}};
    static const struct pof_time times[] = {
        {.hour = 0},
        {.hour = 23, .minute = 59, .second = 59, .nano = 1, .zone = POF_ZONE_UTC},
        {.hour = 1, .nano = 5000000, .zone = POF_ZONE_OFFSET, .zone_hour = -3, .zone_minute = 30}};
    struct pof_datetime both = {dates[1], times[dice_below(dice, 3)]};

    if (kind == POF_FIELD_DATE) {
        memcpy(member, &dates[dice_below(dice, 3)], sizeof dates[0]);
    } else if (kind == POF_FIELD_TIME) {
        memcpy(member, &both.time, sizeof both.time);
    } else if (kind == POF_FIELD_DATETIME && dice_below(dice, 3) > 0) {
        memcpy(member, &both, sizeof both);
    } else if (kind == POF_FIELD_YEAR_MONTH) {
        *(struct pof_year_month *)member = (struct pof_year_month){3, -4};
    } else if (kind == POF_FIELD_TIME_INTERVAL) {
        *(struct pof_day_time *)member = (struct pof_day_time){.hours = -5, .nanos = 7};
    } else if (kind == POF_FIELD_DAY_TIME) {
        *(struct pof_day_time *)member = (struct pof_day_time){.days = 9, .hours = 1};
    }
}

static void fill_text(struct maker *m, enum pof_field_kind kind, void *member)
{
    struct bytes text = any_text(m->dice);

    if (kind == POF_FIELD_CHARS) {
        memcpy(member, text.data, text.size < 24 ? text.size : 0);
    } else if (kind == POF_FIELD_TEXT && dice_below(m->dice, 6) > 0) {
        const char *c_text = (const char *)text.data;
        memcpy(member, &c_text, sizeof c_text);
    } else if (kind == POF_FIELD_STRING || kind == POF_FIELD_OCTETS) {
        text = dice_below(m->dice, 6) > 0 ? text : bytes_of(NULL, 0);
        memcpy(member, &text, sizeof text);
    }
}

static void fill_number(struct dice *dice, enum pof_field_kind kind, void *member)
{
    int64_t number = any_integer(dice);
    uint64_t low = (uint64_t)any_integer(dice);
    struct pof_int128 wide = {low, dice_below(dice, 2) ? 0 : UINT64_MAX};
    double real = any_float(dice);

    if (kind == POF_FIELD_BOOL) {
        *(bool *)member = dice_below(dice, 2);
    } else if (kind == POF_FIELD_OCTET) {
        *(uint8_t *)member = (uint8_t)number;
    } else if (kind == POF_FIELD_CHAR) {
        *(uint16_t *)member = (uint16_t)number;
    } else if (kind == POF_FIELD_INT16) {
        *(int16_t *)member = (int16_t)number;
    } else if (kind == POF_FIELD_INT32 || kind == POF_FIELD_CUSTOM) {
        *(int32_t *)member = (int32_t)number;
    } else if (kind == POF_FIELD_INT64) {
        *(int64_t *)member = number;
    } else if (kind == POF_FIELD_FLOAT32) {
        *(float *)member = (float)real;
    } else if (kind == POF_FIELD_FLOAT64) {
        *(double *)member = real;
    } else if (kind == POF_FIELD_FLOAT128) {
        memcpy(member, &low, sizeof low);
    } else if (kind == POF_FIELD_INT128) {
        memcpy(member, &wide, sizeof wide);
    } else {
        struct pof_decimal decimal = {{low & INT32_MAX, 0}, (int32_t)dice_below(dice, 5)};
        memcpy(member, &decimal, sizeof decimal);
    }
}

/* A pointer to an object: a new one, or one that is there, or NULL. */
static void *any_object(struct maker *m, const struct pof_struct *table, unsigned depth)
{
    struct random_objects *all = m->objects;
    uint32_t chosen = dice_below(m->dice, OBJECTS_MAX);

    if (table->shared && chosen < all->count && all->tables[chosen] == table) {
        return all->objects[chosen];
    }
    if (depth == 0 || dice_below(m->dice, 4) == 0 || (table->shared && all->count == OBJECTS_MAX)) {
        return NULL;
    }
    uint8_t *object = room(m, 1, table->size);
    if (table->shared) {
        all->objects[all->count] = object;
        all->tables[all->count++] = table;
    }
    fill(m, table, object, depth - 1);
    return object;
}

static void fill_one(struct maker *m, const struct pof_field *field, uint8_t *member,
                     unsigned depth)
{
    if (field->kind == POF_FIELD_STRUCT) {
        fill(m, field->nested, member, depth > 0 ? depth - 1 : 0);
    } else if (field->kind == POF_FIELD_STRUCT_PTR) {
        void *object = any_object(m, field->nested, depth);
        memcpy(member, &object, sizeof object);
    } else if (field->kind >= POF_FIELD_DATE && field->kind <= POF_FIELD_DAY_TIME) {
        fill_temporal(m->dice, field->kind, member);
    } else if (field->kind == POF_FIELD_CHARS ||
               (field->kind >= POF_FIELD_TEXT && field->kind <= POF_FIELD_OCTETS)) {
        fill_text(m, field->kind, member);
    } else {
        fill_number(m->dice, field->kind, member);
    }
}

static void fill_field(struct maker *m, const struct pof_field *field, uint8_t *object,
                       unsigned depth);

static void fill_many(struct maker *m, const struct pof_field *field, uint8_t *object,
                      unsigned depth)
{
    uint32_t count = dice_below(m->dice, field->fixed > 0 ? field->fixed + 1 : 4);
    uint8_t *at = object + field->offset;

    count = field->count_place == 0 ? field->fixed : count;
    if (field->fixed == 0 && dice_below(m->dice, 5) == 0) {
        return; /* null */
    }
    if (field->count_place != 0) {
        memcpy(object + field->count_place - 1, &count, sizeof count);
    }
    if (field->fixed == 0) {
        at = room(m, count, field->size);
        memcpy(object + field->offset, &at, sizeof at);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *element = at + (size_t)i * field->size;
        if (field->many == POF_MANY_MAP) {
            fill_field(m, &field->nested->fields[0], element, depth);
            fill_field(m, &field->nested->fields[1], element, depth);
        } else {
            fill_one(m, field, element, depth);
        }
    }
}

static void fill_field(struct maker *m, const struct pof_field *field, uint8_t *object,
                       unsigned depth)
{
    if (field->many != POF_ONE) {
        fill_many(m, field, object, depth > 0 ? depth - 1 : 0);
    } else {
        fill_one(m, field, object + field->offset, depth);
    }
}

/* A property that the table has no row for: behind the last one, or in front of the first. */
static void fill_kept(struct maker *m, const struct pof_struct *table, uint8_t *object)
{
    int32_t first = table->fields[0].index;
    int32_t last = table->fields[table->field_count - 1].index;
    uint8_t *octets = room(m, 8, 1);
    struct bytes kept = bytes_of(octets, 0);

    if (first > 0 && dice_below(m->dice, 2) == 0) {
        octets[kept.size++] = 0;
        octets[kept.size++] = 0x6b;
    }
    if (last < 60 && dice_below(m->dice, 2) == 0) {
        octets[kept.size++] = (uint8_t)(last + 1 + (int32_t)dice_below(m->dice, 3));
        octets[kept.size++] = 0x63;
    }
    int32_t version = (int32_t)dice_below(m->dice, 5);
    memcpy(object + table->remainder_place - 1, &kept, sizeof kept);
    memcpy(object + table->version_place - 1, &version, sizeof version);
}

/* Has it turned out null? What is there and null is absent when it is read. */
static bool is_nothing(const struct pof_field *field, const uint8_t *member)
{
    static const uint8_t zeros[sizeof(struct pof_datetime)];
    bool date = field->kind == POF_FIELD_DATE || field->kind == POF_FIELD_DATETIME;
    bool pointer = field->kind == POF_FIELD_TEXT || field->kind == POF_FIELD_STRING ||
                   field->kind == POF_FIELD_OCTETS || field->kind == POF_FIELD_STRUCT_PTR;

    return (pointer && memcmp(member, zeros, sizeof(void *)) == 0) ||
           (date && memcmp(member, zeros, field->size) == 0);
}

static void fill(struct maker *m, const struct pof_struct *table, uint8_t *object, unsigned depth)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct pof_field *field = &table->fields[i];
        bool there = dice_below(m->dice, 3) > 0;
        if (field->present_place != 0) {
            *(bool *)(object + field->present_place - 1) = there;
        }
        if (field->present_place == 0 || there) {
            fill_field(m, field, object, depth);
        }
        if (field->present_place != 0 && is_nothing(field, object + field->offset)) {
            *(bool *)(object + field->present_place - 1) = false;
        }
    }
    if (table->remainder_place != 0) {
        fill_kept(m, table, object);
    }
}

void *random_object(struct dice *dice, struct arena *arena, const struct pof_struct *table,
                    struct random_objects *objects, unsigned depth)
{
    struct maker m = {dice, arena, objects};
    void *object = room(&m, 1, table->size);

    if (table->shared) {
        objects->objects[objects->count] = object;
        objects->tables[objects->count++] = table;
    }
    fill(&m, table, object, depth);
    return object;
}

/* The check of tables finds what would read or write beside a struct. */
#include "tests/unit/pof_struct/struct_memory.h"

struct pair {
    int32_t key;
    int32_t value;
};
static const struct pof_field pair_fields[] = {
    POF_FIELD(struct pair, key, 0, INT32),
    POF_FIELD(struct pair, value, 1, INT32),
};
static const struct pof_struct pair_struct = POF_STRUCT_PAIR(struct pair, pair_fields);

struct thing {
    int32_t a;
    int32_t b;
    struct pair *map;
    uint32_t count;
    bool there;
    int16_t small[4];
    struct bytes rest;
    int32_t version;
};
static const struct pof_field thing_fields[] = {
    POF_FIELD(struct thing, a, 1, INT32),
    POF_FIELD(struct thing, b, 2, INT32),
    POF_FIELD_STRUCTS(struct thing, map, count, 3, &pair_struct, MAP),
    POF_FIELD_MANY_IN_PLACE(struct thing, small, count, 4, INT16, LIST),
};
static const struct pof_struct thing_struct = POF_STRUCT(struct thing, 1, 3, thing_fields);

enum { ROWS = 4 };

/* A table with one thing wrong: change a copy of the sound one, and check it. */
struct table {
    struct pof_field fields[ROWS];
    struct pof_struct table;
};

static void sound(struct table *t)
{
    memcpy(t->fields, thing_fields, sizeof thing_fields);
    t->table = thing_struct;
    t->table.fields = t->fields;
    assert_null(pof_struct_check(&t->table));
}

static void assert_wrong(struct table *t, const char *word)
{
    const char *wrong = pof_struct_check(&t->table);

    assert_non_null(wrong);
    if (!strstr(wrong, word)) {
        fail_msg("\"%s\" says nothing of \"%s\"", wrong, word);
    }
    sound(t);
}

static void numbers_must_be_in_order_and_above_zero(void **state)
{
    struct table t;

    (void)state;
    sound(&t);
    t.fields[1].index = 1;
    assert_wrong(&t, "ascend");
    t.fields[0].index = -1;
    assert_wrong(&t, "below zero");
    t.table.type = -7;
    assert_wrong(&t, "type id");
    t.table.version = -1;
    assert_wrong(&t, "version");
    t.fields[1].since = 4; /* the table writes version 3, without it */
    assert_wrong(&t, "later version");
    t.table.fields = NULL;
    assert_wrong(&t, "fields");
}

static void members_must_lie_in_the_struct_and_have_the_size_of_their_kind(void **state)
{
    struct table t;

    (void)state;
    sound(&t);
    t.fields[0].offset = sizeof(struct thing) - 3;
    assert_wrong(&t, "outside");
    t.fields[0].offset = UINT32_MAX;
    assert_wrong(&t, "outside");
    t.fields[0].present_place = sizeof(struct thing) + 1;
    assert_wrong(&t, "outside");
    t.fields[2].count_place = sizeof(struct thing) - 2;
    assert_wrong(&t, "outside");
    t.table.remainder_place = sizeof(struct thing);
    assert_wrong(&t, "remainder");
    t.table.version_place = sizeof(struct thing);
    assert_wrong(&t, "version");
    t.fields[3].fixed = 1000;
    assert_wrong(&t, "outside");
    t.table.size = 0;
    assert_wrong(&t, "size");
    for (int kind = POF_FIELD_BOOL; kind <= POF_FIELD_DAY_TIME; kind++) {
        t.fields[0].kind = (enum pof_field_kind)kind;
        t.fields[0].size = 3;
        assert_wrong(&t, "size");
    }
}

static void many_must_be_counted(void **state)
{
    struct table t;

    (void)state;
    sound(&t);
    t.fields[2].count_place = 0;
    assert_wrong(&t, "counts");
    t.fields[0].count_place = 1;
    assert_wrong(&t, "counted");
    t.fields[0].fixed = 1;
    assert_wrong(&t, "counted");
    t.fields[3].initial = "xx";
    assert_wrong(&t, "initial");
}

static void what_a_kind_needs_must_be_there(void **state)
{
    static const struct pof_codec half = {NULL, NULL};
    static const struct pof_struct by_half = POF_STRUCT_BY(struct thing, &half);
    struct table t;

    (void)state;
    sound(&t);
    assert_non_null(pof_struct_check(&by_half));
    t.fields[0].kind = POF_FIELD_CUSTOM;
    assert_wrong(&t, "functions");
    t.fields[0].kind = POF_FIELD_CUSTOM;
    t.fields[0].codec = &half;
    assert_wrong(&t, "functions");
    t.fields[0].kind = POF_FIELD_STRUCT;
    assert_wrong(&t, "without a table");
    t.fields[0].kind = POF_FIELD_STRUCT_PTR;
    assert_wrong(&t, "without a table");
    t.fields[0].part = true;
    assert_wrong(&t, "part");
}

/* The pairs of a map belong to its table: what is wrong with them is found with it. */
static void the_pairs_of_a_map_are_checked_with_it(void **state)
{
    struct pof_field rows[2] = {pair_fields[0], pair_fields[1]};
    struct pof_struct pair = pair_struct;
    struct table t;

    (void)state;
    pair.fields = rows;
    sound(&t);
    t.fields[2].nested = NULL;
    assert_wrong(&t, "table");
    t.fields[2].nested = &thing_struct;
    t.fields[2].size = sizeof(struct thing);
    assert_wrong(&t, "POF_STRUCT_PAIR");
    t.fields[2].kind = POF_FIELD_INT64; /* no pairs */
    assert_wrong(&t, "POF_STRUCT_PAIR");
    t.fields[2].many = POF_MANY_LIST; /* no map */
    assert_wrong(&t, "pairs");
    t.fields[2].nested = &pair;
    pair.field_count = 1;
    assert_wrong(&t, "two fields");
    t.fields[2].nested = &pair;
    pair.field_count = 2;
    rows[1].offset = 100;
    assert_wrong(&t, "outside");
    t.fields[2].nested = &pair;
    rows[1] = pair_fields[1];
    rows[0].many = POF_MANY_LIST;
    rows[0].count_place = 1;
    assert_wrong(&t, "key");
    t.fields[2].nested = &pair;
    rows[0] = pair_fields[0];
    rows[1].present_place = 1;
    assert_wrong(&t, "optional");
    t.fields[2].nested = &pair;
    pair.fields = NULL;
    assert_wrong(&t, "fields");
}

struct box {
    struct pair_of_boxes *map;
    uint32_t count;
};
struct pair_of_boxes {
    int32_t key;
    struct box value;
};
static const struct pof_struct box_struct;
static const struct pof_field box_pair_fields[] = {
    POF_FIELD(struct pair_of_boxes, key, 0, INT32),
    POF_FIELD_STRUCT(struct pair_of_boxes, value, 1, &box_struct),
};
static const struct pof_struct box_pair = POF_STRUCT_PAIR(struct pair_of_boxes, box_pair_fields);
static const struct pof_field box_fields[] = {
    POF_FIELD_STRUCTS(struct box, map, count, 0, &box_pair, MAP),
};
static const struct pof_struct box_struct = POF_STRUCT(struct box, 2, 0, box_fields);

/* Structs may stand in themselves behind pointers, through maps too, but not in place. */
static void a_struct_cannot_contain_itself_in_place(void **state)
{
    struct table t;

    (void)state;
    assert_null(pof_struct_check(&box_struct));
    assert_null(pof_struct_check(&box_pair));
    sound(&t);
    t.fields[0].kind = POF_FIELD_STRUCT;
    t.fields[0].nested = &t.table;
    t.fields[0].size = t.table.size;
    t.fields[0].offset = 0;
    assert_wrong(&t, "itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_must_be_in_order_and_above_zero),
        cmocka_unit_test(members_must_lie_in_the_struct_and_have_the_size_of_their_kind),
        cmocka_unit_test(many_must_be_counted),
        cmocka_unit_test(what_a_kind_needs_must_be_there),
        cmocka_unit_test(the_pairs_of_a_map_are_checked_with_it),
        cmocka_unit_test(a_struct_cannot_contain_itself_in_place),
    };

    return RUN_TESTS(tests);
}

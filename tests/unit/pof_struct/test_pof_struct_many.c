/* Lists and maps of all kinds of elements. */
#include "tests/unit/pof_struct/struct_memory.h"

struct item {
    const char *name;
    int32_t count;
};
static const struct pof_field item_fields[] = {
    POF_FIELD(struct item, name, 0, TEXT),
    POF_FIELD(struct item, count, 1, INT32),
};
static const struct pof_struct item_struct = POF_STRUCT(struct item, 1, 0, item_fields);

/* -- maps -- */

struct scalars {
    int32_t key;
    double value;
};
static const struct pof_field scalars_fields[] = {
    POF_FIELD(struct scalars, key, 0, INT32),
    POF_FIELD(struct scalars, value, 1, FLOAT64),
};
static const struct pof_struct scalars_struct = POF_STRUCT_PAIR(struct scalars, scalars_fields);

struct by_name {
    struct bytes key;
    struct item *value;
};
static const struct pof_field by_name_fields[] = {
    POF_FIELD(struct by_name, key, 0, STRING),
    POF_FIELD_STRUCT_PTR(struct by_name, value, 1, &item_struct),
};
static const struct pof_struct by_name_struct = POF_STRUCT_PAIR(struct by_name, by_name_fields);

struct lists {
    struct pof_date key;
    int16_t *value;
    uint32_t value_count;
};
static const struct pof_field lists_fields[] = {
    POF_FIELD(struct lists, key, 0, DATE),
    POF_FIELD_MANY(struct lists, value, value_count, 1, INT16, ARRAY),
};
static const struct pof_struct lists_struct = POF_STRUCT_PAIR(struct lists, lists_fields);

struct deep {
    bool key;
    struct scalars *value;
    uint32_t value_count;
};
static const struct pof_field deep_fields[] = {
    POF_FIELD(struct deep, key, 0, BOOL),
    POF_FIELD_STRUCTS(struct deep, value, value_count, 1, &scalars_struct, MAP),
};
static const struct pof_struct deep_struct = POF_STRUCT_PAIR(struct deep, deep_fields);

struct maps {
    struct scalars *scalars;
    uint32_t scalar_count;
    struct by_name named[3];
    uint32_t named_count;
    struct lists *lists;
    uint32_t list_count;
    struct deep *deep;
    uint32_t deep_count;
};
static const struct pof_field maps_fields[] = {
    POF_FIELD_STRUCTS(struct maps, scalars, scalar_count, 0, &scalars_struct, MAP),
    POF_FIELD_STRUCTS_IN_PLACE(struct maps, named, named_count, 1, &by_name_struct, MAP),
    POF_FIELD_STRUCTS(struct maps, lists, list_count, 2, &lists_struct, MAP),
    POF_FIELD_STRUCTS(struct maps, deep, deep_count, 3, &deep_struct, MAP),
};
static const struct pof_struct maps_struct = POF_STRUCT(struct maps, 2, 0, maps_fields);

/* Keys and values of all kinds: numbers, structs, lists, maps. Zeros in them are values. */
static void maps_hold_whatever_a_field_can_be(void **state)
{
    struct scalars scalars[] = {{0, 1.5}, {7, 0}};
    struct item bolt = {"bolt", 12};
    int16_t numbers[] = {1, -1, 0};
    struct lists lists[] = {{{2024, 2, 29}, numbers, 3}, {{1999, 1, 1}, NULL, 0}};
    struct deep deep[] = {{false, scalars, 2}, {true, scalars, 0}};
    struct maps maps = {.scalars = scalars,
                        .scalar_count = 2,
                        .named = {{OCTETS("bolt"), &bolt}, {OCTETS("nut"), NULL}},
                        .named_count = 2,
                        .lists = lists,
                        .list_count = 2,
                        .deep = deep,
                        .deep_count = 2};
    struct maps back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, true);
    there_and_back(&maps_struct, &maps, &back, &out, &m);
    assert_int_equal(back.scalar_count, 2);
    assert_true(back.scalars[0].key == 0 && back.scalars[0].value == 1.5);
    assert_true(back.scalars[1].key == 7 && back.scalars[1].value == 0);
    assert_int_equal(back.named_count, 2);
    assert_bytes_equal(back.named[1].key, OCTETS("nut"));
    assert_int_equal(back.named[0].value->count, 12);
    assert_null(back.named[1].value);
    assert_int_equal(back.lists[0].key.day, 29);
    assert_int_equal(back.lists[0].value_count, 3);
    assert_int_equal(back.lists[0].value[1], -1);
    assert_null(back.lists[1].value);
    assert_true(!back.deep[0].key && back.deep[1].key);
    assert_int_equal(back.deep[0].value_count, 2);
    assert_true(back.deep[0].value[0].value == 1.5);
    assert_int_equal(back.deep[1].value_count, 0);
    memory_fini(&m);
    buf_fini(&out);
}

/* What is no map is none; the empty collection of one octet is an empty map. */
static void only_a_map_is_read_as_one(void **state)
{
    struct maps back;
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x02\x00\x00\x55\x01\x61\x40"),
                                            &maps_struct, &back, &m.memory),
                     QN_WRONG_TYPE);
    assert_int_equal(
        pof_struct_from_binary(OCTETS("\x15\x02\x00\x00\x63\x40"), &maps_struct, &back, &m.memory),
        QN_OK);
    assert_non_null(back.scalars);
    assert_int_equal(back.scalar_count, 0);
    memory_fini(&m);
}

/* -- lists -- */

struct lists_of {
    struct item **pointers;
    uint32_t pointer_count;
    struct item in_place[3];
    uint32_t in_place_count;
    int32_t fixed[4];
    char names[2][4];
    bool *flags;
    uint32_t flag_count;
};
static const struct pof_field lists_of_fields[] = {
    POF_FIELD_STRUCT_PTRS(struct lists_of, pointers, pointer_count, 0, &item_struct, LIST),
    POF_FIELD_STRUCTS_IN_PLACE(struct lists_of, in_place, in_place_count, 1, &item_struct,
                               PLAIN_LIST),
    POF_FIELD_FIXED(struct lists_of, fixed, 2, INT32, ARRAY),
    {.index = 3,
     .kind = POF_FIELD_CHARS,
     .many = POF_MANY_ARRAY,
     .size = 4,
     .fixed = 2,
     .offset = offsetof(struct lists_of, names)},
    POF_FIELD_MANY(struct lists_of, flags, flag_count, 4, BOOL, LIST),
};
static const struct pof_struct lists_of_struct = POF_STRUCT(struct lists_of, 3, 0, lists_of_fields);

static void lists_hold_pointers_and_what_is_in_place(void **state)
{
    struct item nut = {"nut", 0};
    struct item bolt = {NULL, 3};
    struct item *pointers[] = {&nut, NULL, &bolt};
    bool flags[] = {true, false};
    struct lists_of lists = {pointers, 3, {{"a", 1}, {"b", 2}}, 2, {4, 0, -4, INT32_MIN}, {"abc"},
                             flags,    2};
    struct lists_of back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&lists_of_struct, &lists, &back, &out, &m);
    assert_int_equal(back.pointer_count, 3);
    assert_string_equal(back.pointers[0]->name, "nut");
    assert_null(back.pointers[1]);
    assert_true(back.pointers[2]->count == 3 && !back.pointers[2]->name);
    assert_int_equal(back.in_place_count, 2);
    assert_string_equal(back.in_place[1].name, "b");
    assert_memory_equal(back.fixed, lists.fixed, sizeof lists.fixed);
    assert_string_equal(back.names[0], "abc");
    assert_string_equal(back.names[1], "");
    assert_true(back.flag_count == 2 && back.flags[0] && !back.flags[1]);
    memory_fini(&m);
    buf_fini(&out);
}

/* More than there is room for, or not as many as there must be. */
static void the_number_in_place_is_kept_to(void **state)
{
    struct lists_of lists = {.in_place_count = 4};
    struct lists_of back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    assert_int_equal(pof_struct_to_binary(&out, &lists_of_struct, &lists), QN_TOO_LARGE);
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x03\x00\x01\x55\x04\x64\x64\x64\x64\x40"),
                                            &lists_of_struct, &back, &m.memory),
                     QN_TOO_LARGE);
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x03\x00\x02\x57\x03\x6a\x6a\x6a\x40"),
                                            &lists_of_struct, &back, &m.memory),
                     QN_WRONG_TYPE);
    assert_int_equal(
        pof_struct_from_binary(OCTETS("\x15\x03\x00\x40"), &lists_of_struct, &back, &m.memory),
        QN_OK);
    assert_int_equal(back.fixed[3], 0);
    memory_fini(&m);
    buf_fini(&out);
}

/* -- counts -- */

struct large {
    char text[400];
};
static const struct pof_field large_fields[] = {POF_FIELD_CHARS(struct large, text, 0)};
static const struct pof_struct large_struct = POF_STRUCT(struct large, 4, 0, large_fields);

struct larges {
    struct large *list;
    uint32_t count;
};
static const struct pof_field larges_fields[] = {
    POF_FIELD_STRUCTS(struct larges, list, count, 0, &large_struct, LIST),
};
static const struct pof_struct larges_struct = POF_STRUCT(struct larges, 5, 0, larges_fields);

/* A list of 5000: so many octets `octet`, with the last one an object when `sound`. */
static void put_list(struct buf *out, uint8_t octet, bool sound)
{
    static const uint8_t head[] = {0x15, 0x05, 0x00, 0x00, 0x55, 0x88, 0x4e};
    static const uint8_t last[] = {0x04, 0x00, 0x00, 0x4e, 0x01, 'x', 0x40, 0x40};
    uint8_t *at;

    buf_clear(out);
    assert_int_equal(buf_append(out, head, sizeof head), QN_OK);
    assert_int_equal(buf_extend(out, sound ? 4999 : 5000, &at), QN_OK);
    memset(at, octet, sound ? 4999 : 5000);
    if (sound) {
        assert_int_equal(buf_append(out, last, sizeof last), QN_OK);
    }
}

/* No room is made for elements that do not come, but in proportion to the octets. */
static void a_count_that_lies_takes_little_memory(void **state)
{
    struct larges back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    put_list(&out, 0x01, false); /* objects of type 1, version 1 ... */
    assert_int_equal(pof_struct_from_binary(buf_bytes(&out), &larges_struct, &back, &m.memory),
                     QN_WRONG_TYPE);
    assert_true(m.arena.size < 5 * out.size);
    memory_fini(&m);
    buf_fini(&out);
}

/* Those that come are read, and take three times their room at most. */
static void many_small_values_for_large_structs_are_read(void **state)
{
    struct larges back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    put_list(&out, 0x64, true);
    assert_int_equal(pof_struct_from_binary(buf_bytes(&out), &larges_struct, &back, &m.memory),
                     QN_OK);
    assert_int_equal(back.count, 5000);
    assert_string_equal(back.list[0].text, "");
    assert_string_equal(back.list[4998].text, "");
    assert_string_equal(back.list[4999].text, "x");
    assert_true(m.arena.size < (size_t)3 * 5000 * sizeof(struct large));
    memory_fini(&m);
    buf_fini(&out);
}

struct strings {
    struct bytes *list;
    uint32_t count;
    const char **texts;
    uint32_t text_count;
};
static const struct pof_field strings_fields[] = {
    POF_FIELD_MANY(struct strings, list, count, 0, STRING, LIST),
    POF_FIELD_MANY(struct strings, texts, text_count, 1, TEXT, ARRAY),
};
static const struct pof_struct strings_struct = POF_STRUCT(struct strings, 6, 0, strings_fields);

/* Lists of few and of many texts, all of them short. */
static void lists_of_texts_may_be_of_any_length(void **state)
{
    enum { COUNT = 6000 };
    static struct bytes list[COUNT];
    static const char *texts[COUNT];
    static const uint32_t counts[] = {0, 1, 63, 64, 100, 300, COUNT};
    struct strings back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < COUNT; i++) {
        texts[i] = i % 9 == 0 ? "x" : "";
        list[i] = bytes_of_text(texts[i]);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct strings strings = {list, counts[i], texts, counts[i]};
        there_and_back(&strings_struct, &strings, &back, &out, &m);
        assert_true(back.count == counts[i] && back.text_count == counts[i]);
        for (uint32_t k = 0; k < counts[i]; k++) {
            assert_bytes_equal(back.list[k], list[k]);
            assert_string_equal(back.texts[k], texts[k]);
        }
    }
    memory_fini(&m);
    buf_fini(&out);
}

/* A text that is not UTF-8 fails the list as well. */
static void a_list_with_a_broken_text_is_not_written(void **state)
{
    struct bytes list[] = {bytes_of_text("a"), bytes_of_text("\xff\xff")};
    struct strings strings = {.list = list, .count = 2};
    struct buf out = {0};

    (void)state;
    assert_int_equal(pof_struct_to_binary(&out, &strings_struct, &strings), QN_MALFORMED);
    buf_fini(&out);
}

/* Lists in lists: what they take in advance is shared by all of them. */
struct tree {
    char text[400];
    struct tree *kids;
    uint32_t count;
};
static const struct pof_struct tree_struct;
static const struct pof_field tree_fields[] = {
    POF_FIELD_STRUCTS(struct tree, kids, count, 0, &tree_struct, LIST),
};
static const struct pof_struct tree_struct = POF_STRUCT(struct tree, 7, 0, tree_fields);

static void counts_that_lie_in_each_other_take_little_memory(void **state)
{
    enum { LEVELS = 60, SIZE = 8000 };
    static uint8_t octets[SIZE] = {0x15};
    static const uint8_t level[] = {0x07, 0x00, 0x00, 0x55, 0x3f}; /* 63 kids, of which one comes */
    struct tree back;
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < LEVELS; i++) {
        memcpy(octets + 1 + i * sizeof level, level, sizeof level);
    }
    assert_int_equal(pof_struct_from_binary(bytes_of(octets, SIZE), &tree_struct, &back, &m.memory),
                     QN_WRONG_TYPE);
    assert_true(m.arena.size < 4 * SIZE + LEVELS * 1100);
    memory_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_hold_whatever_a_field_can_be),
        cmocka_unit_test(only_a_map_is_read_as_one),
        cmocka_unit_test(lists_hold_pointers_and_what_is_in_place),
        cmocka_unit_test(the_number_in_place_is_kept_to),
        cmocka_unit_test(a_count_that_lies_takes_little_memory),
        cmocka_unit_test(many_small_values_for_large_structs_are_read),
        cmocka_unit_test(lists_of_texts_may_be_of_any_length),
        cmocka_unit_test(a_list_with_a_broken_text_is_not_written),
        cmocka_unit_test(counts_that_lie_in_each_other_take_little_memory),
    };

    return RUN_TESTS(tests);
}

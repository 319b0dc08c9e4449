/* Octets of all kinds, sound and broken, read by a table: an object or a status, and nothing else.
 */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/struct.h"

enum { ROUNDS = 40000 };

struct node {
    int32_t number;
    struct bytes text;
    char name[8];
    int16_t *list;
    uint32_t list_count;
    struct node *child;
    struct node **children;
    uint32_t child_count;
    bool has_when;
    struct pof_date when;
    struct bytes rest;
    int32_t version;
};

static const struct pof_struct node_struct;
static const struct pof_field node_fields[] = {
    POF_FIELD(struct node, number, 0, INT32),
    POF_FIELD(struct node, text, 1, STRING),
    POF_FIELD_CHARS(struct node, name, 2),
    POF_FIELD_MANY(struct node, list, list_count, 3, INT16, ARRAY),
    POF_FIELD_STRUCT_PTR(struct node, child, 4, &node_struct),
    POF_FIELD_OPTIONAL(struct node, when, 6, DATE, has_when),
};
static const struct pof_struct node_struct =
    POF_STRUCT_EVOLVABLE(struct node, 5, 1, node_fields, rest, version);

static void make(struct dice *dice, struct arena *arena, struct node *node, unsigned depth)
{
    static const char *const texts[] = {"", "a", "gr\xc3\xbc\xc3\x9f",
                                        "a longer text than the others"};

    *node = (struct node){
        .number = (int32_t)dice_below(dice, 3000) - 1500,
        .text = bytes_of_text(texts[dice_below(dice, 4)]),
        .has_when = dice_below(dice, 2),
        .version = (int32_t)dice_below(dice, 4),
    };
    if (node->has_when) {
        node->when = (struct pof_date){2000 + (int32_t)dice_below(dice, 40), 2, 28};
    }
    memcpy(node->name, "name", dice_below(dice, 5));
    node->list_count = dice_below(dice, 5);
    node->list = arena_calloc(arena, 5, sizeof *node->list);
    assert_non_null(node->list);
    for (uint32_t i = 0; i < node->list_count; i++) {
        node->list[i] = (int16_t)dice_below(dice, 65536);
    }
    if (depth > 0 && dice_below(dice, 3) > 0) {
        node->child = arena_alloc(arena, sizeof *node->child);
        assert_non_null(node->child);
        make(dice, arena, node->child, depth - 1);
    }
}

static void assert_same(const struct node *a, const struct node *b)
{
    assert_int_equal(a->number, b->number);
    assert_bytes_equal(a->text, b->text);
    assert_memory_equal(a->name, b->name, sizeof a->name);
    assert_int_equal(a->list_count, b->list_count);
    assert_memory_equal(a->list, b->list, a->list_count * sizeof *a->list);
    assert_int_equal(a->has_when, b->has_when);
    assert_memory_equal(&a->when, &b->when, sizeof a->when);
    assert_true((a->child == NULL) == (b->child == NULL));
    if (a->child) {
        assert_same(a->child, b->child);
    }
}

/* Random objects come back as they were. */
static void random_objects_come_back(void **state)
{
    struct dice dice = {31};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    struct buf out = {0};
    struct node node;
    struct node back;

    (void)state;
    arena_init(&arena, 0);
    for (int round = 0; round < ROUNDS / 4; round++) {
        make(&dice, &arena, &node, 5);
        buf_clear(&out);
        assert_int_equal(pof_struct_to_binary(&out, &node_struct, &node), QN_OK);
        memory.copy = dice_below(&dice, 2);
        assert_int_equal(pof_struct_from_binary(buf_bytes(&out), &node_struct, &back, &memory),
                         QN_OK);
        assert_same(&node, &back);
        arena_reset(&arena);
    }
    arena_fini(&arena);
    buf_fini(&out);
}

/* Octets that are cut or changed: a status, and memory within the bound. */
static void broken_objects_do_no_harm(void **state)
{
    struct dice dice = {32};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    struct buf out = {0};
    struct node node;
    struct node back;
    int refused = 0;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (int round = 0; round < ROUNDS; round++) {
        make(&dice, &arena, &node, 5);
        buf_clear(&out);
        assert_int_equal(pof_struct_to_binary(&out, &node_struct, &node), QN_OK);
        size_t at = dice_below(&dice, (uint32_t)out.size);
        size_t size = dice_below(&dice, 2) ? at : out.size;
        out.data[at] = (uint8_t)dice_below(&dice, 256);
        refused +=
            pof_struct_from_binary(bytes_of(out.data, size), &node_struct, &back, &memory) != QN_OK;
        arena_reset(&arena);
    }
    assert_true(refused > ROUNDS / 4);
    arena_fini(&arena);
    buf_fini(&out);
}

/* Any value where an object is expected. */
static void any_value_is_read_or_refused(void **state)
{
    struct dice dice = {33};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    struct buf out = {0};
    struct node back;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (int round = 0; round < ROUNDS; round++) {
        struct pof_writer w;
        buf_clear(&out);
        pof_writer_init_binary(&w, &out);
        pof_begin_user(&w, POF_NEXT, 5, 1);
        for (int32_t index = 0; index < 7; index++) {
            random_value(&w, &dice, index, 2);
        }
        pof_end(&w);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        enum qn_status status =
            pof_struct_from_binary(buf_bytes(&out), &node_struct, &back, &memory);
        assert_true(status == QN_OK || status == QN_WRONG_TYPE || status == QN_TOO_LARGE);
        arena_reset(&arena);
    }
    arena_fini(&arena);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_objects_come_back),
        cmocka_unit_test(broken_objects_do_no_harm),
        cmocka_unit_test(any_value_is_read_or_refused),
    };

    return RUN_TESTS(tests);
}

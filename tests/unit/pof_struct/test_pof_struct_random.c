/* Random structs by random tables: octets that others read, and equal structs again. */
#include "tests/lib/pof/measure.h"
#include "tests/lib/pof/nodes.h"
#include "tests/unit/pof_struct/random_struct.h"
#include "tests/unit/pof_struct/struct_memory.h"

enum { POOLS = 400, OBJECTS = 12, DEPTH = 4, MUTANTS = 25 };

/* Reader, memory and struct of one way of reading. */
struct way {
    struct memory memory;
    struct pof_reader reader;
    void *object;
};

/* By the short way where it can be taken, or, with a limit that nothing reaches, the long way only.
 */
static enum qn_status read_by(struct way *way, const struct pof_struct *table, struct bytes pof,
                              bool long_way, bool copy)
{
    (void)memory_init(&way->memory, copy);
    way->object = arena_calloc(&way->memory.arena, 1, table->size);
    assert_non_null(way->object);
    if (long_way) {
        pof_reader_init_limited(&way->reader, pof, (struct pof_limits){.length_max = INT32_MAX});
    } else {
        pof_reader_init(&way->reader, pof);
    }
    return pof_struct_read(&way->reader, table, way->object, &way->memory.memory);
}

/* The generic reader of the golden vectors takes it, and finds the same end. */
static void assert_others_read(struct bytes pof, const struct pof_struct *table)
{
    json_t *node = NULL;

    assert_int_equal(measure(pof), pof.size);
    assert_int_equal(node_read(pof, &node), QN_OK);
    assert_string_equal(json_string_value(json_object_get(node, "t")), "user");
    assert_int_equal(json_integer_value(json_object_get(node, "type")), table->type);
    json_decref(node);
}

/* Both ways read equal structs. */
static void assert_comes_back(struct bytes pof, const struct pof_struct *table, const void *object,
                              bool copy)
{
    for (int long_way = 0; long_way < 2; long_way++) {
        struct way way;
        struct same_objects objects = {.count = 0};
        assert_int_equal(read_by(&way, table, pof, long_way, copy), QN_OK);
        objects.count = table->shared ? 1 : 0;
        objects.left[0] = object;
        objects.right[0] = way.object;
        assert_true(same_struct(table, object, way.object, &objects));
        memory_fini(&way.memory);
    }
}

/* However octets are changed, both ways say the same. */
static void assert_both_ways_agree(struct dice *dice, const struct buf *out,
                                   const struct pof_struct *table)
{
    struct way ways[2];
    struct buf changed = {0};

    for (int i = 0; i < MUTANTS; i++) {
        buf_clear(&changed);
        assert_int_equal(buf_append(&changed, out->data, out->size), QN_OK);
        changed.data[dice_below(dice, (uint32_t)out->size)] = (uint8_t)dice_below(dice, 256);
        struct bytes pof = buf_bytes(&changed);
        pof.size -= dice_below(dice, 4) == 0 ? dice_below(dice, (uint32_t)out->size) : 0;
        enum qn_status status = read_by(&ways[0], table, pof, false, true);
        assert_int_equal(status, read_by(&ways[1], table, pof, true, true));
        if (status == QN_OK) {
            struct same_objects objects = {.count = table->shared ? 1 : 0};
            objects.left[0] = ways[0].object;
            objects.right[0] = ways[1].object;
            assert_true(same_struct(table, ways[0].object, ways[1].object, &objects));
        }
        memory_fini(&ways[0].memory);
        memory_fini(&ways[1].memory);
    }
    buf_fini(&changed);
}

/* The writer alone makes the same octets. */
static void assert_as_by_hand(struct bytes pof, const struct pof_struct *table, const void *object)
{
    struct pof_writer w;
    struct buf by_hand = {0};

    pof_writer_init(&w, &by_hand);
    write_by_hand(&w, POF_NEXT, table, object, false);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(pof, buf_bytes(&by_hand));
    buf_fini(&by_hand);
}

static void run_pool(struct dice *dice, bool shared)
{
    struct random_tables random;
    struct arena arena;
    struct buf out = {0};

    random_tables(&random, dice, shared);
    for (int i = 0; i < OBJECTS; i++) {
        const struct pof_struct *table = &random.tables[dice_below(dice, TABLES)];
        struct random_objects objects = {.count = 0};
        struct pof_writer w;
        arena_init(&arena, 0);
        const void *object = random_object(dice, &arena, table, &objects, DEPTH);
        buf_clear(&out);
        pof_writer_init(&w, &out);
        pof_struct_write(&w, POF_NEXT, table, object);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        assert_comes_back(buf_bytes(&out), table, object, i % 2 == 0);
        assert_both_ways_agree(dice, &out, table);
        if (!shared) {
            assert_others_read(buf_bytes(&out), table);
            assert_as_by_hand(buf_bytes(&out), table, object);
        }
        arena_fini(&arena);
    }
    buf_fini(&out);
}

static void random_structs_come_back_and_others_read_them(void **state)
{
    struct dice dice = {61};

    (void)state;
    for (int i = 0; i < POOLS; i++) {
        run_pool(&dice, false);
    }
}

static void random_structs_with_cycles_come_back(void **state)
{
    struct dice dice = {62};

    (void)state;
    for (int i = 0; i < POOLS; i++) {
        run_pool(&dice, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_structs_come_back_and_others_read_them),
        cmocka_unit_test(random_structs_with_cycles_come_back),
    };

    return RUN_TESTS(tests);
}

/* A table that grows under its readers. */
#include <pthread.h>

#include "node/id_table.h"
#include "tests/lib/check.h"

enum { IDS = 3 * ID_TABLE_BLOCK + 7 };

/* What is not there is NULL, also what cannot be. */
static void nothing_is_null(void **state)
{
    static struct id_table table; /* zero; too large for a stack of a thread with little of it */

    (void)state;
    assert_null(id_table_get(&table, 0));
    assert_null(id_table_get(&table, 77));
    assert_null(id_table_get(&table, UINT32_MAX));
    assert_int_equal(id_table_end(&table), 0);
    assert_int_equal(id_table_reserve(&table, ID_TABLE_MAX), QN_INVALID);
    assert_int_equal(id_table_reserve(&table, ID_TABLE_MAX - 1), QN_OK);
    assert_null(id_table_get(&table, ID_TABLE_MAX - 1));
    id_table_fini(&table);
}

/* Each id has its pointer, whatever the order; the end is behind the highest. */
static void ids_have_their_pointers(void **state)
{
    static struct id_table table;
    static int things[IDS];

    (void)state;
    for (uint32_t i = 0; i < IDS; i++) {
        uint32_t id = IDS - 1 - i;
        assert_int_equal(id_table_reserve(&table, id), QN_OK);
        assert_null(id_table_get(&table, id));
        id_table_set(&table, id, &things[id]);
        assert_int_equal(id_table_end(&table), IDS);
    }
    for (uint32_t id = 0; id < IDS; id++) {
        assert_ptr_equal(id_table_get(&table, id), &things[id]);
    }
    assert_null(id_table_get(&table, IDS));
    id_table_fini(&table);
    assert_null(id_table_get(&table, 0));
}

struct race {
    struct id_table table;
    uint32_t things[IDS];
    atomic_bool wrong;
};

static void *read_all(void *arg)
{
    struct race *race = arg;
    uint32_t end = 0;

    while (end < IDS) {
        end = id_table_end(&race->table);
        for (uint32_t id = 0; id < IDS; id++) {
            const uint32_t *thing = id_table_get(&race->table, id);
            if ((id < end && !thing) || (thing && *thing != id + 1)) {
                atomic_store(&race->wrong, true);
            }
        }
    }
    return NULL;
}

/* A reader sees a thing as it was when it was published, and everything below the end. */
static void readers_see_whole_things(void **state)
{
    static struct race race;
    pthread_t readers[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, read_all, &race), 0);
    }
    for (uint32_t id = 0; id < IDS; id++) {
        race.things[id] = id + 1;
        assert_int_equal(id_table_reserve(&race.table, id), QN_OK);
        id_table_set(&race.table, id, &race.things[id]);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    }
    assert_false(atomic_load(&race.wrong));
    id_table_fini(&race.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_null),
        cmocka_unit_test(ids_have_their_pointers),
        cmocka_unit_test(readers_see_whole_things),
    };

    return RUN_TESTS(tests);
}

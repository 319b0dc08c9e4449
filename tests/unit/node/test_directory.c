/* The directory: which caches there are, which shard has which partition. */
#define _GNU_SOURCE
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/node/directory_fixture.h"

static uint32_t create(struct place *place, const char *name)
{
    struct wire_cache wanted = cache_named(name), found = {0};

    assert_int_equal(directory_cache_create(&place->directory, &wanted, &found, NULL), QN_OK);
    assert_bytes_equal(found.name, bytes_of_text(name));
    return found.id;
}

static void drop(struct place *place, const char *name)
{
    struct wire_cache found;

    assert_int_equal(directory_cache_drop(&place->directory, bytes_of_text(name), &found, NULL),
                     QN_OK);
    assert_bytes_equal(found.name, bytes_of_text(name));
}

/* Partitions of all services are spread over the shards in turn, and clients are told modulo what
 * keys are hashed. */
static void the_table_covers_all_services(void **state)
{
    struct place place;
    struct wire_node node;
    struct wire_message message = {0};

    (void)state;
    place_make(&place);
    for (uint32_t s = 0; s < PLACE_SHARDS; s++) {
        (void)snprintf(place.directory.endpoints[s], DIRECTORY_ENDPOINT_MAX, "tcp://h:%u", s);
    }
    directory_publish(&place.directory, 5);
    directory_table_fill(&place.directory, &node, &message);
    assert_int_equal(message.partition_count, 2 * PLACE_PARTITIONS);
    assert_int_equal(message.hash_partitions, PLACE_PARTITIONS);
    assert_int_equal(message.table_version, 1);
    for (uint32_t p = 0; p < message.partition_count; p++) {
        assert_int_equal(message.partitions[p].shard, p % PLACE_SHARDS);
        assert_int_equal(message.partitions[p].epoch, 5);
        assert_int_equal(message.partitions[p].leader, 7);
    }
    assert_int_equal(message.nodes[0].endpoint_count, PLACE_SHARDS);
    assert_bytes_equal(message.nodes[0].endpoints[2], bytes_of_text("tcp://h:2"));
    place_remove(&place);
}

/* A cache is found by its id with all that it is, and not before it is there. */
static void a_cache_is_found_by_its_id(void **state)
{
    struct place place;
    struct wire_cache found;
    struct wire_cache wanted = {.name = bytes_of_text("hot"),
                                .service = WIRE_SERVICE_MEMORY,
                                .ttl_ms = 5000,
                                .size_max_bytes = 1 << 20};

    (void)state;
    place_make(&place);
    assert_null(directory_cache(&place.directory, 0));
    assert_null(directory_cache(&place.directory, 1));
    assert_null(directory_cache(&place.directory, UINT32_MAX));
    assert_int_equal(directory_cache_create(&place.directory, &wanted, &found, NULL), QN_OK);
    for (int start = 0; start < 2; start++) {
        const struct cache_info *cache = directory_cache(&place.directory, found.id);
        assert_non_null(cache);
        assert_string_equal(cache->name, "hot");
        assert_int_equal(cache->service, WIRE_SERVICE_MEMORY);
        assert_int_equal(cache->ttl_ms, 5000);
        assert_int_equal(cache->size_max_bytes, 1 << 20);
        assert_false(atomic_load(&cache->dropped));
        place_reopen(&place);
    }
    place_remove(&place);
}

/* Opening tells what there is; what there is not is created by the clerk, if that is allowed. */
static void opening_finds_or_says_what_to_do(void **state)
{
    struct place place;
    struct wire_cache found = {0};
    struct directory *directory = &place.directory;
    qn_error err = QN_ERROR_INIT;

    (void)state;
    place_make(&place);
    uint32_t id = create(&place, "orders");
    assert_int_equal(directory_cache_open(directory, bytes_of_text("orders"), false, &found, &err),
                     QN_OK);
    assert_int_equal(found.id, id);
    assert_int_equal(directory_cache_open(directory, bytes_of_text("other"), true, &found, &err),
                     QN_ABSENT);
    assert_false(qn_error_failed(&err));
    assert_int_equal(directory_cache_open(directory, bytes_of_text("other"), false, &found, &err),
                     QN_UNKNOWN_CACHE);
    assert_non_null(strstr(err.text, "caches.names"));
    qn_error_clear(&err);
    directory->caches_create = false;
    assert_int_equal(directory_cache_open(directory, bytes_of_text("other"), true, &found, &err),
                     QN_ACL);
    assert_non_null(strstr(err.text, "caches.create"));
    place_remove(&place);
}

/* A dropped cache says so to whoever still has its id, in this run and in the next; the version
 * tells that something has changed. */
static void a_dropped_cache_says_so(void **state)
{
    struct place place;
    struct wire_cache found;
    struct directory *directory = &place.directory;

    (void)state;
    place_make(&place);
    uint32_t first = create(&place, "a"), second = create(&place, "b");
    uint64_t version = directory_caches_version(directory);
    const struct cache_info *cache = directory_cache(directory, first);
    assert_false(directory_cache_dropped(directory, first));
    drop(&place, "a");
    assert_true(directory_caches_version(directory) > version);
    assert_true(atomic_load(&cache->dropped));
    assert_true(directory_cache_dropped(directory, first));
    assert_int_equal(directory_cache_drop(directory, bytes_of_text("a"), &found, NULL),
                     QN_UNKNOWN_CACHE);
    uint32_t third = create(&place, "a");
    assert_true(third > second);
    place_reopen(&place);
    assert_null(directory_cache(directory, first));
    assert_true(directory_cache_dropped(directory, first));
    assert_false(directory_cache_dropped(directory, second));
    assert_false(directory_cache_dropped(directory, third));
    assert_false(directory_cache_dropped(directory, third + 1));
    assert_false(directory_cache_dropped(directory, 0));
    place_remove(&place);
}

/* What could not be written down has not happened. */
static void a_failed_write_changes_nothing(void **state)
{
    struct place place;
    struct wire_cache wanted = cache_named("new"), found = {.id = 77};
    struct directory *directory = &place.directory;
    qn_error err = QN_ERROR_INIT;

    (void)state;
    place_make(&place);
    uint32_t id = create(&place, "old");
    uint64_t version = directory_caches_version(directory);
    place_break(&place);
    assert_int_equal(directory_cache_create(directory, &wanted, &found, &err), QN_IO);
    assert_int_equal(directory_cache_drop(directory, bytes_of_text("old"), &found, NULL), QN_IO);
    assert_int_equal(found.id, 77);
    assert_false(directory_cache_dropped(directory, id));
    assert_int_equal(directory_cache_open(directory, bytes_of_text("new"), true, &found, NULL),
                     QN_ABSENT);
    assert_int_equal(directory_caches_version(directory), version);
    place_mend(&place);
    assert_true(create(&place, "new") > id);
    place_remove(&place);
}

struct listing {
    char names[200];
};

static void list(void *arg, const struct cache_info *cache)
{
    struct listing *listing = arg;

    strcat(listing->names, cache->name);
    strcat(listing->names, " ");
}

/* The list has what is there, by age. */
static void the_list_is_by_age(void **state)
{
    struct place place;
    struct listing listing = {0};

    (void)state;
    place_make(&place);
    directory_caches_each(&place.directory, list, &listing);
    assert_string_equal(listing.names, "");
    (void)create(&place, "z");
    (void)create(&place, "y");
    (void)create(&place, "x");
    drop(&place, "y");
    (void)create(&place, "y");
    directory_caches_each(&place.directory, list, &listing);
    assert_string_equal(listing.names, "z x y ");
    place_remove(&place);
}

struct differences {
    size_t count;
    char text[300];
};

static void differ(void *arg, const char *name, const char *what)
{
    struct differences *differences = arg;

    differences->count++;
    (void)snprintf(differences->text, sizeof differences->text, "%s: %s", name, what);
}

/* The caches of the settings are there after a start; what one of them was before stays, and the
 * difference is told. */
static void settings_create_but_do_not_change(void **state)
{
    struct place place;
    struct differences differences = {0};
    struct cfg_cache wanted[] = {{.name = "a"}, {.name = "b", .ttl_ms = 1000}};
    struct cfg_caches caches = {.list = wanted, .count = 2};

    (void)state;
    place_make(&place);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            directory_caches_ensure(&place.directory, &caches, differ, &differences, NULL), QN_OK);
        assert_int_equal(differences.count, 0);
    }
    wanted[1] = (struct cfg_cache){
        .name = "b", .ttl_ms = 2000, .durability = CFG_DURABILITY_MEMORY, .size_max_bytes = 4096};
    assert_int_equal(directory_caches_ensure(&place.directory, &caches, differ, &differences, NULL),
                     QN_OK);
    assert_int_equal(differences.count, 1);
    assert_string_equal(differences.text,
                        "b: ttl_ms is 1000, settings say 2000; durability is disk, settings say "
                        "memory; size_max is 0 octets, settings say 4096");
    assert_int_equal(directory_cache(&place.directory, 2)->ttl_ms, 1000);
    assert_int_equal(directory_caches_ensure(&place.directory, &caches, NULL, NULL, NULL), QN_OK);
    place_remove(&place);
}

/* A cache that is there is found whatever is asked for; nonsense is refused. */
static void creating_again_finds(void **state)
{
    struct place place;
    struct wire_cache again = {.name = bytes_of_text("a"), .ttl_ms = 9}, found = {0};
    struct wire_cache bad = {.name = bytes_of_text("a/b")};
    struct wire_cache worse = {.name = bytes_of_text("c"), .service = DIRECTORY_SERVICES};

    (void)state;
    place_make(&place);
    uint32_t id = create(&place, "a");
    assert_int_equal(directory_cache_create(&place.directory, &again, &found, NULL), QN_OK);
    assert_int_equal(found.id, id);
    assert_int_equal(found.ttl_ms, 0);
    assert_int_equal(directory_cache_create(&place.directory, &bad, &found, NULL), QN_INVALID);
    assert_int_equal(directory_cache_create(&place.directory, &worse, &found, NULL), QN_INVALID);
    place_remove(&place);
}

/* Hundreds of caches: names that share a place in the table, ids over more than one block. */
static void many_caches_are_told_apart(void **state)
{
    enum { MANY = 600 };
    struct place place;
    struct wire_cache found;
    char name[32];

    (void)state;
    place_make(&place);
    for (unsigned i = 1; i <= MANY; i++) {
        (void)snprintf(name, sizeof name, "cache-%u", i);
        assert_int_equal(create(&place, name), i);
    }
    for (unsigned i = 1; i <= MANY; i++) {
        (void)snprintf(name, sizeof name, "cache-%u", i);
        assert_int_equal(
            directory_cache_open(&place.directory, bytes_of_text(name), false, &found, NULL),
            QN_OK);
        assert_int_equal(found.id, i);
        assert_string_equal(directory_cache(&place.directory, i)->name, name);
    }
    place_remove(&place);
}

struct race {
    struct place place;
    atomic_bool done;
    atomic_bool wrong;
};

static void *look(void *arg)
{
    struct race *race = arg;
    struct directory *directory = &race->place.directory;
    struct wire_cache found;

    while (!atomic_load(&race->done)) {
        for (uint32_t id = 1; id < 40; id++) {
            const struct cache_info *cache = directory_cache(directory, id);
            if (cache && (cache->id != id || cache->ttl_ms != (int64_t)id)) {
                atomic_store(&race->wrong, true);
            }
        }
        enum qn_status status =
            directory_cache_open(directory, bytes_of_text("now"), false, &found, NULL);
        if (status != QN_OK && status != QN_UNKNOWN_CACHE) {
            atomic_store(&race->wrong, true);
        }
    }
    return NULL;
}

/* Shards look caches up while the clerk creates and drops them. */
static void lookups_and_changes_go_together(void **state)
{
    static struct race race;
    pthread_t reader;
    struct wire_cache found;

    (void)state;
    place_make(&race.place);
    assert_int_equal(pthread_create(&reader, NULL, look, &race), 0);
    for (int64_t id = 1; id < 40; id++) {
        struct wire_cache wanted = {.name = bytes_of_text("now"), .ttl_ms = id};
        assert_int_equal(directory_cache_create(&race.place.directory, &wanted, &found, NULL),
                         QN_OK);
        assert_int_equal(found.id, id);
        drop(&race.place, "now");
    }
    atomic_store(&race.done, true);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_false(atomic_load(&race.wrong));
    place_remove(&race.place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_covers_all_services),
        cmocka_unit_test(a_cache_is_found_by_its_id),
        cmocka_unit_test(opening_finds_or_says_what_to_do),
        cmocka_unit_test(a_dropped_cache_says_so),
        cmocka_unit_test(a_failed_write_changes_nothing),
        cmocka_unit_test(the_list_is_by_age),
        cmocka_unit_test(settings_create_but_do_not_change),
        cmocka_unit_test(creating_again_finds),
        cmocka_unit_test(many_caches_are_told_apart),
        cmocka_unit_test(lookups_and_changes_go_together),
    };

    return RUN_TESTS(tests);
}

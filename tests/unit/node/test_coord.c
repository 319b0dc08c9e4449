/* The coord file: incarnations and epochs only rise, ids of caches are never reused. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/coord/coord.h"
#include "node/coord/file.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

static struct coord *open_coord(const struct folder *folder)
{
    struct coord *coord = NULL;
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = coord_open(folder->path, &coord, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(status, QN_OK);
    return coord;
}

static enum qn_status ensure_named(struct coord *coord, struct bytes name, uint32_t *id,
                                   qn_error *err)
{
    struct coord_definition definition = {.name = name};
    const struct coord_cache *cache;
    enum qn_status status = coord_cache_ensure(coord, &definition, &cache, err);

    if (status == QN_OK) {
        *id = cache->id;
    }
    return status;
}

static uint32_t ensure(struct coord *coord, const char *name)
{
    uint32_t id = 0;

    assert_int_equal(ensure_named(coord, bytes_of_text(name), &id, NULL), QN_OK);
    return id;
}

/* Its id; 0 = there is none. */
static uint32_t find(const struct coord *coord, struct bytes name)
{
    const struct coord_cache *cache = coord_cache_find(coord, name);

    return cache ? cache->id : 0;
}

/* Each start is a new incarnation, and opens in an epoch above all before and all in the logs. */
static void incarnation_and_epoch_rise_at_each_start(void **state)
{
    struct folder folder;
    uint64_t epoch = 0, last = 0;

    (void)state;
    folder_make(&folder);
    for (uint64_t start = 1; start <= 4; start++) {
        struct coord *coord = open_coord(&folder);
        assert_int_equal(coord_incarnation(coord), start);
        assert_int_equal(coord_epoch(coord, start == 3 ? 1000 : 0, &epoch, NULL), QN_OK);
        assert_true(epoch > last);
        assert_int_equal(epoch, start < 3 ? start : 998 + start);
        last = epoch;
        coord_close(coord);
    }
    folder_remove(&folder);
}

/* A cache keeps its id over starts; another one gets another. */
static void a_cache_keeps_its_id(void **state)
{
    struct folder folder;
    size_t count;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    assert_int_equal(find(coord, bytes_of_text("orders")), 0);
    assert_int_equal(ensure(coord, "orders"), 1);
    assert_int_equal(ensure(coord, "a.B-9_"), 2);
    assert_int_equal(ensure(coord, "orders"), 1);
    coord_close(coord);

    coord = open_coord(&folder);
    assert_int_equal(find(coord, bytes_of_text("a.B-9_")), 2);
    assert_int_equal(ensure(coord, "third"), 3);
    const struct coord_cache *caches = coord_caches(coord, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(caches[i].id, i + 1);
    }
    assert_string_equal(caches[2].name, "third");
    coord_close(coord);
    folder_remove(&folder);
}

/* An id that may have reached the disk is not given to another cache, although the write of it was
 * reported as failed. An epoch neither. */
static void a_failed_write_does_not_give_an_id_twice(void **state)
{
    struct folder folder;
    char hidden[PATH_MAX_SIZE + 8];
    uint32_t id = 99;
    uint64_t epoch = 99, next = 0;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    assert_int_equal(ensure(coord, "first"), 1);
    assert_int_equal(coord_epoch(coord, 0, &next, NULL), QN_OK);
    (void)snprintf(hidden, sizeof hidden, "%s-away", folder.path);
    assert_int_equal(rename(folder.path, hidden), 0);
    qn_error err = QN_ERROR_INIT;
    assert_int_equal(ensure_named(coord, bytes_of_text("second"), &id, &err), QN_IO);
    assert_non_null(strstr(err.text, "coord"));
    assert_int_equal(coord_epoch(coord, 0, &epoch, NULL), QN_IO);
    assert_int_equal(id, 99);
    assert_int_equal(epoch, 99);
    assert_int_equal(find(coord, bytes_of_text("second")), 0);
    assert_int_equal(rename(hidden, folder.path), 0);
    assert_int_equal(ensure(coord, "third"), 3);
    assert_int_equal(coord_epoch(coord, 0, &epoch, NULL), QN_OK);
    assert_int_equal(epoch, next + 2);
    coord_close(coord);
    coord = open_coord(&folder);
    assert_int_equal(ensure(coord, "fourth"), 4);
    coord_close(coord);
    folder_remove(&folder);
}

/* Names are 1 to 128 letters, digits, '.', '_' or '-'. */
static void other_names_are_refused(void **state)
{
    static const char *const bad[] = {"", "a b", "a/b", "a\n", "caf\xc3\xa9", "x:y"};
    struct folder folder;
    char longest[130];
    uint32_t id = 0;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ensure_named(coord, bytes_of_text(bad[i]), &id, NULL), QN_INVALID);
    }
    memset(longest, 'x', sizeof longest);
    assert_int_equal(ensure_named(coord, bytes_of(longest, 129), &id, NULL), QN_INVALID);
    assert_int_equal(ensure_named(coord, bytes_of("a\0b", 3), &id, NULL), QN_INVALID);
    assert_int_equal(id, 0);
    assert_int_equal(ensure_named(coord, bytes_of(longest, 128), &id, NULL), QN_OK);
    assert_int_equal(id, 1);
    coord_close(coord);
    coord = open_coord(&folder);
    assert_int_equal(find(coord, bytes_of(longest, 128)), 1);
    coord_close(coord);
    folder_remove(&folder);
}

static void check_refused(const struct folder *folder, const char *word)
{
    struct coord *coord = NULL;
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(coord_open(folder->path, &coord, &err), QN_CORRUPT);
    assert_null(coord);
    assert_non_null(strstr(err.text, "/coord"));
    assert_non_null(strstr(err.text, word));
}

/* What a cache is stands in the file; asking again with another definition changes nothing. */
static void a_cache_keeps_its_definition(void **state)
{
    struct coord_definition definition = {.name = bytes_of_text("hot"),
                                          .service = 1,
                                          .ttl_ms = 86400000,
                                          .size_max_bytes = UINT64_MAX};
    const struct coord_cache *cache;
    struct folder folder;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    assert_int_equal(coord_cache_ensure(coord, &definition, &cache, NULL), QN_OK);
    coord_close(coord);
    coord = open_coord(&folder);
    definition = (struct coord_definition){.name = bytes_of_text("hot"), .ttl_ms = 5};
    assert_int_equal(coord_cache_ensure(coord, &definition, &cache, NULL), QN_OK);
    assert_int_equal(cache->id, 1);
    assert_int_equal(cache->service, 1);
    assert_int_equal(cache->ttl_ms, 86400000);
    assert_true(cache->size_max_bytes == UINT64_MAX);
    assert_string_equal(cache->name, "hot");
    coord_close(coord);
    folder_remove(&folder);
}

/* A service that is not there, and a time that ran out before it began, are refused. */
static void other_definitions_are_refused(void **state)
{
    const struct coord_definition bad[] = {
        {.name = bytes_of_text("a"), .service = COORD_SERVICES},
        {.name = bytes_of_text("a"), .ttl_ms = -1},
    };
    const struct coord_cache *cache;
    struct folder folder;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(coord_cache_ensure(coord, &bad[i], &cache, NULL), QN_INVALID);
    }
    assert_int_equal(coord_cache_next(coord), 1);
    coord_close(coord);
    folder_remove(&folder);
}

/* A dropped cache is gone over starts, the others stay in order, and its id is never given again;
 * that an id was given and is not listed says that it was dropped. */
static void a_dropped_cache_does_not_come_back(void **state)
{
    struct folder folder;
    uint32_t id = 0;
    size_t count;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    (void)ensure(coord, "first");
    (void)ensure(coord, "second");
    (void)ensure(coord, "third");
    assert_int_equal(coord_cache_drop(coord, bytes_of_text("second"), &id, NULL), QN_OK);
    assert_int_equal(id, 2);
    assert_int_equal(coord_cache_drop(coord, bytes_of_text("second"), &id, NULL), QN_UNKNOWN_CACHE);
    coord_close(coord);
    coord = open_coord(&folder);
    const struct coord_cache *caches = coord_caches(coord, &count);
    assert_int_equal(count, 2);
    assert_int_equal(caches[0].id, 1);
    assert_int_equal(caches[1].id, 3);
    assert_int_equal(coord_cache_next(coord), 4);
    assert_int_equal(ensure(coord, "second"), 4);
    assert_int_equal(coord_cache_drop(coord, bytes_of_text("second"), &id, NULL), QN_OK);
    coord_close(coord);
    coord = open_coord(&folder);
    assert_int_equal(coord_cache_next(coord), 5);
    coord_close(coord);
    folder_remove(&folder);
}

/* A drop that could not be written down did not happen. */
static void a_failed_drop_leaves_the_cache(void **state)
{
    struct folder folder;
    char hidden[PATH_MAX_SIZE + 8];
    uint32_t id = 99;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    (void)ensure(coord, "first");
    (void)ensure(coord, "second");
    (void)snprintf(hidden, sizeof hidden, "%s-away", folder.path);
    assert_int_equal(rename(folder.path, hidden), 0);
    assert_int_equal(coord_cache_drop(coord, bytes_of_text("first"), &id, NULL), QN_IO);
    assert_int_equal(id, 99);
    assert_int_equal(find(coord, bytes_of_text("first")), 1);
    assert_int_equal(find(coord, bytes_of_text("second")), 2);
    assert_int_equal(rename(hidden, folder.path), 0);
    (void)ensure(coord, "third");
    coord_close(coord);
    coord = open_coord(&folder);
    assert_int_equal(find(coord, bytes_of_text("first")), 1);
    coord_close(coord);
    folder_remove(&folder);
}

/* Only a run that says so at its end was stopped cleanly; the first start has nothing behind it. */
static void an_end_is_unclean_unless_it_says_otherwise(void **state)
{
    struct folder folder;

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    assert_true(coord_was_clean(coord));
    coord_close(coord);
    coord = open_coord(&folder);
    assert_false(coord_was_clean(coord));
    assert_int_equal(coord_stopped(coord, NULL), QN_OK);
    coord_close(coord);
    coord = open_coord(&folder);
    assert_true(coord_was_clean(coord));
    coord_close(coord);
    coord = open_coord(&folder);
    assert_false(coord_was_clean(coord));
    coord_close(coord);
    folder_remove(&folder);
}

/* A file of the format before is read: its caches are on disk and never expire. */
static void a_file_of_the_format_before_is_read(void **state)
{
    static const char old[] =
        "quoin-coord 1\nincarnation 7\nepoch 9\nnext-cache 5\ncache 2 a\ncache 4 b\n";
    struct folder folder;
    struct buf text = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    (void)snprintf(path, sizeof path, "%.400s/coord", folder.path);
    assert_int_equal(buf_append(&text, old, sizeof old - 1), QN_OK);
    assert_int_equal(lines_seal(&text), QN_OK);
    file_store(path, buf_bytes(&text));
    for (uint64_t start = 8; start < 10; start++) {
        struct coord *coord = open_coord(&folder);
        assert_int_equal(coord_incarnation(coord), start);
        assert_int_equal(coord_was_clean(coord), start == 8);
        const struct coord_cache *b = coord_cache_find(coord, bytes_of_text("b"));
        assert_non_null(b);
        assert_int_equal(b->id, 4);
        assert_int_equal(b->service, 0);
        assert_int_equal(b->ttl_ms, 0);
        assert_int_equal(coord_cache_next(coord), 5);
        coord_close(coord);
    }
    buf_fini(&text);
    folder_remove(&folder);
}

/* Every flipped bit and every cut is noticed; the file is left as it is. */
static void a_damaged_file_is_refused(void **state)
{
    struct folder folder;
    struct buf image = {0}, after = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    struct coord *coord = open_coord(&folder);
    (void)ensure(coord, "orders");
    coord_close(coord);
    (void)snprintf(path, sizeof path, "%.400s/coord", folder.path);
    file_load(path, &image);
    for (size_t i = 0; i < image.size; i++) {
        image.data[i] ^= (uint8_t)(1u << (i % 8));
        file_store(path, buf_bytes(&image));
        check_refused(&folder, "damaged");
        file_load(path, &after);
        assert_bytes_equal(buf_bytes(&after), buf_bytes(&image));
        image.data[i] ^= (uint8_t)(1u << (i % 8));
        file_store(path, bytes_of(image.data, i));
        check_refused(&folder, "damaged");
    }
    buf_fini(&image);
    buf_fini(&after);
    folder_remove(&folder);
}

/* Sound, but not what this version writes: a newer format, ids out of order, lines unknown. */
static void sound_nonsense_is_refused(void **state)
{
    static const char *const texts[] = {
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 0\n",
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 1048577\n",
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 2\ncache 2 a\n",
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 9\ncache 2 a\ncache 2 b\n",
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 9\ncache 2 a b\n",
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 9\ncache 2\n",
        "quoin-coord 1\nincarnation 1\nepoch 1\nnext-cache 9\nmore 2\n",
        "quoin-coord 1\nincarnation 18446744073709551616\nepoch 1\nnext-cache 9\n",
        "quoin-coord 1\nincarnation -1\nepoch 1\nnext-cache 9\n",
        "quoin-coord 1\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nnext-cache 2\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 2\nnext-cache 2\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 1\nnext-cache 9\ncache 2 a\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 1\nnext-cache 9\ncache 2 2 0 0 a\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 1\nnext-cache 9\ncache 2 1 -5 0 a\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 1\nnext-cache 9\ncache 2 1 0 x a\n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 1\nnext-cache 9\ncache 2 1 0 0 \n",
        "quoin-coord 2\nincarnation 1\nepoch 1\nclean 1\nnext-cache 9\ncache 2 1 0 0\n",
        "",
    };
    struct folder folder;
    struct buf text = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    (void)snprintf(path, sizeof path, "%.400s/coord", folder.path);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        buf_clear(&text);
        assert_int_equal(buf_append(&text, texts[i], strlen(texts[i])), QN_OK);
        assert_int_equal(lines_seal(&text), QN_OK);
        file_store(path, buf_bytes(&text));
        check_refused(&folder, "damaged");
    }
    buf_clear(&text);
    assert_int_equal(lines_add_number(&text, "quoin-coord", 3), QN_OK);
    assert_int_equal(lines_seal(&text), QN_OK);
    file_store(path, buf_bytes(&text));
    check_refused(&folder, "format 3");
    buf_fini(&text);
    folder_remove(&folder);
}

/* A file that is missing beside logs was lost, not never there: its ids must not start anew. */
static void a_missing_file_beside_logs_is_damage(void **state)
{
    struct folder folder;
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    (void)snprintf(path, sizeof path, "%.400s/lane-0", folder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    check_refused(&folder, "missing");
    folder_remove(&folder);
}

/* A replaced file is the new one entirely; one that is not there is absent, not an error. */
static void files_are_replaced_as_a_whole(void **state)
{
    struct folder folder;
    struct buf content = {0};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    folder_make(&folder);
    assert_int_equal(file_read(folder.path, "f", 100, &content, &err), QN_ABSENT);
    assert_false(qn_error_failed(&err));
    assert_int_equal(file_replace(folder.path, "f", bytes_of_text("long content"), &err), QN_OK);
    assert_int_equal(file_replace(folder.path, "f", bytes_of_text("short"), &err), QN_OK);
    assert_int_equal(folder_count(&folder, ".tmp"), 1); /* space for the next one */
    assert_int_equal(file_read(folder.path, "f", 5, &content, &err), QN_OK);
    assert_bytes_equal(buf_bytes(&content), bytes_of_text("short"));
    buf_fini(&content);
    assert_int_equal(file_read(folder.path, "f", 4, &content, NULL), QN_TOO_LARGE);
    assert_int_equal(content.size, 0);
    assert_int_equal(file_replace("/nonexistent", "f", bytes_of_text("x"), &err), QN_IO);
    assert_non_null(strstr(err.text, "/nonexistent/f"));
    buf_fini(&content);
    folder_remove(&folder);
}

/* A directory and what is missing above it is made; where that cannot be, it is said at once. */
static void directories_are_made_or_refused(void **state)
{
    static const char *const bad[] = {"/proc/quoin/data", "/dev/null/data", "/proc/1/x/y/z", ""};
    struct folder folder;
    char path[PATH_MAX_SIZE];
    struct stat st;

    (void)state;
    folder_make(&folder);
    (void)snprintf(path, sizeof path, "%.400s//a/b///c//", folder.path);
    assert_int_equal(file_dir_make(path, NULL), QN_OK);
    assert_int_equal(file_dir_make(path, NULL), QN_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(file_dir_make("/", NULL), QN_OK);
    assert_int_equal(file_dir_make(".", NULL), QN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        qn_error err = QN_ERROR_INIT;
        assert_int_equal(file_dir_make(bad[i], &err), QN_IO);
        assert_non_null(strstr(err.text, bad[i]));
    }
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incarnation_and_epoch_rise_at_each_start),
        cmocka_unit_test(a_cache_keeps_its_id),
        cmocka_unit_test(a_failed_write_does_not_give_an_id_twice),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(a_cache_keeps_its_definition),
        cmocka_unit_test(other_definitions_are_refused),
        cmocka_unit_test(a_dropped_cache_does_not_come_back),
        cmocka_unit_test(a_failed_drop_leaves_the_cache),
        cmocka_unit_test(an_end_is_unclean_unless_it_says_otherwise),
        cmocka_unit_test(a_file_of_the_format_before_is_read),
        cmocka_unit_test(a_damaged_file_is_refused),
        cmocka_unit_test(sound_nonsense_is_refused),
        cmocka_unit_test(a_missing_file_beside_logs_is_damage),
        cmocka_unit_test(files_are_replaced_as_a_whole),
        cmocka_unit_test(directories_are_made_or_refused),
    };

    return RUN_TESTS(tests);
}

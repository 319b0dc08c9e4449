/* A data directory is claimed once, by one node of one cluster, and held by one process. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/superblock.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

static const struct superblock wanted = {
    .node = 7, .partitions = 1021, .lanes = 4, .cluster_name = "orders"};

struct place {
    struct folder base;
    char path[PATH_MAX_SIZE]; /* not there yet */
};

static void place_make(struct place *place)
{
    folder_make(&place->base);
    (void)snprintf(place->path, sizeof place->path, "%.400s/a/data", place->base.path);
}

static enum qn_status claim(const struct place *place, const struct superblock *as,
                            struct superblock *found, char *text)
{
    struct datadir *datadir = NULL;
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = datadir_open(place->path, as, 3, found, &datadir, &err);

    assert_int_equal(status == QN_OK, datadir != NULL);
    datadir_close(datadir);
    (void)snprintf(text, QN_ERROR_TEXT_MAX, "%s", err.text);
    return status;
}

/* An empty place becomes a data directory; its ids are drawn once and stay. */
static void the_first_start_draws_the_ids(void **state)
{
    struct place place;
    struct superblock first, again;
    char text[QN_ERROR_TEXT_MAX];
    struct stat st;

    (void)state;
    place_make(&place);
    assert_int_equal(claim(&place, &wanted, &first, text), QN_OK);
    assert_true(first.cluster != 0 && first.disk != 0 && first.cluster != first.disk);
    assert_int_equal(first.node, 7);
    assert_int_equal(first.format, SUPERBLOCK_FORMAT);
    assert_int_equal(stat(place.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(claim(&place, &wanted, &again, text), QN_OK);
    assert_true(again.cluster == first.cluster && again.disk == first.disk);
    assert_string_equal(again.cluster_name, "orders");
    folder_remove(&place.base);
}

/* A directory of another node, cluster or shape is refused, with the difference and the setting. */
static void another_owner_is_refused(void **state)
{
    struct place place;
    struct superblock found = {0}, other;
    char text[QN_ERROR_TEXT_MAX];

    (void)state;
    place_make(&place);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    found = (struct superblock){0};

    other = wanted;
    other.node = 8;
    assert_int_equal(claim(&place, &other, &found, text), QN_CLUSTER);
    assert_non_null(strstr(text, "node.id = 7"));
    other = wanted;
    other.partitions = 31;
    assert_int_equal(claim(&place, &other, &found, text), QN_CLUSTER);
    assert_non_null(strstr(text, "cluster.partitions = 1021"));
    other = wanted;
    (void)snprintf(other.cluster_name, sizeof other.cluster_name, "sessions");
    assert_int_equal(claim(&place, &other, &found, text), QN_CLUSTER);
    assert_non_null(strstr(text, "'orders'"));
    assert_int_equal(found.cluster, 0);
    folder_remove(&place.base);
}

/* Without a wish for a number of lanes, a new directory gets the default and keeps it. */
static void lanes_are_kept_when_nobody_asks(void **state)
{
    struct place place;
    struct superblock found, any = wanted;
    char text[QN_ERROR_TEXT_MAX];

    (void)state;
    place_make(&place);
    any.lanes = 0;
    assert_int_equal(claim(&place, &any, &found, text), QN_OK);
    assert_int_equal(found.lanes, 3);
    any.lanes = 3;
    assert_int_equal(claim(&place, &any, &found, text), QN_OK);
    any.lanes = 0;
    assert_int_equal(claim(&place, &any, &found, text), QN_OK);
    assert_int_equal(found.lanes, 3);
    folder_remove(&place.base);
}

/* Another wish for a number of lanes is no obstacle: what there is is told, until it is switched.
 */
static void another_number_of_lanes_is_told_and_switched(void **state)
{
    struct place place;
    struct superblock found, read = {0}, more = wanted;
    struct datadir *datadir = NULL;
    char text[QN_ERROR_TEXT_MAX];

    (void)state;
    place_make(&place);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    more.lanes = 6;
    assert_int_equal(datadir_open(place.path, &more, 3, &found, &datadir, NULL), QN_OK);
    assert_int_equal(found.lanes, 4);
    assert_int_equal(superblock_lanes_set(datadir, 6, NULL), QN_OK);
    assert_int_equal(superblock_read(place.path, &read, NULL), QN_OK);
    assert_int_equal(read.lanes, 6);
    assert_true(read.cluster == found.cluster && read.disk == found.disk);
    datadir_close(datadir);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    assert_int_equal(found.lanes, 6);
    folder_remove(&place.base);
}

/* A switch that cannot be written says so. */
static void a_failed_switch_says_so(void **state)
{
    struct place place;
    struct superblock found;
    struct datadir *datadir = NULL;
    char hidden[PATH_MAX_SIZE + 8];
    qn_error err = QN_ERROR_INIT;

    (void)state;
    place_make(&place);
    assert_int_equal(datadir_open(place.path, &wanted, 3, &found, &datadir, NULL), QN_OK);
    (void)snprintf(hidden, sizeof hidden, "%s-away", place.path);
    assert_int_equal(rename(place.path, hidden), 0);
    assert_int_equal(superblock_lanes_set(datadir, 5, &err), QN_IO);
    assert_non_null(strstr(err.text, "superblock"));
    assert_int_equal(rename(hidden, place.path), 0);
    assert_int_equal(superblock_read(place.path, &found, NULL), QN_OK);
    assert_int_equal(found.lanes, 4);
    datadir_close(datadir);
    folder_remove(&place.base);
}

/* Lanes of another number, left by a change that did not end, are removed when it is opened. */
static void opening_removes_what_a_dead_change_left(void **state)
{
    struct place place;
    struct superblock found;
    struct folder data;
    char text[QN_ERROR_TEXT_MAX];

    (void)state;
    place_make(&place);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    assert_int_equal(lane_make(place.path, 3, 4, NULL), QN_OK);
    assert_int_equal(lane_make(place.path, 1, 2, NULL), QN_OK);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    (void)snprintf(data.path, sizeof data.path, "%s", place.path);
    assert_int_equal(folder_count(&data, "of4"), 1);
    assert_int_equal(folder_count(&data, "of2"), 0);
    folder_remove(&place.base);
}

/* Tools look without a lock: they see what is there, and whether a process is at it. */
static void tools_look_without_a_lock(void **state)
{
    struct place place;
    struct superblock found, read = {0};
    struct datadir *datadir = NULL;
    qn_error err = QN_ERROR_INIT;
    long pid = 0;

    (void)state;
    place_make(&place);
    assert_int_equal(superblock_read(place.path, &read, &err), QN_ABSENT);
    assert_false(qn_error_failed(&err));
    assert_false(datadir_locked(place.path, &pid));
    assert_int_equal(datadir_open(place.path, &wanted, 3, &found, &datadir, NULL), QN_OK);
    assert_int_equal(superblock_read(place.path, &read, NULL), QN_OK);
    assert_true(read.cluster == found.cluster);
    assert_true(datadir_locked(place.path, NULL));
    assert_true(datadir_locked(place.path, &pid));
    assert_int_equal(pid, getpid());
    datadir_close(datadir);
    assert_false(datadir_locked(place.path, &pid));
    folder_remove(&place.base);
}

/* A superblock of another format is refused: an older one with what can be done about it. */
static void another_format_is_refused(void **state)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"quoin-superblock 1\ncluster 5\ndisk 6\nnode 7\npartitions 1021\nlanes 4\n"
         "cluster-name orders\n",
         "has data format 1, which this quoind does not read any more (it has 2): export"},
        {"quoin-superblock 3\n", "has data format 3, this quoind knows 2"},
        {"quoin-superblock 2\ncluster 5\ndisk 6\nnode 7\npartitions 1021\nlanes 0\n"
         "cluster-name orders\n",
         "is damaged"},
    };
    struct place place;
    struct superblock found;
    struct buf image = {0};
    char text[QN_ERROR_TEXT_MAX], path[PATH_MAX_SIZE];

    (void)state;
    place_make(&place);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    (void)snprintf(path, sizeof path, "%.400s/superblock", place.path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&image);
        assert_int_equal(buf_append(&image, cases[i].text, strlen(cases[i].text)), QN_OK);
        assert_int_equal(lines_seal(&image), QN_OK);
        file_store(path, buf_bytes(&image));
        assert_int_equal(claim(&place, &wanted, &found, text), QN_CORRUPT);
        assert_non_null(strstr(text, cases[i].word));
    }
    buf_fini(&image);
    folder_remove(&place.base);
}

/* A directory that holds something else is left as it is: not even a lock is put there. */
static void a_foreign_directory_is_left_alone(void **state)
{
    struct place place;
    struct superblock found;
    char text[QN_ERROR_TEXT_MAX], path[PATH_MAX_SIZE];

    (void)state;
    place_make(&place);
    (void)snprintf(place.path, sizeof place.path, "%s", place.base.path);
    (void)snprintf(path, sizeof path, "%.400s/letter.txt", place.path);
    file_store(path, bytes_of_text("dear"));
    assert_int_equal(claim(&place, &wanted, &found, text), QN_INVALID);
    assert_non_null(strstr(text, "letter.txt"));
    assert_non_null(strstr(text, "node.data_dir"));
    assert_int_equal(folder_count(&place.base, "lock"), 0);
    folder_remove(&place.base);
}

/* What a file system puts into its root, and what a killed first start leaves, is no obstacle. */
static void leftovers_of_a_killed_first_start_are_no_obstacle(void **state)
{
    struct place place;
    struct superblock found;
    char text[QN_ERROR_TEXT_MAX], path[PATH_MAX_SIZE];

    (void)state;
    place_make(&place);
    (void)snprintf(place.path, sizeof place.path, "%s", place.base.path);
    (void)snprintf(path, sizeof path, "%.400s/superblock.tmp", place.path);
    file_store(path, bytes_of_text("quoin-super"));
    (void)snprintf(path, sizeof path, "%.400s/lock", place.path);
    file_store(path, bytes_of_text("123456789"));
    (void)snprintf(path, sizeof path, "%.400s/lost+found", place.path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    folder_remove(&place.base);
}

/* A second process is kept out and told who is in. In this process too: the lock is of the file. */
static void a_second_opening_is_refused(void **state)
{
    struct place place;
    struct superblock found;
    struct datadir *datadir = NULL;
    char text[QN_ERROR_TEXT_MAX], pid[32];

    (void)state;
    place_make(&place);
    assert_int_equal(datadir_open(place.path, &wanted, 3, &found, &datadir, NULL), QN_OK);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_BUSY);
    (void)snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    assert_non_null(strstr(text, pid));

    pid_t child = fork();
    if (child == 0) {
        _exit(claim(&place, &wanted, &found, text) == QN_BUSY ? 0 : 1);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);

    datadir_close(datadir);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    folder_remove(&place.base);
}

/* Every flipped bit and every cut is noticed; nothing is taken from a damaged superblock. */
static void a_damaged_superblock_is_refused(void **state)
{
    struct place place;
    struct superblock found;
    char text[QN_ERROR_TEXT_MAX], path[PATH_MAX_SIZE];
    struct buf image = {0};

    (void)state;
    place_make(&place);
    assert_int_equal(claim(&place, &wanted, &found, text), QN_OK);
    found = (struct superblock){0};
    (void)snprintf(path, sizeof path, "%.400s/superblock", place.path);
    file_load(path, &image);
    for (size_t i = 0; i < image.size; i++) {
        image.data[i] ^= (uint8_t)(1u << (i % 8));
        file_store(path, buf_bytes(&image));
        assert_int_equal(claim(&place, &wanted, &found, text), QN_CORRUPT);
        assert_non_null(strstr(text, path));
        image.data[i] ^= (uint8_t)(1u << (i % 8));
        file_store(path, bytes_of(image.data, i));
        assert_int_equal(claim(&place, &wanted, &found, text), QN_CORRUPT);
    }
    assert_int_equal(found.cluster, 0);
    buf_fini(&image);
    folder_remove(&place.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_start_draws_the_ids),
        cmocka_unit_test(another_owner_is_refused),
        cmocka_unit_test(lanes_are_kept_when_nobody_asks),
        cmocka_unit_test(another_number_of_lanes_is_told_and_switched),
        cmocka_unit_test(a_failed_switch_says_so),
        cmocka_unit_test(opening_removes_what_a_dead_change_left),
        cmocka_unit_test(tools_look_without_a_lock),
        cmocka_unit_test(another_format_is_refused),
        cmocka_unit_test(a_foreign_directory_is_left_alone),
        cmocka_unit_test(leftovers_of_a_killed_first_start_are_no_obstacle),
        cmocka_unit_test(a_second_opening_is_refused),
        cmocka_unit_test(a_damaged_superblock_is_refused),
    };

    return RUN_TESTS(tests);
}

/* A data directory looked at without a node. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/lane.h"
#include "node/offline/offline.h"
#include "node/relane.h"
#include "tests/lib/check.h"
#include "tests/unit/node/lane_fixture.h"

enum { TEXT_SIZE = 65536, PATH_SIZE = PATH_MAX_SIZE * 3 };

/* What was told. */
struct told {
    char facts[TEXT_SIZE];
    char files[TEXT_SIZE];
    size_t segments, snapshots, manifests;
    size_t records;
    int64_t only; /* partition that records must be of; -1 = any */
    size_t damages;
    char damage_path[PATH_SIZE];
    uint64_t damage_offset;
    char damage_what[1024];
    size_t progress;
};

static void add(char text[TEXT_SIZE], const char *a, const char *b)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, TEXT_SIZE - used, "%s %s\n", a, b);
}

static void take_fact(void *arg, const char *name, const char *value)
{
    add(((struct told *)arg)->facts, name, value);
}

static void take_file(void *arg, const char *path, const char *what)
{
    struct told *told = arg;

    assert_int_equal(access(path, F_OK), 0);
    add(told->files, path, what);
    told->segments += strncmp(what, "kind=segment ", 13) == 0;
    told->snapshots += strncmp(what, "kind=snapshot ", 14) == 0;
    told->manifests += strncmp(what, "kind=manifest ", 14) == 0;
}

static void take_record(void *arg, const char *path, uint64_t offset, const struct record *record)
{
    struct told *told = arg;

    assert_int_equal(access(path, F_OK), 0);
    assert_true(offset > 0);
    assert_true(told->only < 0 || record->partition == (uint32_t)told->only);
    told->records++;
}

static void take_damage(void *arg, const char *path, uint64_t offset, const char *what)
{
    struct told *told = arg;

    told->damages++;
    told->damage_offset = offset;
    (void)snprintf(told->damage_path, sizeof told->damage_path, "%s", path);
    (void)snprintf(told->damage_what, sizeof told->damage_what, "%s", what);
}

static void take_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    assert_true(total_bytes == 0 || done_bytes <= total_bytes);
    ((struct told *)arg)->progress++;
}

static struct offline_visitor visitor_of(struct told *told)
{
    return (struct offline_visitor){.arg = told,
                                    .fact = take_fact,
                                    .file = take_file,
                                    .record = take_record,
                                    .damage = take_damage,
                                    .progress = take_progress};
}

static struct told *told_make(void)
{
    struct told *told = calloc(1, sizeof *told);

    assert_non_null(told);
    told->only = -1;
    return told;
}

static struct offline_verdict verify(const struct lanes *lanes, struct told *told)
{
    struct offline_visitor visitor = visitor_of(told);
    struct offline_verdict verdict = {0};
    qn_error err = QN_ERROR_INIT;

    enum qn_status status = offline_verify(lanes->folder.path, &visitor, &verdict, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, QN_OK);
    assert_int_equal(verdict.damages, told->damages);
    return verdict;
}

static void inspect(const struct lanes *lanes, const struct offline_options *options,
                    struct told *told)
{
    struct offline_visitor visitor = visitor_of(told);
    qn_error err = QN_ERROR_INIT;

    told->only = options->partition;
    enum qn_status status = offline_inspect(lanes->folder.path, options, &visitor, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, QN_OK);
}

/* A directory with two lanes in it; no node runs on it. */
static void lanes_written(struct lanes *lanes)
{
    lanes_make(lanes, 2);
    lanes_write(lanes, 40, 7);
    datadir_close(lanes->datadir);
    lanes->datadir = NULL;
}

/* The one snapshot in a partition's folder. */
static void snapshot_path(const struct folder *folder, char path[PATH_SIZE])
{
    DIR *dir = opendir(folder->path);
    const struct dirent *entry;

    assert_non_null(dir);
    path[0] = '\0';
    while ((entry = readdir(dir)) != NULL) {
        if (strstr(entry->d_name, ".snap")) {
            (void)snprintf(path, PATH_SIZE, "%s/%s", folder->path, entry->d_name);
        }
    }
    (void)closedir(dir);
    assert_true(path[0] != '\0');
}

/* A verification finds the state that a start finds: entries, records, hash. */
static void a_verification_finds_the_state_of_a_start(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();

    (void)state;
    lanes_written(&lanes);
    struct lanes_state wanted = lanes_read(&lanes);
    struct offline_verdict verdict = verify(&lanes, told);
    assert_int_equal(verdict.damages, 0);
    assert_int_equal(verdict.torn_bytes, 0);
    assert_int_equal(verdict.records, wanted.log_records);
    assert_int_equal(verdict.entries, wanted.entries);
    assert_true(verdict.state_hash == wanted.hash);
    assert_true(wanted.entries > 0);
    lanes_remove(&lanes);
    free(told);
}

/* An inspection lists what there is; with a partition, of that one only. */
static void an_inspection_lists_facts_and_files(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();
    struct lanes_state wanted;

    (void)state;
    lanes_written(&lanes);
    wanted = lanes_read(&lanes);
    inspect(&lanes, &(struct offline_options){.partition = -1}, told);
    assert_non_null(strstr(told->facts, "cluster lanes\n"));
    assert_non_null(strstr(told->facts, "lanes 2\n"));
    assert_non_null(strstr(told->facts, "partitions 11\n"));
    assert_true(told->segments >= 2);
    assert_int_equal(told->records, 0);
    assert_int_equal(told->damages, 0);
    inspect(&lanes, &(struct offline_options){.partition = -1, .records = true}, told);
    assert_int_equal(told->records, wanted.log_records);

    size_t all = 0;
    for (int64_t p = 0; p < LANES_PARTITIONS * LANES_SERVICES; p++) {
        told->records = 0;
        inspect(&lanes, &(struct offline_options){.partition = p, .records = true}, told);
        all += told->records;
    }
    assert_int_equal(all, wanted.log_records);
    assert_int_equal(told->damages, 0);
    lanes_remove(&lanes);
    free(told);
}

/* The same directory with a snapshot of each partition and other lanes. */
static void lanes_divided(struct lanes *lanes, uint32_t count)
{
    struct relane_options options = {.data = lanes->folder.path,
                                     .block = &lanes->block,
                                     .lanes = count,
                                     .service_count = LANES_SERVICES,
                                     .limits = lanes_limits()};

    lanes_make(lanes, 2);
    lanes_write(lanes, 40, 7);
    options.block = &lanes->block;
    assert_int_equal(relane(&options, lanes->datadir, NULL), QN_OK);
    datadir_close(lanes->datadir);
    lanes->datadir = NULL;
}

/* Snapshots are read, too: the state is the one that the log alone led to. */
static void snapshots_count_for_the_state(void **state)
{
    struct lanes lanes, other;
    struct told *told = told_make();

    (void)state;
    lanes_written(&lanes);
    struct offline_verdict wanted = verify(&lanes, told);
    lanes_divided(&other, 3);
    struct offline_verdict verdict = verify(&other, told);
    assert_int_equal(verdict.damages, 0);
    assert_int_equal(verdict.records, 0);
    assert_int_equal(verdict.snapshots, LANES_PARTITIONS * LANES_SERVICES);
    assert_int_equal(verdict.entries, wanted.entries);
    assert_true(verdict.state_hash == wanted.state_hash);

    inspect(&other, &(struct offline_options){.partition = -1}, told);
    assert_int_equal(told->manifests, 3);
    assert_int_equal(told->snapshots, LANES_PARTITIONS * LANES_SERVICES);
    assert_non_null(strstr(told->files, "kind=snapshot partition=5 index="));
    assert_int_equal(told->damages, 0);
    lanes_remove(&lanes);
    lanes_remove(&other);
    free(told);
}

/* A damaged snapshot, and one that is missing, are damage of their partition; so is a manifest that
 * cannot be read, of its lane. */
static void a_damaged_snapshot_is_damage(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();
    struct folder sub;
    struct buf image = {0};
    char path[PATH_SIZE];

    (void)state;
    lanes_divided(&lanes, 3);
    (void)snprintf(sub.path, sizeof sub.path, "%.400s/p4", lanes.folder.path);
    snapshot_path(&sub, path);
    file_load(path, &image);
    image.data[image.size / 2] ^= 1;
    file_store(path, buf_bytes(&image));
    assert_int_equal(verify(&lanes, told).damages, 1);
    assert_string_equal(told->damage_path, path);
    assert_true(told->damage_offset > 0 && told->damage_offset <= image.size / 2);
    inspect(&lanes, &(struct offline_options){.partition = 4}, told);
    assert_int_equal(told->damages, 2);
    assert_int_equal(unlink(path), 0);
    told->damages = 0;
    assert_int_equal(verify(&lanes, told).damages, 1);
    assert_non_null(strstr(told->damage_what, "missing"));
    (void)snprintf(path, sizeof path, "%s/lane-0of3/manifest", lanes.folder.path);
    file_store(path, bytes_of_text("quoin-manifest 1\n"));
    told->damages = 0;
    assert_true(verify(&lanes, told).damages >= 2);
    buf_fini(&image);
    lanes_remove(&lanes);
    free(told);
}

/* Damage is told with file and offset, and counted; the rest is read all the same. */
static void damage_is_told_with_file_and_offset(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();
    struct folder log;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    lanes_written(&lanes);
    struct offline_verdict sound = verify(&lanes, told);
    assert_true(lane_log_path(lanes.folder.path, 1, 2, log.path, sizeof log.path));
    folder_segment(&log, 0, path);
    file_load(path, &image);
    image.data[5000] ^= 1;
    file_store(path, buf_bytes(&image));
    struct offline_verdict verdict = verify(&lanes, told);
    assert_int_equal(verdict.damages, 1);
    assert_string_equal(told->damage_path, path);
    assert_true(told->damage_offset <= 5000);
    assert_true(strlen(told->damage_what) > 0);
    assert_true(verdict.records < sound.records);
    assert_true(verdict.records > 0);
    struct buf again = {0};
    file_load(path, &again); /* nothing was mended */
    assert_bytes_equal(buf_bytes(&image), buf_bytes(&again));
    buf_fini(&again);
    buf_fini(&image);
    lanes_remove(&lanes);
    free(told);
}

/* A torn tail is no damage, and it is still there afterwards. */
static void a_torn_tail_is_told_and_left(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();
    struct folder log;
    struct buf image = {0}, again = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    lanes_make(&lanes, 1);
    lanes_write(&lanes, 5, 7);
    datadir_close(lanes.datadir);
    lanes.datadir = NULL;
    assert_true(lane_log_path(lanes.folder.path, 0, 1, log.path, sizeof log.path));
    size_t last = folder_count(&log, ".log") - 1;
    folder_segment(&log, last, path);
    file_load(path, &image);
    /* Behind the mark of the clean stop: as if a batch had been on its way. */
    for (size_t i = 1; i <= 300 && i < image.size; i++) {
        image.data[image.size - i] = 0xee;
    }
    file_store(path, buf_bytes(&image));
    struct offline_verdict verdict = verify(&lanes, told);
    assert_int_equal(verdict.damages, 0);
    assert_true(verdict.torn_bytes >= 300);
    file_load(path, &again);
    assert_bytes_equal(buf_bytes(&image), buf_bytes(&again));
    buf_fini(&image);
    buf_fini(&again);
    lanes_remove(&lanes);
    free(told);
}

/* A damaged superblock leaves nothing to go by: that is the one damage. */
static void a_damaged_superblock_is_damage(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    lanes_written(&lanes);
    (void)snprintf(path, sizeof path, "%.400s/superblock", lanes.folder.path);
    file_load(path, &image);
    image.data[20] ^= 1;
    file_store(path, buf_bytes(&image));
    assert_int_equal(verify(&lanes, told).damages, 1);
    assert_string_equal(told->damage_path, path);
    inspect(&lanes, &(struct offline_options){.partition = -1}, told);
    assert_int_equal(told->damages, 2);
    buf_fini(&image);
    lanes_remove(&lanes);
    free(told);
}

/* Neither a directory in use, nor one that is none, nor a partition that there is not. */
static void what_cannot_be_looked_at_is_refused(void **state)
{
    struct lanes lanes;
    struct told *told = told_make();
    struct offline_visitor visitor = visitor_of(told);
    struct offline_options options = {.partition = -1};
    struct offline_verdict verdict;
    struct folder empty;
    qn_error err = QN_ERROR_INIT;

    (void)state;
    folder_make(&empty);
    assert_int_equal(offline_verify(empty.path, &visitor, &verdict, &err), QN_ABSENT);
    assert_non_null(strstr(err.text, empty.path));
    qn_error_clear(&err);
    assert_int_equal(offline_inspect("/nonexistent/quoin", &options, &visitor, &err), QN_ABSENT);
    folder_remove(&empty);

    qn_error_clear(&err);
    lanes_make(&lanes, 1); /* and claimed */
    assert_int_equal(offline_verify(lanes.folder.path, &visitor, &verdict, &err), QN_BUSY);
    assert_non_null(strstr(err.text, "in use"));
    datadir_close(lanes.datadir);
    lanes.datadir = NULL;
    qn_error_clear(&err);
    options.partition = LANES_PARTITIONS * LANES_SERVICES;
    assert_int_equal(offline_inspect(lanes.folder.path, &options, &visitor, &err), QN_INVALID);
    lanes_remove(&lanes);
    free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verification_finds_the_state_of_a_start),
        cmocka_unit_test(an_inspection_lists_facts_and_files),
        cmocka_unit_test(snapshots_count_for_the_state),
        cmocka_unit_test(a_damaged_snapshot_is_damage),
        cmocka_unit_test(damage_is_told_with_file_and_offset),
        cmocka_unit_test(a_torn_tail_is_told_and_left),
        cmocka_unit_test(a_damaged_superblock_is_damage),
        cmocka_unit_test(what_cannot_be_looked_at_is_refused),
    };

    return RUN_TESTS(tests);
}

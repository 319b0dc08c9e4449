/* What an import keeps, and which file it belongs to. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/import_state.h"

static char problem[QN_ERROR_TEXT_MAX];

static struct input input_of(const char *text, int64_t modified_ns)
{
    return (struct input){.text = bytes_of_text(text), .regular = true, .modified_ns = modified_ns};
}

static json_t *state_of(const struct import_identity *identity)
{
    struct rejects rejects = {.path = "in.rejected", .count = 3};
    rejects.file = tmpfile();
    assert_non_null(rejects.file);
    struct rows_position position = {.offset = 5, .line = 2};
    json_t *state = import_state_json(identity, position, 17, &rejects, 99);
    assert_non_null(state);
    fclose(rejects.file);
    return state;
}

/* What is written is read. */
static void a_state_is_read_back(void **state)
{
    (void)state;
    struct input input = input_of("a,b\n1,2\n", 123);
    struct import_identity identity = import_identity_of(&input, "cache x");
    struct import_start start;
    json_t *kept = state_of(&identity);
    assert_true(import_state_read(kept, &identity, &start, problem));
    assert_int_equal(start.position.offset, 5);
    assert_int_equal(start.position.line, 2);
    assert_int_equal(start.done_count, 17);
    assert_int_equal(start.rejected_count, 3);
    assert_int_equal(start.rejects_size, 99);
    assert_string_equal(start.rejects_path, "in.rejected");
    json_decref(kept);
}

static void expect_refused(const json_t *kept, struct input input, const char *target,
                           const char *why)
{
    struct import_identity identity = import_identity_of(&input, target);
    struct import_start start;
    assert_false(import_state_read(kept, &identity, &start, problem));
    assert_non_null(strstr(problem, why));
}

/* Another size, beginning, time of change or target is another import. */
static void another_file_is_refused(void **state)
{
    (void)state;
    struct input input = input_of("a,b\n1,2\n", 123);
    struct import_identity identity = import_identity_of(&input, "cache x");
    json_t *kept = state_of(&identity);
    expect_refused(kept, input_of("a,b\n1,2\n3,4\n", 123), "cache x", "another file");
    expect_refused(kept, input_of("a,b\n1,3\n", 123), "cache x", "another file");
    expect_refused(kept, input_of("a,b\n1,2\n", 124), "cache x", "written to");
    expect_refused(kept, input, "cache y", "another cache, type, key or format");
    json_decref(kept);
}

/* A state in which something is missing or cannot be is damaged, not taken for zero. */
static void damage_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"offset", "line", "imported", "rejected", "rejects_size"};
    struct input input = input_of("a,b\n1,2\n", 123);
    struct import_identity identity = import_identity_of(&input, "cache x");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *kept = state_of(&identity);
        json_object_set_new(kept, names[i], json_integer(-1));
        expect_refused(kept, input, "cache x", "damaged");
        json_object_set_new(kept, names[i], json_string("5"));
        expect_refused(kept, input, "cache x", "damaged");
        json_object_del(kept, names[i]);
        expect_refused(kept, input, "cache x", "damaged");
        json_decref(kept);
    }
    json_t *kept = state_of(&identity);
    json_object_set_new(kept, "offset", json_integer(10));
    expect_refused(kept, input, "cache x", "damaged");
    json_decref(kept);
}

/* ---- imports of a file, without a grid ---- */

static char folder[] = "/tmp/quoin-import-XXXXXX";
static char before[4096];

static int set_up(void **state)
{
    (void)state;
    bool ready = getcwd(before, sizeof before) != NULL && mkdtemp(folder) != NULL;
    return ready && chdir(folder) == 0 ? 0 : -1;
}

static int clean(void **state)
{
    static const char *const files[] = {
        "in.csv", "in.csv.progress", "in.csv.rejected",     "in.csv.rejected.2",
        "chosen", "other",           "in.csv.progress.old", "in.csv.progress.old.2"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        unlink(files[i]);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)clean(state);
    return chdir(before) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const struct pof_shape text_shape = {.kind = POF_SHAPE_STRING};
static const struct pof_schema_field fields[] = {{.index = 0, .name = "a", .shape = &text_shape}};
static const struct pof_schema_type type = {.name = "T", .fields = fields, .field_count = 1};

/* An import of in.csv that has got to its beginning. */
struct stage {
    struct cli cli;
    struct import import;
};

static enum cli_exit stage_begin(struct stage *stage, bool resume)
{
    memset(stage, 0, sizeof *stage);
    options_init(&stage->cli.options);
    stage->cli.options.cache = "c";
    stage->cli.options.resume = resume;
    stage->import = (struct import){
        .cli = &stage->cli, .path = "in.csv", .form = {.type = &type, .key = &fields[0]}};
    struct rows_options options = {.format = ROWS_CSV, .delimiter = ','};
    assert_int_equal(input_open(&stage->import.input, "in.csv", 0, problem), QN_OK);
    stage->import.rows = rows_open(stage->import.input.text, &options, problem);
    assert_non_null(stage->import.rows);
    return import_state_begin(&stage->import);
}

/* Read a row; one that says "bad" is rejected, the others are stored. */
static void stage_row(struct stage *stage, const char *expected)
{
    struct row row;
    assert_int_equal(rows_next(stage->import.rows, &row), ROWS_ROW);
    assert_true(bytes_equal(row.cells[0].text, bytes_of_text(expected)));
    if (strcmp(expected, "bad") == 0) {
        assert_true(rejects_add(&stage->import.rejects, row.line, "why", row.raw));
    } else {
        stage->import.done_count++;
    }
}

static bool settle(struct import *import, void *state)
{
    (void)import;
    (*(int *)state)++;
    return true;
}

static const struct import_sink counting_sink = {.finish = settle};

/* Write down where it stands, as after a second. */
static void stage_keep(struct stage *stage)
{
    int settled = 0;
    assert_true(import_state_tick(&stage->import, &counting_sink, &settled));
    assert_int_equal(settled, 0); /* not before a second has passed */
    stage->import.state.saved_ns = 0;
    assert_true(import_state_tick(&stage->import, &counting_sink, &settled));
    assert_int_equal(settled, 1);
}

static void stage_end(struct stage *stage)
{
    (void)!rejects_close(&stage->import.rejects);
    rows_close(stage->import.rows);
    input_close(&stage->import.input);
    free(stage->import.state.target);
}

static size_t count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t count = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
        count += c == '\n';
    }
    fclose(file);
    return count;
}

/* Stopped anywhere, an import goes on at the place that was kept: with its counts, and with each
 * rejected record once, though one was rejected behind that place, too. */
static void an_import_goes_on(void **state)
{
    (void)state;
    struct stage stage;
    write_file("in.csv", "a\n1\nbad\n2\nbad\n3\n");
    assert_int_equal(stage_begin(&stage, false), CLI_DONE);
    stage_row(&stage, "1");
    stage_row(&stage, "bad");
    stage_keep(&stage);
    stage_row(&stage, "2");
    stage_row(&stage, "bad");
    stage_end(&stage);
    assert_int_equal(count_lines("in.csv.rejected"), 2);

    assert_int_equal(stage_begin(&stage, true), CLI_DONE);
    assert_int_equal(stage.import.done_count, 1);
    assert_int_equal(stage.import.rejects.count, 1);
    assert_int_equal(stage.import.state.from_count, 2);
    stage_row(&stage, "2");
    stage_row(&stage, "bad");
    stage_row(&stage, "3");
    import_state_end(&stage.import, true);
    stage_end(&stage);
    assert_int_equal(count_lines("in.csv.rejected"), 2);
    assert_int_equal(access("in.csv.progress", F_OK), -1);
    assert_int_equal(access("in.csv.rejected.2", F_OK), -1);
}

/* A file that has changed does not go on; without --resume it begins anew. */
static void a_changed_file_begins_anew_only(void **state)
{
    (void)state;
    struct stage stage;
    write_file("in.csv", "a\n1\n2\n");
    assert_int_equal(stage_begin(&stage, false), CLI_DONE);
    stage_row(&stage, "1");
    stage_keep(&stage);
    stage_end(&stage);
    write_file("in.csv", "a\n1\n2\n3\n");
    assert_int_equal(stage_begin(&stage, true), CLI_USAGE);
    stage_end(&stage);
    assert_int_equal(stage_begin(&stage, false), CLI_DONE);
    stage_row(&stage, "1");
    stage_end(&stage);
}

/* Without --resume an import begins anew, and what was kept of those before is not lost: each is
 * put aside, and can be gone on from. It goes when all records are there. */
static void what_was_kept_is_put_aside(void **state)
{
    (void)state;
    struct stage stage;
    write_file("in.csv", "a\n1\n2\n3\n");
    for (int stopped = 0; stopped < 3; stopped++) {
        assert_int_equal(stage_begin(&stage, false), CLI_DONE);
        stage_row(&stage, "1");
        if (stopped == 0) {
            stage_row(&stage, "2");
        }
        stage_keep(&stage);
        stage_end(&stage);
    }
    assert_int_equal(access("in.csv.progress.old.2", F_OK), 0);
    assert_int_equal(rename("in.csv.progress.old", "in.csv.progress"), 0);
    assert_int_equal(stage_begin(&stage, true), CLI_DONE);
    assert_int_equal(stage.import.done_count, 2);
    stage_end(&stage);
    assert_int_equal(stage_begin(&stage, false), CLI_DONE);
    assert_int_equal(access("in.csv.progress.old", F_OK), 0);
    import_state_end(&stage.import, true);
    stage_end(&stage);
    assert_int_equal(access("in.csv.progress.old", F_OK), -1);
}

/* With --resume and nothing to go on from, it begins with the first record; a file that is none of
 * ours is left alone. */
static void nothing_kept_is_no_mistake(void **state)
{
    (void)state;
    struct stage stage;
    write_file("in.csv", "a\n1\n");
    assert_int_equal(stage_begin(&stage, true), CLI_DONE);
    stage_row(&stage, "1");
    stage_end(&stage);
    write_file("in.csv.progress", "my own notes\n");
    assert_int_equal(stage_begin(&stage, false), CLI_USAGE);
    stage_end(&stage);
    assert_int_equal(count_lines("in.csv.progress"), 1);
}

/* When the rejected records of before are gone, new ones go to a new file, and the count is kept.
 */
static void lost_rejects_do_not_stop_it(void **state)
{
    (void)state;
    struct stage stage;
    write_file("in.csv", "a\nbad\nbad\n");
    assert_int_equal(stage_begin(&stage, false), CLI_DONE);
    stage_row(&stage, "bad");
    stage_keep(&stage);
    stage_end(&stage);
    unlink("in.csv.rejected");
    assert_int_equal(stage_begin(&stage, true), CLI_DONE);
    assert_int_equal(stage.import.rejects.count, 1);
    stage_row(&stage, "bad");
    stage_end(&stage);
    assert_int_equal(count_lines("in.csv.rejected"), 1);
}

/* A place where nothing can be kept is said once, and the import goes on. */
static void an_unwritable_place_is_said_once(void **state)
{
    (void)state;
    struct stage stage;
    write_file("in.csv", "a\n1\n2\n");
    assert_int_equal(stage_begin(&stage, false), CLI_DONE);
    snprintf(stage.import.state.path, sizeof stage.import.state.path, "no/such/folder");
    stage_row(&stage, "1");
    stage_keep(&stage);
    assert_false(stage.import.state.used);
    int settled = 0;
    stage.import.state.saved_ns = 0;
    assert_true(import_state_tick(&stage.import, &counting_sink, &settled));
    assert_int_equal(settled, 0);
    stage_end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_read_back),
        cmocka_unit_test(another_file_is_refused),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test_teardown(an_import_goes_on, clean),
        cmocka_unit_test_teardown(a_changed_file_begins_anew_only, clean),
        cmocka_unit_test_teardown(what_was_kept_is_put_aside, clean),
        cmocka_unit_test_teardown(nothing_kept_is_no_mistake, clean),
        cmocka_unit_test_teardown(lost_rejects_do_not_stop_it, clean),
        cmocka_unit_test_teardown(an_unwritable_place_is_said_once, clean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

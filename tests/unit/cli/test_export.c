/* An export from a made-up source: the file is whole or not there, and goes on where it stopped. */
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

#include "client/cli/export.h"
#include "wire/pof/binary.h"

enum { CONTENT_MAX = 65536 };

static char folder[] = "/tmp/quoin-export-XXXXXX";
static char path[256];
static char part[300];
static char progress[300];
static char content[CONTENT_MAX];

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/out.jsonl", folder);
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(progress, sizeof progress, "%s.progress", path);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    unlink(path);
    unlink(part);
    unlink(progress);
    return 0;
}

static int tear_down(void **state)
{
    (void)clean(state);
    return rmdir(folder);
}

/* Gives the entries (n, "v<n>") for n from 0 to count - 1, and failures where it is told to. */
struct made_up {
    int64_t at;
    int64_t count;
    int64_t fail_at; /* before this one, once; -1 = never */
    qn_status failure;
    int fail_times;
    struct buf key;
    struct buf value;
};

static qn_status made_up_next(void *state, struct export_entry *entry, qn_error *err)
{
    struct made_up *source = state;
    char text[32];
    if (source->at == source->fail_at && source->fail_times > 0) {
        source->fail_times--;
        return qn_error_set(err, source->failure, "made up");
    }
    if (source->at == source->count) {
        return QN_ABSENT;
    }
    buf_clear(&source->key);
    buf_clear(&source->value);
    snprintf(text, sizeof text, "v%lld", (long long)source->at);
    assert_int_equal(pof_binary_int64(&source->key, source->at), QN_OK);
    assert_int_equal(pof_binary_string(&source->value, bytes_of_text(text)), QN_OK);
    *entry =
        (struct export_entry){.key = buf_bytes(&source->key), .value = buf_bytes(&source->value)};
    source->at++;
    return QN_OK;
}

static char *made_up_position(void *state)
{
    const struct made_up *source = state;
    char *text = NULL;
    assert_true(asprintf(&text, "at %lld", (long long)source->at) > 0);
    return text;
}

static struct made_up source_of(int64_t count)
{
    return (struct made_up){.count = count, .fail_at = -1};
}

/* One run of the command, without its scan. */
static enum cli_exit run(struct made_up *source, enum rows_format format, bool resume,
                         int64_t limit)
{
    struct cli cli = {.terminal = false};
    options_init(&cli.options);
    cli.options.cache = "made-up";
    cli.options.resume = resume;
    cli.options.limit = limit;
    cli.options.json = true;
    struct export export = {
        .cli = &cli,
        .path = path,
        .layout = {.format = format, .delimiter = ','},
        .source = {made_up_next, made_up_position, source},
        .failure = QN_ERROR_INIT,
    };
    enum cli_exit code = export_begin(&export);
    if (code == CLI_DONE) {
        const char *from = export_from(&export);
        source->at = from != NULL ? strtoll(from + 3, NULL, 10) : 0;
        progress_init(&export.progress, stderr, false, "exported", 0);
        code = export_copy(&export);
    }
    export_fini(&export);
    buf_fini(&source->key);
    buf_fini(&source->value);
    return code;
}

static const char *content_of(const char *file)
{
    FILE *from = fopen(file, "r");
    assert_non_null(from);
    size_t size = fread(content, 1, CONTENT_MAX - 1, from);
    content[size] = '\0';
    fclose(from);
    return content;
}

static bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

/* A complete export leaves its file and nothing else. */
static void a_whole_export_leaves_one_file(void **state)
{
    (void)state;
    struct made_up source = source_of(2);
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_DONE);
    assert_string_equal(content_of(path),
                        "{\"key\": {\"$int64\": 0}, \"value\": \"v0\"}\n{\"key\": {\"$int64\": 1}, "
                        "\"value\": \"v1\"}\n");
    assert_false(exists(part));
    assert_false(exists(progress));
}

/* A file that is there is not written over, and the export does not begin. */
static void a_file_is_never_written_over(void **state)
{
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    struct made_up source = source_of(2);
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_USAGE);
    assert_string_equal(content_of(path), "precious");
    assert_false(exists(part));
    unlink(path);
    file = fopen(part, "w");
    assert_non_null(file);
    fputs("unknown", file);
    fclose(file);
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_USAGE);
    assert_string_equal(content_of(part), "unknown");
}

/* A failure leaves the part and the place to go on from; resumed, the file is what one run would
 * have made, in every format, wherever it stopped. */
static void a_stopped_export_goes_on(void **state)
{
    static const enum rows_format formats[] = {ROWS_JSON, ROWS_JSON_LINES, ROWS_CSV};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct made_up whole = source_of(7);
        assert_int_equal(run(&whole, formats[i], false, -1), CLI_DONE);
        char *expected = strdup(content_of(path));
        assert_non_null(expected);
        for (int64_t stop = 0; stop <= 7; stop++) {
            (void)clean(state);
            struct made_up source = source_of(7);
            source.fail_at = stop;
            source.fail_times = 1;
            source.failure = QN_UNREACHABLE;
            assert_int_equal(run(&source, formats[i], false, -1), CLI_UNREACHABLE);
            assert_false(exists(path));
            assert_true(exists(part) && exists(progress));
            source = source_of(7);
            assert_int_equal(run(&source, formats[i], true, -1), CLI_DONE);
            assert_string_equal(content_of(path), expected);
            assert_false(exists(part) || exists(progress));
        }
        (void)clean(state);
        free(expected);
    }
}

static void stop_after_three(void)
{
    struct made_up source = source_of(7);
    source.fail_at = 3;
    source.fail_times = 1;
    source.failure = QN_UNREACHABLE;
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_UNREACHABLE);
}

/* What was written after the place was kept is dropped: no record stands twice. */
static void records_after_the_place_are_dropped(void **state)
{
    (void)state;
    stop_after_three();
    FILE *file = fopen(part, "a");
    assert_non_null(file);
    fputs("{\"key\":3,\"val", file);
    fclose(file);
    struct made_up source = source_of(4);
    assert_int_equal(run(&source, ROWS_JSON_LINES, true, -1), CLI_DONE);
    assert_null(strstr(content_of(path), "\"val{"));
    assert_non_null(strstr(content, "\"v2\"}\n{\"key\": {\"$int64\": 3}, \"value\": \"v3\"}\n"));
}

/* A state of another form, a shorter part and a missing one are refused; nothing changes. */
static void what_does_not_belong_is_refused(void **state)
{
    (void)state;
    struct made_up source = source_of(7);
    stop_after_three();
    assert_int_equal(run(&source, ROWS_CSV, true, -1), CLI_USAGE);
    assert_true(exists(part) && exists(progress));
    assert_int_equal(truncate(part, 5), 0);
    assert_int_equal(run(&source, ROWS_JSON_LINES, true, -1), CLI_USAGE);
    unlink(part);
    assert_int_equal(run(&source, ROWS_JSON_LINES, true, -1), CLI_USAGE);
    FILE *file = fopen(progress, "w");
    assert_non_null(file);
    fputs("somebody else's", file);
    fclose(file);
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_USAGE);
    assert_string_equal(content_of(progress), "somebody else's");
}

/* Without --resume an export that was stopped begins anew; with it and nothing to go on from, too.
 */
static void an_export_can_begin_anew(void **state)
{
    (void)state;
    stop_after_three();
    struct made_up source = source_of(1);
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_DONE);
    assert_string_equal(content_of(path), "{\"key\": {\"$int64\": 0}, \"value\": \"v0\"}\n");
    unlink(path);
    source = source_of(1);
    assert_int_equal(run(&source, ROWS_JSON_LINES, true, -1), CLI_DONE);
    assert_string_equal(content_of(path), "{\"key\": {\"$int64\": 0}, \"value\": \"v0\"}\n");
}

/* A view that expired is renewed at the same place; only one that expires for ever ends it. */
static void an_expired_view_is_renewed(void **state)
{
    (void)state;
    struct made_up source = source_of(5);
    source.fail_at = 2;
    source.fail_times = 3;
    source.failure = QN_CURSOR_EXPIRED;
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_DONE);
    assert_non_null(strstr(content_of(path), "v1\"}\n{\"key\": {\"$int64\": 2},"));
    unlink(path);
    source = source_of(5);
    source.fail_at = 2;
    source.fail_times = 1000;
    source.failure = QN_CURSOR_EXPIRED;
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, -1), CLI_REFUSED);
    assert_true(exists(part) && exists(progress));
}

/* The limit is that of all runs together. */
static void the_limit_counts_all_runs(void **state)
{
    (void)state;
    struct made_up source = source_of(7);
    assert_int_equal(run(&source, ROWS_JSON_LINES, false, 2), CLI_DONE);
    assert_non_null(strstr(content_of(path), "v1"));
    assert_null(strstr(content, "v2"));
    unlink(path);
    stop_after_three();
    source = source_of(7);
    assert_int_equal(run(&source, ROWS_JSON_LINES, true, 5), CLI_DONE);
    assert_non_null(strstr(content_of(path), "v4"));
    assert_null(strstr(content, "v5"));
}

/* An empty cache makes an empty file. */
static void nothing_makes_an_empty_file(void **state)
{
    (void)state;
    struct made_up source = source_of(0);
    assert_int_equal(run(&source, ROWS_JSON, false, -1), CLI_DONE);
    assert_string_equal(content_of(path), "[]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_whole_export_leaves_one_file, clean),
        cmocka_unit_test_teardown(a_file_is_never_written_over, clean),
        cmocka_unit_test_teardown(a_stopped_export_goes_on, clean),
        cmocka_unit_test_teardown(records_after_the_place_are_dropped, clean),
        cmocka_unit_test_teardown(what_does_not_belong_is_refused, clean),
        cmocka_unit_test_teardown(an_export_can_begin_anew, clean),
        cmocka_unit_test_teardown(an_expired_view_is_renewed, clean),
        cmocka_unit_test_teardown(the_limit_counts_all_runs, clean),
        cmocka_unit_test_teardown(nothing_makes_an_empty_file, clean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

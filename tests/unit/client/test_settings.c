/* Settings of a client: one table behind address, environment, file and program. */
#define _GNU_SOURCE
#include "client/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/check.h"

static char file[64];

/* A file with this text, whose name is `file`. */
static void file_write(const char *text)
{
    (void)snprintf(file, sizeof file, "/tmp/quoin-settings-XXXXXX");
    int fd = mkstemp(file);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}

static void file_remove(void)
{
    assert_int_equal(unlink(file), 0);
}

static int environment_clear(void **state)
{
    (void)state;
    (void)unsetenv("QUOIN_URI");
    (void)unsetenv("QUOIN_CONFIG");
    (void)unsetenv("QUOIN_TIMEOUT");
    (void)unsetenv("QUOIN_IN_FLIGHT");
    return 0;
}

static void told(const qn_error *err, enum qn_status status, const char *part)
{
    assert_int_equal(err->status, status);
    if (!strstr(err->text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", err->text, part);
    }
}

/* ---- looking at a configuration ---- */

struct look {
    const char *name;
    char value[1100];
    char origin[1100];
};

static void look_take(void *arg, const char *name, const char *value, const char *origin)
{
    struct look *look = arg;

    if (strcmp(name, look->name) == 0) {
        (void)snprintf(look->value, sizeof look->value, "%s", value);
        (void)snprintf(look->origin, sizeof look->origin, "%s", origin);
    }
}

static void in_force(const qn_config *config, const char *name, const char *value,
                     const char *origin)
{
    struct look look = {.name = name};

    qn_config_each(config, look_take, &look);
    assert_string_equal(look.value, value);
    assert_string_equal(look.origin, origin);
}

static void set(qn_config *config, const char *name, const char *text)
{
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(qn_config_set(config, name, text, &err), QN_OK);
}

/* Each source gives way to the stronger ones, in whatever order they are read. */
static void stronger_sources_win(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);
    char at_line[80];

    (void)state;
    in_force(config, "timeout", "15s", "default");
    set(config, "uri", "quoin://h:1/?timeout=3s&scan_ahead=5");
    in_force(config, "timeout", "3s", "uri");
    file_write("# ours\n\n  timeout = 2s   # short\nscan_bytes=8KiB\nscan_ahead = 7\n");
    assert_int_equal(qn_config_load(config, file, &err), QN_OK);
    in_force(config, "timeout", "3s", "uri");
    in_force(config, "scan_ahead", "5", "uri");
    (void)snprintf(at_line, sizeof at_line, "%s:4", file);
    in_force(config, "scan_bytes", "8KiB", at_line);
    set(config, "timeout", "4s");
    in_force(config, "timeout", "4s", "program");
    /* Another address replaces the first as a whole. */
    set(config, "uri", "quoin://h:2");
    (void)snprintf(at_line, sizeof at_line, "%s:5", file);
    in_force(config, "scan_ahead", "7", at_line);
    in_force(config, "uri", "quoin://h:2", "program");
    qn_config_free(config);
    file_remove();
}

/* The environment is read at the beginning, with the file that it names; it is stronger than a file
 * and weaker than an address. */
static void the_environment_is_read(void **state)
{
    qn_error err = QN_ERROR_INIT;
    char at_line[80];

    (void)state;
    file_write("timeout = 2s\nin_flight = 7\n");
    (void)setenv("QUOIN_CONFIG", file, 1);
    (void)setenv("QUOIN_TIMEOUT", "5s", 1);
    (void)setenv("QUOIN_URI", "quoin://env:1/?scan_ahead=0", 1);
    qn_config *config = qn_config_new(&err);
    in_force(config, "timeout", "5s", "QUOIN_TIMEOUT");
    (void)snprintf(at_line, sizeof at_line, "%s:2", file);
    in_force(config, "in_flight", "7", at_line);
    in_force(config, "uri", "quoin://env:1/?scan_ahead=0", "QUOIN_URI");
    in_force(config, "scan_ahead", "0", "uri");
    set(config, "uri", "quoin://h/?timeout=1min");
    in_force(config, "timeout", "1min", "uri");
    in_force(config, "scan_ahead", "2", "default");
    qn_config_free(config);
    file_remove();
    assert_null(qn_config_new(&err));
    told(&err, QN_IO, "environment variable QUOIN_CONFIG: cannot read the settings in");
    qn_error_clear(&err);
    (void)unsetenv("QUOIN_CONFIG");
    (void)setenv("QUOIN_TIMEOUT", "soon", 1);
    assert_null(qn_config_new(&err));
    told(&err, QN_INVALID, "environment variable QUOIN_TIMEOUT: timeout wants a number");
    qn_error_clear(&err);
    assert_null(qn_connect("quoin://127.0.0.1:1/?timeout=1ms", &err));
    told(&err, QN_INVALID, "QUOIN_TIMEOUT");
    (void)environment_clear(NULL);
}

static void refused(qn_config *config, const char *name, const char *text, const char *why)
{
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(qn_config_set(config, name, text, &err), QN_INVALID);
    told(&err, QN_INVALID, why);
}

/* What is wrong is said, with what may have been meant. */
static void wrong_settings_are_explained(void **state)
{
    static char longest[2000];
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    refused(config, "tiemout", "1s", "did you mean \"timeout\"?");
    refused(config, "compres_min", "1B", "did you mean \"compress_min\"?");
    refused(config, "colour", "red", "docs/client-properties.md");
    refused(config, "timeout", "0ms", "from 1ms to 1h");
    refused(config, "timeout", "2h", "from 1ms to 1h");
    refused(config, "timeout", "", "as in timeout=15s");
    refused(config, "in_flight", "5ms", "in_flight wants a number from 1 to 1048576");
    refused(config, "scan_bytes", "8MiB", "from 4KiB to 4MiB");
    refused(config, "log_level", "loud", "one of error, warn, info, debug, off");
    refused(config, "uri", "http://h", "expected quoin://");
    refused(config, "uri", "quoin://h/?config=x", "can not be given in an address");
    refused(config, "uri", longest, "expected quoin://");
    in_force(config, "timeout", "15s", "default");
    assert_int_equal(qn_config_set(config, NULL, "1s", &err), QN_INVALID);
    qn_error_clear(&err);
    assert_int_equal(qn_config_set(NULL, "timeout", "1s", &err), QN_INVALID);
    qn_config_free(config);
    qn_config_free(NULL);
}

static void file_refused(const char *text, enum qn_status status, const char *why)
{
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);

    file_write(text);
    assert_int_equal(qn_config_load(config, file, &err), status);
    told(&err, status, why);
    file_remove();
    qn_config_free(config);
}

/* In a file, the line is said. */
static void wrong_files_are_explained(void **state)
{
    static char longest[4000];
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    file_refused("timeout = 1s\ntiemout = 1s\n", QN_INVALID, ", line 2: unknown parameter");
    file_refused("timeout\n", QN_INVALID, ", line 1: expected name = value");
    file_refused("\n\ntimeout = 1", QN_INVALID, ", line 3: timeout wants");
    file_refused("config = other\n", QN_INVALID, ", line 1: a file can not name another one");
    file_refused(longest, QN_INVALID, ", line 1: the line is too long");
    assert_int_equal(qn_config_load(config, "/does/not/exist", &err), QN_IO);
    told(&err, QN_IO, "/does/not/exist");
    qn_error_clear(&err);
    assert_int_equal(qn_config_set(config, "config", "/does/not/exist", &err), QN_IO);
    qn_config_free(config);
}

/* Numbers are written as people would. */
static void numbers_are_printed_with_their_unit(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);

    (void)state;
    set(config, "timeout", "90s");
    in_force(config, "timeout", "90s", "program");
    set(config, "timeout", "120s");
    in_force(config, "timeout", "2min", "program");
    set(config, "timeout", "1001ms");
    in_force(config, "timeout", "1001ms", "program");
    set(config, "compress_min", "0");
    in_force(config, "compress_min", "0B", "program");
    set(config, "compress_min", "2048B");
    in_force(config, "compress_min", "2KiB", "program");
    set(config, "log_level", "off");
    in_force(config, "log_level", "off", "program");
    qn_config_free(config);
}

/* ---- the table ---- */

static void row_check(void *arg, const qn_property *property)
{
    struct settings settings;
    qn_error err = QN_ERROR_INIT;

    (*(int *)arg)++;
    assert_int_equal(property->size, sizeof *property);
    assert_true(strlen(property->name) > 0 && strlen(property->text) > 10);
    assert_int_equal(property->minimum == NULL, property->maximum == NULL);
    settings_init(&settings);
    const char *const values[] = {property->standard, property->minimum, property->maximum};
    for (size_t i = 0; i < 3; i++) {
        if (values[i] && values[i][0]) {
            assert_int_equal(
                settings_set(&settings, SETTINGS_PROGRAM, property->name, values[i], &err), QN_OK);
        }
    }
}

/* Defaults and bounds of each row are values that it takes. */
static void the_table_agrees_with_itself(void **state)
{
    int rows = 0;

    (void)state;
    qn_property_list(row_check, &rows);
    assert_int_equal(rows, PROPERTY_COUNT);
    qn_property_list(NULL, NULL);
}

static void row_find(void *arg, const qn_property *property)
{
    const char *manual = arg;
    char range[100] = "";
    char row[500];

    if (property->minimum) {
        (void)snprintf(range, sizeof range, "%s to %s", property->minimum, property->maximum);
    }
    (void)snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s | %s |\n", property->name,
                   property->type, property->standard, range, property->text);
    if (!strstr(manual, row)) {
        fail_msg("docs/client-properties.md lacks this row:%s", row);
    }
}

/* The manual has the table as it is. */
static void the_manual_is_true(void **state)
{
    static char manual[65536];
    FILE *in = fopen("docs/client-properties.md", "r");

    (void)state;
    assert_non_null(in);
    size_t length = fread(manual, 1, sizeof manual - 1, in);
    assert_int_equal(fclose(in), 0);
    manual[length] = '\0';
    qn_property_list(row_find, manual);
}

#define WITHOUT_ENVIRONMENT(test) cmocka_unit_test_setup_teardown(test, environment_clear, NULL)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_ENVIRONMENT(stronger_sources_win),
        WITHOUT_ENVIRONMENT(the_environment_is_read),
        WITHOUT_ENVIRONMENT(wrong_settings_are_explained),
        WITHOUT_ENVIRONMENT(wrong_files_are_explained),
        WITHOUT_ENVIRONMENT(numbers_are_printed_with_their_unit),
        WITHOUT_ENVIRONMENT(the_table_agrees_with_itself),
        WITHOUT_ENVIRONMENT(the_manual_is_true),
    };

    return RUN_TESTS(tests);
}

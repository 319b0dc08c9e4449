#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "node/logger.h"
#include "tests/lib/check.h"

enum { LINE_MAX_OCTETS = 4096, CAPTURE_SIZE = 64 * 1024 };

/* A logger whose lines arrive as datagrams: what one write wrote is what one read gets. */
struct capture {
    int fds[2];
    struct logger logger;
    char line[CAPTURE_SIZE];
};

static struct capture *capture_create(bool json)
{
    struct capture *c = calloc(1, sizeof *c);

    assert_non_null(c);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, c->fds), 0);
    c->logger = (struct logger){.fd = c->fds[1], .level = LOG_LEVEL_DEBUG, .json = json, .node = 4};
    return c;
}

static void capture_destroy(struct capture *c)
{
    (void)close(c->fds[0]);
    (void)close(c->fds[1]);
    free(c);
}

/* The next line without its line feed; NULL if nothing was written. */
static const char *take(struct capture *c)
{
    ssize_t size = recv(c->fds[0], c->line, sizeof c->line - 1, MSG_DONTWAIT);

    if (size <= 0) {
        return NULL;
    }
    assert_true(size <= LINE_MAX_OCTETS);
    assert_null(memchr(c->line, '\0', (size_t)size));
    assert_ptr_equal(memchr(c->line, '\n', (size_t)size), &c->line[size - 1]);
    c->line[size - 1] = '\0';
    return c->line;
}

/* The line from the level on, after a look at the time. */
static const char *take_text(struct capture *c)
{
    const char *line = take(c);
    int y, mo, d, h, mi, s, ms, end = 0;

    assert_non_null(line);
    assert_int_equal(
        sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ %n", &y, &mo, &d, &h, &mi, &s, &ms, &end), 7);
    assert_int_equal(end, 25);
    return line + end;
}

static json_t *take_json(struct capture *c)
{
    const char *line = take(c);
    json_error_t error;

    assert_non_null(line);
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        fail_msg("%s in %s", error.text, line);
    }
    return json;
}

static void check_member(const json_t *json, const char *name, const char *value)
{
    const char *got = json_string_value(json_object_get(json, name));

    if (!got || strcmp(got, value) != 0) {
        fail_msg("%s is %s and not %s", name, got ? got : "absent", value);
    }
}

/* Time, level, module, event, fields: in columns for a reader. */
static void text_line_has_its_parts(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    logger_write(&c->logger, LOG_LEVEL_INFO, "log", "recovered", "lane=%d records=%d ms=3", 0, 120);
    assert_string_equal(take_text(c), "info  log      recovered lane=0 records=120 ms=3");
    logger_write(&c->logger, LOG_LEVEL_ERROR, "node", "failed", "%s", "");
    assert_string_equal(take_text(c), "error node     failed");
    capture_destroy(c);
}

/* The same as an object; whole numbers are numbers. */
static void json_line_has_its_parts(void **state)
{
    struct capture *c = capture_create(true);

    (void)state;
    logger_write(&c->logger, LOG_LEVEL_WARN, "log", "slow",
                 "ms=%d of=-7 dir=\"/a b\" hex=0x1 z=007", 15);
    json_t *json = take_json(c);
    check_member(json, "level", "warn");
    check_member(json, "module", "log");
    check_member(json, "event", "slow");
    check_member(json, "dir", "/a b");
    check_member(json, "hex", "0x1");
    check_member(json, "z", "007");
    assert_int_equal(json_integer_value(json_object_get(json, "node")), 4);
    assert_int_equal(json_integer_value(json_object_get(json, "ms")), 15);
    assert_int_equal(json_integer_value(json_object_get(json, "of")), -7);
    assert_int_equal(strlen(json_string_value(json_object_get(json, "time"))), 24);
    json_decref(json);
    capture_destroy(c);
}

/* What is above the logger's level is not written. */
static void level_filters(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    c->logger.level = LOG_LEVEL_WARN;
    logger_write(&c->logger, LOG_LEVEL_INFO, "a", "b", "%s", "");
    logger_write(&c->logger, LOG_LEVEL_DEBUG, "a", "b", "%s", "");
    assert_null(take(c));
    logger_write(&c->logger, LOG_LEVEL_WARN, "a", "b", "%s", "");
    logger_write(&c->logger, LOG_LEVEL_ERROR, "a", "b", "%s", "");
    assert_string_equal(take_text(c), "warn  a        b");
    assert_string_equal(take_text(c), "error a        b");
    assert_null(take(c));
    capture_destroy(c);
}

/* Callers put an error's text between quotes without looking into it. */
static void quotes_inside_a_value_do_not_end_it(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    logger_write(&c->logger, LOG_LEVEL_ERROR, "node", "x", "reason=\"%s\" lane=1",
                 "\"a\" is not \"b\"");
    assert_string_equal(take_text(c),
                        "error node     x reason=\"\\\"a\\\" is not \\\"b\\\"\" lane=1");
    c->logger.json = true;
    logger_write(&c->logger, LOG_LEVEL_ERROR, "node", "x", "reason=\"%s\" lane=1",
                 "\"a\" is not \"b\"");
    json_t *json = take_json(c);
    check_member(json, "reason", "\"a\" is not \"b\"");
    assert_int_equal(json_integer_value(json_object_get(json, "lane")), 1);
    json_decref(json);
    capture_destroy(c);
}

/* No input makes a second line, ends a JSON string or reaches the terminal as a command. */
static void hostile_values_stay_one_line(void **state)
{
    static const char *const hostile[] = {
        "a\nb",  "\r\n",  "\x1b[2J\x07", "\xff\xfe", "\xe2\x80\xa8", "\xc2\x85",
        "\"",    "\" x=", "\"},{\"a\":", "\\",       "\\\"",         "\x7f\x01",
        "a=b=c", "= = =", "%s%n",        "\xf0\x9f", "\" level=\"x", "",
    };
    static const char *const forms[] = {"v=%s", "v=\"%s\"", "%s", "v=\"%s\" w=1", "v=%s w=1"};
    struct capture *text = capture_create(false), *json = capture_create(true);

    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            char fields[128];
            (void)snprintf(fields, sizeof fields, "%s", forms[f]);
            char *at = strstr(fields, "%s");
            char given[128];
            (void)snprintf(given, sizeof given, "%.*s%s%s", (int)(at - fields), fields, hostile[i],
                           at + 2);
            logger_write(&text->logger, LOG_LEVEL_INFO, "m", "e", "%s", given);
            logger_write(&json->logger, LOG_LEVEL_INFO, "m", "e", "%s", given);
            for (const char *c = take_text(text); *c; c++) {
                assert_true((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
            }
            json_decref(take_json(json));
        }
    }
    capture_destroy(text);
    capture_destroy(json);
}

/* Random octets, for the cases nobody thought of. */
static void random_octets_stay_one_line(void **state)
{
    struct capture *text = capture_create(false), *json = capture_create(true);
    uint64_t random = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        char given[64];
        for (size_t i = 0; i < sizeof given - 1; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            static const char likely[] = "\"\"  ==ab\\\n";
            given[i] = random % 3 ? likely[random % (sizeof likely - 1)] : (char)(random % 255 + 1);
        }
        given[sizeof given - 1] = '\0';
        logger_write(&text->logger, LOG_LEVEL_INFO, "m", "e", "%s", given);
        logger_write(&json->logger, LOG_LEVEL_INFO, given, given, "v=\"%s\"", given);
        (void)take_text(text);
        json_decref(take_json(json));
    }
    capture_destroy(text);
    capture_destroy(json);
}

/* A field may be called as a fixed member or as one before it: the object has no name twice. */
static void repeated_names_are_numbered(void **state)
{
    struct capture *c = capture_create(true);

    (void)state;
    logger_write(&c->logger, LOG_LEVEL_INFO, "m", "e", "node=9 a=1 a=2 a=3 loose words");
    json_t *json = take_json(c);
    assert_int_equal(json_integer_value(json_object_get(json, "node")), 4);
    assert_int_equal(json_integer_value(json_object_get(json, "node.2")), 9);
    assert_int_equal(json_integer_value(json_object_get(json, "a")), 1);
    assert_int_equal(json_integer_value(json_object_get(json, "a.2")), 2);
    assert_int_equal(json_integer_value(json_object_get(json, "a.3")), 3);
    check_member(json, "text", "loose");
    check_member(json, "text.2", "words");
    json_decref(json);
    capture_destroy(c);
}

static char *filled(const char *start, char with, size_t size)
{
    char *text = malloc(size + 1);

    assert_non_null(text);
    memset(text, with, size);
    memcpy(text, start, strlen(start));
    text[size] = '\0';
    return text;
}

/* A line never exceeds what a pipe takes at once; what is cut says so and stays well formed. */
static void long_lines_are_cut(void **state)
{
    static const char with[] = "a\n\"\x01 \xff=";
    struct capture *text = capture_create(false), *json = capture_create(true);

    (void)state;
    for (size_t size = 100; size < 6000; size += 37) {
        for (size_t i = 0; i < sizeof with - 1; i++) {
            char *given = filled("v=\"", with[i], size);
            logger_write(&text->logger, LOG_LEVEL_INFO, "m", "e", "%s", given);
            logger_write(&json->logger, LOG_LEVEL_INFO, "m", "e", "%s", given);
            const char *line = take_text(text);
            assert_true(size < 3072 || strstr(line, " truncated=true"));
            json_t *object = take_json(json);
            assert_true(size < 3072 || json_is_true(json_object_get(object, "truncated")));
            json_decref(object);
            free(given);
        }
    }
    capture_destroy(text);
    capture_destroy(json);
}

/* Even the names of module and event, should they be absurd. */
static void absurd_names_are_cut(void **state)
{
    struct capture *c = capture_create(true);

    (void)state;
    for (size_t size = 3900; size < 4200; size++) {
        char *name = filled("", 'x', size);
        logger_write(&c->logger, LOG_LEVEL_INFO, name, "e", "a=1");
        json_decref(take_json(c));
        logger_write(&c->logger, LOG_LEVEL_INFO, "m", name, "a=1");
        json_decref(take_json(c));
        free(name);
    }
    capture_destroy(c);
}

/* More fields than a line can tell apart. */
static void many_fields_are_cut(void **state)
{
    struct capture *c = capture_create(true);
    char fields[1024] = "";

    (void)state;
    for (int i = 0; i < 40; i++) {
        char one[16];
        (void)snprintf(one, sizeof one, "f%d=%d ", i, i);
        (void)strncat(fields, one, sizeof fields - strlen(fields) - 1);
    }
    logger_write(&c->logger, LOG_LEVEL_INFO, "m", "e", "%s", fields);
    json_t *json = take_json(c);
    assert_true(json_is_true(json_object_get(json, "truncated")));
    assert_int_equal(json_integer_value(json_object_get(json, "f31")), 31);
    assert_null(json_object_get(json, "f32"));
    json_decref(json);
    capture_destroy(c);
}

/* A caller that logs while it handles an error finds errno as it left it; a closed descriptor is
 * no reason to stop. */
static void errno_survives(void **state)
{
    struct logger logger = {.fd = -1, .level = LOG_LEVEL_DEBUG};

    (void)state;
    errno = ENOSPC;
    logger_write(&logger, LOG_LEVEL_INFO, "m", "e", "a=1");
    assert_int_equal(errno, ENOSPC);
}

enum { THREADS = 4, LINES = 200 };

static void *write_lines(void *arg)
{
    const struct logger *logger = arg;

    for (int i = 0; i < LINES; i++) {
        logger_write(logger, LOG_LEVEL_INFO, "m", "e", "n=%d v=\"%s\"", i, "some words of text");
    }
    return NULL;
}

/* Any thread may log: lines of several threads come whole. */
static void threads_do_not_mix_lines(void **state)
{
    char path[] = "/tmp/quoin-test-logger-XXXXXX";
    int fd = mkostemp(path, O_APPEND | O_CLOEXEC);
    struct logger logger = {.fd = fd, .level = LOG_LEVEL_INFO, .json = true};
    pthread_t threads[THREADS];
    char line[CAPTURE_SIZE];
    int lines = 0;

    (void)state;
    assert_true(fd >= 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, &logger), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) {
        json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
        json_decref(json);
    }
    assert_int_equal(lines, THREADS * LINES);
    (void)fclose(file);
    (void)close(fd);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_line_has_its_parts),
        cmocka_unit_test(json_line_has_its_parts),
        cmocka_unit_test(level_filters),
        cmocka_unit_test(quotes_inside_a_value_do_not_end_it),
        cmocka_unit_test(hostile_values_stay_one_line),
        cmocka_unit_test(random_octets_stay_one_line),
        cmocka_unit_test(repeated_names_are_numbered),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(absurd_names_are_cut),
        cmocka_unit_test(many_fields_are_cut),
        cmocka_unit_test(errno_survives),
        cmocka_unit_test(threads_do_not_mix_lines),
    };

    return RUN_TESTS(tests);
}

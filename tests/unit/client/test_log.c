/* The client's own log: kept under the mutex, told without it, one thread at a time. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/client/client_fixture.h"

struct note {
    char lines[64][LOG_TEXT_MAX + 80];
    int count;
    bool is_inside;
    qn_client *client; /* called back, when there is one */
    qn_status status;
};

static void take(void *arg, enum qn_log_level level, const char *module, const char *message,
                 const char *fields)
{
    struct note *note = arg;

    assert_false(note->is_inside); /* one at a time */
    note->is_inside = true;
    assert_string_equal(module, "client");
    if (note->count < 64) {
        (void)snprintf(note->lines[note->count], sizeof note->lines[0], "%d %s %s", (int)level,
                       message, fields);
    }
    note->count++;
    if (note->client) {
        qn_stats stats = {.size = sizeof stats};
        note->status = qn_stats_get(note->client, &stats);
    }
    note->is_inside = false;
}

static void add(qn_client *client, enum qn_log_level level, const char *message, int number)
{
    (void)pthread_mutex_lock(&client->mutex);
    log_add(&client->log, level, message, "number=%d", number);
    (void)pthread_mutex_unlock(&client->mutex);
}

/* A call that tells what was kept. */
static void call_once(qn_client *client)
{
    assert_true(qn_partition_count(client) > 0);
}

/* Lines are told in order, up to the level asked for. */
static void lines_are_told_in_order(void **state)
{
    struct note note = {.count = 0};
    qn_client *client = connected("");

    (void)state;
    qn_log_to(client, QN_LOG_INFO, take, &note);
    add(client, QN_LOG_INFO, "first", 1);
    add(client, QN_LOG_DEBUG, "too fine", 2);
    add(client, QN_LOG_ERROR, "third", 3);
    assert_int_equal(note.count, 0); /* not while somebody works */
    call_once(client);
    assert_int_equal(note.count, 2);
    assert_string_equal(note.lines[0], "2 first number=1");
    assert_string_equal(note.lines[1], "0 third number=3");
    qn_log_to(client, QN_LOG_ERROR, take, &note);
    add(client, QN_LOG_WARN, "no more", 4);
    call_once(client);
    assert_int_equal(note.count, 2);
    qn_close(client);
}

/* More lines than there is room for are counted, not kept. */
static void lost_lines_are_counted(void **state)
{
    struct note note = {.count = 0};
    qn_client *client = connected("");

    (void)state;
    qn_log_to(client, QN_LOG_WARN, take, &note);
    for (int i = 0; i < LOG_LINES_MAX + 9; i++) {
        add(client, QN_LOG_WARN, "line", i);
    }
    call_once(client);
    assert_int_equal(note.count, LOG_LINES_MAX + 1);
    assert_string_equal(note.lines[0], "1 line number=0");
    assert_string_equal(note.lines[LOG_LINES_MAX], "1 messages were lost count=9");
    add(client, QN_LOG_WARN, "again", 1);
    call_once(client);
    assert_int_equal(note.count, LOG_LINES_MAX + 2);
    qn_close(client);
}

/* A hook that calls the client, though it should not, does not hang it. */
static void a_hook_may_look_at_the_client(void **state)
{
    struct note note = {.status = QN_BUSY};
    qn_client *client = connected("");

    (void)state;
    note.client = client;
    qn_log_to(client, QN_LOG_WARN, take, &note);
    add(client, QN_LOG_WARN, "one", 1);
    add(client, QN_LOG_WARN, "two", 2);
    call_once(client);
    assert_int_equal(note.count, 2);
    assert_int_equal(note.status, QN_OK);
    note.client = NULL;
    qn_close(client);
}

/* What is kept when the client closes is told then. */
static void closing_tells_the_rest(void **state)
{
    struct note note = {.count = 0};
    qn_client *client = connected("");

    (void)state;
    qn_log_to(client, QN_LOG_WARN, take, &note);
    add(client, QN_LOG_WARN, "last", 1);
    qn_close(client);
    assert_int_equal(note.count, 1);
}

/* What a client of these parameters says to stderr when a warning comes up. */
static void stderr_of(const char *parameters, char *said, size_t size)
{
    int ends[2];
    int before = dup(STDERR_FILENO);
    qn_client *client = connected(parameters);

    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    add(client, QN_LOG_INFO, "fine", 1);
    add(client, QN_LOG_WARN, "look", 2);
    call_once(client);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    (void)close(ends[1]);
    (void)close(before);
    ssize_t got = read(ends[0], said, size - 1);
    assert_true(got >= 0);
    said[got] = '\0';
    (void)close(ends[0]);
    qn_close(client);
}

/* Without a hook, stderr gets warnings, or what the property says. */
static void stderr_gets_warnings(void **state)
{
    char said[400];

    (void)state;
    stderr_of("", said, sizeof said);
    assert_string_equal(said, "quoin: warn: client: look number=2\n");
    stderr_of("&log_level=info", said, sizeof said);
    assert_non_null(strstr(said, "quoin: info: client: fine number=1\n"));
    stderr_of("&log_level=off", said, sizeof said);
    assert_string_equal(said, "");
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(lines_are_told_in_order),       WITH_SERVER(lost_lines_are_counted),
        WITH_SERVER(a_hook_may_look_at_the_client), WITH_SERVER(closing_tells_the_rest),
        WITH_SERVER(stderr_gets_warnings),
    };

    return RUN_TESTS(tests);
}

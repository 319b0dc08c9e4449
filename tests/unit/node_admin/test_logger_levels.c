#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/logger.h"
#include "tests/lib/check.h"

enum { LINE_SIZE = 8192 };

/* The logger has no argument for its clock: the tests set this one. */
static atomic_int_least64_t clock_ms;

static int64_t test_now_ms(void)
{
    return atomic_load(&clock_ms);
}

/* A logger whose lines arrive as datagrams: what one write wrote is what one read gets. */
struct capture {
    int fds[2];
    struct logger logger;
    char line[LINE_SIZE];
};

static struct capture *capture_create(bool priority)
{
    struct capture *c = calloc(1, sizeof *c);

    assert_non_null(c);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, c->fds), 0);
    atomic_store(&clock_ms, 5000);
    struct logger_options options = {
        .fd = c->fds[1], .level = LOG_LEVEL_INFO, .priority = priority, .now_ms = test_now_ms};
    logger_init(&c->logger, &options);
    return c;
}

static void capture_destroy(struct capture *c)
{
    (void)close(c->fds[0]);
    (void)close(c->fds[1]);
    free(c);
}

/* The next line without time and line feed; NULL if nothing was written. */
static const char *take(struct capture *c)
{
    ssize_t size = recv(c->fds[0], c->line, sizeof c->line - 1, MSG_DONTWAIT);

    if (size <= 0) {
        return NULL;
    }
    c->line[size - 1] = '\0';
    const char *blank = strchr(c->line, ' ');
    assert_non_null(blank);
    return blank + 1;
}

static void check_line(struct capture *c, const char *wanted)
{
    const char *line = take(c);

    if (!line || strcmp(line, wanted) != 0) {
        fail_msg("got \"%s\" and not \"%s\"", line ? line : "nothing", wanted);
    }
}

static size_t take_all(struct capture *c)
{
    size_t count = 0;

    while (take(c)) {
        count++;
    }
    return count;
}

static void set(struct capture *c, const char *module, enum log_level level)
{
    assert_int_equal(logger_level_set(&c->logger, module, level, NULL), QN_OK);
}

static bool writes(struct capture *c, enum log_level level, const char *module)
{
    logger_write(&c->logger, level, module, "test", "%s", "");
    bool wrote = take(c) != NULL;

    assert_int_equal(logger_enabled(&c->logger, level, module), wrote);
    atomic_fetch_add(&clock_ms, 1000); /* the limit is another test's */
    return wrote;
}

/* One module may say more or less than the others. */
static void modules_have_their_levels(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    assert_true(writes(c, LOG_LEVEL_INFO, "log"));
    assert_false(writes(c, LOG_LEVEL_DEBUG, "log"));
    set(c, "log", LOG_LEVEL_DEBUG);
    assert_true(writes(c, LOG_LEVEL_DEBUG, "log"));
    assert_false(writes(c, LOG_LEVEL_DEBUG, "node"));
    set(c, "node", LOG_LEVEL_ERROR);
    assert_false(writes(c, LOG_LEVEL_WARN, "node"));
    assert_true(writes(c, LOG_LEVEL_ERROR, "node"));
    assert_true(writes(c, LOG_LEVEL_INFO, "cache"));
    set(c, "log", LOG_LEVEL_WARN);
    assert_false(writes(c, LOG_LEVEL_DEBUG, "log"));
    assert_false(writes(c, LOG_LEVEL_INFO, "log"));
    capture_destroy(c);
}

/* "" sets all of them, those too that had been set alone. */
static void empty_name_sets_all_modules(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    set(c, "log", LOG_LEVEL_DEBUG);
    set(c, "", LOG_LEVEL_WARN);
    assert_false(writes(c, LOG_LEVEL_INFO, "log"));
    assert_false(writes(c, LOG_LEVEL_INFO, "clock"));
    set(c, "", LOG_LEVEL_DEBUG);
    assert_true(writes(c, LOG_LEVEL_DEBUG, "clock"));
    capture_destroy(c);
}

/* Who misspells a module learns which ones there are; nothing has changed. */
static void unknown_modules_are_refused(void **state)
{
    struct capture *c = capture_create(false);
    qn_error err = QN_ERROR_INIT;

    (void)state;
    assert_int_equal(logger_level_set(&c->logger, "lgo", LOG_LEVEL_DEBUG, &err), QN_INVALID);
    assert_string_equal(err.text, "no module \"lgo\" logs anything: there are node, log, "
                                  "checkpoint, memory, clock, cache, coord");
    assert_false(writes(c, LOG_LEVEL_DEBUG, "log"));
    capture_destroy(c);
}

static void level_see(void *arg, const char *module, enum log_level level, const char *text)
{
    size_t *seen = arg;

    assert_true(text[0] != '\0');
    assert_int_equal(level, strcmp(module, "clock") == 0 ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
    (*seen)++;
}

/* The levels can be listed. */
static void levels_are_listed(void **state)
{
    struct capture *c = capture_create(false);
    size_t seen = 0;

    (void)state;
    set(c, "clock", LOG_LEVEL_DEBUG);
    logger_levels_each(&c->logger, level_see, &seen);
    assert_int_equal(seen, LOGGER_MODULES);
    capture_destroy(c);
}

/* Levels are read and written by name. */
static void levels_have_names(void **state)
{
    qn_error err = QN_ERROR_INIT;
    enum log_level level;

    (void)state;
    for (int i = 0; i < LOGGER_LEVELS; i++) {
        assert_int_equal(logger_level_parse(logger_level_name((enum log_level)i), &level, NULL),
                         QN_OK);
        assert_int_equal(level, i);
    }
    assert_int_equal(logger_level_parse("verbose", &level, &err), QN_INVALID);
    assert_string_equal(err.text,
                        "\"verbose\" is no log level: there are error, warn, info, debug");
}

static void burst(struct capture *c, int lines)
{
    for (int i = 0; i < lines; i++) {
        logger_write(&c->logger, LOG_LEVEL_INFO, "log", "recovering", "n=%d", i);
    }
}

/* Of an event ten lines a second are written; the first line of a later second comes after one that
 * says how many were left out. */
static void lines_of_an_event_are_limited(void **state)
{
    struct capture *c = capture_create(false);
    struct logger_counts counts;

    (void)state;
    burst(c, 25);
    assert_int_equal(take_all(c), LOGGER_LINES_MAX);
    atomic_fetch_add(&clock_ms, 1000);
    burst(c, 1);
    check_line(c, "warn  node     lines_dropped of=log.recovering count=15");
    check_line(c, "info  log      recovering n=0");
    assert_null(take(c));
    logger_counts(&c->logger, &counts);
    assert_int_equal(counts.dropped, 15);
    assert_int_equal(counts.lines[LOG_LEVEL_INFO], LOGGER_LINES_MAX + 1);
    assert_int_equal(counts.lines[LOG_LEVEL_WARN], 1);
    capture_destroy(c);
}

/* An event that is frequent takes nothing away from another. */
static void the_limit_is_per_event(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    burst(c, 25);
    assert_int_equal(take_all(c), LOGGER_LINES_MAX);
    logger_write(&c->logger, LOG_LEVEL_ERROR, "log", "damaged", "a=1");
    check_line(c, "error log      damaged a=1");
    assert_null(take(c));
    capture_destroy(c);
}

/* What was left out is told of by the next line of any event, once the second is over. */
static void other_lines_tell_of_those_left_out(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    burst(c, 12);
    (void)take_all(c);
    logger_write(&c->logger, LOG_LEVEL_INFO, "node", "serving", "%s", "");
    check_line(c, "info  node     serving");
    assert_null(take(c));
    atomic_fetch_add(&clock_ms, 1000);
    logger_write(&c->logger, LOG_LEVEL_INFO, "node", "stopping", "%s", "");
    check_line(c, "info  node     stopping");
    check_line(c, "warn  node     lines_dropped of=log.recovering count=2");
    burst(c, 1);
    check_line(c, "info  log      recovering n=0");
    assert_null(take(c));
    capture_destroy(c);
}

/* A node that has fallen silent is made to tell; at its end, of the present second too. */
static void flush_tells_of_lines_left_out(void **state)
{
    struct capture *c = capture_create(false);

    (void)state;
    burst(c, 11);
    (void)take_all(c);
    logger_flush(&c->logger, false);
    assert_null(take(c));
    logger_flush(&c->logger, true);
    check_line(c, "warn  node     lines_dropped of=log.recovering count=1");
    logger_flush(&c->logger, true);
    assert_null(take(c));
    burst(c, 2);
    assert_null(take(c));
    atomic_fetch_add(&clock_ms, 1000);
    logger_flush(&c->logger, false);
    check_line(c, "warn  node     lines_dropped of=log.recovering count=2");
    capture_destroy(c);
}

/* Events that are not in the table have one limit together: no name from elsewhere makes a way
 * around it. */
static void unknown_events_share_a_limit(void **state)
{
    struct capture *c = capture_create(false);
    char name[32];

    (void)state;
    for (int i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof name, "event%d", i);
        logger_write(&c->logger, LOG_LEVEL_INFO, "nobody", name, "%s", "");
    }
    assert_int_equal(take_all(c), LOGGER_LINES_MAX);
    logger_flush(&c->logger, true);
    check_line(c, "warn  node     lines_dropped of=unknown.event count=30");
    capture_destroy(c);
}

/* A line below the level is neither counted nor limited. */
static void silent_levels_count_nothing(void **state)
{
    struct capture *c = capture_create(false);
    struct logger_counts counts;

    (void)state;
    for (int i = 0; i < 100; i++) {
        logger_write(&c->logger, LOG_LEVEL_DEBUG, "checkpoint", "started", "%s", "");
    }
    logger_counts(&c->logger, &counts);
    assert_int_equal(counts.dropped, 0);
    set(c, "checkpoint", LOG_LEVEL_DEBUG);
    logger_write(&c->logger, LOG_LEVEL_DEBUG, "checkpoint", "started", "%s", "");
    check_line(c, "debug checkpoint started");
    capture_destroy(c);
}

/* A line that nobody took is counted as lost. */
static void lost_lines_are_counted(void **state)
{
    struct logger logger;
    struct logger_options options = {.fd = -1, .level = LOG_LEVEL_INFO};
    struct logger_counts counts;

    (void)state;
    logger_init(&logger, &options);
    errno = ENOSPC;
    logger_write(&logger, LOG_LEVEL_INFO, "node", "serving", "%s", "");
    assert_int_equal(errno, ENOSPC);
    logger_counts(&logger, &counts);
    assert_int_equal(counts.dropped, 1);
    assert_int_equal(counts.lines[LOG_LEVEL_INFO], 0);
}

/* A logger made of its fields has one level, no limit and no counts. */
static void plain_loggers_need_no_init(void **state)
{
    struct capture *c = capture_create(false);
    struct logger plain = {.fd = c->fds[1], .level = LOG_LEVEL_INFO};
    struct logger_counts counts;

    (void)state;
    for (int i = 0; i < 20; i++) {
        logger_write(&plain, LOG_LEVEL_INFO, "node", "serving", "%s", "");
    }
    logger_write(&plain, LOG_LEVEL_DEBUG, "node", "serving", "%s", "");
    assert_int_equal(take_all(c), 20);
    logger_flush(&plain, true);
    logger_counts(&plain, &counts);
    assert_int_equal(counts.lines[LOG_LEVEL_INFO], 0);
    capture_destroy(c);
}

/* For the journal each line begins with its priority. */
static void journal_lines_begin_with_the_priority(void **state)
{
    static const char *const wanted[] = {"<3>", "<4>", "<6>", "<7>"};
    struct capture *c = capture_create(true);

    (void)state;
    set(c, "", LOG_LEVEL_DEBUG);
    for (int level = 0; level < LOGGER_LEVELS; level++) {
        logger_write(&c->logger, (enum log_level)level, "node", "serving", "%s", "");
        assert_non_null(take(c));
        assert_memory_equal(c->line, wanted[level], 3);
        assert_true(isdigit((unsigned char)c->line[3]));
    }
    capture_destroy(c);
}

/* The journal is recognised by device and inode of its socket, and by nothing else. */
static void journal_is_known_by_its_socket(void **state)
{
    char name[64];
    struct stat file;
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(fstat(fds[0], &file), 0);
    (void)snprintf(name, sizeof name, "%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
    assert_true(logger_is_journal(fds[0], name));
    assert_false(logger_is_journal(fds[1], name));
    (void)strncat(name, "x", sizeof name - strlen(name) - 1);
    assert_false(logger_is_journal(fds[0], name));
    assert_false(logger_is_journal(fds[0], "1:2"));
    assert_false(logger_is_journal(fds[0], ""));
    assert_false(logger_is_journal(fds[0], NULL));
    assert_false(logger_is_journal(-1, "1:2"));
    (void)close(fds[0]);
    (void)close(fds[1]);
}

enum { THREADS = 4, ROUNDS = 2000 };

struct worker {
    struct logger *logger;
    int number;
};

/* Writes, and changes levels, and lets time pass. */
static void *work(void *arg)
{
    static const char *const names[] = {"log", "node", "cache", "clock"};
    struct worker *w = arg;

    for (int i = 0; i < ROUNDS; i++) {
        logger_write(w->logger, LOG_LEVEL_INFO, "log", "recovering", "n=%d", i);
        if (i % 50 == 0) {
            atomic_fetch_add(&clock_ms, 400);
            (void)!logger_level_set(w->logger, names[w->number],
                                    i % 100 ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO, NULL);
        }
    }
    (void)!logger_level_set(w->logger, names[w->number], LOG_LEVEL_DEBUG, NULL);
    return NULL;
}

/* Sums of a file of lines: those of the event, and those that were told of as left out. */
static void file_count(const char *path, uint64_t *lines, uint64_t *told)
{
    char line[LINE_SIZE];
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *count = strstr(line, " count=");
        if (count) {
            *told += strtoull(count + 7, NULL, 10);
        } else {
            (*lines)++;
        }
    }
    (void)fclose(file);
}

/* Threads write, change levels and run into the limit at once: each line was either written, or
 * counted and told of, and a level that was set is in force. */
static void threads_share_levels_and_limits(void **state)
{
    char path[] = "/tmp/quoin-test-levels-XXXXXX";
    int fd = mkostemp(path, O_APPEND | O_CLOEXEC);
    struct logger logger;
    struct logger_options options = {.fd = fd, .level = LOG_LEVEL_INFO, .now_ms = test_now_ms};
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct logger_counts counts;
    uint64_t lines = 0, told = 0;

    (void)state;
    assert_true(fd >= 0);
    logger_init(&logger, &options);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&logger, i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    logger_flush(&logger, true);
    logger_counts(&logger, &counts);
    file_count(path, &lines, &told);
    assert_int_equal(lines + told, THREADS * ROUNDS);
    assert_int_equal(told, counts.dropped);
    assert_int_equal(lines, counts.lines[LOG_LEVEL_INFO]);
    assert_true(logger_enabled(&logger, LOG_LEVEL_DEBUG, "log"));
    assert_true(logger_enabled(&logger, LOG_LEVEL_DEBUG, "clock"));
    (void)close(fd);
    (void)unlink(path);
}

static const struct row {
    const char *module;
    const char *event;
    enum log_level level;
    const char *meaning;
    const char *action;
} rows[] = {
#define ROW(module, event, level, meaning, action)                                                 \
    {module, event, LOG_LEVEL_##level, meaning, action},
    LOG_EVENT_MAP(ROW)
#undef ROW
};

static void check_identifier(const char *name)
{
    assert_true(name[0] != '\0');
    for (const char *c = name; *c; c++) {
        if (!islower((unsigned char)*c) && *c != '_') {
            fail_msg("\"%s\" is no identifier", name);
        }
    }
}

/* Every event of the table belongs to a module that has a level, is there once, has a meaning, and
 * an action when an operator must act. */
static void events_are_well_formed(void **state)
{
    struct logger logger;
    struct logger_options options = {.fd = -1};

    (void)state;
    assert_int_equal(sizeof rows / sizeof *rows, LOG_EVENTS);
    logger_init(&logger, &options);
    for (size_t i = 0; i < LOG_EVENTS; i++) {
        check_identifier(rows[i].event);
        assert_int_equal(logger_level_set(&logger, rows[i].module, LOG_LEVEL_INFO, NULL), QN_OK);
        assert_true(strlen(rows[i].meaning) > 10);
        assert_true(rows[i].level != LOG_LEVEL_ERROR || strlen(rows[i].action) > 5);
        for (size_t k = 0; k < i; k++) {
            assert_true(strcmp(rows[i].event, rows[k].event) != 0 ||
                        strcmp(rows[i].module, rows[k].module) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_have_their_levels),
        cmocka_unit_test(empty_name_sets_all_modules),
        cmocka_unit_test(unknown_modules_are_refused),
        cmocka_unit_test(levels_are_listed),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(lines_of_an_event_are_limited),
        cmocka_unit_test(the_limit_is_per_event),
        cmocka_unit_test(other_lines_tell_of_those_left_out),
        cmocka_unit_test(flush_tells_of_lines_left_out),
        cmocka_unit_test(unknown_events_share_a_limit),
        cmocka_unit_test(silent_levels_count_nothing),
        cmocka_unit_test(lost_lines_are_counted),
        cmocka_unit_test(plain_loggers_need_no_init),
        cmocka_unit_test(journal_lines_begin_with_the_priority),
        cmocka_unit_test(journal_is_known_by_its_socket),
        cmocka_unit_test(threads_share_levels_and_limits),
        cmocka_unit_test(events_are_well_formed),
    };

    return RUN_TESTS(tests);
}

#define _GNU_SOURCE
#include "node/logger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "node/logger_line.h"
#include "wire/assert.h"

enum {
    FIELDS_SIZE = 3072, /* the fields as given */
    WINDOW_MS = 1000,
    UNKNOWN_EVENT = LOG_EVENTS, /* the place of those that are not in the table */
    NAMES_SIZE = 160,
};

static const struct module {
    const char *name;
    const char *text;
} modules[] = {
#define MODULE_ROW(name, text) {name, text},
    LOGGER_MODULE_MAP(MODULE_ROW)
#undef MODULE_ROW
};

static const struct event {
    const char *module;
    const char *name;
} events[] = {
#define EVENT_ROW(module, event, level, meaning, action) {module, event},
    LOG_EVENT_MAP(EVENT_ROW)
#undef EVENT_ROW
};

static const struct level {
    const char *name;
    const char *prefix; /* of syslog, as the journal reads it */
} levels[LOGGER_LEVELS] = {
    [LOG_LEVEL_ERROR] = {"error", "<3>"},
    [LOG_LEVEL_WARN] = {"warn", "<4>"},
    [LOG_LEVEL_INFO] = {"info", "<6>"},
    [LOG_LEVEL_DEBUG] = {"debug", "<7>"},
};

static int64_t system_now_ms(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void logger_init(struct logger *logger, const struct logger_options *options)
{
    struct logger_control *control = &logger->own;

    *logger = (struct logger){.fd = options->fd,
                              .json = options->json,
                              .priority = options->priority,
                              .node = options->node,
                              .control = control};
    atomic_init(&logger->level, (int)options->level);
    for (size_t i = 0; i < LOGGER_MODULES; i++) {
        atomic_init(&control->levels[i], (int)options->level);
    }
    atomic_init(&control->level_max, (int)options->level);
    control->now_ms = options->now_ms ? options->now_ms : system_now_ms;
}

bool logger_is_journal(int fd, const char *journal_stream)
{
    uintmax_t device, inode;
    struct stat file;
    int end = 0;

    if (!journal_stream ||
        sscanf(journal_stream, "%" SCNuMAX ":%" SCNuMAX "%n", &device, &inode, &end) != 2 ||
        journal_stream[end] != '\0' || fstat(fd, &file) != 0) {
        return false;
    }
    return file.st_dev == device && file.st_ino == inode;
}

/* LOGGER_MODULES: there is no such module. */
static size_t module_find(const char *name)
{
    size_t i = 0;

    while (i < LOGGER_MODULES && strcmp(modules[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Most lines that are not written end here, at one load. */
static int level_highest(const struct logger *logger)
{
    const atomic_int *level = logger->control ? &logger->control->level_max : &logger->level;

    return atomic_load_explicit(level, memory_order_relaxed);
}

bool logger_enabled(const struct logger *logger, enum log_level level, const char *module)
{
    int highest = level_highest(logger);

    if ((int)level > highest || !logger->control) {
        return (int)level <= highest;
    }
    size_t m = module_find(module);
    return m == LOGGER_MODULES ||
           (int)level <= atomic_load_explicit(&logger->control->levels[m], memory_order_relaxed);
}

static int level_max_compute(const struct logger_control *control)
{
    int highest = LOG_LEVEL_ERROR;

    for (size_t i = 0; i < LOGGER_MODULES; i++) {
        int level = atomic_load(&control->levels[i]);
        highest = level > highest ? level : highest;
    }
    return highest;
}

/* Another thread may change a level between the look and the store: whoever stores last looks
 * again. */
static void level_max_update(struct logger_control *control)
{
    int highest;

    do {
        highest = level_max_compute(control);
        atomic_store(&control->level_max, highest);
    } while (level_max_compute(control) != highest);
}

static void names_join(char out[NAMES_SIZE])
{
    size_t size = 0;

    out[0] = '\0';
    for (size_t i = 0; i < LOGGER_MODULES; i++) {
        int more = snprintf(out + size, NAMES_SIZE - size, "%s%s", i ? ", " : "", modules[i].name);
        qn_assert(more > 0 && size + (size_t)more < NAMES_SIZE);
        size += (size_t)more;
    }
}

enum qn_status logger_level_set(const struct logger *logger, const char *module,
                                enum log_level level, qn_error *err)
{
    struct logger_control *control = logger->control;
    size_t m = module_find(module);
    char names[NAMES_SIZE];

    qn_assert(control);
    if (m == LOGGER_MODULES && module[0] != '\0' && strcmp(module, "all") != 0) {
        names_join(names);
        return qn_error_set(err, QN_INVALID, "no module \"%.40s\" logs anything: there are %s",
                            module, names);
    }
    for (size_t i = 0; i < LOGGER_MODULES; i++) {
        if (m == LOGGER_MODULES || m == i) {
            atomic_store(&control->levels[i], (int)level);
        }
    }
    level_max_update(control);
    return QN_OK;
}

void logger_levels_each(const struct logger *logger,
                        void (*fn)(void *arg, const char *module, enum log_level level,
                                   const char *text),
                        void *arg)
{
    for (size_t i = 0; i < LOGGER_MODULES; i++) {
        const atomic_int *level = logger->control ? &logger->control->levels[i] : &logger->level;
        fn(arg, modules[i].name, (enum log_level)atomic_load(level), modules[i].text);
    }
}

const char *logger_level_name(enum log_level level)
{
    qn_assert((int)level >= 0 && (int)level < LOGGER_LEVELS);
    return levels[level].name;
}

enum qn_status logger_level_parse(const char *name, enum log_level *level, qn_error *err)
{
    for (int i = 0; i < LOGGER_LEVELS; i++) {
        if (strcmp(levels[i].name, name) == 0) {
            *level = (enum log_level)i;
            return QN_OK;
        }
    }
    return qn_error_set(err, QN_INVALID,
                        "\"%.40s\" is no log level: there are error, warn, info, debug", name);
}

/* A window is one number, so that it changes at once: the second in the upper half, the lines that
 * were wanted in it in the lower. */
static uint64_t window_make(uint32_t second, uint32_t count)
{
    return (uint64_t)second << 32 | count;
}

static uint32_t window_second(uint64_t window)
{
    return (uint32_t)(window >> 32);
}

static uint32_t window_dropped(uint64_t window)
{
    uint32_t count = (uint32_t)window;

    return count > LOGGER_LINES_MAX ? count - LOGGER_LINES_MAX : 0;
}

static uint32_t second_now(const struct logger_control *control)
{
    return (uint32_t)(control->now_ms() / WINDOW_MS);
}

static size_t event_find(const char *module, const char *name)
{
    size_t i = 0;

    while (i < LOG_EVENTS &&
           (strcmp(events[i].name, name) != 0 || strcmp(events[i].module, module) != 0)) {
        i++;
    }
    return i;
}

/* One more line of the event is wanted: may it be written? `*owed` becomes the number of lines left
 * out before, when a new second begins with this one. */
static bool line_admit(struct logger_control *control, size_t event, uint32_t *owed)
{
    atomic_uint_least64_t *window = &control->windows[event];
    uint32_t second = second_now(control);
    uint64_t before = atomic_load(window), after;

    do {
        bool same = window_second(before) == second;
        *owed = same ? 0 : window_dropped(before);
        after = same ? before + ((uint32_t)before < UINT32_MAX) : window_make(second, 1);
    } while (!atomic_compare_exchange_weak(window, &before, after));
    if (window_dropped(after) == 0) {
        return true;
    }
    atomic_fetch_add(&control->dropped, 1);
    atomic_store(&control->lines_owed, true);
    return false;
}

/* Take over the lines that the event owes; without `all` only those of a second that is over. */
static uint32_t owed_take(struct logger_control *control, size_t event, uint32_t second, bool all)
{
    atomic_uint_least64_t *window = &control->windows[event];
    uint64_t before = atomic_load(window), after;

    do {
        if (window_dropped(before) == 0) {
            return 0;
        }
        if (window_second(before) == second && !all) {
            atomic_store(&control->lines_owed, true);
            return 0;
        }
        after = window_make(window_second(before), LOGGER_LINES_MAX);
    } while (!atomic_compare_exchange_weak(window, &before, after));
    return window_dropped(before);
}

/* What cannot be written is lost: there is nobody left to tell. */
static bool line_write(const struct logger_line *line, int fd)
{
    size_t done = 0;

    while (done < line->size) {
        ssize_t wrote = write(fd, line->text + done, line->size - done);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return false;
        }
        done += (size_t)wrote;
    }
    return true;
}

static void line_put(const struct logger *logger, enum log_level level, const char *module,
                     const char *event, struct bytes fields, bool fields_cut)
{
    struct logger_line_head head = {.prefix = logger->priority ? levels[level].prefix : "",
                                    .level = levels[level].name,
                                    .module = module,
                                    .event = event,
                                    .node = logger->node,
                                    .json = logger->json};
    struct logger_line line;

    logger_line_build(&line, &head, fields, fields_cut);
    bool written = line_write(&line, logger->fd);
    if (logger->control) {
        atomic_fetch_add(written ? &logger->control->lines[level] : &logger->control->dropped, 1);
    }
}

static void owed_put(const struct logger *logger, size_t event, uint32_t count)
{
    bool known = event != UNKNOWN_EVENT;
    char fields[NAMES_SIZE];

    if (count > 0 && logger_enabled(logger, LOG_LEVEL_WARN, "node")) {
        int size = snprintf(fields, sizeof fields, "of=%s.%s count=%" PRIu32,
                            known ? events[event].module : "unknown",
                            known ? events[event].name : "event", count);
        line_put(logger, LOG_LEVEL_WARN, "node", "lines_dropped", bytes_of(fields, (size_t)size),
                 false);
    }
}

void logger_flush(const struct logger *logger, bool all)
{
    struct logger_control *control = logger->control;

    if (!control || !atomic_exchange(&control->lines_owed, false)) {
        return;
    }
    uint32_t second = second_now(control);
    for (size_t i = 0; i <= LOG_EVENTS; i++) {
        owed_put(logger, i, owed_take(control, i, second, all));
    }
}

static bool line_wanted(const struct logger *logger, enum log_level level, const char *module,
                        const char *event)
{
    uint32_t owed = 0;

    if (!logger_enabled(logger, level, module)) {
        return false;
    }
    if (!logger->control) {
        return true;
    }
    size_t e = event_find(module, event);
    bool wanted = line_admit(logger->control, e, &owed);
    owed_put(logger, e, owed);
    return wanted;
}

void logger_write(const struct logger *logger, enum log_level level, const char *module,
                  const char *event, const char *fields, ...)
{
    int error = errno; /* callers log in the middle of handling one */
    char formatted[FIELDS_SIZE];
    va_list list;

    qn_assert((int)level >= 0 && (int)level < LOGGER_LEVELS);
    if (!line_wanted(logger, level, module, event)) {
        errno = error;
        return;
    }
    va_start(list, fields);
    int wanted = vsnprintf(formatted, sizeof formatted, fields, list);
    va_end(list);
    size_t size = wanted < 0 ? 0 : (size_t)wanted;
    bool too_long = size >= sizeof formatted;
    line_put(logger, level, module, event,
             bytes_of(formatted, too_long ? sizeof formatted - 1 : size), too_long);
    logger_flush(logger, false);
    errno = error;
}

void logger_counts(const struct logger *logger, struct logger_counts *counts)
{
    *counts = (struct logger_counts){0};
    for (size_t i = 0; logger->control && i < LOGGER_LEVELS; i++) {
        counts->lines[i] = atomic_load_explicit(&logger->control->lines[i], memory_order_relaxed);
    }
    if (logger->control) {
        counts->dropped = atomic_load_explicit(&logger->control->dropped, memory_order_relaxed);
    }
}

/* One line per event: time, level, module, event, then key=value.
 *
 *     2026-01-02T03:04:05.678Z info  log      recovered lane=0 records=120 ms=3
 *
 * To stderr, as text or as one JSON object per line. Event names are stable identifiers, listed in
 * node/log_events.h. Never log keys or values. Any thread; a line is one write.
 *
 * Each module has a level of its own, which may be changed while the node runs. Of an event no
 * more than ten lines a second are written, then one that says how many were left out. */
#ifndef QUOIN_NODE_LOGGER_H
#define QUOIN_NODE_LOGGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/log_events.h"
#include "wire/bytes.h"

enum log_level {
    LOG_LEVEL_ERROR, /* an operator must act */
    LOG_LEVEL_WARN,  /* the node copes */
    LOG_LEVEL_INFO,  /* start, stop, recovery, configuration */
    LOG_LEVEL_DEBUG,
};

enum {
    LOGGER_LEVELS = 4,
    LOGGER_LINES_MAX = 10, /* of one event in one second */
};

/* The modules: X(name, text). */
#define LOGGER_MODULE_MAP(X)                                                                       \
    X("node", "start, stop, settings, the log itself")                                             \
    X("log", "transaction log and recovery")                                                       \
    X("checkpoint", "hard commits, snapshots")                                                     \
    X("memory", "limits")                                                                          \
    X("clock", "time")                                                                             \
    X("cache", "caches created and removed")                                                       \
    X("coord", "coordination, the state kept beside the log")

#define LOGGER_MODULE_ONE(name, text) +1
enum { LOGGER_MODULES = 0 LOGGER_MODULE_MAP(LOGGER_MODULE_ONE) };
#undef LOGGER_MODULE_ONE

/* What changes while the node runs. logger.c only. */
struct logger_control {
    atomic_int levels[LOGGER_MODULES]; /* enum log_level */
    atomic_int level_max;              /* the highest of them: what is above it is not looked at */
    atomic_uint_least64_t windows[LOG_EVENTS + 1]; /* second and lines in it; the last: unknown */
    atomic_bool lines_owed;                        /* dropped ones that were not told of */
    atomic_uint_least64_t lines[LOGGER_LEVELS];
    atomic_uint_least64_t dropped;
    int64_t (*now_ms)(void);
};

/* A literal with these fields is a logger of one level, without a limit: for tests. A node's is
 * made with logger_init. */
struct logger {
    int fd;
    atomic_int level; /* without `control`: of all modules */
    bool json;
    bool priority; /* each line begins with "<N>", as the journal of systemd reads it */
    uint32_t node;
    struct logger_control *control; /* NULL, or `own` */
    struct logger_control own;
};

struct logger_options {
    int fd;
    enum log_level level;
    bool json;
    bool priority;
    uint32_t node;
    int64_t (*now_ms)(void); /* monotonic; NULL = the system's. For tests */
};

/* The logger must stay where it is. Nothing to give back. */
void logger_init(struct logger *logger, const struct logger_options *options);

/* Is `fd` connected to the journal of systemd? `journal_stream`: value of $JOURNAL_STREAM, or NULL.
 */
bool logger_is_journal(int fd, const char *journal_stream);

/* Would a line of this level be written? For a caller that must work to have something to say. */
bool logger_enabled(const struct logger *logger, enum log_level level, const char *module);

/* `fields` is printf-like and yields "key=value key=value" ("" = none); values with blanks or
 * quotes are written as key="..." by the caller. In JSON they become members. */
__attribute__((format(printf, 5, 6))) void logger_write(const struct logger *logger,
                                                        enum log_level level, const char *module,
                                                        const char *event, const char *fields, ...);

/* Tell of lines that were left out and not told of yet; `all`: also of the present second, before
 * the end. Every written line does so, too: this is for a node that has fallen silent. */
void logger_flush(const struct logger *logger, bool all);

/* Change the level of one module, "" or "all" = of all. Any thread; only after logger_init.
 *
 * QN_INVALID  there is no such module; `err` names those that there are. */
QN_MUST_USE enum qn_status logger_level_set(const struct logger *logger, const char *module,
                                            enum log_level level, qn_error *err);

/* Calls `fn` for each module with its level and what it logs. */
void logger_levels_each(const struct logger *logger,
                        void (*fn)(void *arg, const char *module, enum log_level level,
                                   const char *text),
                        void *arg);

/* "error", "warn", "info", "debug". */
const char *logger_level_name(enum log_level level);

/* The level of this name. QN_INVALID: there is none; `err` names them. */
QN_MUST_USE enum qn_status logger_level_parse(const char *name, enum log_level *level,
                                              qn_error *err);

struct logger_counts {
    uint64_t lines[LOGGER_LEVELS]; /* written, by level */
    uint64_t dropped;              /* left out by the limit, or not to be written */
};

/* What has been counted since logger_init. */
void logger_counts(const struct logger *logger, struct logger_counts *counts);

#endif

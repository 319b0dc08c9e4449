/* One line per event: time, level, module, event, then key=value.
 *
 *     2026-01-02T03:04:05.678Z info  log      recovered lane=0 records=120 ms=3
 *
 * To stderr, as text or as one JSON object per line. Event names are stable identifiers. Never log
 * keys or values. Any thread; a line is one write. */
#ifndef QUOIN_NODE_LOGGER_H
#define QUOIN_NODE_LOGGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum log_level {
    LOG_LEVEL_ERROR, /* an operator must act */
    LOG_LEVEL_WARN,  /* the node copes */
    LOG_LEVEL_INFO,  /* start, stop, recovery, configuration */
    LOG_LEVEL_DEBUG,
};

struct logger {
    int fd;
    atomic_int level; /* enum log_level; may be changed while other threads log */
    bool json;
    uint32_t node;
};

/* `fields` is printf-like and yields "key=value key=value" ("" = none); values with blanks or
 * quotes are written as key="..." by the caller. In JSON they become members. */
__attribute__((format(printf, 5, 6))) void logger_write(const struct logger *logger,
                                                        enum log_level level, const char *module,
                                                        const char *event, const char *fields, ...);

#endif

/* What the client has to say: lines are kept while the mutex is held and told when it is not.
 *
 * Whoever leaves the client, or is about to wait for the sockets, tells them; one thread at a time.
 */
#ifndef QUOIN_CLIENT_LOG_H
#define QUOIN_CLIENT_LOG_H

#include <pthread.h>

#include "client/quoin.h"

enum {
    LOG_LINES_MAX = 32, /* kept; more are counted, and lost */
    LOG_TEXT_MAX = 160,
    LOG_OFF = QN_LOG_DEBUG + 1, /* the word "off" of the property log_level */
};

typedef void (*log_fn)(void *arg, enum qn_log_level level, const char *module, const char *message,
                       const char *fields);

struct log_line {
    enum qn_log_level level;
    const char *message; /* lives for ever */
    char fields[LOG_TEXT_MAX];
};

struct client_log {
    int level_max; /* -1 = nothing is told */
    log_fn fn;
    void *arg;
    struct log_line lines[LOG_LINES_MAX];
    size_t first;
    size_t count;
    size_t lost;
    bool is_telling;
    pthread_cond_t told; /* nobody tells any more */
};

/* `level` is a number of the property log_level. Lines go to stderr. */
void log_init(struct client_log *log, int64_t level);
void log_fini(struct client_log *log);

/* Keep a line. `message` lives for ever; `format` makes its fields. Mutex held.
 *
 *  */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void log_add(struct client_log *log, enum qn_log_level level, const char *message,
             const char *format, ...);

/* Tell the lines that are kept. The mutex is held, but not while they are told.
 *
 *  */
void log_tell(qn_client *client);

/* Tell one line at once, from a process that may not use the client. */
void log_tell_forked(const struct client_log *log, const char *message);

#endif

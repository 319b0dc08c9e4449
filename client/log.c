#include "client/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "client/driver.h"

#define MODULE "client"

static const char *level_name(enum qn_log_level level)
{
    switch (level) {
    case QN_LOG_ERROR:
        return "error";
    case QN_LOG_WARN:
        return "warn";
    case QN_LOG_INFO:
        return "info";
    case QN_LOG_DEBUG:
        break;
    }
    return "debug";
}

static void to_stderr(void *arg, enum qn_log_level level, const char *module, const char *message,
                      const char *fields)
{
    (void)arg;
    (void)fprintf(stderr, "quoin: %s: %s: %s%s%s\n", level_name(level), module, message,
                  fields[0] ? " " : "", fields);
}

void log_init(struct client_log *log, int64_t level)
{
    *log = (struct client_log){.fn = to_stderr};
    log->level_max = level == LOG_OFF ? -1 : (int)level;
    (void)pthread_cond_init(&log->told, NULL);
}

void log_fini(struct client_log *log)
{
    (void)pthread_cond_destroy(&log->told);
}

void log_add(struct client_log *log, enum qn_log_level level, const char *message,
             const char *format, ...)
{
    va_list args;

    if ((int)level > log->level_max) {
        return;
    }
    if (log->count == LOG_LINES_MAX) {
        log->lost++;
        return;
    }
    struct log_line *line = &log->lines[(log->first + log->count++) % LOG_LINES_MAX];
    line->level = level;
    line->message = message;
    va_start(args, format);
    (void)vsnprintf(line->fields, sizeof line->fields, format, args);
    va_end(args);
}

/* Take the oldest line out. False: there is none. */
static bool line_take(struct client_log *log, struct log_line *line)
{
    if (log->count == 0 && log->lost > 0) {
        *line = (struct log_line){.level = QN_LOG_WARN, .message = "messages were lost"};
        (void)snprintf(line->fields, sizeof line->fields, "count=%zu", log->lost);
        log->lost = 0;
        return true;
    }
    if (log->count == 0) {
        return false;
    }
    *line = log->lines[log->first];
    log->first = (log->first + 1) % LOG_LINES_MAX;
    log->count--;
    return true;
}

void log_tell(qn_client *client)
{
    struct client_log *log = &client->log;
    struct log_line line;

    if (log->is_telling) {
        return; /* who tells now will see them */
    }
    log->is_telling = true;
    while (line_take(log, &line)) {
        log_fn fn = log->fn;
        void *arg = log->arg;
        if (fn && (int)line.level <= log->level_max) {
            (void)pthread_mutex_unlock(&client->mutex);
            fn(arg, line.level, MODULE, line.message, line.fields);
            (void)pthread_mutex_lock(&client->mutex);
        }
    }
    log->is_telling = false;
    (void)pthread_cond_broadcast(&log->told);
}

void log_tell_forked(const struct client_log *log, const char *message)
{
    if (log->fn && (int)QN_LOG_WARN <= log->level_max) {
        log->fn(log->arg, QN_LOG_WARN, MODULE, message, "");
    }
}

void qn_log_to(qn_client *client, enum qn_log_level level,
               void (*fn)(void *arg, enum qn_log_level level, const char *module,
                          const char *message, const char *fields),
               void *arg)
{
    if (driver_enter(client, NULL) != QN_OK) {
        return;
    }
    /* Nobody is inside the former one when this returns. */
    while (client->log.is_telling) {
        (void)pthread_cond_wait(&client->log.told, &client->mutex);
    }
    client->log.fn = fn;
    client->log.arg = arg;
    client->log.level_max = fn ? (int)level : -1;
    driver_leave(client);
}

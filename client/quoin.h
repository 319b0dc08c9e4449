/* libquoin: the C client of Quoin, a distributed data grid.
 *
 * One client per process; the client and its cache handles may be used by all threads. Values are
 * immutable and reference-counted. An operation (`qn_op`), a batch and an error have one owner.
 * A call returns a `qn_status`: negative = failure (explained in `err`), zero or positive = an
 * answer. Every call ends by its deadline (`timeout`, default 15 s), give or take 100 ms.
 * After fork() the child gets QN_FORKED from every call; it opens a client of its own.
 *
 *     qn_error err = QN_ERROR_INIT;
 *     qn_client *grid = qn_connect("quoin://localhost:7100", &err);
 *     qn_cache *accounts = qn_open(grid, "accounts", &err);
 *     qn_put(accounts, qn_str("alice"), qn_int(100), NULL, &err);
 *     if (qn_error_failed(&err)) {
 *         fprintf(stderr, "%s\n", qn_explain(&err));
 *     }
 *     qn_close(grid);
 *
 * Errors are sticky: a call given an error that already holds a failure does nothing and returns
 * it, and NULL handles are refused, so a sequence of calls needs one check at its end. */
#ifndef QUOIN_H
#define QUOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "wire/status.h"

#if defined(__GNUC__)
#define QN_API __attribute__((visibility("default")))
#else
#define QN_API
#endif

typedef enum qn_status qn_status;
typedef struct qn_client qn_client;
typedef struct qn_cache qn_cache; /* lives until its client is closed */
typedef struct qn_value qn_value;
typedef struct qn_op qn_op;
typedef struct qn_batch qn_batch;
typedef struct qn_cursor qn_cursor;
typedef struct qn_config qn_config;

/* "0.1.0" of the library. */
QN_API const char *qn_version_text(void);

/* One line for people: what failed, where, whether a write may have been applied and what to do.
 * Points into `err`; "ok" when it holds no failure. */
QN_API const char *qn_explain(const qn_error *err);

/* ---- Arguments: keys and values by value; memory is borrowed during the call only ---- */

enum qn_arg_kind {
    QN_ARG_STRING = 1, /* a POF string; UTF-8 */
    QN_ARG_INT = 2,    /* a POF int64 */
    QN_ARG_BYTES = 3,  /* a POF octet string */
    QN_ARG_BINARY = 4, /* a Binary as it is: octet 0x15, then any POF value */
};

typedef struct qn_arg {
    enum qn_arg_kind kind;
    const void *data;
    size_t size;
    int64_t number;
} qn_arg;

/* An argument of each kind; `qn_str` takes a NUL-terminated string. Nothing is checked or copied
 * yet: the call that gets the argument does that. */
QN_API qn_arg qn_str(const char *text);
QN_API qn_arg qn_text(const char *text, size_t size);
QN_API qn_arg qn_int(int64_t number);
QN_API qn_arg qn_bytes(const void *data, size_t size);
QN_API qn_arg qn_binary(const void *data, size_t size);

/* ---- Connecting ---- */

/* Connect to a cluster through any of its nodes:
 *
 *     quoin://host[:port][,host[:port]...]/?timeout=500ms&in_flight=4096&in_flight_bytes=64MiB
 *
 * The default port is 7100. `uri` NULL = environment QUOIN_URI, else quoin://127.0.0.1:7100. Waits
 * up to `timeout` for a node to answer. NULL on failure:
 *
 * QN_INVALID      the URI is wrong; the text says where
 * QN_UNREACHABLE  no node answered in time; the text names the addresses
 * QN_UNSUPPORTED  the nodes are of an incompatible version */
QN_API qn_client *qn_connect(const char *uri, qn_error *err);

/* The same without waiting: calls queue (bounded) until a node has answered. */
QN_API qn_client *qn_connect_start(const char *uri, qn_error *err);

/* ---- Properties: every setting of a client, as data ---- */

/* One of them. The texts live for ever. */
typedef struct qn_property {
    size_t size;
    const char *name;     /* "timeout": in a URI and a file; QUOIN_TIMEOUT in the environment */
    const char *type;     /* "duration", "size", "count", "bool" or "text" */
    const char *standard; /* default, as one would write it */
    const char *minimum;  /* NULL where there is no range */
    const char *maximum;
    const char *text; /* what it does */
} qn_property;

/* Call `fn` with each property, in the order of the manual. */
QN_API void qn_property_list(void (*fn)(void *arg, const qn_property *property), void *arg);

/* Settings of a client to be. Later sources win: default < file (`property "config"` or
 * QUOIN_CONFIG) < environment QUOIN_* < URI < qn_config_set. One owner. Reads the environment, and
 * the file that it names. NULL with `err` set: QN_MEMORY_FULL; QN_INVALID, QN_IO: what is wrong
 * there. qn_connect does the same. */
QN_API qn_config *qn_config_new(qn_error *err);
QN_API void qn_config_free(qn_config *config); /* NULL allowed */

/* Set one; "uri" sets all that the URI says. QN_INVALID: `err` says what is wrong and what was
 * meant. */
QN_API qn_status qn_config_set(qn_config *config, const char *name, const char *text,
                               qn_error *err);

/* Read `name = value` lines; `#` begins a comment. QN_IO, QN_INVALID: file and line in `err`. */
QN_API qn_status qn_config_load(qn_config *config, const char *file, qn_error *err);

/* Call `fn` with each property's value in force and where it comes from. */
QN_API void qn_config_each(const qn_config *config,
                           void (*fn)(void *arg, const char *name, const char *value,
                                      const char *origin),
                           void *arg);

/* As qn_connect and qn_connect_start. `config` is only read. */
QN_API qn_client *qn_connect_config(const qn_config *config, qn_error *err);
QN_API qn_client *qn_connect_config_start(const qn_config *config, qn_error *err);

/* Wait up to `ms` for calls in flight, end the others with a certainty, close. Always returns.
 * QN_OK: all were done. QN_DEADLINE: some were given up. NULL allowed. */
QN_API qn_status qn_close_within(qn_client *client, int64_t ms);

/* `qn_close_within` with the client's timeout. */
QN_API void qn_close(qn_client *client);

/* End every call under way now, with QN_CLOSED and what is certain of it; calls made afterwards run
 * as ever. For another thread than those that wait. NULL allowed. */
QN_API void qn_interrupt(qn_client *client);

/* Handle on a named cache. QN_UNKNOWN_CACHE: it does not exist (the text says how to create it). */
QN_API qn_cache *qn_open(qn_client *client, const char *name, qn_error *err);

/* The same, created when it is not there and the cluster lets clients create caches. */
QN_API qn_cache *qn_open_create(qn_client *client, const char *name, qn_error *err);

enum qn_durability {
    QN_DURABILITY_DISK = 0,   /* acknowledged when it is on disk */
    QN_DURABILITY_MEMORY = 1, /* acknowledged from memory, on disk soon after */
};

/* How a cache is made. It keeps this for life. */
typedef struct qn_cache_options {
    size_t size;
    enum qn_durability durability;
    int64_t ttl_ms;          /* of entries that do not say otherwise; 0 = they never expire */
    uint64_t size_max_bytes; /* of its entries on each node; 0 = no limit of its own */
} qn_cache_options;

#define QN_CACHE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        .size = sizeof(qn_cache_options)                                                           \
    }

/* qn_open_create with a definition; NULL = defaults. A cache that is there already is opened as it
 * is. */
QN_API qn_cache *qn_create(qn_client *client, const char *name, const qn_cache_options *options,
                           qn_error *err);

/* The definition of a cache. */
QN_API qn_status qn_cache_definition(const qn_cache *cache, qn_cache_options *options);

/* Remove a cache and all its entries. Its memory comes back within seconds. Handles on it end with
 * QN_UNKNOWN_CACHE, also when another cache of this name is made: open that one.
 *
 * QN_UNKNOWN_CACHE  there is none. `timeout_ms` 0 = the client's, here as everywhere
 * QN_ACL            the nodes do not let clients make and drop caches */
QN_API qn_status qn_drop(qn_client *client, const char *name, int64_t timeout_ms, qn_error *err);

/* A cache and its figures, summed over the nodes. Counters run since the nodes were started. */
typedef struct qn_cache_info {
    size_t size;
    const char *name; /* borrowed for the call */
    qn_cache_options definition;
    uint64_t entries;
    uint64_t bytes; /* of the entries: keys, values and their headers */
    uint64_t hits;
    uint64_t misses;
    uint64_t puts;
    uint64_t removes;
    uint64_t expired;
} qn_cache_info;

/* Call `fn` for each cache, ascending by name, before the call returns. */
QN_API qn_status qn_caches(qn_client *client, int64_t timeout_ms,
                           void (*fn)(void *arg, const qn_cache_info *info), void *arg,
                           qn_error *err);

/* Its name; lives as long as the handle. NULL for NULL. */
QN_API const char *qn_cache_name(const qn_cache *cache);

/* ---- Values: point into the received message, live until the last release ---- */

/* One more, one less reference. Any thread. `retain` returns its argument. */
QN_API qn_value *qn_value_retain(qn_value *value);
QN_API void qn_value_release(qn_value *value); /* NULL allowed */

/* Version of the entry that held it: index of the log record that last changed the entry. */
QN_API uint64_t qn_value_version(const qn_value *value);

/* The Binary: octet 0x15, then POF. Lives as long as the value. */
QN_API const void *qn_value_binary(const qn_value *value, size_t *size);

/* Time that the entry had left when it was read, in ms; 0 = it never expires. */
QN_API int64_t qn_value_ttl(const qn_value *value);

/* Content by type. QN_WRONG_TYPE: the value has another one; `*size`, `*number` are untouched. */
QN_API qn_status qn_value_str(const qn_value *value, const char **text, size_t *size);
QN_API qn_status qn_value_int(const qn_value *value, int64_t *number);
QN_API qn_status qn_value_bytes(const qn_value *value, const void **data, size_t *size);

/* ---- One key ---- */

typedef struct qn_options {
    size_t size;              /* sizeof(qn_options); 0 = first version */
    int64_t timeout_ms;       /* of this call; 0 = the client's */
    qn_value **old;           /* not NULL: the value that was there before; NULL in it when none */
    uint64_t *version;        /* not NULL: the entry's version after a successful change */
    int64_t ttl_ms;           /* of a put: > 0, QN_TTL_NEVER, or 0 = what the cache says */
    bool wait_visible;        /* of a change: answer when scans and counts see it */
    int64_t commit_within_ms; /* of a change: scans see it after so long; 0 = by the node's timer */
} qn_options;

enum { QN_TTL_NEVER = -1 };

#define QN_OPTIONS_INIT                                                                            \
    {                                                                                              \
        .size = sizeof(qn_options)                                                                 \
    }

/* QN_OK with `*value` (the caller releases it), or QN_ABSENT with NULL. Linearizable. */
QN_API qn_status qn_get(qn_cache *cache, qn_arg key, const qn_options *options, qn_value **value,
                        qn_error *err);

/* QN_OK or QN_ABSENT. */
QN_API qn_status qn_contains(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err);

/* QN_OK: stored, durable on every in-sync copy. Takes effect at most once, retries included. */
QN_API qn_status qn_put(qn_cache *cache, qn_arg key, qn_arg value, const qn_options *options,
                        qn_error *err);

/* QN_OK, or QN_EXISTS and no change. */
QN_API qn_status qn_put_if_absent(qn_cache *cache, qn_arg key, qn_arg value,
                                  const qn_options *options, qn_error *err);

/* QN_OK; QN_CONFLICT when the entry has another version; QN_ABSENT when there is none.
 * `expected_version` 0 = any version. */
QN_API qn_status qn_replace(qn_cache *cache, qn_arg key, qn_arg value, uint64_t expected_version,
                            const qn_options *options, qn_error *err);

/* QN_OK, or QN_ABSENT when there was none. */
QN_API qn_status qn_remove(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err);

/* As qn_remove, and QN_CONFLICT when the entry has another version. */
QN_API qn_status qn_remove_if(qn_cache *cache, qn_arg key, uint64_t expected_version,
                              const qn_options *options, qn_error *err);

/* Another time to live for an entry: > 0, QN_TTL_NEVER, or 0 = what the cache says. QN_OK, or
 * QN_ABSENT. */
QN_API qn_status qn_touch(qn_cache *cache, qn_arg key, int64_t ttl_ms, const qn_options *options,
                          qn_error *err);

/* Remove every entry: atomic in each partition, not over all of them. When it fails, some
 * partitions may be cleared (certainty QN_UNKNOWN); it may be called again. */
QN_API qn_status qn_clear(qn_cache *cache, const qn_options *options, qn_error *err);

/* Entries of a cache in the view of the last soft commit: the sum over its partitions, each with
 * its own. With `wait_visible` the view is made new first, so that it shows everything acknowledged
 * before the call. */
QN_API qn_status qn_count(qn_cache *cache, uint64_t *count, const qn_options *options,
                          qn_error *err);

/* ---- The same without waiting ---- */

/* `*_start` returns an operation that its caller releases, or NULL with `err` set (QN_BUSY: too
 * many in flight). `old` and `version` of the options are ignored: ask the operation. */
QN_API qn_op *qn_get_start(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err);
QN_API qn_op *qn_contains_start(qn_cache *cache, qn_arg key, const qn_options *options,
                                qn_error *err);
QN_API qn_op *qn_put_start(qn_cache *cache, qn_arg key, qn_arg value, const qn_options *options,
                           qn_error *err);
QN_API qn_op *qn_put_if_absent_start(qn_cache *cache, qn_arg key, qn_arg value,
                                     const qn_options *options, qn_error *err);
QN_API qn_op *qn_replace_start(qn_cache *cache, qn_arg key, qn_arg value, uint64_t expected_version,
                               const qn_options *options, qn_error *err);
QN_API qn_op *qn_remove_start(qn_cache *cache, qn_arg key, const qn_options *options,
                              qn_error *err);
QN_API qn_op *qn_touch_start(qn_cache *cache, qn_arg key, int64_t ttl_ms, const qn_options *options,
                             qn_error *err);
QN_API qn_op *qn_remove_if_start(qn_cache *cache, qn_arg key, uint64_t expected_version,
                                 const qn_options *options, qn_error *err);

/* Wait up to `ms` (-1 = until its deadline). True when it is done. One thread waits for an
 * operation at a time: another one gets the state of the moment at once. */
QN_API bool qn_op_wait(qn_op *op, int64_t ms);
QN_API bool qn_op_done(const qn_op *op);

/* Of a done operation: status, what failed (lives as long as the operation), value of a get
 * (borrowed: retain it to keep it), the entry's version. QN_BUSY while it is not done. */
QN_API qn_status qn_op_status(const qn_op *op);
QN_API const qn_error *qn_op_error(const qn_op *op);
QN_API qn_value *qn_op_value(const qn_op *op);
QN_API uint64_t qn_op_version(const qn_op *op);

/* Call `fn` once, from qn_dispatch() on the thread that calls it. Set it before or after the
 * operation is done. Not after the
 * client was closed; callbacks that were not dispatched by then never run. */
QN_API void qn_op_on_done(qn_op *op, void (*fn)(qn_op *op, void *arg), void *arg);

/* Stop waiting: it is done with QN_CLOSED. Does not undo a change that has left: its certainty
 * becomes QN_UNKNOWN. */
QN_API void qn_op_cancel(qn_op *op);
QN_API void qn_op_release(qn_op *op); /* NULL allowed; an operation not done goes on */

/* Level-triggered descriptor: readable while callbacks wait for qn_dispatch(). -1 when out of them.
 */
QN_API int qn_fd(qn_client *client);

/* Run up to `max` callbacks of done operations (0 = all). Returns how many ran. */
QN_API size_t qn_dispatch(qn_client *client, size_t max);

/* ---- Many keys: not atomic, a status per entry ---- */

/* An empty batch for a cache; one owner. NULL with `err` set. */
QN_API qn_batch *qn_batch_new(qn_cache *cache, qn_error *err);
QN_API void qn_batch_free(qn_batch *batch); /* NULL allowed */

/* Forget all entries, keep the memory. */
QN_API void qn_batch_clear(qn_batch *batch);

/* Add an operation; copied. Its number in the batch, or SIZE_MAX with `err` set. */
QN_API size_t qn_batch_get(qn_batch *batch, qn_arg key, qn_error *err);
QN_API size_t qn_batch_put(qn_batch *batch, qn_arg key, qn_arg value, qn_error *err);
QN_API size_t qn_batch_remove(qn_batch *batch, qn_arg key, qn_error *err);

/* Run them all, one message per shard and round. QN_OK: every entry got an answer (>= 0). Otherwise
 * the first failure, explained in `err`; the entries tell the rest. `timeout_ms` 0 = the client's.
 */
QN_API qn_status qn_batch_run(qn_batch *batch, int64_t timeout_ms, qn_error *err);

/* Entries added, and of each of them after a run: status, certainty of a failure, value of a get
 * (borrowed until the batch is cleared or freed), version. QN_BUSY before the run, QN_INVALID
 * beyond the size. */
QN_API size_t qn_batch_size(const qn_batch *batch);
QN_API qn_status qn_batch_status(const qn_batch *batch, size_t number);
QN_API enum qn_certainty qn_batch_certainty(const qn_batch *batch, size_t number);
QN_API qn_value *qn_batch_value(const qn_batch *batch, size_t number); /* borrowed */
QN_API uint64_t qn_batch_version(const qn_batch *batch, size_t number);

/* ---- Scans: the entries of a cache, in no promised order ---- */

typedef struct qn_scan_options {
    size_t size;
    int64_t timeout_ms; /* of each step; 0 = the client's */
    bool keys_only;
    bool fresh;       /* a new view first: shows everything acknowledged before the call */
    const char *from; /* a position of qn_cursor_position, to go on there; NULL = the beginning */
} qn_scan_options;

#define QN_SCAN_OPTIONS_INIT                                                                       \
    {                                                                                              \
        .size = sizeof(qn_scan_options)                                                            \
    }

/* Begin. Each partition is read from one view, that of its last soft commit, however long it takes;
 * nothing is read before the first qn_cursor_next. One owner. NULL with `err` set. */
QN_API qn_cursor *qn_scan(qn_cache *cache, const qn_scan_options *options, qn_error *err);

/* The next entry. The caller releases `*key` and, unless keys_only, `*value`.
 *
 * QN_OK              here it is
 * QN_ABSENT          that was all
 * QN_CURSOR_EXPIRED  the cursor rested too long and its view is gone: calling again goes on at the
 *                    same place in a newer view
 * QN_CORRUPT         a value can not be unpacked: calling again passes it over
 *
 * After any other failure the cursor stands where it stood: call again. Key and value hold the
 * message that brought them, with the rows around them: copy what is to be kept for long. */
QN_API qn_status qn_cursor_next(qn_cursor *cursor, qn_value **key, qn_value **value, qn_error *err);

enum { QN_POSITION_MAX = 256 * 1024 };

/* Where the cursor stands, as printable text to go on from, also in another process: in the same
 * view, without a gap and without repetition. When that view is gone (QN_CURSOR_EXPIRED), up to
 * scan_bytes of entries before it come again, as they are then. Writes at most `size` octets with
 * NUL, returns how many it takes with NUL. */
QN_API size_t qn_cursor_position(const qn_cursor *cursor, char *text, size_t size);

/* Partition that the latest entry came from, and the view it was read in (index of the last record
 * that it shows). */
QN_API void qn_cursor_view(const qn_cursor *cursor, uint32_t *partition, uint64_t *view);
QN_API void qn_cursor_close(qn_cursor *cursor); /* NULL allowed */

/* ---- Commits ---- */

enum qn_commit_level {
    QN_COMMIT_SOFT = 1, /* scans and counts see everything acknowledged before the call */
    QN_COMMIT_HARD = 2, /* and it is in a snapshot on disk: the log before is not needed any more */
};

/* Ask all nodes for it; returns when all have done it. QN_DEADLINE, QN_UNREACHABLE: `err` names the
 * first that has not; the others may have. May be called again. */
QN_API qn_status qn_commit(qn_client *client, enum qn_commit_level level, int64_t timeout_ms,
                           qn_error *err);

/* ---- An unknown outcome, settled ---- */

/* `qn_change_id(err)` is the name of the change that `err` says has an unknown outcome: printable
 * text of less than QN_CHANGE_ID_MAX octets, for qn_outcome here or in another process. "" when
 * there is none. Declared in wire/status.h, as the error itself. */

/* The same for an entry of a batch that was run: writes at most `size` octets with NUL, returns how
 * many it takes with NUL; 1 when the entry has no unknown outcome. */
QN_API size_t qn_batch_change_id(const qn_batch *batch, size_t number, char *text, size_t size);

/* What became of a change? Settles it: one that had not arrived by now never will take effect.
 *
 * QN_OK               it was decided: `*certainty` is QN_APPLIED or QN_NOT_APPLIED, and `*status`
 *                     (NULL allowed) what the caller would have been told
 * QN_SESSION_EXPIRED  too late: nobody knows any more; `*certainty` is QN_UNKNOWN
 *
 * Anything else: not settled yet, ask again. */
QN_API qn_status qn_outcome(qn_client *client, const char *change_id, int64_t timeout_ms,
                            enum qn_certainty *certainty, qn_status *status, qn_error *err);

/* ---- Observing ---- */

enum qn_log_level { QN_LOG_ERROR = 0, QN_LOG_WARN = 1, QN_LOG_INFO = 2, QN_LOG_DEBUG = 3 };

/* Where messages of the client go: `fn` with those up to `level`, from any thread that uses the
 * client, one at a time. Without it warnings go to stderr; `fn` NULL = nowhere. `fields` is
 * "key=value key=value". Never called with the keys or values of entries. `fn` does not wait, and
 * does not call the client. Nobody is inside the former `fn` when the call returns. */
QN_API void qn_log_to(qn_client *client, enum qn_log_level level,
                      void (*fn)(void *arg, enum qn_log_level level, const char *module,
                                 const char *message, const char *fields),
                      void *arg);

enum qn_state { QN_STATE_CONNECTED = 0, QN_STATE_DEGRADED = 1, QN_STATE_OFFLINE = 2 };

/* Connected; degraded: some partitions have no leader that answers; offline. What is known by now:
 * a client that says nothing learns nothing, unless qn_on_state was called. */
QN_API enum qn_state qn_state(const qn_client *client);

/* Call `fn` on each change of state, from qn_dispatch(). Nodes are greeted every second from now
 * on. */
QN_API void qn_on_state(qn_client *client, void (*fn)(void *arg, enum qn_state state), void *arg);

/* What a client has done and holds, since it was opened. */
typedef struct qn_stats {
    size_t size;
    uint64_t operations;      /* done, whatever the answer */
    uint64_t failures;        /* of them */
    uint64_t unknown;         /* of them, of unknown outcome */
    uint64_t retries;         /* attempts beyond the first */
    uint64_t busy;            /* calls refused with QN_BUSY */
    uint64_t in_flight;       /* now */
    uint64_t in_flight_bytes; /* now: keys and values */
    uint64_t messages_sent;
    uint64_t messages_received;
    uint64_t bytes_sent;
    uint64_t bytes_received;
    uint64_t compressed;       /* values sent compressed */
    uint64_t compressed_saved; /* octets that this saved */
    uint64_t reconnects;
} qn_stats;

QN_API qn_status qn_stats_get(const qn_client *client, qn_stats *stats);

/* The same as Prometheus text: writes at most `size` octets with NUL, returns how many it takes
 * with NUL. */
QN_API size_t qn_stats_text(const qn_client *client, char *text, size_t size);

/* A node's settings in force (`fn` gets path and "value  # where from"), of every node. */
QN_API qn_status qn_node_config(qn_client *client, int64_t timeout_ms,
                                void (*fn)(void *arg, uint32_t node, const char *path,
                                           const char *value),
                                void *arg, qn_error *err);

/* Set the log level of a module ("" or NULL = all) on every node to "error", "warn", "info" or
 * "debug" (NULL = only tell), and call `fn` (NULL allowed) with each module's level. QN_INVALID: no
 * such module or level. */
QN_API qn_status qn_node_log_level(qn_client *client, const char *module, const char *level,
                                   int64_t timeout_ms,
                                   void (*fn)(void *arg, uint32_t node, const char *module,
                                              const char *level),
                                   void *arg, qn_error *err);

/* A fact about a node: a text (then not NULL) or a number. */
typedef void (*qn_fact_fn)(void *arg, uint32_t node, const char *name, const char *text,
                           int64_t number);

/* Ask the nodes how they are; `fn` is called for each fact before the call returns. When one does
 * not answer, that is the failure returned, and the facts of the others are told all the same. */
QN_API qn_status qn_node_facts(qn_client *client, int64_t timeout_ms, qn_fact_fn fn, void *arg,
                               qn_error *err);

typedef struct qn_partition_info {
    size_t size;
    uint32_t partition;
    uint32_t leader; /* node id; 0 = none */
    uint32_t shard;
    uint64_t epoch;
} qn_partition_info;

/* Partitions that the keys of a cache are spread over, and who leads one of them. */
QN_API uint32_t qn_partition_count(const qn_client *client);
QN_API qn_status qn_partition_info_get(const qn_client *client, uint32_t partition,
                                       qn_partition_info *info);

/* Partition of a key of a cache whose durability is QN_DURABILITY_DISK. Those of the others lie
 * qn_partition_count() higher: see qn_cache_partition_of. QN_INVALID: not a key. */
QN_API qn_status qn_partition_of(const qn_client *client, qn_arg key, uint32_t *partition);

/* The same in a cache. */
QN_API qn_status qn_cache_partition_of(const qn_cache *cache, qn_arg key, uint32_t *partition);

#ifdef __cplusplus
}
#endif

#endif

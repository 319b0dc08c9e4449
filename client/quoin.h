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

/* Wait up to `ms` for calls in flight, end the others with a certainty, close. Always returns.
 * QN_OK: all were done. QN_DEADLINE: some were given up. NULL allowed. */
QN_API qn_status qn_close_within(qn_client *client, int64_t ms);

/* `qn_close_within` with the client's timeout. */
QN_API void qn_close(qn_client *client);

/* Handle on a named cache. QN_UNKNOWN_CACHE: it does not exist (the text says how to create it). */
QN_API qn_cache *qn_open(qn_client *client, const char *name, qn_error *err);

/* The same, created when it is not there and the cluster lets clients create caches. */
QN_API qn_cache *qn_open_create(qn_client *client, const char *name, qn_error *err);

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

/* Content by type. QN_WRONG_TYPE: the value has another one; `*size`, `*number` are untouched. */
QN_API qn_status qn_value_str(const qn_value *value, const char **text, size_t *size);
QN_API qn_status qn_value_int(const qn_value *value, int64_t *number);
QN_API qn_status qn_value_bytes(const qn_value *value, const void **data, size_t *size);

/* ---- One key ---- */

typedef struct qn_options {
    size_t size;        /* sizeof(qn_options); 0 = first version */
    int64_t timeout_ms; /* of this call; 0 = the client's */
    qn_value **old;     /* not NULL: the value that was there before; NULL in it when none */
    uint64_t *version;  /* not NULL: the entry's version after a successful change */
} qn_options;

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

/* Entries of a cache: the sum over its partitions, each counted at its own moment. */
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

/* ---- Observing ---- */

/* A fact about a node: a text (then not NULL) or a number. */
typedef void (*qn_fact_fn)(void *arg, uint32_t node, const char *name, const char *text,
                           int64_t number);

/* Ask the nodes how they are; `fn` is called for each fact before the call returns. */
QN_API qn_status qn_node_facts(qn_client *client, int64_t timeout_ms, qn_fact_fn fn, void *arg,
                               qn_error *err);

typedef struct qn_partition_info {
    size_t size;
    uint32_t partition;
    uint32_t leader; /* node id; 0 = none */
    uint32_t shard;
    uint64_t epoch;
} qn_partition_info;

/* Partitions of the grid as the client knows them, and who leads one of them. */
QN_API uint32_t qn_partition_count(const qn_client *client);
QN_API qn_status qn_partition_info_get(const qn_client *client, uint32_t partition,
                                       qn_partition_info *info);

/* Partition of a key. QN_INVALID: not a key. */
QN_API qn_status qn_partition_of(const qn_client *client, qn_arg key, uint32_t *partition);

#ifdef __cplusplus
}
#endif

#endif

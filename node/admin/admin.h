/* HTTP for operators: health and metrics, by libmicrohttpd on a thread of its own.
 *
 *     /livez     200 while the process and its threads respond
 *     /startedz  200 once recovery has finished
 *     /readyz    200 when every partition it should serve is served
 *     /safez     200 when stopping this node now would lose or block nothing
 *     /metrics   Prometheus text
 *
 * 503 otherwise, with the reason in the body; JSON with `?verbose`. The admin thread reads nothing
 * of the node's: it asks the snapshot function, which must be callable from any thread. */
#ifndef QUOIN_NODE_ADMIN_ADMIN_H
#define QUOIN_NODE_ADMIN_ADMIN_H

#include "node/admin/histogram.h"
#include "wire/bytes.h"

struct admin;

/* A page has at most 2,000 series; metrics.c proves that from the first three. */
enum {
    ADMIN_OP_MAX = 16,     /* operation kinds that are told apart */
    ADMIN_CACHES_MAX = 32, /* caches that are told apart; the others are counted as "_other" */
    ADMIN_LABELS_MAX = 12, /* values of a label with a few fixed ones */
    ADMIN_CACHE_ROWS = ADMIN_CACHES_MAX + 1,
    ADMIN_REASON_MAX = 200,
    ADMIN_NAME_MAX = 129, /* of a cache, NUL included */
    ADMIN_HASH_MAX = 40,
};

/* A figure that is not known (a snapshot's age when there is none): it is left out everywhere. */
#define ADMIN_UNKNOWN UINT64_MAX

/* Figures of one number each: X(field, kind, metric, text). The one list of them: it makes the
 * fields of the snapshot (uint64_t), the metrics, the JSON of `?verbose` and the facts of STATUS,
 * where the name is that of the field. NULL for the metric: its number is a part of a family with
 * labels, or only a fact. `log_syncs` is the count of a histogram, too. */
#define ADMIN_FIGURE_MAP(X)                                                                        \
    X(live, BOOL, "quoin_up", "1 while the threads of the node move.")                             \
    X(started, BOOL, NULL, "1 once recovery has finished.")                                        \
    X(ready, BOOL, "quoin_ready", "1 when the node serves every partition it should.")             \
    X(safe, BOOL, "quoin_cluster_safe", "1 when stopping this node would lose or block nothing.")  \
    X(partitions_held, GAUGE, NULL, "Partitions held here.")                                       \
    X(leading, GAUGE, NULL, "Partitions led by this node.")                                        \
    X(faulted, GAUGE, NULL, "Partitions refused because their data is damaged.")                   \
    X(inflight, GAUGE, "quoin_inflight", "Operations that have arrived and are not answered.")     \
    X(caches, GAUGE, NULL, "Caches that exist.")                                                   \
    X(entries, GAUGE, NULL, "Entries held.")                                                       \
    X(entry_bytes, GAUGE, NULL, "Memory of the entries, everything included.")                     \
    X(table_bytes, GAUGE, "quoin_client_table_bytes", "Memory of the table of client sessions.")   \
    X(sessions, GAUGE, "quoin_sessions", "Client sessions known.")                                 \
    X(memory_bytes, GAUGE, "quoin_memory_bytes", "Memory that counts against the limit.")          \
    X(memory_limit_bytes, GAUGE, "quoin_memory_limit_bytes",                                       \
      "Memory at which changes that need more are refused.")                                       \
    X(views_pinned, GAUGE, "quoin_views_pinned", "Views kept because a cursor reads them.")        \
    X(history_bytes, GAUGE, "quoin_history_bytes", "Older versions of entries kept for views.")    \
    X(cursors_expired, COUNTER, "quoin_cursors_expired_total",                                     \
      "Cursors whose view was given up before their end.")                                         \
    X(uncommitted_bytes, GAUGE, "quoin_uncommitted_bytes", "Changes that are not durable yet.")    \
    X(log_bytes, COUNTER, "quoin_log_bytes_total", "Octets written to the transaction log.")       \
    X(log_records, COUNTER, "quoin_log_records_total", "Records written to the transaction log.")  \
    X(log_syncs, COUNTER, NULL, "Times the transaction log was made durable.")                     \
    X(log_disk_bytes, GAUGE, "quoin_log_disk_bytes", "Disk space of the transaction log.")         \
    X(log_replay_bytes, GAUGE, "quoin_log_replay_bytes", "Log that a start would have to read.")   \
    X(disk_full, BOOL, "quoin_disk_full",                                                          \
      "1 while there is no space for more log: changes are, or soon will be, refused.")            \
    X(snapshot_age_ms, GAUGE_MS, "quoin_snapshot_age_seconds",                                     \
      "Time since the last hard commit, of the shard where it is longest.")                        \
    X(snapshots, COUNTER, "quoin_snapshots_total", "Snapshots of partitions written.")             \
    X(snapshot_bytes, COUNTER, "quoin_snapshot_bytes_total", "Octets written to snapshots.")       \
    X(snapshots_failed, COUNTER, "quoin_snapshots_failed_total",                                   \
      "Snapshots that could not be written.")                                                      \
    X(recovery_ms, GAUGE_MS, "quoin_recovery_seconds", "Time from start to serving.")              \
    X(replies_dropped, COUNTER, "quoin_replies_dropped_total",                                     \
      "Answers given up because the client did not take them.")                                    \
    X(frames_rejected, COUNTER, "quoin_frames_rejected_total",                                     \
      "Messages that were damaged, too large or foreign.")                                         \
    X(log_messages_dropped, COUNTER, "quoin_log_messages_dropped_total",                           \
      "Lines of the node's own log left out by the rate limit, or that could not be written.")

enum admin_figure_kind {
    ADMIN_BOOL, /* 0 or 1 */
    ADMIN_GAUGE,
    ADMIN_GAUGE_MS, /* milliseconds in the snapshot, seconds in the metric */
    ADMIN_COUNTER,  /* only grows while the node runs */
};

#define ADMIN_FIGURE_ONE(field, kind, metric, text) +1
enum { ADMIN_FIGURES = 0 ADMIN_FIGURE_MAP(ADMIN_FIGURE_ONE) };
#undef ADMIN_FIGURE_ONE

enum admin_state { ADMIN_STARTING, ADMIN_RECOVERING, ADMIN_SERVING, ADMIN_STOPPING };

struct admin_count {
    uint64_t ok; /* answered >= 0 */
    uint64_t failed;
};

/* A kind of operation. */
struct admin_op {
    const char *name;                /* "get"; NULL = unused row */
    struct admin_count count;        /* of those that belong to no cache; the rest: admin_cache */
    struct admin_histogram duration; /* of all of them, inside the node */
};

struct admin_cache {
    char name[ADMIN_NAME_MAX];
    uint64_t entries;
    uint64_t entry_bytes;
    uint64_t limit_bytes; /* 0 = none: left out */
    uint64_t hits;        /* get and contains that found an entry */
    uint64_t misses;
    uint64_t expired;
    uint64_t evicted;                     /* because memory was wanted */
    struct admin_count ops[ADMIN_OP_MAX]; /* in the rows of the snapshot's `ops` */
};

/* A count under one value of a label. */
struct admin_labelled {
    const char *label; /* NULL = unused row */
    uint64_t count;
};

/* The state of the node at one moment. Texts are borrowed until the snapshot has been used. */
struct admin_snapshot {
    const char *version;
    const char *commit; /* of the sources; NULL = not known */
    uint32_t node;
    enum admin_state state;
    char config_hash[ADMIN_HASH_MAX]; /* of the settings in force; "" = left out */
    char reason[ADMIN_REASON_MAX];    /* why not ready or not safe */
    int64_t started_wall_ms;

#define ADMIN_FIGURE_FIELD(field, kind, metric, text) uint64_t field;
    ADMIN_FIGURE_MAP(ADMIN_FIGURE_FIELD)
#undef ADMIN_FIGURE_FIELD

    struct admin_op ops[ADMIN_OP_MAX];
    struct admin_labelled rejected[ADMIN_LABELS_MAX];     /* requests refused, by reason */
    struct admin_labelled log_messages[ADMIN_LABELS_MAX]; /* lines of the node's log, by level */
    struct admin_histogram commit_soft;                   /* making a view */
    struct admin_histogram commit_hard;                   /* writing snapshots, switching to them */
    struct admin_histogram log_append; /* a record's way into the log, no fsync */
    struct admin_histogram log_fsync;

    /* Room for `cache_room` rows given by whoever asks, all zero; NULL = no wish for them. Filled
     * through admin_cache_row. */
    struct admin_cache *cache_rows;
    size_t cache_room;
    size_t cache_count;
};

/* The row of the cache `name`: the one it has, or a new one. Once only the last row is free it is
 * the row of all other caches, "_other". NULL: there is no room at all, nothing is wanted. Add to
 * what is there (+=), since shards share a row; ask in the same order each time (oldest cache
 * first), so that a cache keeps its row. */
struct admin_cache *admin_cache_row(struct admin_snapshot *snapshot, const char *name);

/* How many rows are those of one cache; "_other" is none. */
size_t admin_caches_own(const struct admin_snapshot *snapshot);

/* One figure of the list. */
struct admin_figure {
    const char *name;   /* of the field */
    const char *metric; /* may be NULL */
    const char *text;
    enum admin_figure_kind kind;
    size_t offset; /* in the snapshot */
};

extern const struct admin_figure admin_figures[ADMIN_FIGURES];

uint64_t admin_figure_of(const struct admin_snapshot *snapshot, const struct admin_figure *figure);

/* Calls `fn` with every figure that is known, in the order of the list. */
void admin_figures_each(const struct admin_snapshot *snapshot,
                        void (*fn)(void *arg, const struct admin_figure *figure, uint64_t value),
                        void *arg);

struct admin_options {
    const char *bind; /* address */
    uint16_t port;    /* 0 = any free one */
    /* Fills a snapshot that is all zero but for the room for caches. Any thread. */
    void (*snapshot)(void *arg, struct admin_snapshot *snapshot);
    void *arg;
};

/* QN_IO, QN_INVALID (not a numeric address): `err` names address and port and what to do. */
QN_MUST_USE enum qn_status admin_open(const struct admin_options *options, struct admin **admin,
                                      qn_error *err);
uint16_t admin_port(const struct admin *admin);
void admin_close(struct admin *admin); /* NULL allowed */

#endif

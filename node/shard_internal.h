/* What the files of a shard share; nobody else includes it. */
#ifndef QUOIN_NODE_SHARD_INTERNAL_H
#define QUOIN_NODE_SHARD_INTERNAL_H

#include <pthread.h>

#include "grid/grid.h"
#include "node/lane.h"
#include "node/log/txlog.h"
#include "node/outbox.h"
#include "node/shard.h"
#include "node/shard_checkpoint.h"
#include "node/wall_clock.h"
#include "wire/transport/transport.h"

enum { SHARD_PATH_MAX = 4096 };

enum shard_phase {
    SHARD_STARTING,
    SHARD_BOUND,
    SHARD_RECOVERED,
    SHARD_SERVING, /* set by the main thread: go */
    SHARD_ENDED,   /* done, or failed: `error` says */
};

/* An operation, for the figures; kind 0 = none. */
struct asked {
    uint32_t kind;
    uint32_t cache;
    int64_t started_ns;
};

/* An appended record that is not on disk yet. */
struct waiting {
    uint64_t begin; /* LSN of its first octet */
    uint64_t lsn;   /* behind its last */
    uint64_t epoch;
    uint64_t index;
    uint32_t partition;
    struct asked asked;
};

/* A ring of them, oldest first. */
struct waiting_ring {
    struct waiting *list;
    size_t head;
    size_t count;
    size_t capacity; /* power of two, or 0 */
};

/* What the clerk has done for a client of this shard. */
struct clerk_answer {
    uint64_t route;
    uint64_t correlation;
    enum qn_status status;
    struct wire_cache cache; /* without its name */
    char text[QN_ERROR_TEXT_MAX];
};

struct shard {
    struct shard_options options;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows, down to `answer_capacity` */
    pthread_cond_t changed;
    enum shard_phase phase;
    qn_error error;
    uint64_t recovered_epoch;
    struct clerk_answer *answers; /* of the clerk, oldest first */
    size_t answer_count;
    size_t answer_capacity;
    atomic_bool stopping;

    /* The rest belongs to the shard's thread. */
    int wake_fd; /* eventfd: the log or the snapshot writer has moved, the clerk is done, or stop */
    struct transport *transport;
    struct transport_server *server;
    struct memory_pages *pages;
    struct grid *grid;
    struct txlog *log;
    struct checkpoint checkpoint;
    struct cache_figures *caches;
    struct outbox *outbox;
    struct waiting_ring waiting;
    struct wall_clock wall_clock;
    struct arena arena; /* one frame's decoding */
    struct buf encoded; /* one message on its way out */
    uint64_t damages;
    uint64_t recovered_lsn;        /* where the next record of the log stands, at least */
    struct manifest_row restoring; /* the snapshot that is being read */
    int64_t now_ms;                /* of this round */
    int64_t wall_ms;               /* clamped (B.11) */
    int64_t round_ns;
    int64_t tick_at_ms;    /* of the next few partitions */
    uint32_t tick_next;    /* number of the partition that is next */
    int64_t figures_at_ms; /* when the figures are next summed up */
    uint64_t log_charged;  /* memory of the log's buffers, as told to the budget */
    uint32_t scans;        /* taken in this round */
    bool sweeping;         /* memory of cleared entries is still to be given back */
    enum qn_status memory; /* of this round: is there memory for more entries? */
    struct asked asked;    /* what the answers of this step are counted as */
    int64_t frame_ns;      /* when the frame at hand was taken */
    bool busy;             /* background work goes on: do not wait for long */
    bool log_broken; /* a record is in a replica and not in the log: append and commit no more */
    bool log_told;   /* it was told that the log is at its limit */
    bool log_behind; /* the log is at its limit: changes are refused until snapshots catch up */
    char endpoint[DIRECTORY_ENDPOINT_MAX];
    char lane_dir[SHARD_PATH_MAX];

    struct shard_figures figures;
};

/* shard.c: wake whoever waits for this eventfd; any thread. Forget that one was woken. */
void eventfd_signal(int fd);
void eventfd_drain(int fd);

/* shard_recover.c: read the lane's log into the grid and open it for appending. */
QN_MUST_USE enum qn_status shard_recover(struct shard *shard, qn_error *err);

/* shard_frames.c: answer one frame. */
void shard_frame(struct shard *shard, uint64_t route, struct bytes frame);

/* shard_frames.c: encode and send. */
void shard_send(struct shard *shard, uint64_t route, const struct wire_message *message);

/* shard_step.c: step one partition and carry the actions out. */
void shard_step(struct shard *shard, struct replica_event *event);

/* shard_step.c: tell the partitions what has become durable. */
void shard_durable(struct shard *shard);

/* shard_step.c: queue an answer for the end of the round. */
void shard_reply(struct shard *shard, uint64_t route, const struct wire_result *result);

/* shard_figures.c: an operation was answered. */
void shard_count(struct shard *shard, const struct asked *asked, enum qn_status status);

/* shard_figures.c: sum up what is expensive to know at each moment; look for dropped caches. */
void shard_figures_refresh(struct shard *shard);

/* shard_step.c: has the log room for what the partitions append of themselves in one step? */
bool shard_append_room(struct shard *shard);

/* shard_figures.c: one more duration. */
void histogram_count(struct shard_histogram *histogram, uint64_t ns);

/* shard_control.c: messages that are not about entries. */
void shard_cache_open(struct shard *shard, uint64_t route, const struct wire_message *in);
void shard_cache_drop(struct shard *shard, uint64_t route, const struct wire_message *in);
void shard_commit(struct shard *shard, uint64_t route, const struct wire_message *in);
void shard_caches(struct shard *shard, uint64_t route, const struct wire_message *in);
void shard_settings(struct shard *shard, uint64_t route, const struct wire_message *in);
void shard_log_level(struct shard *shard, uint64_t route, const struct wire_message *in);

/* shard_control.c: pass on what the clerk has done. */
void shard_clerk_answers(struct shard *shard);

/* shard_step.c: step every partition of the shard. */
void shard_step_all(struct shard *shard, const struct replica_event *event);

/* Partitions of the grid, over all services. */
static inline uint32_t shard_partitions_all(const struct shard *shard)
{
    return shard->options.directory->partition_count;
}

static inline void figure_set(atomic_uint_least64_t *figure, uint64_t value)
{
    atomic_store_explicit(figure, value, memory_order_relaxed);
}

/* Only the shard's thread writes: no read-modify-write is needed. */
static inline void figure_add(atomic_uint_least64_t *figure, uint64_t more)
{
    figure_set(figure, figure_get(figure) + more);
}

#endif

/* What the files of a shard share; nobody else includes it. */
#ifndef QUOIN_NODE_SHARD_INTERNAL_H
#define QUOIN_NODE_SHARD_INTERNAL_H

#include <pthread.h>

#include "grid/grid.h"
#include "node/log/txlog.h"
#include "node/outbox.h"
#include "node/shard.h"
#include "wire/transport/transport.h"

enum shard_phase {
    SHARD_STARTING,
    SHARD_BOUND,
    SHARD_RECOVERED,
    SHARD_SERVING, /* set by the main thread: go */
    SHARD_ENDED,   /* done, or failed: `error` says */
};

/* An appended record that is not on disk yet. */
struct waiting {
    uint64_t lsn;
    uint64_t index;
    uint32_t partition;
    uint32_t op; /* kind, for the figures; 0 = none */
    int64_t started_ns;
};

/* A ring of them, oldest first. */
struct waiting_ring {
    struct waiting *list;
    size_t head;
    size_t count;
    size_t capacity; /* power of two, or 0 */
};

struct shard {
    struct shard_options options;
    pthread_t thread;

    pthread_mutex_t lock; /* guards `phase`, `error`, `recovered_epoch` */
    pthread_cond_t changed;
    enum shard_phase phase;
    qn_error error;
    uint64_t recovered_epoch;
    atomic_bool stopping;

    /* The rest belongs to the shard's thread. */
    int wake_fd; /* eventfd: the log has moved, or stop */
    struct transport *transport;
    struct transport_server *server;
    struct grid *grid;
    struct txlog *log;
    struct outbox *outbox;
    struct waiting_ring waiting;
    struct arena arena; /* one frame's decoding */
    struct buf encoded; /* one message on its way out */
    uint64_t damages;
    int64_t now_ms; /* of this round */
    int64_t wall_ms;
    int64_t round_ns;
    int64_t tick_at_ms;
    uint32_t op_now; /* kind of the operation that is being stepped */
    bool log_broken; /* a record is in a replica and not in the log: append and commit no more */
    bool op_waits;   /* it appended a record, and so is answered later */
    char endpoint[DIRECTORY_ENDPOINT_MAX];

    struct shard_figures figures;
};

/* shard.c: wake whoever waits for this eventfd. Any thread. */
void eventfd_signal(int fd);

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

/* shard_step.c: an operation was answered. */
void shard_count(struct shard *shard, uint32_t op, bool ok, int64_t started_ns);

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

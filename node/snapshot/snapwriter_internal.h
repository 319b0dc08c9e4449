/* The parts of a snapshot writer, shared by its two halves: snapwriter.c (the shard's thread) and
 * snapwriter_thread.c. */
#ifndef QUOIN_NODE_SNAPSHOT_SNAPWRITER_INTERNAL_H
#define QUOIN_NODE_SNAPSHOT_SNAPWRITER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "node/snapshot/snapshot_io.h"

enum { SNAPWRITER_SPARES = SNAPWRITER_BLOCKS + 1 };

enum snapwriter_state {
    IDLE,
    OPEN,      /* blocks are taken */
    FINISHING, /* no more come */
    DONE,      /* the result waits to be taken */
};

/* What a finish shall write. */
struct snapwriter_ending {
    uint64_t log_first;
    uint64_t log_end;
    bool clean;
    bool manifest_only;
};

struct snapwriter {
    /* Set at opening. */
    const struct file_io *io;
    char *data;
    char *lane_dir;
    uint64_t disk;
    void (*notify)(void *arg);
    void *arg;
    pthread_t thread;
    _Atomic uint64_t rate_max;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    enum snapwriter_state state;
    bool stopping;
    uint64_t generation; /* raised by begin and abandon: what belongs to an older one is void */
    struct snap_head head;
    struct buf queue[SNAPWRITER_BLOCKS]; /* a ring */
    size_t queue_first;
    size_t queue_count;
    struct buf spares[SNAPWRITER_SPARES]; /* memory of blocks that were written */
    size_t spare_count;
    struct snapwriter_ending ending;
    struct snapwriter_result result;

    /* The thread's own. */
    struct manifest manifest; /* in force */
    struct snapfile *file;
    uint64_t file_generation;
    struct snap_head file_head;
    uint64_t plain;      /* octets of blocks so far */
    int64_t next_add_ns; /* with `rate_max`: when the next block may be written */
};

/* Take the first block of the queue; there must be one. Lock held. */
struct buf snapwriter_queue_take(struct snapwriter *writer);

/* Empty the queue. Lock held. */
void snapwriter_queue_drop(struct snapwriter *writer);

/* Keep a block's memory for another one, or give it back. Lock held. */
void snapwriter_spare_keep(struct snapwriter *writer, struct buf *block);

/* The thread; `arg` is the writer. */
void *snapwriter_main(void *arg);

#endif

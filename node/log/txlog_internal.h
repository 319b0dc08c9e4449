/* The parts of an open log, shared by its two halves: txlog.c (any thread) and txlog_writer.c (the
 * writer's thread). */
#ifndef QUOIN_NODE_LOG_TXLOG_INTERNAL_H
#define QUOIN_NODE_LOG_TXLOG_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "node/log/segment.h"

enum {
    BATCH_FILL_MAX = 4 * 1024 * 1024,   /* a batch is closed before it grows beyond */
    WAITING_RESERVE_MAX = 256 << 20,    /* `txlog_reserve` refuses above */
    WAITING_APPEND_MAX = 512 << 20,     /* `txlog_append` refuses above */
    BUFFER_KEEP_MAX = 16 * 1024 * 1024, /* a buffer that a burst made larger is given back */
    FIRST_ZERO_SIZE = 8 * 1024 * 1024,  /* of the first segment, at the start */
    SPARE_ZERO_STEP = 64 * 1024,        /* of the next segment, at least, per group */
};

#define SPARE_NAME "next.tmp"
#define LARGE_NAME "large.tmp"

struct txlog_counters {
    atomic_uint_fast64_t records;
    atomic_uint_fast64_t bytes;
    atomic_uint_fast64_t syncs;
    atomic_uint_fast64_t sync_ns;
    atomic_uint_fast64_t segments;
};

struct txlog {
    /* Set at opening. */
    char *path;
    struct lane_dir dir;
    uint64_t segment_size;
    size_t batch_max; /* octets of records in one batch, unless one record has more */
    void (*notify)(void *arg);
    void *arg;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    struct buf waiting; /* batches, each with a header in which `lsn`, `size`, `count` stand */
    struct batch_header filling; /* the last of them */
    size_t filling_at;           /* and where it begins in `waiting` */
    uint64_t next_lsn;
    uint64_t room; /* octets of batches that surely fit into the files there are */
    size_t taken;  /* octets that the writer has taken and not yet written */
    bool space_short;
    bool stopping;
    qn_error error;

    atomic_uint_fast64_t durable;
    atomic_bool failed;
    struct txlog_counters counters;

    /* The writer's own. */
    struct buf writing;
    struct segment current;
    struct segment spare;
    int64_t look_at_ns; /* when the disk was full: when to look again */
};

/* Thread of the writer; `arg` is the log. */
void *txlog_writer_main(void *arg);

/* Tell under the lock what the files can take, and that `written` octets no longer wait: both at
 * once, or a reservation in between would count room that is gone. Writer's thread, or before it
 * runs. */
void txlog_room_publish(struct txlog *log, size_t written);

#endif

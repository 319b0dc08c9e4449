/* The parts of an open log, shared by its parts: txlog.c (any thread), txlog_writer.c and
 * txlog_files.c (the writer's thread), txlog_figures.c (under the lock). */
#ifndef QUOIN_NODE_LOG_TXLOG_INTERNAL_H
#define QUOIN_NODE_LOG_TXLOG_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "node/log/segment.h"
#include "node/log/segment_index.h"
#include "node/log/segment_list.h"
#include "node/log/txlog.h"

enum {
    BATCH_FILL_MAX = 4 * 1024 * 1024,   /* a batch is closed before it grows beyond */
    WAITING_RESERVE_MAX = 256 << 20,    /* `txlog_reserve` refuses above */
    WAITING_APPEND_MAX = 512 << 20,     /* `txlog_append` refuses above */
    BUFFER_KEEP_MAX = 16 * 1024 * 1024, /* a buffer that a burst made larger is given back */
    FIRST_ZERO_SIZE = 8 * 1024 * 1024,  /* of the first segment, at the start */
    SPARE_ZERO_STEP = 64 * 1024,        /* of the next segment, at least, per group */
    WAITS_MAX = 256,
};

/* Records that were appended between two calls of `txlog_flush`. */
struct wait_mark {
    uint64_t lsn; /* behind the last of them */
    uint64_t records;
    int64_t began_ns;
};

/* What is not durable yet, for the histogram: a ring. When it is full, marks are merged. */
struct waits {
    struct wait_mark marks[WAITS_MAX];
    size_t first;
    size_t count;
    bool open; /* the last mark takes more records */
};

struct txlog {
    /* Set at opening. */
    char *path;
    struct lane_dir dir;
    uint64_t segment_size;
    size_t batch_max; /* octets of records in one batch, unless one record has more */
    uint32_t space_retry_ms;
    void (*notify)(void *arg);
    void *arg;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    struct buf waiting; /* batches, each with a header in which `lsn`, `size`, `count` stand */
    struct batch_header filling; /* the last of them */
    size_t filling_at;           /* and where it begins in `waiting` */
    uint64_t next_lsn;           /* changed by the shard's thread only */
    uint64_t truncate_lsn;       /* segments wholly below may go */
    uint64_t room;               /* octets of batches that surely fit into the files there are */
    size_t taken;                /* octets that the writer has taken and not yet written */
    enum qn_status shortage;     /* QN_OK, or why there is no next segment: QN_DISK_FULL,
                                    QN_OVERLOADED (no file descriptor) */
    bool stopping;
    qn_error error;
    struct waits waits;
    struct txlog_stats stats;

    atomic_uint_fast64_t durable;
    atomic_bool failed;

    /* The writer's own. */
    struct buf writing;
    struct segment_list files; /* the current one, if there is one, is the last */
    struct segment current;
    struct segment spare;
    struct segment_index_builder index; /* of the current one */
    int64_t look_at_ns;                 /* when space was short: when to look again */
};

/* Thread of the writer; `arg` is the log. */
void *txlog_writer_main(void *arg);

int64_t txlog_now_ns(void);

/* -- files; writer's thread, or before it runs -- */

/* Open the directory and list what it holds; begin the first segment, if there is space for it.
 * QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status txlog_files_open(struct txlog *log, qn_error *err);
void txlog_files_close(struct txlog *log);

/* Have the next segment ready, or a part of it: `written` octets went to the disk since the last
 * time, so that it is full of zeros well before it is needed. QN_IO. */
QN_MUST_USE enum qn_status txlog_spare_prepare(struct txlog *log, uint64_t written, qn_error *err);

/* Go on in a new segment, in which a batch of `size` octets fits. QN_IO, QN_MEMORY_FULL;
 * QN_DISK_FULL: the log is to stop and there is still no space. */
QN_MUST_USE enum qn_status txlog_roll(struct txlog *log, uint64_t lsn, size_t size, qn_error *err);

/* Remove the oldest segment if nothing needs it. One at a time: what waits to be written shall not
 * wait long. QN_IO: the log fails, as for every sync. */
QN_MUST_USE enum qn_status txlog_segment_remove(struct txlog *log, qn_error *err);

/* Is there one to remove? Lock held. */
bool txlog_removable(const struct txlog *log);

/* Write the index of the current segment, which ends at `end_lsn`. */
void txlog_index_close(struct txlog *log, uint64_t end_lsn);

/* Wait, lock held, until woken or it is time to look for space again. */
void txlog_wait_retry(struct txlog *log);

/* Tell under the lock what the files can take, and that `written` octets no longer wait: both at
 * once, or a reservation in between would count room that is gone. */
void txlog_room_publish(struct txlog *log, size_t written);

/* -- figures; lock held -- */

/* `records` were appended, up to `lsn`. */
void txlog_waits_note(struct txlog *log, uint64_t records);

/* All below `lsn` became durable at `now_ns`. */
void txlog_waits_settle(struct txlog *log, uint64_t lsn, int64_t now_ns);

/* A sync took so long, and covered so much. */
void txlog_sync_count(struct txlog *log, uint64_t records, uint64_t bytes, uint64_t took_ns);

#endif

/* What the files of the cursor share. Only cursor*.c includes it.
 *
 * A cursor has a queue of chunks in the order of handing out: the first is what rows are taken
 * from; behind it stands what follows in its partition, as soon as that place is known, and then
 * the beginnings of the next partitions. All of the queue but the first is under way or waits to
 * become the first. */
#ifndef QUOIN_CLIENT_CURSOR_PARTS_H
#define QUOIN_CLIENT_CURSOR_PARTS_H

#include "client/call.h"

enum { AHEAD_MAX = 8, CHUNKS_MAX = AHEAD_MAX + 2 };

/* One step: rows of a partition from a place on. */
struct chunk {
    bool is_used;
    bool is_asked;
    bool is_fresh_attempt; /* asked in this very qn_cursor_next */
    uint32_t partition;    /* of the service */
    uint32_t skip;         /* rows that were taken already, by whom the position is of */
    uint64_t view;         /* 0 = the newest */
    struct buf token;
    struct call call;
};

struct qn_cursor {
    qn_client *client; /* NULL: it was closed */
    pid_t pid;
    struct list place;
    uint32_t cache_id;
    uint32_t service;
    char name[WIRE_NAME_MAX + 1];
    uint32_t base; /* partition 0 of the service */
    uint32_t partition_count;
    uint32_t next_partition; /* the first that is not in the queue yet */
    uint32_t ahead;
    qn_scan_options options;
    struct chunk slots[CHUNKS_MAX];
    struct chunk *queue[CHUNKS_MAX]; /* in the order of handing out */
    size_t count;
    bool must_send; /* something was asked, and nobody has driven since */
    bool has_rows;  /* `rows` are what is left of the first chunk */
    struct bytes rows;
    uint32_t taken; /* of the first chunk */
    uint32_t seen_partition;
    uint64_t seen_view;
};

/* ---- cursor_queue.c ---- */

/* A chunk of a partition, from its beginning on, at this place of the queue. */
struct chunk *chunk_insert(qn_cursor *cursor, size_t at, uint32_t partition);

/* Go on to rows that have not been taken, and ask in advance. Mutex held. QN_OK: there are rows;
 * QN_ABSENT: that was all; otherwise explained in `err`, and to be called again. */
QN_MUST_USE enum qn_status chunk_next(qn_cursor *cursor, qn_error *err);

#endif

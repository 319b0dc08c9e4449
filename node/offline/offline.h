/* A data directory, looked at while no node runs on it. Changes nothing, not even a torn tail.
 *
 * For `quoin log inspect` and `quoin log verify`, and for tests that compare states. */
#ifndef QUOIN_NODE_OFFLINE_OFFLINE_H
#define QUOIN_NODE_OFFLINE_OFFLINE_H

#include "wire/record.h"

/* What is found, in order. Texts are borrowed for the call. */
struct offline_visitor {
    void *arg;
    /* A fact about the directory: name and value as text. May be NULL for `offline_verify`. */
    void (*fact)(void *arg, const char *name, const char *value);
    /* A manifest, a snapshot or a segment: file, and what it is as "kind=segment key=value ..."
     * text. May be NULL for `offline_verify`. */
    void (*file)(void *arg, const char *path, const char *what);
    /* A record, and where it stands, when `records` was asked for; may be NULL otherwise. */
    void (*record)(void *arg, const char *path, uint64_t offset, const struct record *record);
    /* Damage: where and what. */
    void (*damage)(void *arg, const char *path, uint64_t offset, const char *what);
    /* Every 64 MiB or so of a lane's log, and for each snapshot; may be NULL. */
    void (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
};

struct offline_options {
    bool records;      /* inspect: each record, too */
    int64_t partition; /* only of this one; -1 = all */
};

/* List superblock, coordination, manifests, snapshots, segments. Damage that shows on the way is
 * told, not returned, but much is only seen by `offline_verify`.
 *
 * QN_ABSENT   no data directory
 * QN_BUSY     a node is running on it
 * QN_INVALID  there is no such partition
 * QN_IO, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status offline_inspect(const char *dir, const struct offline_options *options,
                                           const struct offline_visitor *visitor, qn_error *err);

/* What a whole reading found. */
struct offline_verdict {
    uint64_t damages;
    uint64_t torn_bytes; /* at the end of a log: normal after a crash */
    uint64_t snapshots;
    uint64_t records;
    uint64_t entries;
    uint64_t state_hash; /* of all partitions, see grid_state_hash */
};

/* Read everything as a start would: checksums, order, snapshots and log into a grid, one lane after
 * the other, with the memory that the largest of them needs. Damage is told and counted.
 *
 * QN_ABSENT, QN_BUSY, QN_IO, QN_MEMORY_FULL as above: there is no verdict then */
QN_MUST_USE enum qn_status offline_verify(const char *dir, const struct offline_visitor *visitor,
                                          struct offline_verdict *verdict, qn_error *err);

#endif

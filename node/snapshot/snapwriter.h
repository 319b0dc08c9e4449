/* A thread that puts snapshots of a lane's partitions on disk, one at a time.
 *
 * The shard walks the partition and hands over blocks; this thread packs and writes them, and at
 * the end makes file and manifest durable and removes the snapshot before it. The shard never
 * waits: it asks whether there is room for another block. At most SNAPWRITER_BLOCKS wait, so that
 * memory is bounded. The thread runs at a lower priority than the shards.
 *
 *     idle --begin--> open --put*--> open --finish--> finishing --notify--> done --result--> idle
 *
 * A failure is a result like any other: the snapshot and the manifest before it stay in force, the
 * log is kept, the node goes on. Nothing that failed is repeated on the same file: the next
 * snapshot writes new ones. The order of a finish is such that a crash between any two steps leaves
 * a directory that starts with the same state:
 *
 *     snapshot durable under its name -> manifest replaced, durably -> older snapshots removed
 *
 * All calls but the thread itself: the shard's thread. */
#ifndef QUOIN_NODE_SNAPSHOT_SNAPWRITER_H
#define QUOIN_NODE_SNAPSHOT_SNAPWRITER_H

#include "node/snapshot/manifest.h"
#include "node/snapshot/snapfile.h"

struct snapwriter;

enum {
    SNAPWRITER_BLOCKS = 4,
    SNAPWRITER_BLOCK_SIZE =
        256 * 1024, /* what the shard should gather before it hands a block over */
};

struct snapwriter_options {
    const char *data;          /* data directory; copied */
    const char *lane_dir;      /* of the manifest; copied */
    uint64_t disk;             /* owner of snapshots */
    struct manifest manifest;  /* in force; taken over */
    void (*notify)(void *arg); /* from the thread: room, or a result */
    void *arg;
    uint64_t rate_max; /* octets a second of plain blocks; 0 = no limit */
};

/* Makes the lane's folder. QN_MEMORY_FULL, QN_IO. On failure the manifest stays the caller's. */
QN_MUST_USE enum qn_status snapwriter_open(const struct snapwriter_options *options,
                                           struct snapwriter **writer, qn_error *err);

/* Gives up what is open, waits for a write under way. NULL allowed. */
void snapwriter_close(struct snapwriter *writer);

/* Another `rate_max` from now on; 0 = no limit. */
void snapwriter_rate_set(struct snapwriter *writer, uint64_t rate_max);

/* Begin the next snapshot; must be idle. */
void snapwriter_begin(struct snapwriter *writer, const struct snap_head *head);

/* Is there room for a block? Also false after a failure: then ask for the result. */
bool snapwriter_room(struct snapwriter *writer);

/* Hand over a block: takes its memory, and leaves an empty `*block`, perhaps with memory of an
 * earlier one. There must be room. */
void snapwriter_put(struct snapwriter *writer, struct buf *block);

/* No more blocks: make it durable, and the manifest say so, with `log_first` and `log_end`. */
void snapwriter_finish(struct snapwriter *writer, uint64_t log_first, uint64_t log_end);

/* Give up the open snapshot; idle at once as far as the caller is concerned. While one is finishing
 * nothing happens: its result comes. */
void snapwriter_abandon(struct snapwriter *writer);

/* Only rewrite the manifest (a clean stop; `log_first` has moved on); must be idle. Ends like a
 * finish, with a result. */
void snapwriter_manifest(struct snapwriter *writer, uint64_t log_first, uint64_t log_end,
                         bool clean);

struct snapwriter_result {
    enum qn_status status; /* QN_OK, QN_DISK_FULL, QN_OVERLOADED (no file descriptor), QN_IO,
                              QN_MEMORY_FULL, QN_TOO_LARGE (a block) */
    uint64_t size;         /* octets of the file; 0 for the manifest alone */
    uint64_t plain;        /* octets of blocks before packing */
    qn_error error;
};

/* QN_OK and the result when one is there (idle again), QN_BUSY while it is being worked on,
 * QN_ABSENT when idle. */
QN_MUST_USE enum qn_status snapwriter_result(struct snapwriter *writer,
                                             struct snapwriter_result *result);

/* Remove what a crash left: temporary files, and snapshots that `manifest` does not name, of the
 * partitions that `owns` says are the lane's. At start, before `snapwriter_open`.
 *
 * Writes `manifest` first: the one that was read may never have reached the disk, and then what is
 * to be removed would be in force after the next crash. So set its `log_end` and `clean` to what
 * holds now. Where that write fails only temporary files are removed; the node can go on, and the
 * next snapshot of each partition cleans up. */
QN_MUST_USE enum qn_status snapshot_leftovers_remove(const char *data, const char *lane_dir,
                                                     const struct manifest *manifest,
                                                     bool (*owns)(void *arg, uint32_t partition),
                                                     void *arg, qn_error *err);

#endif

/* The transaction log of one lane: records of its partitions, made durable in groups.
 *
 * The shard's thread appends encoded records (wire/record.h); a writer thread writes all that wait
 * with one write and one fdatasync, then reports the log sequence number (LSN) up to which
 * everything is on disk. The sync itself is the window in which the next group gathers: nothing is
 * delayed on purpose. An LSN counts octets of records appended since the lane was created.
 *
 * A failed write or fdatasync is never retried: the log is then failed for good and the node stops.
 */
#ifndef QUOIN_NODE_LOG_TXLOG_H
#define QUOIN_NODE_LOG_TXLOG_H

#include "wire/record.h"

struct txlog;

enum {
    TXLOG_SEGMENT_MIN = 16 * 1024,
    TXLOG_BUCKETS = 20,
};

struct txlog_options {
    const char *dir;             /* <data>/lane-<i>of<n>/log; created when it is not there */
    uint64_t segment_size_bytes; /* preallocated at once; at least TXLOG_SEGMENT_MIN */
    uint64_t next_lsn;           /* where `txlog_recover` ended */
    uint64_t owner;              /* disk and lane it belongs to: stands in each segment */
    void (*notify)(
        void *arg); /* from the writer's thread: `txlog_durable` or `txlog_failed` moved */
    void *arg;
};

/* One damaged place found at recovery. */
struct txlog_damage {
    const char *file;
    uint64_t offset;
    bool whole_lane;    /* a header is bad: nothing after it can be attributed */
    uint32_t partition; /* when not `whole_lane` */
    const char *text;
};

struct txlog_visitor {
    void *arg;
    uint64_t owner; /* a segment of another owner is damage of the whole lane */
    /* Each sound record, in order. Anything but QN_OK ends recovery with that status. */
    enum qn_status (*record)(void *arg, const struct record *record);
    /* Where the record stands that comes next, and with which LSN it begins; may be NULL. */
    void (*place)(void *arg, const char *file, uint64_t offset, uint64_t lsn);
    /* Damage; recovery goes on where that is possible. */
    void (*damage)(void *arg, const struct txlog_damage *damage);
    /* Every 64 MiB or so; may be NULL. */
    void (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
    /* What the manifest knows (node/snapshot/manifest.h). The log must reach down to `needed_from`
     * and up to `known_end`, otherwise the lane is damaged. Segments, batches and records wholly
     * below `needed_from` are passed over, sound or not. Both are 0 without a manifest. */
    uint64_t needed_from;
    uint64_t known_end;
    bool read_only; /* look only: a torn tail is reported and left */
};

struct txlog_report {
    uint64_t next_lsn; /* for txlog_options */
    uint64_t records;
    uint64_t bytes;      /* read */
    uint64_t torn_bytes; /* cut off the end: never acknowledged */
    uint64_t damages;
    uint32_t segments;   /* read: not those that were passed over */
    uint64_t first_lsn;  /* of the oldest segment file, also one that was passed over */
    uint64_t disk_bytes; /* of all segment files */
};

/* Read a lane's log, hand out its records, cut a torn tail (protocol: bad octets above the highest
 * LSN that a batch header says was durable are a torn tail; below it they are damage).
 *
 * QN_OK           also with damages, which the visitor was told, and without a directory
 * QN_IO, QN_CORRUPT (of a newer format), QN_MEMORY_FULL: `err` names the file */
QN_MUST_USE enum qn_status txlog_recover(const char *dir, const struct txlog_visitor *visitor,
                                         struct txlog_report *report, qn_error *err);

/* Open for appending, in a new segment; starts the writer thread. On a full disk it opens all the
 * same: what there is can be read, and `txlog_reserve` refuses until there is space. QN_IO,
 * QN_MEMORY_FULL: `err` names the file and what to do. */
QN_MUST_USE enum qn_status txlog_open(const struct txlog_options *options, struct txlog **log,
                                      qn_error *err);

/* Write what waits, sync, stop the thread. NULL allowed. QN_IO: the log has failed. QN_DISK_FULL:
 * there was no space for what waited; it was never reported durable. */
enum qn_status txlog_close(struct txlog *log);

/* Make sure of space for `size` octets of records before they are formed. Holds until the next
 * append: reserve, form, append, one request after the other. Shard's thread. Anything but QN_OK:
 * refuse the request with that status.
 *
 * QN_OVERLOADED  too much waits for the disk (256 MiB, or one segment)
 *                or no file descriptor is left for the next segment
 * QN_DISK_FULL   no space for the next segment; looked for again every second
 * QN_IO          the log has failed */
QN_MUST_USE enum qn_status txlog_reserve(struct txlog *log, size_t size);

/* Append one record, copied. It is durable once `txlog_durable` reaches `*lsn`. Shard's thread. On
 * a full disk it still succeeds: the record waits in memory until there is space.
 *
 * QN_IO           the log has failed
 * QN_MEMORY_FULL  no memory, or 512 MiB wait: nothing was appended
 * QN_TOO_LARGE    body over RECORD_BODY_MAX: nothing was appended */
QN_MUST_USE enum qn_status txlog_append(struct txlog *log, const struct record *record,
                                        uint64_t *lsn);

/* Wake the writer for what was appended: once per round of the shard. */
void txlog_flush(struct txlog *log);

/* Nothing below `lsn` is needed any more: segments wholly below it are removed, which the writer
 * does soon after, oldest first. Never call it before the manifest says so durably. Shard's thread.
 */
void txlog_truncate(struct txlog *log, uint64_t lsn);

/* The LSN that the next record will end up behind: everything appended so far is below. Shard's
 * thread. */
uint64_t txlog_next(const struct txlog *log);

/* Everything below this LSN is on disk. Any thread. */
uint64_t txlog_durable(const struct txlog *log);

/* Has the log failed? Any thread. `err` (may be NULL) says why. */
bool txlog_failed(const struct txlog *log, qn_error *err);

/* Figures for metrics. Any thread. */
struct txlog_stats {
    uint64_t records;
    uint64_t bytes;
    uint64_t syncs;
    uint64_t sync_ns;      /* in all */
    uint64_t segments;     /* begun since `txlog_open` */
    uint64_t removed;      /* segments, since `txlog_open` */
    uint64_t first_lsn;    /* of the oldest segment file */
    uint64_t disk_bytes;   /* of all segment files, preallocated space included */
    uint64_t buffer_bytes; /* memory of its buffers */
    /* How long records waited to be durable, and how long syncs took: bucket b counts what took up
     * to 50 us * 2^b, the last one whatever took longer (as node/admin/histogram.h). */
    uint64_t append_buckets[TXLOG_BUCKETS];
    uint64_t append_ns; /* in all */
    uint64_t sync_buckets[TXLOG_BUCKETS];
    /* Appends are, or soon will be, refused: no space, resp. no file descriptor, for the next
     * segment. */
    bool space_short;
    bool files_short;
};
void txlog_stats(struct txlog *log, struct txlog_stats *stats);

#endif

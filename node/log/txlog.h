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

enum { TXLOG_SEGMENT_MIN = 16 * 1024 };

struct txlog_options {
    const char *dir;             /* <data>/lane-<i>/log; created when it is not there */
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
    /* Damage; recovery goes on where that is possible. */
    void (*damage)(void *arg, const struct txlog_damage *damage);
    /* Every 64 MiB or so; may be NULL. */
    void (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
};

struct txlog_report {
    uint64_t next_lsn; /* for txlog_options */
    uint64_t records;
    uint64_t bytes;      /* read */
    uint64_t torn_bytes; /* cut off the end: never acknowledged */
    uint64_t damages;
    uint32_t segments;
};

/* Read a lane's log, hand out its records, cut a torn tail (protocol: bad octets above the highest
 * LSN that a batch header says was durable are a torn tail; below it they are damage).
 *
 * QN_OK           also with damages, which the visitor was told, and without a directory
 * QN_IO, QN_CORRUPT (of a newer format), QN_MEMORY_FULL: `err` names the file */
QN_MUST_USE enum qn_status txlog_recover(const char *dir, const struct txlog_visitor *visitor,
                                         struct txlog_report *report, qn_error *err);

/* Open for appending, in a new segment; starts the writer thread. QN_IO, QN_DISK_FULL: `err` names
 * the file and what to do. */
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

/* Everything below this LSN is on disk. Any thread. */
uint64_t txlog_durable(const struct txlog *log);

/* Has the log failed? Any thread. `err` (may be NULL) says why. */
bool txlog_failed(const struct txlog *log, qn_error *err);

/* Figures for metrics. Any thread. */
struct txlog_stats {
    uint64_t records;
    uint64_t bytes;
    uint64_t syncs;
    uint64_t sync_ns;  /* in all */
    uint64_t segments; /* opened since `txlog_open` */
    bool space_short;  /* no space for the next segment: appends are, or soon will be, refused */
};
void txlog_stats(struct txlog *log, struct txlog_stats *stats);

#endif

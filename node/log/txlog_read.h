/* Reading the records of one partition from a log, also while it is being written. */
#ifndef QUOIN_NODE_LOG_TXLOG_READ_H
#define QUOIN_NODE_LOG_TXLOG_READ_H

#include "wire/record.h"

struct txlog_query {
    const char *dir;
    uint64_t owner;
    uint32_t partition;
    uint64_t from_index;
    /* Of a log that is open `txlog_durable`: nothing behind it is read of the segment that is being
     * written. Otherwise UINT64_MAX. */
    uint64_t end_lsn;
};

struct txlog_query_visitor {
    void *arg;
    /* Each record of the partition from `from_index` on, in the order of the log; which file, and
     * where in it. Anything but QN_OK ends the reading with that status. */
    enum qn_status (*record)(void *arg, const char *path, uint64_t offset,
                             const struct record *record);
};

/* Hand out records with the help of the segments' indexes (node/log/segment_index.h): segments
 * without such a record are not read. A log that is open may be read: a segment that is removed
 * meanwhile counts as not there. Any thread.
 *
 * QN_CORRUPT  a record or a header is damaged: `err` names file and offset
 * QN_IO, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status txlog_partition_read(const struct txlog_query *query,
                                                const struct txlog_query_visitor *visitor,
                                                qn_error *err);

#endif

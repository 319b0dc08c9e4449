/* All records of one segment, front to back, as they stand there. Changes nothing, decides nothing:
 * what a start makes of a segment is txlog_recover.c's affair. Any thread. */
#ifndef QUOIN_NODE_LOG_SEGMENT_SCAN_H
#define QUOIN_NODE_LOG_SEGMENT_SCAN_H

#include "node/log/segment_reader.h"

struct segment_scan_visitor {
    void *arg;
    /* A sound record; `offset` is where it stands in the file. Anything but QN_OK ends the scan
     * with that status. */
    enum qn_status (*record)(void *arg, uint64_t offset, const struct record *record);
    /* A record with a bad body, or (then the scan ends) with a bad header; may be NULL. */
    void (*damage)(void *arg, uint64_t offset, const char *text);
};

struct segment_scan_end {
    uint64_t lsn;    /* behind the last record */
    uint64_t offset; /* behind the last batch */
    bool damaged;    /* a record was */
};

/* Check the header of the open segment. QN_CORRUPT: bad, of another owner or a newer format.
 * QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status segment_header_read(struct segment_reader *reader, uint64_t owner,
                                               uint64_t first_lsn, uint64_t *salt, qn_error *err);

/* Read the open segment, whose header said `salt`, up to the first place where no batch with the
 * LSN due stands, or one that ends behind `end_lsn`. QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status segment_scan(struct segment_reader *reader, uint64_t salt,
                                        uint64_t first_lsn, uint64_t end_lsn,
                                        const struct segment_scan_visitor *visitor,
                                        struct segment_scan_end *end, qn_error *err);

#endif

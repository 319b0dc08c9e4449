/* The octets of a segment file around its records. Pure functions. Numbers are little-endian.
 *
 *     segment: header block of SEGMENT_HEADER_SIZE octets, batches back to back, zeros to the end
 *     batch: header of BATCH_HEADER_SIZE octets, then records (wire/record.h) back to back
 *
 * The salt is drawn for each segment and repeated in each of its batch headers: neither old octets
 * on the disk nor a value that a client stored can pass for a batch of this segment. */
#ifndef QUOIN_NODE_LOG_TXLOG_FORMAT_H
#define QUOIN_NODE_LOG_TXLOG_FORMAT_H

#include "wire/record.h"

enum {
    TXLOG_FORMAT = 1,
    SEGMENT_HEADER_SIZE = 4096, /* a block of its own: appending never rewrites it */
    BATCH_HEADER_SIZE = 48,
    BATCH_SIZE_MAX = RECORD_HEADER_SIZE + RECORD_BODY_MAX, /* one record of the greatest size */
    BATCH_MAGIC_SIZE = 4,
    SEGMENT_NAME_SIZE = 25, /* 20 digits, ".log", NUL */
};

struct segment_header {
    uint64_t first_lsn;
    uint64_t salt;
    uint64_t owner; /* whose lane this is, see `txlog_options` */
};

/* Fill SEGMENT_HEADER_SIZE octets. */
void segment_header_encode(const struct segment_header *header, uint8_t *at);

/* QN_MALFORMED: not a sound header. QN_UNSUPPORTED: sound, but of a newer format. */
QN_MUST_USE enum qn_status segment_header_decode(struct bytes data, struct segment_header *header);

struct batch_header {
    uint64_t salt;        /* of its segment */
    uint64_t lsn;         /* of its first octet of records */
    uint64_t durable_lsn; /* everything below was on disk before the batch was written */
    uint32_t size;        /* octets of records; 0 in the mark that a clean stop leaves */
    uint32_t count;       /* of records */
};

/* Fill BATCH_HEADER_SIZE octets. */
void batch_header_encode(const struct batch_header *header, uint8_t *at);

/* QN_MALFORMED: no sound header of a batch of the segment with this salt. */
QN_MUST_USE enum qn_status batch_header_decode(struct bytes data, uint64_t salt,
                                               struct batch_header *header);

/* Where the first octets of a batch header stand in `data`; `data.size` when nowhere. */
size_t batch_magic_find(struct bytes data, size_t from);

/* `<first lsn, 20 digits>.log` and back; false: not such a name. */
void segment_name_format(uint64_t first_lsn, char name[SEGMENT_NAME_SIZE]);
bool segment_name_parse(const char *name, uint64_t *first_lsn);

#endif

/* One record of a partition's log: what replicas apply and what stands on disk.
 *
 * A record holds effects and the result of the request that caused them, never code (protocol B.5).
 * Its octets are the same in the transaction log and between nodes, little-endian:
 *
 *     header, RECORD_HEADER_SIZE octets: the fields of `struct record` in the order below (`commit`
 *         after the sizes), body sizes, then CRC-32C of the body, last CRC-32C of the header
 *     body: effects, then the result
 *
 * Pure functions; no state. */
#ifndef QUOIN_WIRE_RECORD_H
#define QUOIN_WIRE_RECORD_H

#include "wire/bytes.h"

enum record_type {
    RECORD_EPOCH_START = 1,  /* first record of a leader's epoch; no effects */
    RECORD_WRITE = 2,        /* effects of one request on one partition, atomic */
    RECORD_SESSION_OPEN = 3, /* its index is the session id of (client, partition) (B.10) */
    RECORD_SESSION_END = 4,  /* the session `session` of `client` has ended */
    RECORD_EXPIRE = 5,       /* entries that the partition's time has passed; effects only (B.11) */
    RECORD_CLEAR = 6,        /* all entries of a dropped cache; one effect, no client */

    /* Of this copy alone: never sent, no index of their own, no body. */
    RECORD_PROMISE = 7,   /* nothing of an epoch below `epoch` is taken any more (B.6) */
    RECORD_TRUNCATE = 8,  /* the records above `index` are gone: another leader had others */
    RECORD_INSTALLED = 9, /* the state up to `index` is that of a snapshot, the records before this
                             place do not count */
};

/* Does a record of this type stand in the log of this copy only? */
static inline bool record_is_local(uint8_t type)
{
    return type >= RECORD_PROMISE && type <= RECORD_INSTALLED;
}

enum {
    RECORD_HEADER_SIZE = 120,
    RECORD_BODY_MAX = 64 * 1024 * 1024,
    CLIENT_ID_SIZE = 16,
};

/* A client process: 128 random bits. */
struct client_id {
    uint8_t octets[CLIENT_ID_SIZE];
};

static inline bool client_id_equal(struct client_id a, struct client_id b)
{
    return memcmp(a.octets, b.octets, CLIENT_ID_SIZE) == 0;
}

/* All memory is borrowed. */
struct record {
    uint8_t type; /* enum record_type */
    uint32_t partition;
    uint64_t epoch;
    uint64_t index;
    uint64_t prev_epoch;     /* epoch of the record before it in this partition; 0 for the first */
    int64_t log_time_ms;     /* time of the partition's log: runs only while there is a leader */
    int64_t wall_time_ms;    /* partition time (B.11), for expiry */
    uint64_t commit;         /* what its leader knew to be committed when it formed it; 0 in logs of
                                older versions: nothing is known */
    struct client_id client; /* all zero when no client caused it */
    uint64_t session;
    uint64_t sequence;
    uint64_t first_incomplete;
    struct bytes effects; /* `effect_next` walks them */
    struct bytes result;  /* opaque to all but the replica: what a duplicate request is answered */
};

/* One change of one entry. */
enum effect_kind {
    EFFECT_PUT = 1,
    EFFECT_REMOVE = 2,
    EFFECT_CLEAR = 3, /* every entry of the cache in this partition; no key */
    EFFECT_TOUCH = 4, /* another time of expiry, the value stays */
};

struct effect {
    uint8_t kind;  /* enum effect_kind */
    uint8_t flags; /* VALUE_* of the value, stored with it */
    uint32_t cache;
    int64_t expires_at_ms; /* partition time; INT64_MAX = never */
    struct bytes key;
    struct bytes value; /* of PUT */
};

/* Append the octets of a record. QN_MEMORY_FULL, QN_TOO_LARGE (body over RECORD_BODY_MAX): `out` is
 * as before. */
QN_MUST_USE enum qn_status record_encode(const struct record *record, struct buf *out);

/* Octets that `record_encode` will append. */
size_t record_size(const struct record *record);

/* Read the record at the start of `data`. `*size` becomes its octets. Its parts point into `data`.
 *
 * QN_MALFORMED  the header's checksum or a length in it is wrong
 * QN_CORRUPT    the header is sound (and `record`, `*size` are set), the body is not or is cut off
 */
QN_MUST_USE enum qn_status record_decode(struct bytes data, struct record *record, size_t *size);

/* Append one effect. QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status effect_encode(const struct effect *effect, struct buf *out);

/* Take the next effect off the front of `*effects`. QN_ABSENT: there is none left. QN_MALFORMED. */
QN_MUST_USE enum qn_status effect_next(struct bytes *effects, struct effect *effect);

#endif

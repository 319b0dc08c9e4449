/* The octets of a snapshot: items back to back, each `u32 kind | u32 size | size octets`.
 *
 *     HEAD     u32 form
 *     HISTORY  u64 epoch, u64 first index; for each epoch known, ascending
 *     SESSION  client | u64 id, i64 traffic, u64 first incomplete; its OUTCOMEs follow
 *     OUTCOME  u64 sequence, index, epoch, version | i32 status | u8 value flags, has value, 0, 0 |
 *              old value
 *     ENTRY    u64 version | a PUT effect
 *     END      u64 items before it | u64 their digest
 *
 * Little-endian. One HEAD is first, the HISTORY (since form 2) behind it, sessions come before
 * entries, one END is last: so a part that
 * is missing, doubled or out of order is noticed. */
#ifndef QUOIN_GRID_REPLICA_SNAPSHOT_FORMAT_H
#define QUOIN_GRID_REPLICA_SNAPSHOT_FORMAT_H

#include "wire/hash.h"

enum snapshot_item {
    SNAPSHOT_HEAD = 1,
    SNAPSHOT_SESSION = 2,
    SNAPSHOT_OUTCOME = 3,
    SNAPSHOT_ENTRY = 4,
    SNAPSHOT_END = 5,
    SNAPSHOT_HISTORY = 6,
};

enum {
    SNAPSHOT_FORM = 2,
    SNAPSHOT_FORM_MIN = 1, /* is read, too: without history */
    SNAPSHOT_EPOCH_SIZE = 16,
    SNAPSHOT_ITEM_HEADER = 8,
    SNAPSHOT_HEAD_SIZE = 4,
    SNAPSHOT_SESSION_SIZE = 40,
    SNAPSHOT_OUTCOME_SIZE = 40, /* without the value */
    SNAPSHOT_VERSION_SIZE = 8,
    SNAPSHOT_END_SIZE = 16,
};

/* Digest of items in their order: that of those before, and the octets of the next one. */
static inline uint64_t snapshot_digest(uint64_t digest, struct bytes item)
{
    return (digest ^ hash_bytes(item)) * UINT64_C(0x9e3779b97f4a7c15) + item.size;
}

#endif

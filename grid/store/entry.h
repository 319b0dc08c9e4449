/* One version of one entry: a single block of memory of a short header, then key and value.
 *
 * Immutable once it is made. A removal is a version, too (a tombstone) until it is committed. */
#ifndef QUOIN_GRID_STORE_ENTRY_H
#define QUOIN_GRID_STORE_ENTRY_H

#include "grid/base/alloc.h"
#include "wire/bytes.h"
#include "wire/record.h"

enum entry_mark {
    ENTRY_TOMBSTONE = 1, /* the key was removed by the record `version` */
    ENTRY_EXPIRES = 2,   /* eight octets of time stand before the key */
};

struct entry {
    uint64_t version; /* index of the log record that wrote it */
    uint32_t cache;
    uint32_t value_size;
    uint32_t key_size;
    uint8_t flags;    /* enum value_flags of the value */
    uint8_t marks;    /* enum entry_mark */
    uint8_t octets[]; /* time of expiry if it expires, key, value */
};

enum {
    ENTRY_EXPIRY_SIZE = 8,
    ENTRY_HEADER_SIZE = 22, /* the key begins inside what padding would take */
};

_Static_assert(offsetof(struct entry, octets) == ENTRY_HEADER_SIZE, "no padding before the key");

static inline size_t entry_expiry_size(const struct entry *entry)
{
    return entry->marks & ENTRY_EXPIRES ? ENTRY_EXPIRY_SIZE : 0;
}

/* Octets of the block. */
static inline size_t entry_size(const struct entry *entry)
{
    return ENTRY_HEADER_SIZE + entry_expiry_size(entry) + entry->key_size + entry->value_size;
}

static inline struct bytes entry_key(const struct entry *entry)
{
    return bytes_of(entry->octets + entry_expiry_size(entry), entry->key_size);
}

static inline struct bytes entry_value(const struct entry *entry)
{
    return bytes_of(entry->octets + entry_expiry_size(entry) + entry->key_size, entry->value_size);
}

/* Partition time in ms at which it expires; INT64_MAX = never. */
static inline int64_t entry_expires_at_ms(const struct entry *entry)
{
    return entry->marks & ENTRY_EXPIRES ? (int64_t)get_u64(entry->octets) : INT64_MAX;
}

/* Is there an entry, and is it not a removal? NULL allowed. */
static inline bool entry_live(const struct entry *entry)
{
    return entry && !(entry->marks & ENTRY_TOMBSTONE);
}

#endif

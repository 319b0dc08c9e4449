/* The hash of a key and the checksum of a block: both are contracts on wire and disk.
 *
 * XXH3-64 with seed 0 decides which partition a key belongs to; CRC-32C guards what is stored. */
#ifndef QUOIN_WIRE_HASH_H
#define QUOIN_WIRE_HASH_H

#include "wire/bytes.h"

/* XXH3-64, seed 0. */
uint64_t hash_bytes(struct bytes data);

/* Hash of a key's Binary: of the octets from the format octet 15 on, an int decoration (`0d` and a
 * packed integer) in front of it left out. A key that is no such Binary is hashed whole. */
uint64_t hash_key(struct bytes key);

/* Partition of a key hash among `partition_count` (> 0). */
static inline uint32_t hash_partition(uint64_t key_hash, uint32_t partition_count)
{
    return (uint32_t)(key_hash % partition_count);
}

/* CRC-32C (Castagnoli) of `data`, continuing from `seed` (0 at the start). Check value of
 * "123456789": e3069283. */
uint32_t crc32c(uint32_t seed, struct bytes data);

#endif

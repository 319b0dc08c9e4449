/* The octets of a snapshot file around its blocks. Pure functions. Little-endian. */
#ifndef QUOIN_NODE_SNAPSHOT_SNAPFILE_FORMAT_H
#define QUOIN_NODE_SNAPSHOT_SNAPFILE_FORMAT_H

#include "node/snapshot/snapfile.h"

enum {
    SNAP_HEADER_SIZE = 96,
    SNAP_BLOCK_HEADER_SIZE = 24,
    SNAP_END_SIZE = 16, /* of the end block's octets */
};

enum snap_block_kind {
    SNAP_BLOCK_PLAIN = 1,
    SNAP_BLOCK_PACKED = 2, /* wire/compress.h */
    SNAP_BLOCK_END = 3,    /* {blocks, octets of the file before this block} */
};

struct snap_block {
    uint32_t kind;
    uint32_t number; /* from 0 */
    uint32_t plain;  /* octets when unpacked */
    uint32_t stored; /* octets in the file */
    uint32_t crc;    /* of the stored octets */
};

/* Fill SNAP_HEADER_SIZE octets; returns their checksum, which block headers are tied to. */
uint32_t snap_header_encode(uint64_t owner, const struct snap_head *head, uint8_t *at);

/* QN_MALFORMED: not a sound header. QN_UNSUPPORTED: sound, of a newer format. */
QN_MUST_USE enum qn_status snap_header_decode(struct bytes data, uint64_t *owner,
                                              struct snap_head *head, uint32_t *seed);

/* Fill SNAP_BLOCK_HEADER_SIZE octets. */
void snap_block_encode(const struct snap_block *block, uint32_t seed, uint8_t *at);

/* QN_MALFORMED: no sound header of a block of this file, or one with impossible sizes. */
QN_MUST_USE enum qn_status snap_block_decode(struct bytes data, uint32_t seed,
                                             struct snap_block *block);

/* `<index, 20 digits>.snap` and back; false: not such a name. */
void snap_name_format(uint64_t index, char name[SNAP_NAME_SIZE]);
bool snap_name_parse(const char *name, uint64_t *index);

/* The name under which a snapshot is written. */
#define SNAP_TEMPORARY "next.tmp"

#endif

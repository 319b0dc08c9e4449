/* The messages of Quoin as plain structs, and their octets.
 *
 * A message is one frame: `u32 header length (little-endian) | protobuf header | payload`. The
 * header (quoin.proto) says what the message is and lists its operations; the payload is their keys
 * and values back to back. Decoding is zero copy: keys and values point into the frame, everything
 * else lives in the arena. Nothing is allocated before its length has been checked against what
 * remains.
 *
 * Unknown header fields are ignored; an unknown kind of message or operation is kept as its number,
 * so that the receiver can answer QN_UNSUPPORTED. Thread: any; no state. */
#ifndef QUOIN_WIRE_MESSAGE_MESSAGE_H
#define QUOIN_WIRE_MESSAGE_MESSAGE_H

#include "wire/arena.h"
#include "wire/bytes.h"
#include "wire/record.h"

enum {
    WIRE_FEATURE_LEVEL = 1,
    WIRE_KEY_MAX = 64 * 1024,          /* octets of a key, its format octet included */
    WIRE_VALUE_MAX = 16 * 1024 * 1024, /* octets of a value */
    WIRE_BATCH_MAX = 1024,             /* operations in one message */
    WIRE_FRAME_MAX = 64 * 1024 * 1024, /* octets of one frame */
    WIRE_HEADER_MAX = 1024 * 1024,     /* octets of its header */
    WIRE_NAME_MAX = 128,               /* octets of a cache's name */
};

enum wire_kind {
    WIRE_HELLO = 1,      /* client or node -> any shard port; answered by HELLO_ACK */
    WIRE_HELLO_ACK = 2,  /* cluster, feature level, node, endpoints, partition table */
    WIRE_TABLE = 3,      /* "send the table if it is newer than `table_version`" */
    WIRE_TABLE_ACK = 4,  /* the table, or nothing when the asker's is current */
    WIRE_REQUEST = 5,    /* operations */
    WIRE_REPLY = 6,      /* a result per operation */
    WIRE_NAK = 7,        /* the whole message was refused: `status` and `text` say why */
    WIRE_CACHE_OPEN = 8, /* `name` -> `cache`, created when `create` is set and it is allowed */
    WIRE_CACHE_ACK = 9,
    WIRE_STATUS = 10, /* how is this node? */
    WIRE_STATUS_ACK = 11,
};

enum wire_op_kind {
    WIRE_OP_GET = 1,
    WIRE_OP_CONTAINS = 2,
    WIRE_OP_COUNT = 3,        /* entries of `cache` in `partition`; the answer is in `count` */
    WIRE_OP_SESSION_OPEN = 4, /* open a session for (client, partition): answer in `session` */
    WIRE_OP_PUT = 5,
    WIRE_OP_PUT_IF_ABSENT = 6,
    WIRE_OP_REPLACE = 7, /* when the entry has `expected_version`; 0 = when there is any entry */
    WIRE_OP_REMOVE = 8,
    WIRE_OP_REMOVE_IF = 9, /* when the entry has `expected_version` */
};

/* Does it change the partition, and so carry session and sequence? SESSION_OPEN changes it too. */
static inline bool wire_op_is_change(uint32_t kind)
{
    return kind >= WIRE_OP_SESSION_OPEN && kind <= WIRE_OP_REMOVE_IF;
}

enum wire_op_flags {
    WIRE_RETURN_OLD = 1, /* answer with the value that was there before */
};

/* Flags that follow a value through log and store. */
enum value_flags {
    VALUE_COMPRESSED = 1, /* LZ4 by the client (reserved) */
};

/* One operation of a REQUEST. Borrowed memory. */
struct wire_op {
    uint64_t id;    /* chosen by the client, unique among its operations in flight */
    uint32_t kind;  /* enum wire_op_kind, or a number of another version */
    uint32_t flags; /* enum wire_op_flags */
    uint32_t cache;
    uint32_t partition;
    uint32_t lineage;
    uint32_t value_flags;      /* enum value_flags */
    uint64_t epoch;            /* that the client believes the partition is in */
    uint64_t session;          /* of (client, partition); 0 in reads and SESSION_OPEN */
    uint64_t sequence;         /* of (client, partition), from 1; 0 in reads and SESSION_OPEN */
    uint64_t first_incomplete; /* lowest sequence whose answer the client still waits for */
    uint64_t expected_version;
    uint32_t remaining_ms; /* until the caller's deadline, when the frame left */
    struct bytes key;
    struct bytes value;
};

/* The result of one operation in a REPLY. Borrowed memory. */
struct wire_result {
    uint64_t id;
    int32_t status;          /* enum qn_status */
    uint32_t retry_after_ms; /* with OVERLOADED */
    uint64_t version;        /* of the entry, when there is one */
    uint32_t partition;
    uint32_t lineage; /* with `epoch` and `index`: the token of what was committed */
    uint64_t epoch;
    uint64_t index;
    uint64_t session; /* answer of SESSION_OPEN */
    uint64_t count;   /* answer of COUNT */
    uint32_t value_flags;
    bool has_value;
    struct bytes value;
    struct bytes text; /* what was wrong, for people; may be empty */
};

/* Where a node's shards listen: shard s at `endpoints[s]`. */
struct wire_node {
    uint32_t id;
    uint64_t incarnation;
    struct bytes *endpoints; /* "tcp://host:port" */
    size_t endpoint_count;
};

/* Who leads a partition. Partition p of a table is `partitions[p]`. */
struct wire_partition {
    uint64_t epoch;
    uint32_t lineage;
    uint32_t leader; /* node id; 0 = none */
    uint32_t shard;  /* of the leader */
};

/* A name and a number of STATUS_ACK; or a name and a text when `text` is not empty. */
struct wire_fact {
    struct bytes name;
    struct bytes text;
    int64_t number;
};

struct wire_message {
    uint32_t kind; /* enum wire_kind, or a number of another version */
    uint32_t feature_level;
    uint64_t cluster;   /* 0 = not known yet */
    uint32_t from_node; /* 0 = a client */
    uint64_t from_incarnation;
    uint64_t to_incarnation; /* 0 = not known */
    struct client_id client; /* REQUEST */
    uint64_t correlation;    /* of HELLO, TABLE, CACHE_OPEN, STATUS: echoed in the answer */
    int32_t status;          /* NAK, CACHE_ACK */
    struct bytes text;       /* NAK, CACHE_ACK: what was wrong and what to do */
    struct bytes name;       /* CACHE_OPEN */
    bool create;             /* CACHE_OPEN */
    uint32_t cache;          /* CACHE_ACK */
    uint64_t table_version;  /* HELLO_ACK, TABLE, TABLE_ACK */
    struct wire_op *ops;
    size_t op_count;
    struct wire_result *results;
    size_t result_count;
    struct wire_node *nodes;
    size_t node_count;
    struct wire_partition *partitions;
    size_t partition_count;
    struct wire_fact *facts;
    size_t fact_count;
};

/* Append the frame of `message`.
 *
 * QN_TOO_LARGE    a limit above is exceeded; `out` is as before
 * QN_MEMORY_FULL  `out` is as before */
QN_MUST_USE enum qn_status message_encode(const struct wire_message *message, struct buf *out);

/* Decode a frame. `message` points into `frame` and `arena`, and lives as long as both.
 *
 * QN_MALFORMED    not a frame of ours: a length is wrong, a field is out of range
 * QN_MEMORY_FULL  the arena refused */
QN_MUST_USE enum qn_status message_decode(struct bytes frame, struct arena *arena,
                                          struct wire_message *message);

#endif

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
    WIRE_PEERS_MAX = 4096,             /* operations between nodes in one message */
    WIRE_HISTORY_MAX = 64,             /* epochs of a history in one of them */
    WIRE_REPLICAS_MAX = 5,             /* copies of a partition */
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
    WIRE_COMMIT = 12, /* `level`; answered by the shard asked when it is done */
    WIRE_COMMIT_ACK = 13,
    WIRE_CACHES = 14, /* which caches are there, and how are they? */
    WIRE_CACHES_ACK = 15,
    WIRE_CACHE_DROP = 16, /* `name`, with all its entries; answered by CACHE_ACK */
    WIRE_CONFIG = 17,     /* the node's settings, as facts: path -> "value  # origin" */
    WIRE_CONFIG_ACK = 18,
    WIRE_LOG_LEVEL = 19, /* module `name` (empty: all) logs at level `text` (empty: only tell) */
    WIRE_LOG_LEVEL_ACK = 20, /* facts: module -> level; or `status` and `text` */
    WIRE_PEERS = 21,         /* operations between two nodes, shard to shard */
    WIRE_CONTROL = 22,       /* operations between two nodes, to the control endpoint: beacons,
                                suspicions, changes of configurations */
};

/* Operations between nodes (protocol.md B.6). Which fields of `struct wire_peer` each one uses. */
enum wire_peer_kind {
    /* shard to shard */
    WIRE_PEER_NEW_EPOCH = 1, /* leader: history, index = last, commit, log_start */
    WIRE_PEER_NEW_EPOCH_ACK =
        2,                   /* index = match, log_start; why = WIRE_NAK_GAP: needs a snapshot */
    WIRE_PEER_REPLICATE = 3, /* index, index_epoch = record before the first; commit; body =
                                records back to back (wire/record.h), perhaps none */
    WIRE_PEER_REPLICATE_ACK = 4,  /* index = match (durable), applied */
    WIRE_PEER_NAK = 5,            /* why; epoch = the promised one (EPOCH); index = last (GAP) */
    WIRE_PEER_READ_INDEX = 6,     /* round */
    WIRE_PEER_READ_INDEX_ACK = 7, /* round */
    WIRE_PEER_RELEASE = 8,        /* "I answer nothing more in `epoch`" */
    WIRE_PEER_SNAP_OFFER = 9,     /* snapshot = its index, index_epoch, total = octets */
    WIRE_PEER_SNAP_CHUNK = 10,    /* snapshot, offset, total, round = crc32c of the body; body */
    WIRE_PEER_SNAP_ACK = 11,      /* snapshot, offset = octets that are safe; why: refused */
    WIRE_PEER_SNAP_DONE = 12,     /* snapshot: installed, send records from there on */
    /* node to node, control endpoint */
    WIRE_PEER_BEACON = 20,     /* round, sent_ms; then one BEACON_ROW per partition led */
    WIRE_PEER_BEACON_ROW = 21, /* partition, epoch, lineage, commit, index = last, proof_ms */
    WIRE_PEER_BEACON_ACK =
        22, /* round, sent_ms echoed, proof_ms = own clock; BEACON_REFUSED rows */
    WIRE_PEER_BEACON_REFUSED = 23, /* partition, epoch: not granted */
    WIRE_PEER_SUSPECT = 24,    /* partition, epoch: no beacon of its leader for so long (sent_ms) */
    WIRE_PEER_ISR_CHANGE = 25, /* configuration wanted; round = incarnation that acknowledged */
    WIRE_PEER_ISR_REFUSED = 26,  /* partition; configuration that stands; why = enum qn_status */
    WIRE_PEER_CONFIG_DELTA = 27, /* partition, configuration */
    WIRE_PEER_REACH = 28,        /* body = node ids (u16) heard of within G */
    WIRE_PEER_KINDS = 29,
};

/* Why a replica says no. */
enum wire_nak {
    WIRE_NAK_NONE = 0,
    WIRE_NAK_EPOCH = 1,      /* it has promised a higher epoch */
    WIRE_NAK_NEED_EPOCH = 2, /* it has not seen NEW_EPOCH of this one */
    WIRE_NAK_GAP = 3,        /* it does not have the record before these */
    WIRE_NAK_DISK_FULL = 4,
    WIRE_NAK_CORRUPT = 5, /* its log or state is damaged */
    WIRE_NAK_RECOVERING = 6,
    WIRE_NAK_LINEAGE = 7, /* of another lineage */
    WIRE_NAK_CLUSTER = 8,
    WIRE_NAK_BUSY = 9, /* too many transfers: later */
};

/* How fresh a read must be (B.12). */
enum wire_read_level {
    WIRE_READ_LINEARIZABLE = 0, /* by the leader: sees every write acknowledged before it began */
    WIRE_READ_SESSION = 1,      /* any copy that has applied `token_index` */
    WIRE_READ_BOUNDED = 2,      /* any copy that proves to be at most `staleness_max_ms` old */
    WIRE_READ_EVENTUAL = 3,     /* any copy */
};

struct wire_epoch {
    uint64_t epoch;
    uint64_t first; /* index of its EPOCH_START */
};

/* One operation between nodes. Borrowed memory. */
struct wire_peer {
    uint32_t kind; /* enum wire_peer_kind, or a number of another version */
    uint32_t partition;
    uint32_t lineage;
    uint32_t why; /* enum wire_nak */
    uint64_t epoch;
    uint64_t index;
    uint64_t index_epoch; /* of the record `index`; 0 when that is 0 */
    uint64_t commit;
    uint64_t applied;
    uint64_t round;
    uint64_t log_start; /* first index that the sender's log still has */
    uint64_t snapshot;
    uint64_t offset;
    uint64_t total;
    int64_t sent_ms;
    int64_t proof_ms;
    struct wire_epoch *history; /* ascending; the newest WIRE_HISTORY_MAX */
    size_t history_count;
    struct bytes configuration; /* CONFIGURATION_SIZE octets or none */
    struct bytes body;
};

/* Of a COMMIT: make everything acknowledged before visible to queries; or write a checkpoint. */
enum wire_commit_level {
    WIRE_COMMIT_SOFT = 1,
    WIRE_COMMIT_HARD = 2,
};

enum wire_op_kind {
    WIRE_OP_GET = 1,
    WIRE_OP_CONTAINS = 2,
    WIRE_OP_COUNT = 3,        /* entries of `cache` in the view of `partition`, in `count` */
    WIRE_OP_SESSION_OPEN = 4, /* open a session for (client, partition): answer in `session` */
    WIRE_OP_PUT = 5,
    WIRE_OP_PUT_IF_ABSENT = 6,
    WIRE_OP_REPLACE = 7, /* when the entry has `expected_version`; 0 = when there is any entry */
    WIRE_OP_REMOVE = 8,
    WIRE_OP_REMOVE_IF = 9, /* when the entry has `expected_version` */
    WIRE_OP_TOUCH = 10,    /* another `ttl_ms` for an entry */
    WIRE_OP_CLEAR = 11,    /* remove all entries of `cache` in `partition` */
    WIRE_OP_OUTCOME = 12,  /* what became of the change `sequence` of `session`? Its client's id is
                              in `value`; empty: that of the message. Settles it (B.10) */
    WIRE_OP_SCAN = 13, /* entries of `cache` in a view of `partition`, from `value` on: the token
                          of the answer before, or empty. Rows: wire/rows.h */
    WIRE_OPS = 14,
};

/* Does it append to the partition's log? All of these but SESSION_OPEN carry session and sequence.
 */
static inline bool wire_op_is_change(uint32_t kind)
{
    return kind >= WIRE_OP_SESSION_OPEN && kind <= WIRE_OP_OUTCOME;
}

enum wire_op_flags {
    WIRE_RETURN_OLD = 1, /* answer with the value that was there before */
    WIRE_VISIBLE = 2,    /* of a change: answer only when the view shows it */
    WIRE_KEYS_ONLY = 4,  /* of a SCAN: rows without values */
};

/* Times to live beside a number of milliseconds. */
enum wire_ttl {
    WIRE_TTL_CACHE = 0,  /* what the cache says */
    WIRE_TTL_NEVER = -1, /* never expires */
};

/* Flags that follow a value through log and store. */
enum value_flags {
    VALUE_COMPRESSED = 1, /* LZ4 by the client, see wire/compress.h */
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
    uint32_t remaining_ms;     /* until the caller's deadline, when the frame left */
    int64_t ttl_ms;            /* of PUT, PUT_IF_ABSENT, REPLACE, TOUCH: > 0 or enum wire_ttl */
    uint32_t commit_within_ms; /* of a change: the view shows it after so long; 0 = by the timer */
    uint64_t view;             /* SCAN: that of the answer before, 0 = the newest */
    uint64_t view_min;    /* SCAN with view 0, COUNT: the view must show this record; a newer one is
                             published if need be */
    uint32_t count_max;   /* SCAN: rows in the answer; 0 = the node's choice */
    uint32_t size_max;    /* SCAN: octets of rows in the answer; 0 = the node's choice */
    uint32_t read_level;  /* enum wire_read_level, of reads */
    uint64_t token_index; /* SESSION: the copy must have applied this record */
    uint32_t staleness_max_ms; /* BOUNDED */
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
    uint64_t count;   /* answer of COUNT; rows in the answer of SCAN */
    uint64_t view;    /* COUNT, SCAN: index of the record that the view ends with */
    int64_t ttl_ms;   /* GET: time left; 0 = never expires */
    uint32_t value_flags;
    bool has_value;
    bool more;       /* SCAN: `token` leads to what follows */
    uint32_t leader; /* with NOT_LEADER: who leads, as far as is known; 0 = not known */
    int64_t
        staleness_ms; /* of a read by a copy that does not lead: at most so old; -1 = not known */
    struct bytes value;
    struct bytes token; /* SCAN: for `value` of the next one, with the same view */
    struct bytes text;  /* what was wrong, for people; may be empty */
};

/* Where a node's shards listen: shard s at `endpoints[s]`. */
struct wire_node {
    uint32_t id;
    uint64_t incarnation;
    struct bytes *endpoints; /* "tcp://host:port", as clients reach it */
    size_t endpoint_count;
    struct bytes *internal; /* as other nodes reach it: the same shards; none: `endpoints` */
    size_t internal_count;
    struct bytes control; /* of beacons and changes of configurations; empty when it stands alone */
};

/* Who leads a partition. Partition p of a table is `partitions[p]`. */
struct wire_partition {
    uint64_t epoch;
    uint32_t lineage;
    uint32_t leader;    /* node id; 0 = none */
    uint32_t shard;     /* of the leader */
    uint32_t version;   /* of the configuration; a record with a higher one is newer */
    uint32_t *replicas; /* node ids; none in a table of an older node */
    size_t replica_count;
    uint32_t isr; /* bit i: replicas[i] */
    uint32_t elr;
};

/* A service is a set of partitions with the same promise (B.7). The partitions of service s are
 * numbers s * hash_partitions and on; a cache belongs to one service for life. */
enum wire_service {
    WIRE_SERVICE_DISK = 0,   /* acknowledged when it is on disk */
    WIRE_SERVICE_MEMORY = 1, /* acknowledged from memory, on disk soon after */
};

/* A cache: its definition (CACHE_OPEN to create it, CACHE_ACK) and its figures (CACHES_ACK). */
struct wire_cache {
    uint32_t id;
    struct bytes name;
    uint32_t service;        /* enum wire_service */
    int64_t ttl_ms;          /* of entries that do not say otherwise; 0 = they never expire */
    uint64_t size_max_bytes; /* on this node; 0 = no limit of its own */
    uint64_t entries;
    uint64_t bytes;
    uint64_t hits;
    uint64_t misses;
    uint64_t puts;
    uint64_t removes;
    uint64_t expired;
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
    uint64_t to_incarnation;  /* 0 = not known */
    uint32_t to_node;         /* of PEERS, CONTROL */
    struct client_id client;  /* REQUEST */
    uint64_t correlation;     /* of HELLO, TABLE, CACHE_OPEN, STATUS: echoed in the answer */
    int32_t status;           /* NAK, CACHE_ACK */
    struct bytes text;        /* NAK, CACHE_ACK: what was wrong and what to do */
    struct bytes name;        /* CACHE_OPEN */
    bool create;              /* CACHE_OPEN: as the one row of `caches` says, if there is one */
    uint32_t cache;           /* CACHE_ACK */
    uint64_t table_version;   /* HELLO_ACK, TABLE, TABLE_ACK */
    uint32_t level;           /* COMMIT: enum wire_commit_level */
    uint32_t hash_partitions; /* HELLO_ACK, TABLE_ACK: P; keys are hashed modulo P. 0 = as many as
                                 the table has */
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
    struct wire_cache *caches;
    size_t cache_count;
    struct wire_peer *peers; /* of PEERS, CONTROL */
    size_t peer_count;
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

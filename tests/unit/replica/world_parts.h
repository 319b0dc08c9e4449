/* Inside of the world. */
#ifndef QUOIN_TESTS_UNIT_REPLICA_WORLD_PARTS_H
#define QUOIN_TESTS_UNIT_REPLICA_WORLD_PARTS_H

#include "tests/unit/replica/world.h"

enum {
    VIOLATION_MAX = 256,
    JOURNAL_MAX = 20000,
    COMMITTED_MAX = 20000,
};

/* What stands in a node's log, in the order of writing. */
struct journal {
    struct buf *list; /* encoded records, local ones, too */
    size_t count;
    size_t synced; /* so many survive a power cut */
    size_t syncing;
    int64_t sync_ends_ms;
};

/* A snapshot on a disk: the log before it is not needed. */
struct saved {
    struct replica_snapshot head; /* index 0: there is none */
    struct buf octets;
    uint64_t promised;
};

struct node {
    struct replica *replica;
    struct saved saved;
    int64_t save_ms;
    int64_t transfer_ends_ms[WORLD_NODES]; /* to each other node; 0 = none is under way */
    struct grants *grants;
    struct alloc alloc;
    struct journal journal;
    uint32_t incarnation;
    bool up;
    bool clean;
    uint64_t checked; /* committed records that were compared */
    int64_t beacon_ms;
    int64_t look_ms; /* at the configuration */
    int64_t tick_ms;
    int64_t back_ms; /* a crashed node starts again */
    enum replica_role role;
};

enum letter_kind { LETTER_PEER, LETTER_BEACON, LETTER_ANSWER, LETTER_SNAPSHOT };

struct letter {
    enum letter_kind kind;
    unsigned from;
    unsigned to;
    uint32_t from_incarnation;
    uint32_t to_incarnation; /* 0: whichever lives */
    int64_t at_ms;
    struct wire_peer peer; /* owned copies */
    struct wire_epoch history[WIRE_HISTORY_MAX];
    struct buf body;
    int64_t sent_ms;
    int64_t clock_ms;
    bool refused;
    struct replica_snapshot snapshot; /* its octets are the body */
};

/* A change on its way to the coordination service. */
struct proposal {
    unsigned by;
    int64_t at_ms;
    struct configuration next;
    uint32_t checked;
    uint32_t checked_incarnation;
    bool answer_lost;
};

struct read {
    uint64_t route;
    uint64_t least; /* number of the write that it must see, or a later one */
    uint64_t began;
    bool weak;
    int64_t gone_ms;
};

struct world {
    struct world_options options;
    uint64_t random;
    int64_t now_ms;
    struct node nodes[WORLD_NODES];
    bool cut[WORLD_NODES][WORLD_NODES];
    struct letter **letters;
    size_t letter_count;
    size_t letter_capacity;
    struct configuration configuration;
    bool coordinate;
    bool resting;
    struct proposal proposals[16];
    size_t proposal_count;
    int64_t elected_ms;
    uint64_t committed[COMMITTED_MAX]; /* hash of record i + 1 */
    uint64_t committed_count;
    /* the writer */
    uint64_t session;
    uint64_t sequence; /* of the write on its way, or done */
    uint64_t sent;     /* number in the value sent last */
    uint64_t acked;    /* and acknowledged */
    uint64_t version;  /* of the entry after it */
    bool waiting;
    int64_t resend_ms;
    uint64_t write_route;
    struct read reads[64];
    size_t read_count;
    uint64_t next_route;
    uint64_t floor; /* committed for certain: acknowledged, or seen by somebody */
    struct world_figures figures;
    char violation[VIOLATION_MAX];
};

uint64_t world_draw(struct world *world, uint64_t below);
bool world_chance(struct world *world, unsigned of_1000);
void world_violate(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* world_node.c */
void node_start(struct world *world, unsigned i);
void node_stop(struct world *world, unsigned i, bool lose_tail);
void node_step(struct world *world, unsigned i, struct replica_event event);
void node_run(struct world *world, unsigned i);
void node_fini(struct world *world, unsigned i);

/* A snapshot of its leader has arrived whole: it takes the place of what the node has. */
void node_install(struct world *world, unsigned i, unsigned from,
                  const struct replica_snapshot *snapshot, struct bytes octets);

/* world_net.c */
void net_send_snapshot(struct world *world, unsigned from, unsigned to, const struct saved *saved);
void net_send(struct world *world, unsigned from, unsigned to, uint32_t to_incarnation,
              const struct wire_peer *peer);
void net_run(struct world *world);
void net_beacon(struct world *world, unsigned i);
void net_fini(struct world *world);

/* world_control.c */
void control_propose(struct world *world, unsigned by, const struct replica_action *action);
void control_run(struct world *world);

/* world_client.c */
void client_run(struct world *world);
void client_reply(struct world *world, unsigned node, uint64_t route,
                  const struct wire_result *result);

#endif

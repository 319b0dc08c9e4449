/* The state of the model: one partition, its replicas, its page in ZooKeeper, what is under way.
 *
 * A state is one block of octets without padding or pointers, so that it can be compared, copied
 * and hashed as octets. What a replica does not use is zero. Nodes are numbered from 0, epochs and
 * configurations from 1; a set of nodes is a bit mask.
 *
 * There are no messages. What the leader of an epoch has sent is the log of that epoch, which only
 * grows; what a replica has acknowledged in it is the highest such acknowledgement. Each may be
 * received at any later time, repeatedly, out of order, or never. */
#ifndef QUOIN_TESTS_MODEL_STATE_H
#define QUOIN_TESTS_MODEL_STATE_H

#include "tests/model/rules.h"

/* A log entry: its epoch in the upper half, 0 (EPOCH_START) or the number of the write below. */
static inline uint8_t entry_of(unsigned epoch, unsigned write)
{
    return (uint8_t)(epoch << 4 | write);
}

static inline unsigned entry_epoch(uint8_t entry)
{
    return entry >> 4;
}

/* One version of the partition's page. */
struct configuration {
    uint8_t epoch;
    uint8_t leader;
    uint8_t isr; /* the in-sync set */
    uint8_t elr; /* removed while the in-sync set was too small: still complete (B.2) */
};

struct replica {
    uint8_t up;
    uint8_t unclean;          /* may have lost entries; takes no part until readmitted */
    uint8_t incarnation;      /* +1 at each restart */
    uint8_t promised;         /* durable: highest epoch followed or led */
    uint8_t sync;             /* the epoch whose log this one is a prefix of; 0 = not reconciled */
    uint8_t length;           /* of the log */
    uint8_t durable;          /* entries that survive a crash; <= length */
    uint8_t commit;           /* known to be committed, so applied; volatile */
    uint8_t leads;            /* epoch; 0 = leads none. What follows is the leader's */
    uint8_t version;          /* of the configuration it believes in */
    uint8_t pending;          /* set: additions asked for, outcome unknown */
    uint8_t dropped;          /* set: removals asked for; only without RULE_REMOVED_COUNTS */
    uint8_t grants;           /* bit e: a grant given to the leader of epoch e has not ended */
    uint8_t leases;           /* set: members whose grant this leader holds */
    uint8_t match[NODES_MAX]; /* acknowledged by each member, as this leader knows */
    uint8_t match_incarnation[NODES_MAX]; /* and by which life of it */
    uint8_t log[LOG_MAX];
};

/* An epoch, as its leader has made it known. */
struct epoch {
    uint8_t exists;
    uint8_t owner;  /* the node that leads it */
    uint8_t length; /* of the log sent */
    uint8_t start;  /* length of the log with its EPOCH_START */
    uint8_t commit;
    uint8_t acked[NODES_MAX]; /* highest acknowledgement by each replica's present life */
    uint8_t log[LOG_MAX];
};

/* A conditional set of the page, sent by a leader. At most one is under way. */
struct change {
    uint8_t in_flight;
    uint8_t version; /* that the page must still have */
    uint8_t isr;
    uint8_t added;       /* the node to be added, or NOBODY */
    uint8_t incarnation; /* that this node must still have */
};

/* A read by read-index. At most one is under way. */
struct read {
    uint8_t running;
    uint8_t epoch;
    uint8_t index;    /* what it will show */
    uint8_t expected; /* committed when it began: what it has to show */
    uint8_t asked;    /* set */
    uint8_t confirmed;
    uint8_t count; /* reads begun so far */
};

struct state {
    struct configuration page[VERSIONS_MAX]; /* every version; the last one is current */
    uint8_t version_count;
    struct replica node[NODES_MAX];
    struct epoch epoch[EPOCHS_MAX + 1]; /* by number; [0] stays empty */
    struct change change;
    struct read read;
    uint8_t committed_length; /* known to the checker only: the entries that have ever committed */
    uint8_t committed[LOG_MAX];
    uint8_t writes;
    uint8_t crashes;
    uint8_t disks_lost;
    uint8_t client_saw; /* leases: longest prefix acknowledged to a client */
    uint8_t zero[4];    /* makes whole words */
};

enum { NOBODY = 255 };

_Static_assert(sizeof(struct state) % 8 == 0, "a state is hashed in words of 8 octets");

/* Epoch 1 with leader 0, everybody in the in-sync set, every log empty, nobody leading yet. */
void state_init(struct state *state, const struct rules *rules);

static inline uint8_t bit(unsigned node)
{
    return (uint8_t)(1U << node);
}

static inline bool has(uint8_t set, unsigned node)
{
    return set >> node & 1;
}

static inline uint8_t without(uint8_t set, uint8_t members)
{
    return (uint8_t)(set & ~members);
}

static inline unsigned size_of(uint8_t set)
{
    return (unsigned)__builtin_popcount(set);
}

static inline const struct configuration *current(const struct state *state)
{
    return &state->page[state->version_count - 1];
}

/* Add a version of the page; false if the bound on versions forbids it. */
bool state_configure(struct state *state, const struct rules *rules, struct configuration next);

/* The ELR that goes with a new in-sync set (rule R-ELR of B.4). */
uint8_t state_next_elr(const struct rules *rules, const struct configuration *now, uint8_t isr);

/* The node stops leading, and its read ends without an answer. */
void state_stop_leading(struct state *state, unsigned node);

/* Has this leader waited for the end of the grants it gave to others (B.9.5)? */
bool state_waited(const struct rules *rules, const struct replica *leader);

/* All who could be elected next, as this leader sees it, without itself (S in B.12). */
uint8_t state_electable(const struct state *state, unsigned leader, bool with_elr);

#endif

/* A partition with three copies on a bench: real replicas and leases, played network, disks, clock
 * and coordination service. One seed is one run.
 *
 * A writer changes one entry in a chain of REPLACEs, each resting on the version of the one before,
 * under one session: a write that is lost or takes effect twice breaks the chain. Readers ask
 * everybody. What a copy has committed is compared with what the others have, record by record. */
#ifndef QUOIN_TESTS_UNIT_REPLICA_WORLD_H
#define QUOIN_TESTS_UNIT_REPLICA_WORLD_H

#include "grid/lease/grants.h"
#include "grid/replica/inspect.h"
#include "grid/replica/replica.h"

enum {
    WORLD_NODES = 3,
    WORLD_PARTITION = 0,
    WORLD_LEASE_MS = 2500,
    WORLD_GRANT_MS = 3000,
};

struct world;

struct world_options {
    uint64_t seed;
    unsigned min_isr;
    bool lease;  /* otherwise every read is confirmed by a round */
    bool memory; /* of the memory service: acknowledged before it is on disk */
    bool trims;  /* nodes take snapshots, and forget the log before them */
    bool faults; /* crashes, cuts, losses, wrong suspicions */
};

struct world *world_create(const struct world_options *options);
void world_destroy(struct world *world);

/* Let time pass. False: something was violated, see `world_violation`. */
bool world_run(struct world *world, int64_t ms);

/* End all faults and bring everybody back. */
void world_heal(struct world *world);

/* No client asks for anything any more. */
void world_rest(struct world *world);

/* Do all copies have the same committed state, and everything committed? */
bool world_equal(struct world *world);

/* "" when nothing was. */
const char *world_violation(const struct world *world);

/* Writes that were acknowledged, reads answered, leaders that opened an epoch. */
struct world_figures {
    uint64_t writes;
    uint64_t reads;
    uint64_t weak_reads;
    uint64_t epochs;
    uint64_t crashes;
    uint64_t transfers; /* of snapshots, to copies that were too far behind */
};
struct world_figures world_figures(const struct world *world);

/* -- by hand -- */

void world_crash(struct world *world, unsigned node, bool lose_tail);
void world_restart(struct world *world, unsigned node);
/* No frames from one to the other, one way. */
void world_cut(struct world *world, unsigned from, unsigned to, bool cut);
/* May leaders and controller change the configuration? */
void world_coordinate(struct world *world, bool can);
struct replica_stats world_stats(const struct world *world, unsigned node);
const struct configuration *world_configuration(const struct world *world);

#endif

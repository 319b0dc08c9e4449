/* Looking into a replica, to compare two copies of a partition. */
#ifndef QUOIN_GRID_REPLICA_INSPECT_H
#define QUOIN_GRID_REPLICA_INSPECT_H

#include "grid/replica/replica.h"

/* Hashes of committed state, independent of the order in memory. Equal for two replicas that have
 * applied the same records. */
struct replica_digest {
    uint64_t entries;  /* cache, key, version, flags, expiry, value of each */
    uint64_t sessions; /* client and id of each */
    uint64_t outcomes; /* session, sequence, status, token, value of the logged ones not yet taken.
                          A leader may know of more that were taken than its log tells. */
};

/* Looks at every entry. Holds a view of the committed state meanwhile; when no more can be held,
 * the committed state is published instead. */
void replica_inspect(const struct replica *replica, struct replica_digest *digest);

#endif

/* A data directory with partitions in it, made as a node makes it, and looked at as a start does.
 */
#ifndef QUOIN_TESTS_UNIT_NODE_LANE_FIXTURE_H
#define QUOIN_TESTS_UNIT_NODE_LANE_FIXTURE_H

#include "grid/grid.h"
#include "node/superblock.h"
#include "tests/unit/node/log_fixture.h"

enum {
    LANES_PARTITIONS = 11, /* of each service */
    LANES_SERVICES = 2,
    LANES_EPOCH = 3,
};

struct lanes {
    struct folder folder;
    struct datadir *datadir;
    struct superblock block;
};

struct replica_limits lanes_limits(void);

/* A new data directory, claimed with so many lanes. */
void lanes_make(struct lanes *lanes, uint32_t count);
/* Claim it again, as another start. */
void lanes_reopen(struct lanes *lanes);
void lanes_remove(struct lanes *lanes);

/* Run every lane: sessions, puts and removes of `keys` keys per partition, drawn from `seed`;
 * appended to the log there is. Without a checkpoint. */
void lanes_write(struct lanes *lanes, unsigned keys, uint64_t seed);

/* What all partitions hold, read from what is in force. Fails the test on any damage. */
struct lanes_state {
    uint64_t hash;
    uint64_t entries;
    uint64_t sessions;
    uint64_t log_records;
};
struct lanes_state lanes_read(const struct lanes *lanes);

/* How many folders of lanes there are. */
size_t lanes_folders(const struct lanes *lanes);

#endif

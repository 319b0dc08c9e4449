/* Leases between nodes (protocol.md B.12): who has granted what to whom, and until when.
 *
 * One table per shard. The shard writes a row when its replica says LEASE; the beacon thread
 * grants, and records what others grant. The caller holds the table's lock around each call: the
 * table itself knows no threads, no clock and no sockets.
 *
 * A leader's lease from a member ends `lease_ms` (L) after the moment the answered beacon was
 * *sent*; the member keeps its grant for `grant_ms` (G) after it *arrived*. L (1 + rho) <= G (1 -
 * rho), so the lease ends first, whatever the clocks show. */
#ifndef QUOIN_GRID_LEASE_GRANTS_H
#define QUOIN_GRID_LEASE_GRANTS_H

#include "grid/base/alloc.h"
#include "grid/control/configuration.h"
#include "wire/message/message.h"

struct grants;

struct grants_options {
    uint32_t node;
    uint32_t lane; /* partitions p with p % lane_count == lane */
    uint32_t lane_count;
    uint32_t partition_count;
    int64_t started_ms; /* a process that has just begun may have granted something before */
    int64_t lease_ms;   /* L; 0: no leases at all, read-index always */
    int64_t grant_ms;   /* G */
    struct alloc *alloc;
};

QN_MUST_USE enum qn_status grants_create(const struct grants_options *options,
                                         struct grants **grants);
void grants_destroy(struct grants *grants); /* NULL allowed */

/* -- the shard -- */

/* What the replica says (REPLICA_LEASE): the promised epoch, the one it leads (0 = none), whose
 * grants it needs. Leases of members of another epoch are void; a higher promise ends all grants
 * that may still be given to lower ones, not those that were. */
void grants_note(struct grants *grants, uint32_t partition, uint64_t promised, uint64_t leading,
                 uint32_t lineage, const uint32_t *members, size_t member_count);

/* What beacons tell of a partition that is led here: to which copies, and how far it is. */
void grants_publish(struct grants *grants, uint32_t partition, const uint16_t *copies,
                    size_t copy_count, uint64_t commit, uint64_t last);

/* For the events of a replica. */
struct grants_view {
    int64_t lease_until_ms;   /* INT64_MIN: a member has given none. No members at all: INT64_MAX */
    int64_t granted_until_ms; /* the latest to another leader than this node */
    uint64_t proof_index;     /* who has applied it was as new as the leader at `proof_ms` */
    int64_t proof_ms;         /* of this node's clock; INT64_MIN = no proof yet */
    uint64_t leader_commit;   /* as the leader's last beacon told; 0 = none */
};
struct grants_view grants_view(const struct grants *grants, uint32_t partition);

/* The wait for its own grants may be skipped: the old leader has RELEASEd. */
void grants_released(struct grants *grants, uint32_t partition, uint64_t epoch);

/* -- the beacon thread -- */

/* Append to `rows` (room for `room`) a BEACON_ROW for each partition that is led here and has a
 * copy at `to`. Returns how many there are; more than `room`: call again with more. */
size_t grants_beacon(const struct grants *grants, uint32_t to, int64_t now_ms,
                     struct wire_peer *rows, size_t room);

/* A row of a beacon of node `from`. True: granted until now + G. False: refuse it. A proof in it is
 * noted when `proof_ms` is a clock value this node sent in an earlier answer. */
bool grants_receive(struct grants *grants, uint32_t from, const struct wire_peer *row,
                    int64_t now_ms);

/* The answer of `from` to the beacon with these `rows` that was sent at `sent_ms`: it has granted
 * all of them but `refused` (BEACON_REFUSED rows). `clock_ms` is the answerer's own clock: the next
 * beacons carry it back as a proof, while this node has a valid lease. */
void grants_acknowledge(struct grants *grants, uint32_t from, int64_t sent_ms, int64_t clock_ms,
                        const struct wire_peer *rows, size_t row_count,
                        const struct wire_peer *refused, size_t refused_count);

/* Partitions that follow another node and have heard no beacon of it for G: `out` gets SUSPECT
 * rows. Each is told again after G. Returns how many. */
size_t grants_suspects(struct grants *grants, int64_t now_ms, struct wire_peer *out, size_t room);

#endif

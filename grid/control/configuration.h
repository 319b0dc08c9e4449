/* The configuration of one partition: who leads it, who has copies, which of them count.
 *
 * It changes only as one of the rows of protocol.md B.4 says, by a conditional write in the
 * coordination service; everybody adopts a record whose `version` is higher than theirs. The
 * functions below are the only ones that make a new configuration from an old one, for leaders and
 * the controller alike. Pure; no memory is allocated. */
#ifndef QUOIN_GRID_CONTROL_CONFIGURATION_H
#define QUOIN_GRID_CONTROL_CONFIGURATION_H

#include "wire/bytes.h"

enum {
    CONFIGURATION_REPLICAS_MAX = 5,
    CONFIGURATION_SIZE = 40, /* octets of one in a page */
};

/* Copies by their place in `replicas`: bit i stands for `replicas[i]`. */
typedef uint8_t replica_set;

struct configuration {
    uint32_t epoch;   /* + 1 with each change of the leader's incarnation; 0 = never was one */
    uint32_t version; /* "cver": + 1 with each change */
    uint8_t lineage;  /* + 1 with a forced election only, from 1 */
    uint16_t leader;  /* node id; it may be down: then the partition is offline */
    uint32_t leader_incarnation; /* which this process of that node must have to lead */
    uint8_t replica_count;       /* at most CONFIGURATION_REPLICAS_MAX */
    uint16_t replicas[CONFIGURATION_REPLICAS_MAX]; /* node ids, no two alike */
    replica_set isr;      /* hold every committed entry; all of them must acknowledge */
    replica_set elr;      /* removed while |ISR| < min_isr: still complete, may be elected */
    uint8_t target_count; /* where copies are to be; equal to `replicas` when nothing moves */
    uint16_t target[CONFIGURATION_REPLICAS_MAX];
};

/* Place of a node in `replicas`, or -1. */
int configuration_place(const struct configuration *configuration, uint32_t node);
bool configuration_in(const struct configuration *configuration, replica_set set, uint32_t node);
unsigned replica_set_count(replica_set set);

/* Is the copy at `place` in the set? */
static inline bool replica_set_has(replica_set set, unsigned place)
{
    return ((unsigned)set >> place & 1u) != 0;
}

/* -- legal changes (B.4); each makes `*next` of `now`, version + 1. QN_INVALID: the rules forbid
 * it,
 *    `*next` is untouched. `min_isr` is that of the service (rule R-ELR) -- */

/* Elect: epoch + 1. `leader` is in the ISR, or in the ELR when `from_elr` (the caller knows that no
 * member of the ISR is alive and clean): then ISR becomes {leader}. `isr` is a subset of the old
 * one that contains the leader. `unclean`: copies known to be, which do not enter the ELR. */
QN_MUST_USE enum qn_status configuration_elect(const struct configuration *now, uint32_t leader,
                                               uint32_t incarnation, replica_set isr, bool from_elr,
                                               replica_set unclean, unsigned min_isr,
                                               struct configuration *next);

/* Shrink: ISR without `gone`; the leader stays and can not be removed. */
QN_MUST_USE enum qn_status configuration_shrink(const struct configuration *now, replica_set gone,
                                                replica_set unclean, unsigned min_isr,
                                                struct configuration *next);

/* Expand: ISR plus one copy. By a leader whose grant wait is over; the write checks that the roster
 * still has the incarnation whose acknowledgements were counted. */
QN_MUST_USE enum qn_status configuration_expand(const struct configuration *now, uint32_t node,
                                                unsigned min_isr, struct configuration *next);

/* Cancel: nothing but the version, so that every change in flight fails. */
QN_MUST_USE enum qn_status configuration_cancel(const struct configuration *now,
                                                struct configuration *next);

/* Place: another target; nodes of it without a copy get one as learners, if there is room. */
QN_MUST_USE enum qn_status configuration_place_copies(const struct configuration *now,
                                                      const uint16_t *target, uint8_t count,
                                                      struct configuration *next);

/* Remove copy: a member that is neither leader nor in ISR or ELR. */
QN_MUST_USE enum qn_status configuration_remove(const struct configuration *now, uint32_t node,
                                                struct configuration *next);

/* Unclean mark: out of ISR and ELR. QN_INVALID for the leader (elect another one first) and for the
 * last member of the ISR (elect from the ELR first; is that empty, the partition is offline). */
QN_MUST_USE enum qn_status configuration_unclean(const struct configuration *now, uint32_t node,
                                                 unsigned min_isr, struct configuration *next);

/* Forced, by an operator who accepts loss: lineage + 1, epoch + 1, ISR {node}, ELR {}. */
QN_MUST_USE enum qn_status configuration_force(const struct configuration *now, uint32_t node,
                                               uint32_t incarnation, struct configuration *next);

/* First one of a partition: epoch 1, version 1, lineage 1; all copies are in the ISR (they are
 * empty), the first leads once it has registered: `leader_incarnation` 0 leads nowhere. */
QN_MUST_USE enum qn_status configuration_first(const uint16_t *replicas, uint8_t count,
                                               struct configuration *first);

/* The configuration of a grid that has one node: it leads every partition. */
static inline struct configuration configuration_alone(uint32_t node, uint32_t incarnation,
                                                       uint32_t epoch, uint8_t lineage)
{
    return (struct configuration){
        .epoch = epoch,
        .version = epoch,
        .lineage = lineage,
        .leader = (uint16_t)node,
        .leader_incarnation = incarnation,
        .replica_count = 1,
        .replicas = {(uint16_t)node},
        .isr = 1,
        .target_count = 1,
        .target = {(uint16_t)node},
    };
}

/* Is `next` one legal change of `now` (invariant I14)? `why` (may be NULL) gets what is wrong. */
bool configuration_legal(const struct configuration *now, const struct configuration *next,
                         unsigned min_isr, const char **why);

/* -- octets, little-endian -- */

void configuration_encode(const struct configuration *configuration,
                          uint8_t octets[CONFIGURATION_SIZE]);

/* QN_MALFORMED: sets that name no copy, two equal nodes, a leader without a copy. */
QN_MUST_USE enum qn_status configuration_decode(struct bytes octets,
                                                struct configuration *configuration);

/* A page of the coordination service: `u32 format | u32 first partition | u32 count | records |
 * crc32c`. QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status configuration_page_encode(uint32_t first,
                                                     const struct configuration *list,
                                                     uint32_t count, struct buf *out);

/* `list` has room for `room` configurations. QN_MALFORMED: damaged; QN_UNSUPPORTED: of a newer
 * format. */
QN_MUST_USE enum qn_status configuration_page_decode(struct bytes page, uint32_t *first,
                                                     struct configuration *list, uint32_t room,
                                                     uint32_t *count);

#endif

/* A grid for tests of the client: one node that keeps its data in memory and follows the protocol's
 * rules for sessions, sequences and epochs (B.10), and can be told to misbehave.
 *
 * No I/O, no clock: a frame goes in, a frame comes out. Not thread-safe. */
#ifndef QUOIN_TESTS_CLIENT_FAKE_GRID_H
#define QUOIN_TESTS_CLIENT_FAKE_GRID_H

#include "wire/message/message.h"

enum { FAKE_TAGS_MAX = 65536, FAKE_CLUSTER = 0x51 };

struct fake_grid;

struct fake_options {
    uint32_t partition_count; /* of one service */
    uint32_t service_count;   /* 0 = 1 */
    uint32_t shard_count;
    const char *const *endpoints; /* one per shard; copied */
};

struct fake_grid *fake_grid_create(struct fake_options options);
void fake_grid_destroy(struct fake_grid *grid);

/* Answer a frame that came to a shard. QN_OK: the answer is in `out`; QN_ABSENT: there is none. */
enum qn_status fake_grid_answer(struct fake_grid *grid, struct bytes frame, struct buf *out);

/* The process ends and starts again: next incarnation, next epoch; nothing acknowledged is lost. */
void fake_grid_restart(struct fake_grid *grid);

/* Forget all sessions, as after their time to live. */
void fake_grid_expire_sessions(struct fake_grid *grid);

/* The next `count` operations (of any kind but SESSION_OPEN) are refused with `status`. */
void fake_grid_refuse(struct fake_grid *grid, enum qn_status status, size_t count);

/* All requests are refused as a whole. 0 = no more. */
void fake_grid_nak(struct fake_grid *grid, enum qn_status status);

/* Control messages of this kind are refused with `status`, in their own answer. 0 = no more. */
void fake_grid_refuse_control(struct fake_grid *grid, uint32_t kind, enum qn_status status);

/* Cursors lose their views. */
void fake_grid_forget_views(struct fake_grid *grid);

/* A value arrives damaged: the octets of all values that are stored from now on are cut. */
void fake_grid_damage(struct fake_grid *grid);

/* The latest operation of this kind, without its key and value; control messages of this kind. */
struct wire_op fake_grid_latest(const struct fake_grid *grid, uint32_t kind);
size_t fake_grid_control_count(const struct fake_grid *grid, uint32_t kind);

/* A shard listens somewhere else from now on, in the next epoch. */
void fake_grid_move(struct fake_grid *grid, uint32_t shard, const char *endpoint);

/* Belong to another cluster from now on. */
void fake_grid_change_cluster(struct fake_grid *grid);

/* How often a change whose value ends in the tag (4 octets, little-endian) took effect. */
uint32_t fake_grid_applied(const struct fake_grid *grid, uint32_t tag);

/* REQUEST messages and operations answered so far. */
size_t fake_grid_messages(const struct fake_grid *grid);
size_t fake_grid_ops(const struct fake_grid *grid);
size_t fake_grid_entries(const struct fake_grid *grid);

#endif

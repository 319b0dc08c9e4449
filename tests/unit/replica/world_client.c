#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/replica/world_parts.h"
#include "wire/assert.h"

enum { RESEND_MS = 400, READ_GONE_MS = 20000 };

static const uint8_t KEY[] = {21, 78, 1, 'k'};

static void send(struct world *world, unsigned node, struct wire_op op, uint64_t route)
{
    struct replica_stats stats;

    replica_stats(world->nodes[node].replica, &stats);
    op.id = route;
    op.partition = WORLD_PARTITION;
    op.cache = 1;
    op.lineage = 1;
    op.epoch = stats.epoch;
    op.remaining_ms = 3000;
    op.key = op.kind == WIRE_OP_SESSION_OPEN ? bytes_of(NULL, 0) : bytes_of(KEY, sizeof KEY);
    node_step(world, node,
              (struct replica_event){
                  .kind = REPLICA_REQUEST, .op = &op, .client = {{7}}, .route = route});
}

/* -- the writer -- */

static void send_write(struct world *world, unsigned node)
{
    char text[32];
    struct wire_op op = {
        .kind = world->session == 0   ? WIRE_OP_SESSION_OPEN
                : world->version == 0 ? WIRE_OP_PUT
                                      : WIRE_OP_REPLACE,
        .session = world->session,
        .sequence = world->sequence,
        .first_incomplete = world->sequence,
        .expected_version = world->version,
    };

    if (world->session > 0) {
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)world->sent);
        op.value = bytes_of_text(text);
    }
    world->resend_ms = world->now_ms + RESEND_MS;
    world->write_route = ++world->next_route;
    send(world, node, op, world->write_route);
}

static void write_on(struct world *world)
{
    unsigned node = (unsigned)world_draw(world, WORLD_NODES);

    if (world_chance(world, 700)) {
        node = world->configuration.leader - 1;
    }
    if (!world->waiting && world->session > 0) {
        world->sequence++;
        world->sent++;
    }
    if (!world->waiting || world->now_ms >= world->resend_ms) {
        world->waiting = true;
        if (world->nodes[node].up) {
            send_write(world, node);
        }
    }
}

static void wrote(struct world *world, const struct wire_result *result)
{
    switch (result->status) {
    case QN_OK:
        break;
    case QN_CONFLICT:
    case QN_ABSENT:
    case QN_EXISTS:
    case QN_STALE_SEQ:
    case QN_SESSION_EXPIRED:
        world_violate(world, "write %llu ended with %s: one was lost, or took effect twice",
                      (unsigned long long)world->sent, qn_status_name(result->status));
        return;
    default: /* it is sent again, under the same number */
        world->resend_ms = world->now_ms + 20;
        return;
    }
    world->waiting = false;
    if (world->session == 0) {
        world->session = result->session;
        return;
    }
    world->acked = world->sent;
    world->version = result->version;
    world->floor = world->acked > world->floor ? world->acked : world->floor;
    world->figures.writes++;
}

/* -- readers -- */

static void read_some(struct world *world)
{
    unsigned node = (unsigned)world_draw(world, WORLD_NODES);
    bool weak = world_chance(world, 300);
    struct wire_op op = {.kind = WIRE_OP_GET,
                         .read_level = weak ? WIRE_READ_EVENTUAL : WIRE_READ_LINEARIZABLE};

    if (!world->nodes[node].up || world->read_count == sizeof world->reads / sizeof *world->reads) {
        return;
    }
    world->reads[world->read_count++] = (struct read){
        .route = ++world->next_route,
        .least = world->floor,
        .weak = weak,
        .gone_ms = world->now_ms + READ_GONE_MS,
    };
    send(world, node, op, world->next_route);
}

static uint64_t number_in(struct bytes value)
{
    uint64_t number = 0;

    for (size_t i = 0; i < value.size; i++) {
        number = number * 10 + (uint64_t)(value.data[i] - '0');
    }
    return number;
}

static void was_read(struct world *world, unsigned node, const struct read *read,
                     const struct wire_result *result)
{
    uint64_t seen = result->status == QN_OK ? number_in(result->value) : 0;

    if (result->status != QN_OK && result->status != QN_ABSENT) {
        return;
    }
    if (seen > world->sent) {
        world_violate(world, "a read gave %llu, which was never written", (unsigned long long)seen);
    } else if (!read->weak && seen < read->least) {
        world_violate(world, "stale: node %u gave %llu, %llu was there before", node + 1,
                      (unsigned long long)seen, (unsigned long long)read->least);
    }
    world->floor = seen > world->floor ? seen : world->floor; /* nobody sees what may vanish */
    world->figures.reads += !read->weak;
    world->figures.weak_reads += read->weak;
}

void client_reply(struct world *world, unsigned node, uint64_t route,
                  const struct wire_result *result)
{
    if (route == world->write_route && world->waiting) {
        wrote(world, result);
        return;
    }
    for (size_t i = 0; i < world->read_count; i++) {
        if (world->reads[i].route == route) {
            struct read read = world->reads[i];
            world->reads[i] = world->reads[--world->read_count];
            was_read(world, node, &read, result);
            return;
        }
    }
}

void client_run(struct world *world)
{
    for (size_t i = world->read_count; i > 0; i--) {
        if (world->reads[i - 1].gone_ms <= world->now_ms) {
            world->reads[i - 1] = world->reads[--world->read_count];
        }
    }
    write_on(world);
    if (world_chance(world, 300)) {
        read_some(world);
    }
}

#include "tests/unit/replica/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/replica/world_parts.h"
#include "wire/assert.h"

uint64_t world_draw(struct world *world, uint64_t below)
{
    uint64_t x = world->random += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return below == 0 ? 0 : (x ^ x >> 31) % below;
}

bool world_chance(struct world *world, unsigned of_1000)
{
    return world_draw(world, 1000) < of_1000;
}

void world_violate(struct world *world, const char *format, ...)
{
    va_list arguments;

    if (world->violation[0] != 0) {
        return;
    }
    int size = snprintf(world->violation, VIOLATION_MAX,
                        "seed %llu, %lld ms: ", (unsigned long long)world->options.seed,
                        (long long)world->now_ms);
    va_start(arguments, format);
    (void)vsnprintf(world->violation + size, VIOLATION_MAX - (size_t)size, format, arguments);
    va_end(arguments);
}

struct world *world_create(const struct world_options *options)
{
    static const uint16_t nodes[] = {1, 2, 3};
    struct world *world = calloc(1, sizeof *world);

    qn_assert(world);
    world->options = *options;
    world->random = options->seed;
    world->now_ms = 100000;
    world->coordinate = true;
    enum qn_status status = configuration_first(nodes, WORLD_NODES, &world->configuration);
    qn_assert(status == QN_OK);
    for (unsigned i = 0; i < WORLD_NODES; i++) {
        world->nodes[i].clean = true;
        node_start(world, i);
    }
    return world;
}

void world_destroy(struct world *world)
{
    for (unsigned i = 0; i < WORLD_NODES; i++) {
        node_fini(world, i);
    }
    net_fini(world);
    free(world);
}

/* -- faults -- */

/* The memory service survives the loss of one copy while the others are complete. */
static bool may_crash(const struct world *world)
{
    unsigned whole = 0;

    for (unsigned i = 0; i < WORLD_NODES; i++) {
        whole += world->nodes[i].up && world->nodes[i].clean;
    }
    return !world->options.memory ||
           (whole == WORLD_NODES && replica_set_count(world->configuration.isr) == WORLD_NODES);
}

static void cut_some(struct world *world)
{
    memset(world->cut, 0, sizeof world->cut);
    if (world_chance(world, 400)) {
        return;
    }
    for (unsigned i = 0; i < WORLD_NODES; i++) {
        for (unsigned k = 0; k < WORLD_NODES; k++) {
            world->cut[i][k] = i != k && world_chance(world, 300);
        }
    }
}

static void faults_run(struct world *world)
{
    for (unsigned i = 0; i < WORLD_NODES; i++) {
        struct node *node = &world->nodes[i];
        if (node->up && may_crash(world) && world_draw(world, 4000) == 0) {
            world_crash(world, i, true);
            node->back_ms = world->now_ms + (int64_t)world_draw(world, 6000);
        } else if (!node->up && world->now_ms >= node->back_ms) {
            world_restart(world, i);
        }
    }
    if (world_draw(world, 3000) == 0) {
        cut_some(world);
    }
    if (world_draw(world, 8000) == 0) {
        world->coordinate = !world->coordinate;
    }
}

void world_crash(struct world *world, unsigned node, bool lose_tail)
{
    if (world->nodes[node].up) {
        node_stop(world, node, lose_tail);
        world->nodes[node].back_ms = INT64_MAX;
    }
}

void world_restart(struct world *world, unsigned node)
{
    if (!world->nodes[node].up) {
        node_start(world, node);
    }
}

void world_cut(struct world *world, unsigned from, unsigned to, bool cut)
{
    world->cut[from][to] = cut;
}

void world_coordinate(struct world *world, bool can)
{
    world->coordinate = can;
}

void world_heal(struct world *world)
{
    world->options.faults = false;
    world->coordinate = true;
    memset(world->cut, 0, sizeof world->cut);
    for (unsigned i = 0; i < WORLD_NODES; i++) {
        world_restart(world, i);
    }
}

void world_rest(struct world *world)
{
    world->resting = true;
}

bool world_run(struct world *world, int64_t ms)
{
    int64_t end_ms = world->now_ms + ms;

    while (world->now_ms < end_ms && world->violation[0] == 0) {
        world->now_ms++;
        net_run(world);
        for (unsigned i = 0; i < WORLD_NODES; i++) {
            if (world->nodes[i].up) {
                node_run(world, i);
            }
        }
        control_run(world);
        if (world->now_ms % 5 == 0 && !world->resting) {
            client_run(world);
        }
        if (world->options.faults) {
            faults_run(world);
        }
    }
    return world->violation[0] == 0;
}

bool world_equal(struct world *world)
{
    struct replica_digest first;

    for (unsigned i = 0; i < WORLD_NODES; i++) {
        struct replica_stats stats;
        struct replica_digest digest;
        if (!world->nodes[i].up) {
            return false;
        }
        replica_stats(world->nodes[i].replica, &stats);
        replica_inspect(world->nodes[i].replica, &digest);
        if (stats.commit_index != world->committed_count) {
            return false;
        }
        if (i == 0) {
            first = digest;
        } else if (digest.entries != first.entries || digest.sessions != first.sessions) {
            return false;
        }
    }
    return true;
}

const char *world_violation(const struct world *world)
{
    return world->violation;
}

struct world_figures world_figures(const struct world *world)
{
    return world->figures;
}

struct replica_stats world_stats(const struct world *world, unsigned node)
{
    struct replica_stats stats;

    replica_stats(world->nodes[node].replica, &stats);
    return stats;
}

const struct configuration *world_configuration(const struct world *world)
{
    return &world->configuration;
}

/* The coordination service and a simple controller. */
#include "tests/unit/replica/world_parts.h"
#include "wire/assert.h"

enum { HOLD_DOWN_MS = 1000 };

static uint32_t incarnation_of(const struct world *world, uint32_t node)
{
    return world->nodes[node - 1].incarnation;
}

static void write_configuration(struct world *world, const struct configuration *next)
{
    const char *why = "";

    if (!configuration_legal(&world->configuration, next, world->options.min_isr, &why)) {
        world_violate(world, "an illegal change of the configuration: %s", why);
    }
    world->configuration = *next;
}

void control_propose(struct world *world, unsigned by, const struct replica_action *action)
{
    if (world->proposal_count == sizeof world->proposals / sizeof *world->proposals) {
        return;
    }
    world->proposals[world->proposal_count++] = (struct proposal){
        .by = by,
        .at_ms =
            world->now_ms + 1 + (int64_t)world_draw(world, 50) +
            (world->options.faults && world_chance(world, 100) ? (int64_t)world_draw(world, 5000)
                                                               : 0),
        .next = action->configuration,
        .checked = action->to,
        .checked_incarnation = action->to_incarnation,
        .answer_lost = world->options.faults && world_chance(world, 200),
    };
}

static void decide(struct world *world, const struct proposal *proposal)
{
    bool current = proposal->next.version == world->configuration.version + 1 &&
                   (proposal->checked == 0 ||
                    (incarnation_of(world, proposal->checked) == proposal->checked_incarnation &&
                     world->nodes[proposal->checked - 1].up));

    if (!world->coordinate) {
        return; /* lost on the way there */
    }
    if (current) {
        write_configuration(world, &proposal->next);
    }
    if (!world->nodes[proposal->by].up) {
        return;
    }
    enum qn_status status = proposal->answer_lost ? QN_INDETERMINATE
                            : current             ? QN_OK
                                                  : QN_CONFLICT;
    node_step(world, proposal->by,
              (struct replica_event){.kind = REPLICA_PROPOSED, .status = status});
}

static bool alive(const struct world *world, const struct configuration *configuration, int place)
{
    const struct node *node = &world->nodes[configuration->replicas[place] - 1];

    return node->up && node->clean;
}

/* Members of a set that run and are clean. */
static replica_set living(const struct world *world, replica_set set)
{
    replica_set found = 0;

    for (int i = 0; i < world->configuration.replica_count; i++) {
        if (replica_set_has(set, (unsigned)i) && alive(world, &world->configuration, i)) {
            found |= (replica_set)(1u << i);
        }
    }
    return found;
}

static replica_set unclean(const struct world *world)
{
    replica_set found = 0;

    for (int i = 0; i < world->configuration.replica_count; i++) {
        if (!world->nodes[world->configuration.replicas[i] - 1].clean) {
            found |= (replica_set)(1u << i);
        }
    }
    return found;
}

static void elect(struct world *world)
{
    const struct configuration *now = &world->configuration;
    replica_set candidates = living(world, now->isr);
    bool from_elr = candidates == 0;
    struct configuration next;

    if (from_elr) {
        candidates = living(world, now->elr);
    }
    if (candidates == 0) {
        return;
    }
    int place = (int)world_draw(world, now->replica_count);
    while (!replica_set_has(candidates, (unsigned)place)) {
        place = (place + 1) % now->replica_count;
    }
    replica_set isr = world_chance(world, 500) ? now->isr : living(world, now->isr);
    uint32_t node = now->replicas[place];
    if (configuration_elect(now, node, incarnation_of(world, node), isr, from_elr, unclean(world),
                            world->options.min_isr, &next) == QN_OK) {
        write_configuration(world, &next);
        world->elected_ms = world->now_ms;
    }
}

/* Unclean copies leave ISR and ELR, and are then like new ones. */
static void clean_up(struct world *world)
{
    const struct configuration *now = &world->configuration;
    struct configuration next;

    for (unsigned i = 0; i < WORLD_NODES; i++) {
        struct node *node = &world->nodes[i];
        if (!node->up || node->clean) {
            continue;
        }
        if (configuration_unclean(now, i + 1, world->options.min_isr, &next) == QN_OK) {
            write_configuration(world, &next);
            return;
        }
        bool named = now->leader == i + 1 || configuration_in(now, now->isr | now->elr, i + 1);
        node->clean = node->clean || (!named && node->role == REPLICA_FOLLOWER);
    }
}

static bool leader_is_lost(const struct world *world)
{
    const struct configuration *now = &world->configuration;
    const struct node *leader = &world->nodes[now->leader - 1];

    return !leader->up || leader->incarnation != now->leader_incarnation;
}

void control_run(struct world *world)
{
    for (size_t i = 0; i < world->proposal_count;) {
        struct proposal proposal = world->proposals[i];
        if (proposal.at_ms > world->now_ms) {
            i++;
            continue;
        }
        world->proposals[i] = world->proposals[--world->proposal_count];
        decide(world, &proposal);
    }
    if (!world->coordinate || world->now_ms % 50 != 0) {
        return;
    }
    clean_up(world);
    bool suspected = world->options.faults && world_chance(world, 3);
    if ((leader_is_lost(world) || suspected) && world->now_ms - world->elected_ms >= HOLD_DOWN_MS) {
        elect(world);
    }
}

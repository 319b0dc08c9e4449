#include <stdlib.h>

#include "tests/unit/replica/world_parts.h"
#include "wire/assert.h"

static struct letter *post(struct world *world, unsigned from, unsigned to,
                           const struct wire_peer *peer)
{
    struct letter *letter = calloc(1, sizeof *letter);

    qn_assert(letter && peer->history_count <= WIRE_HISTORY_MAX);
    letter->from = from;
    letter->to = to;
    letter->from_incarnation = world->nodes[from].incarnation;
    letter->to_incarnation = world->nodes[to].incarnation;
    letter->at_ms = world->now_ms + 1 + (int64_t)world_draw(world, 5);
    if (world->options.faults && world_chance(world, 20)) {
        letter->at_ms += (int64_t)world_draw(world, 3000); /* kept in some queue */
    }
    letter->peer = *peer;
    if (peer->history_count > 0) {
        memcpy(letter->history, peer->history, peer->history_count * sizeof *peer->history);
    }
    letter->peer.history = letter->history;
    enum qn_status status = buf_append(&letter->body, peer->body.data, peer->body.size);
    qn_assert(status == QN_OK);
    letter->peer.body = buf_bytes(&letter->body);
    if (world->letter_count == world->letter_capacity) {
        world->letter_capacity = world->letter_capacity * 2 + 64;
        world->letters = realloc(world->letters, world->letter_capacity * sizeof *world->letters);
        qn_assert(world->letters);
    }
    world->letters[world->letter_count++] = letter;
    return letter;
}

static bool lost(struct world *world, unsigned from, unsigned to)
{
    return to >= WORLD_NODES || world->cut[from][to] ||
           (world->options.faults && world_chance(world, 20));
}

void net_send(struct world *world, unsigned from, unsigned to, uint32_t to_incarnation,
              const struct wire_peer *peer)
{
    bool twice = world->options.faults && world_chance(world, 20);

    for (int i = 0; i <= twice; i++) {
        if (!lost(world, from, to)) {
            struct letter *letter = post(world, from, to, peer);
            if (to_incarnation != 0) {
                letter->to_incarnation = to_incarnation;
            }
        }
    }
}

void net_send_snapshot(struct world *world, unsigned from, unsigned to, const struct saved *saved)
{
    struct wire_peer peer = {.body = buf_bytes(&saved->octets)};

    if (!lost(world, from, to)) {
        struct letter *letter = post(world, from, to, &peer);
        letter->kind = LETTER_SNAPSHOT;
        letter->snapshot = saved->head;
        letter->at_ms += (int64_t)world_draw(world, 300);
    }
}

void net_beacon(struct world *world, unsigned i)
{
    for (unsigned to = 0; to < WORLD_NODES; to++) {
        struct wire_peer row;
        size_t count = grants_beacon(world->nodes[i].grants, to + 1, world->now_ms, &row, 1);
        if (to == i || count == 0 || lost(world, i, to)) {
            continue;
        }
        struct letter *letter = post(world, i, to, &row);
        letter->kind = LETTER_BEACON;
        letter->sent_ms = world->now_ms;
    }
}

static void beacon(struct world *world, const struct letter *letter)
{
    struct node *node = &world->nodes[letter->to];
    bool granted = grants_receive(node->grants, letter->from + 1, &letter->peer, world->now_ms);

    if (lost(world, letter->to, letter->from)) {
        return;
    }
    struct letter *answer = post(world, letter->to, letter->from, &letter->peer);
    answer->kind = LETTER_ANSWER;
    answer->sent_ms = letter->sent_ms;
    answer->clock_ms = world->now_ms;
    answer->refused = !granted;
}

static void deliver(struct world *world, const struct letter *letter)
{
    struct node *node = &world->nodes[letter->to];

    if (!node->up || node->incarnation != letter->to_incarnation) {
        return;
    }
    switch (letter->kind) {
    case LETTER_PEER:
        node_step(world, letter->to,
                  (struct replica_event){.kind = REPLICA_PEER,
                                         .from = letter->from + 1,
                                         .from_incarnation = letter->from_incarnation,
                                         .peer = &letter->peer});
        break;
    case LETTER_BEACON:
        beacon(world, letter);
        break;
    case LETTER_SNAPSHOT:
        node_install(world, letter->to, letter->from, &letter->snapshot, letter->peer.body);
        break;
    case LETTER_ANSWER:
        grants_acknowledge(node->grants, letter->from + 1, letter->sent_ms, letter->clock_ms,
                           &letter->peer, 1, &letter->peer, letter->refused);
        break;
    }
}

static void burn(struct letter *letter)
{
    buf_fini(&letter->body);
    free(letter);
}

void net_run(struct world *world)
{
    for (size_t i = 0; i < world->letter_count;) {
        struct letter *letter = world->letters[i];
        if (letter->at_ms > world->now_ms) {
            i++;
            continue;
        }
        world->letters[i] = world->letters[--world->letter_count];
        deliver(world, letter);
        burn(letter);
    }
}

void net_fini(struct world *world)
{
    while (world->letter_count > 0) {
        burn(world->letters[--world->letter_count]);
    }
    free(world->letters);
}

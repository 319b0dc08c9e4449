#include "tests/model/frontier.h"

enum { CHUNK_STATES = 1024 };

/* States do not move: one may be read while others are pushed. */
struct frontier_chunk {
    struct frontier_chunk *next;
    struct state states[CHUNK_STATES];
};

static bool add_chunk(struct frontier *frontier)
{
    struct frontier_chunk *chunk = memory_take(frontier->memory, sizeof *chunk);
    if (chunk == NULL) {
        return false;
    }
    if (frontier->last == NULL) {
        frontier->first = chunk;
    } else {
        frontier->last->next = chunk;
    }
    frontier->last = chunk;
    return true;
}

static void drop_chunk(struct frontier *frontier)
{
    struct frontier_chunk *chunk = frontier->first;
    frontier->first = chunk->next;
    if (frontier->first == NULL) {
        frontier->last = NULL;
    }
    memory_give(frontier->memory, chunk, sizeof *chunk);
}

bool frontier_push(struct frontier *frontier, const struct state *state)
{
    size_t index = frontier->pushed % CHUNK_STATES;
    if (index == 0 && !add_chunk(frontier)) {
        return false;
    }
    frontier->last->states[index] = *state;
    frontier->pushed++;
    return true;
}

/* The chunk before is dropped late, since its last state was still in use. */
const struct state *frontier_pop(struct frontier *frontier)
{
    size_t index = frontier->popped % CHUNK_STATES;
    if (frontier->popped == frontier->pushed) {
        return NULL;
    }
    if (index == 0 && frontier->popped > 0) {
        drop_chunk(frontier);
    }
    frontier->popped++;
    return &frontier->first->states[index];
}

void frontier_fini(struct frontier *frontier)
{
    while (frontier->first != NULL) {
        drop_chunk(frontier);
    }
}

/* The states that are found and not yet expanded, first in, first out. */
#ifndef QUOIN_TESTS_MODEL_FRONTIER_H
#define QUOIN_TESTS_MODEL_FRONTIER_H

#include "tests/model/memory.h"
#include "tests/model/state.h"

struct frontier_chunk;

/* All zero but `memory` to begin with. */
struct frontier {
    struct memory *memory; /* borrowed for the life of the frontier */
    struct frontier_chunk *first;
    struct frontier_chunk *last;
    size_t pushed; /* states, ever */
    size_t popped; /* states, ever */
};

/* Copy a state to the end; false if there is no memory. */
bool frontier_push(struct frontier *frontier, const struct state *state);

/* Take the first one, valid until the next frontier_pop; NULL if there is none. */
const struct state *frontier_pop(struct frontier *frontier);

void frontier_fini(struct frontier *frontier);

#endif

/* Where each state came from, so that the way to it can be told. */
#ifndef QUOIN_TESTS_MODEL_HISTORY_H
#define QUOIN_TESTS_MODEL_HISTORY_H

#include "tests/model/memory.h"
#include "tests/model/search.h"

enum {
    HISTORY_CHUNK_LINKS = 1 << 16,
    HISTORY_CHUNKS_MAX = 1 << 15,
};

/* So many states can be told apart. */
static const uint64_t history_states_max = (uint64_t)HISTORY_CHUNK_LINKS * HISTORY_CHUNKS_MAX;

struct link {
    uint32_t parent; /* number of a state, in the order in which they were found; the start is 0 */
    struct step step;
};

/* All zero but `memory` to begin with. */
struct history {
    struct memory *memory; /* borrowed for the life of the history */
    struct link *chunks[HISTORY_CHUNKS_MAX];
    size_t count;
};

/* The next state, by its number, came so; false if there is no memory. */
bool history_add(struct history *history, struct link link);

/* The way from the start to state `number` and one step more. */
void history_trace(const struct history *history, uint32_t number, struct step last,
                   struct trace *trace);

void history_fini(struct history *history);

#endif

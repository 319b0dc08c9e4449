/* Random walks. All successors of each state on the way are checked, not only the one taken. */
#include <stdlib.h>

#include "tests/model/search.h"

enum { WALK_LENGTH = 200, TRIES_FOR_COMMON = 6 };

/* splitmix64: a counter, mixed. */
static uint64_t draw(uint64_t *random)
{
    uint64_t z = (*random += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* The first violation among the successors; `index` says which. */
static enum violation judge(const struct successors *next, size_t *index)
{
    for (size_t i = 0; i < next->count; i++) {
        enum violation violation = next->list[i].violation;
        if (violation == VIOLATION_NONE) {
            violation = check_state(&next->list[i].state, next->rules);
        }
        if (violation != VIOLATION_NONE) {
            *index = i;
            return violation;
        }
    }
    return VIOLATION_NONE;
}

/* Elections, crashes and removals are common among the steps that are possible. A walk that took
 * them as often would spend its bounds before anything is replicated. */
static size_t choose(const struct successors *next, uint64_t *random)
{
    size_t index = 0;
    for (unsigned i = 0; i < TRIES_FOR_COMMON; i++) {
        index = (size_t)(draw(random) % next->count);
        if (!step_is_rare(next->list[index].step)) {
            break;
        }
    }
    return index;
}

/* Take one step; false at the end of the walk, be it by a violation. */
static bool advance(struct successors *next, struct state *state, uint64_t *random,
                    struct search_result *result)
{
    size_t index = 0;
    steps_from(next, next->rules, state);
    if (next->count == 0) {
        return false;
    }
    result->violation = judge(next, &index);
    if (result->violation == VIOLATION_NONE) {
        index = choose(next, random);
    }
    result->trace.steps[result->trace.count++] = next->list[index].step;
    *state = next->list[index].state;
    result->states++;
    result->transitions += next->count;
    return result->violation == VIOLATION_NONE;
}

static void walk(struct successors *next, const struct state *start, uint64_t *random,
                 struct search_result *result)
{
    struct state state = *start;
    result->walks++;
    result->trace.count = 0;
    while (result->trace.count < WALK_LENGTH && advance(next, &state, random, result)) {
    }
    result->committed += state.committed_length;
}

void search_walks(const struct search_options *options, struct search_result *result)
{
    struct successors *next = calloc(1, sizeof *next);
    uint64_t random = options->seed;
    *result = (struct search_result){.outcome = next == NULL ? OUTCOME_MEMORY : OUTCOME_CLEAN};
    if (next == NULL) {
        return;
    }
    next->rules = options->rules;
    while (result->states < options->steps_max && result->outcome == OUTCOME_CLEAN) {
        uint64_t before = result->states;
        walk(next, options->start, &random, result);
        if (result->violation != VIOLATION_NONE) {
            result->outcome = OUTCOME_VIOLATION;
        } else if (result->states == before) {
            break; /* nothing can happen */
        }
    }
    free(next);
}

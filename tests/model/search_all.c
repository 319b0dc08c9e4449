/* Breadth first, so that the first violation has the shortest way to it.
 *
 * Of a state only its fingerprint stays, and where it came from. The state itself is kept until it
 * is expanded. */
#include <stdlib.h>

#include "tests/model/frontier.h"
#include "tests/model/history.h"
#include "tests/model/search.h"
#include "tests/model/seen.h"

struct search {
    const struct search_options *options;
    struct search_result *result;
    struct memory memory;
    struct seen seen;
    struct history history;
    struct frontier frontier;
    struct successors successors; /* of the state that is being expanded */
};

static void end_with_violation(struct search *search, uint32_t number, struct step last,
                               enum violation violation)
{
    history_trace(&search->history, number, last, &search->result->trace);
    search->result->violation = violation;
    search->result->outcome = OUTCOME_VIOLATION;
}

static bool keep(struct search *search, const struct state *state, struct link link)
{
    return history_add(&search->history, link) && frontier_push(&search->frontier, state);
}

/* Invariants are looked at when a state is new; what a step breaks is looked at each time. */
static void meet(struct search *search, uint32_t parent, const struct successor *to)
{
    search->result->transitions++;
    if (to->violation != VIOLATION_NONE) {
        end_with_violation(search, parent, to->step, to->violation);
        return;
    }
    enum seen_result seen = seen_add(&search->seen, fingerprint_of(&to->state, sizeof to->state));
    if (seen == SEEN_BEFORE) {
        return;
    }
    enum violation violation = check_state(&to->state, search->options->rules);
    if (violation != VIOLATION_NONE) {
        end_with_violation(search, parent, to->step, violation);
    } else if (seen == SEEN_NO_MEMORY ||
               !keep(search, &to->state, (struct link){.parent = parent, .step = to->step})) {
        search->result->outcome = OUTCOME_MEMORY;
    }
}

static bool goes_on(const struct search *search)
{
    return search->result->outcome == OUTCOME_CLEAN;
}

static void expand(struct search *search, uint32_t number, const struct state *state)
{
    struct successors *next = &search->successors;
    steps_from(next, search->options->rules, state);
    for (size_t i = 0; i < next->count && goes_on(search); i++) {
        meet(search, number, &next->list[i]);
    }
    bool too_many = search->seen.count > search->options->states_max ||
                    search->seen.count + SUCCESSORS_MAX > history_states_max;
    if (too_many && goes_on(search)) {
        search->result->outcome = OUTCOME_STATES;
    }
}

/* States are numbered in the order in which they are found, which is that of their expansion. */
static void run(struct search *search)
{
    const struct state *state = NULL;
    size_t deeper = 1; /* number of the first state that is one step further away */
    while (goes_on(search) && (state = frontier_pop(&search->frontier)) != NULL) {
        size_t number = search->frontier.popped - 1;
        if (number == deeper) {
            search->result->depth++;
            deeper = search->frontier.pushed;
        }
        expand(search, (uint32_t)number, state);
    }
}

static bool begin(struct search *search)
{
    const struct state *start = search->options->start;
    search->memory.max_bytes = search->options->memory_max_bytes;
    search->history.memory = &search->memory;
    search->frontier.memory = &search->memory;
    return seen_init(&search->seen, &search->memory) &&
           seen_add(&search->seen, fingerprint_of(start, sizeof *start)) == SEEN_NEW &&
           keep(search, start, (struct link){0});
}

void search_all(const struct search_options *options, struct search_result *result)
{
    struct search *search = calloc(1, sizeof *search);
    *result = (struct search_result){.outcome = OUTCOME_MEMORY};
    if (search == NULL) {
        return;
    }
    search->options = options;
    search->result = result;
    if (begin(search)) {
        result->outcome = OUTCOME_CLEAN;
        run(search);
    }
    result->states = search->seen.count;
    seen_fini(&search->seen);
    history_fini(&search->history);
    frontier_fini(&search->frontier);
    free(search);
}

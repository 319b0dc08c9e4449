/* Breadth first, so that the first violation has the shortest way to it.
 *
 * Of a state only the fingerprint stays, and a link: the state it came from and the step. The
 * states themselves are kept for the level that is being expanded and the next one. */
#include <stdlib.h>

#include "tests/model/search.h"
#include "tests/model/seen.h"
#include "wire/assert.h"

struct link {
    uint32_t parent; /* number of a state, in the order of their discovery; the start is 0 */
    struct step step;
};

struct level {
    struct state *states; /* owned */
    size_t count;
    size_t capacity;
    uint32_t first; /* number of states[0]; the others follow */
};

struct search {
    const struct search_options *options;
    struct search_result *result;
    struct seen seen;
    struct link *links; /* owned; by number of state */
    size_t link_capacity;
    struct level level;
    struct level next;
    struct successors *successors; /* owned */
};

/* The list with room for one more item, or NULL if there is no memory: then it is as it was. */
static void *with_room(void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity) {
        return items;
    }
    size_t larger = *capacity ? *capacity * 2 : 1024;
    void *moved = realloc(items, larger * item_size);
    if (moved != NULL) {
        *capacity = larger;
    }
    return moved;
}

static size_t memory_bytes(const struct search *search)
{
    return search->seen.capacity * sizeof *search->seen.slots +
           search->link_capacity * sizeof *search->links +
           (search->level.capacity + search->next.capacity) * sizeof(struct state);
}

static bool keep_link(struct search *search, struct link link)
{
    size_t number = search->seen.count - 1;
    struct link *links = with_room(search->links, number, &search->link_capacity, sizeof link);
    if (links == NULL) {
        return false;
    }
    search->links = links;
    links[number] = link;
    return true;
}

static bool keep_state(struct level *next, const struct state *state)
{
    struct state *states = with_room(next->states, next->count, &next->capacity, sizeof *state);
    if (states == NULL) {
        return false;
    }
    next->states = states;
    states[next->count++] = *state;
    return true;
}

static bool keep(struct search *search, const struct state *state, struct link link)
{
    return keep_link(search, link) && keep_state(&search->next, state);
}

static void fail(struct search *search, enum outcome outcome)
{
    search->result->outcome = outcome;
}

/* The way to state `number`, and one step more. */
static void fail_with_trace(struct search *search, uint32_t number, struct step last,
                            enum violation violation)
{
    struct trace *trace = &search->result->trace;
    size_t count = 1;
    for (uint32_t i = number; i > 0; i = search->links[i].parent) {
        count++;
    }
    qn_assert(count <= STEPS_MAX);
    trace->count = count;
    trace->steps[--count] = last;
    for (uint32_t i = number; i > 0; i = search->links[i].parent) {
        trace->steps[--count] = search->links[i].step;
    }
    search->result->violation = violation;
    fail(search, OUTCOME_VIOLATION);
}

static void meet(struct search *search, uint32_t parent, const struct successor *to)
{
    search->result->transitions++;
    if (to->violation != VIOLATION_NONE) {
        fail_with_trace(search, parent, to->step, to->violation);
        return;
    }
    enum seen_result seen = seen_add(&search->seen, fingerprint_of(&to->state, sizeof to->state));
    if (seen == SEEN_BEFORE) {
        return;
    }
    enum violation violation = check_state(&to->state, search->options->rules);
    if (violation != VIOLATION_NONE) {
        fail_with_trace(search, parent, to->step, violation);
    } else if (seen == SEEN_NO_MEMORY ||
               !keep(search, &to->state, (struct link){.parent = parent, .step = to->step})) {
        fail(search, OUTCOME_MEMORY);
    }
}

static bool goes_on(const struct search *search)
{
    return search->result->outcome == OUTCOME_CLEAN;
}

static void expand(struct search *search, size_t index)
{
    struct successors *next = search->successors;
    steps_from(next, search->options->rules, &search->level.states[index]);
    for (size_t i = 0; i < next->count && goes_on(search); i++) {
        meet(search, search->level.first + (uint32_t)index, &next->list[i]);
    }
    if (!goes_on(search)) {
        return;
    }
    if (search->seen.count > search->options->states_max || search->seen.count > UINT32_MAX / 2) {
        fail(search, OUTCOME_STATES);
    } else if (memory_bytes(search) > search->options->memory_max_bytes) {
        fail(search, OUTCOME_MEMORY);
    }
}

/* The next level becomes the one to expand; its memory goes the other way. */
static void descend(struct search *search)
{
    struct level done = search->level;
    search->level = search->next;
    search->next = done;
    search->next.count = 0;
    search->next.first = (uint32_t)search->seen.count;
}

static void run(struct search *search)
{
    descend(search);
    while (search->level.count > 0) {
        for (size_t i = 0; i < search->level.count; i++) {
            expand(search, i);
            if (!goes_on(search)) {
                return;
            }
        }
        descend(search);
        search->result->depth += search->level.count > 0;
    }
}

static bool begin(struct search *search)
{
    const struct state *start = search->options->start;
    search->successors = calloc(1, sizeof *search->successors);
    return search->successors != NULL && seen_init(&search->seen) &&
           seen_add(&search->seen, fingerprint_of(start, sizeof *start)) == SEEN_NEW &&
           keep(search, start, (struct link){0});
}

void search_all(const struct search_options *options, struct search_result *result)
{
    struct search search = {.options = options, .result = result};
    *result = (struct search_result){.outcome = OUTCOME_CLEAN};
    if (begin(&search)) {
        run(&search);
    } else {
        fail(&search, OUTCOME_MEMORY);
    }
    result->states = search.seen.count;
    seen_fini(&search.seen);
    free(search.links);
    free(search.level.states);
    free(search.next.states);
    free(search.successors);
}

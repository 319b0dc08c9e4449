/* A search can begin at a chosen state: the one that given steps lead to. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/search.h"

/* What the step breaks counts here as in a search: a trace that is taken again ends as it did. */
static void take(const struct rules *rules, struct state *state, const struct successor *to,
                 struct search_result *result)
{
    *state = to->state;
    result->trace.steps[result->trace.count++] = to->step;
    result->violation = to->violation;
    if (result->violation == VIOLATION_NONE) {
        result->violation = check_state(state, rules);
    }
    if (result->violation != VIOLATION_NONE) {
        result->outcome = OUTCOME_VIOLATION;
    }
}

static bool take_matching(struct successors *next, struct state *state, const char *text,
                          struct search_result *result)
{
    const struct state from = *state;
    char line[STEP_TEXT_MAX];
    steps_from(next, next->rules, &from);
    for (size_t i = 0; i < next->count; i++) {
        step_text(next->list[i].step, line);
        if (strncmp(line, text, strlen(text)) == 0 && result->trace.count < STEPS_MAX) {
            take(next->rules, state, &next->list[i], result);
            return true;
        }
    }
    return false;
}

bool search_take(const struct rules *rules, struct state *state, const char *text,
                 struct search_result *result)
{
    struct successors *next = calloc(1, sizeof *next);
    bool found = false;
    if (next != NULL) {
        next->rules = rules;
        found = take_matching(next, state, text, result);
    }
    free(next);
    return found;
}

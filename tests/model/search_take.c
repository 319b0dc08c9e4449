/* A search can begin at a chosen state: the one that given steps lead to. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/search.h"

static bool take_matching(struct successors *next, struct state *state, const char *text,
                          struct trace *trace)
{
    char line[STEP_TEXT_MAX];
    steps_from(next, next->rules, state);
    for (size_t i = 0; i < next->count; i++) {
        step_text(next->list[i].step, line);
        if (strncmp(line, text, strlen(text)) == 0 && trace->count < STEPS_MAX) {
            *state = next->list[i].state;
            trace->steps[trace->count++] = next->list[i].step;
            return true;
        }
    }
    return false;
}

bool search_take(const struct rules *rules, struct state *state, const char *text,
                 struct trace *trace)
{
    struct successors *next = calloc(1, sizeof *next);
    bool found = false;
    if (next != NULL) {
        struct state from = *state;
        next->rules = rules;
        found = take_matching(next, &from, text, trace);
        *state = from;
    }
    free(next);
    return found;
}

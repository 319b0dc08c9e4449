/* Two ways through the states: all of them, nearest first, or random walks.
 *
 * The first finds the shortest counterexample and, when it comes to an end, has shown that there is
 * none within the bounds. The second goes deep where the first would not end. */
#ifndef QUOIN_TESTS_MODEL_SEARCH_H
#define QUOIN_TESTS_MODEL_SEARCH_H

#include "tests/model/step.h"

enum outcome {
    OUTCOME_CLEAN,     /* all was searched that was asked for */
    OUTCOME_VIOLATION, /* `trace` leads there */
    OUTCOME_STATES,    /* ended by `states_max` */
    OUTCOME_MEMORY,    /* ended by `memory_max_bytes`, or there was no memory */
};

enum { STEPS_MAX = 512 };

struct trace {
    size_t count;
    struct step steps[STEPS_MAX];
};

struct search_options {
    const struct rules *rules; /* borrowed for the call */
    const struct state *start; /* borrowed for the call */
    size_t states_max;         /* for the exhaustive search */
    size_t memory_max_bytes;   /* for the exhaustive search: of its tables */
    uint64_t steps_max;        /* for walks: all together */
    uint64_t seed;             /* for walks */
};

struct search_result {
    enum outcome outcome;
    enum violation violation;
    struct trace trace; /* from the start of the search, if there is a violation */
    uint64_t states;    /* exhaustive: different states; walks: states walked through */
    uint64_t transitions;
    uint64_t depth; /* exhaustive: of the deepest state */
    uint64_t walks;
    uint64_t committed; /* entries committed at the ends of all walks */
};

void search_all(const struct search_options *options, struct search_result *result);
void search_walks(const struct search_options *options, struct search_result *result);

/* Find the first step from `state` whose text begins with `text`, take it and add it to the trace
 * of `result`, which also says what the step broke: its outcome becomes OUTCOME_VIOLATION then.
 * False if there is no such step. */
bool search_take(const struct rules *rules, struct state *state, const char *text,
                 struct search_result *result);

#endif

/* The command line of quoin-model. */
#ifndef QUOIN_TESTS_MODEL_OPTIONS_H
#define QUOIN_TESTS_MODEL_OPTIONS_H

#include "tests/model/rules.h"

enum { FIRST_STEPS_MAX = 64 };

enum task { TASK_SEARCH_ALL, TASK_WALK, TASK_LIST_MUTANTS, TASK_HELP };

struct options {
    enum task task;
    struct rules rules;
    const char *mutant;                 /* NULL = none; borrowed from the arguments */
    const char *first[FIRST_STEPS_MAX]; /* beginnings of the steps to take first; borrowed */
    unsigned first_count;
    uint64_t states_max;
    uint64_t memory_max_mb;
    uint64_t steps;
    uint64_t seed;
};

/* Read the arguments. On false the reason has been written to stderr. */
bool options_read(struct options *options, int argc, char **argv);

void options_help(FILE *out);

#endif

/* quoin-model: read the command line, search, report. */
#include <inttypes.h>
#include <stdlib.h>

#include "tests/model/options.h"
#include "tests/model/search.h"

enum { EXIT_CLEAN = 0, EXIT_VIOLATION = 1, EXIT_USAGE = 2, EXIT_GIVEN_UP = 3 };

struct run {
    struct options options;
    struct state start;
    struct search_result first; /* of the steps to `start` */
    struct search_result result;
};

static unsigned print_trace(const struct trace *trace, unsigned number)
{
    char line[STEP_TEXT_MAX];
    for (size_t i = 0; i < trace->count; i++) {
        step_text(trace->steps[i], line);
        printf("%4u. %s\n", ++number, line);
    }
    return number;
}

static void print_bounds(const struct options *options)
{
    const struct rules *rules = &options->rules;
    printf("  %s, %u nodes, epochs <= %u, configurations <= %u, writes <= %u, crashes <= %u, reads "
           "<= %u, min_isr %u, acks %s%s%s%s\n",
           options->mutant == NULL ? "all rules" : options->mutant, rules->node_count,
           rules->epoch_max, rules->version_max, rules->write_max, rules->crash_max,
           rules->read_max, rules->min_isr, rules->memory_acks ? "memory" : "disk",
           rules->disk_loss ? ", disk loss" : "", rules->leases ? ", leases" : "",
           rules->lean ? ", lean" : "");
}

static void print_clean(const struct run *run)
{
    const struct search_result *result = &run->result;
    if (run->options.task == TASK_WALK) {
        printf("no violation: %" PRIu64 " walks, %" PRIu64 " steps, %" PRIu64
               " entries committed at their ends, seed %" PRIu64 "\n",
               result->walks, result->states, result->committed, run->options.seed);
    } else {
        printf("no violation: %" PRIu64 " states, %" PRIu64 " transitions, depth %" PRIu64 "\n",
               result->states, result->transitions, result->depth);
    }
    print_bounds(&run->options);
}

static void print_given_up(const struct run *run)
{
    bool memory = run->result.outcome == OUTCOME_MEMORY;
    printf("given up at the limit of %s: %" PRIu64 " states, depth %" PRIu64
           ". This is not \"no violation\": %s\n",
           memory ? "memory" : "states", run->result.states, run->result.depth,
           memory ? "raise --memory-max-mb, lower a bound, or walk"
                  : "raise --states-max, lower a bound, or walk");
    print_bounds(&run->options);
}

static void print_violation(const struct run *run)
{
    printf("violation: %s (after %" PRIu64 " states)\n", violation_text(run->result.violation),
           run->result.states);
    print_bounds(&run->options);
    print_trace(&run->result.trace, print_trace(&run->first.trace, 0));
}

static int report(const struct run *run)
{
    switch (run->result.outcome) {
    case OUTCOME_CLEAN:
        print_clean(run);
        return EXIT_CLEAN;
    case OUTCOME_VIOLATION:
        print_violation(run);
        return EXIT_VIOLATION;
    case OUTCOME_STATES:
    case OUTCOME_MEMORY:
        print_given_up(run);
        return EXIT_GIVEN_UP;
    }
    return EXIT_GIVEN_UP;
}

/* Take the steps that are to come first, up to one that breaks something. */
static bool go_to_start(struct run *run)
{
    const struct options *options = &run->options;
    state_init(&run->start, &options->rules);
    for (unsigned i = 0; i < options->first_count && run->first.outcome == OUTCOME_CLEAN; i++) {
        if (!search_take(&options->rules, &run->start, options->first[i], &run->first)) {
            fprintf(stderr, "quoin-model: --first: no step begins with \"%s\" after these:\n",
                    options->first[i]);
            print_trace(&run->first.trace, 0);
            return false;
        }
    }
    return true;
}

static int search(struct run *run)
{
    if (!go_to_start(run)) {
        return EXIT_USAGE;
    }
    if (run->first.outcome != OUTCOME_CLEAN) {
        run->result.outcome = run->first.outcome;
        run->result.violation = run->first.violation;
        return report(run);
    }
    struct search_options options = {
        .rules = &run->options.rules,
        .start = &run->start,
        .states_max = (size_t)run->options.states_max,
        .memory_max_bytes = (size_t)run->options.memory_max_mb << 20,
        .steps_max = run->options.steps,
        .seed = run->options.seed,
    };
    if (run->options.task == TASK_WALK) {
        search_walks(&options, &run->result);
    } else {
        search_all(&options, &run->result);
    }
    return report(run);
}

static int perform(struct run *run)
{
    switch (run->options.task) {
    case TASK_HELP:
        options_help(stdout);
        return EXIT_CLEAN;
    case TASK_LIST_MUTANTS:
        rules_list_mutants(stdout);
        return EXIT_CLEAN;
    case TASK_SEARCH_ALL:
    case TASK_WALK:
        break;
    }
    return search(run);
}

int main(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    int code = EXIT_USAGE;
    if (run != NULL && options_read(&run->options, argc, argv)) {
        code = perform(run);
    }
    free(run);
    return code;
}

#include "tests/model/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_BOUND, KIND_LARGE, KIND_FLAG, KIND_ACKS, KIND_MUTANT, KIND_FIRST, KIND_TASK };

struct option {
    const char *name;
    enum kind kind;
    size_t offset;  /* of the field in struct options */
    uint64_t least; /* numbers */
    uint64_t most;  /* numbers */
    enum task task; /* KIND_TASK */
};

#define BOUND(text, field, low, high)                                                              \
    {                                                                                              \
        .name = (text), .kind = KIND_BOUND, .offset = offsetof(struct options, rules.field),       \
        .least = (low), .most = (high)                                                             \
    }
#define LARGE(text, field, low, high)                                                              \
    {                                                                                              \
        .name = (text), .kind = KIND_LARGE, .offset = offsetof(struct options, field),             \
        .least = (low), .most = (high)                                                             \
    }
#define FLAG(text, field)                                                                          \
    {                                                                                              \
        .name = (text), .kind = KIND_FLAG, .offset = offsetof(struct options, rules.field)         \
    }

static const struct option table[] = {
    BOUND("--nodes", node_count, 1, NODES_MAX),
    BOUND("--epochs", epoch_max, 1, EPOCHS_MAX),
    BOUND("--versions", version_max, 1, VERSIONS_MAX),
    BOUND("--writes", write_max, 0, WRITES_MAX),
    BOUND("--crashes", crash_max, 0, CRASHES_MAX),
    BOUND("--reads", read_max, 0, READS_MAX),
    BOUND("--min-isr", min_isr, 1, NODES_MAX),
    LARGE("--states-max", states_max, 1, UINT32_MAX / 2),
    LARGE("--memory-max-mb", memory_max_mb, 1, 1 << 20),
    LARGE("--steps", steps, 1, UINT64_MAX),
    LARGE("--seed", seed, 0, UINT64_MAX),
    FLAG("--disk-loss", disk_loss),
    FLAG("--leases", leases),
    FLAG("--lean", lean),
    {.name = "--acks", .kind = KIND_ACKS},
    {.name = "--mutant", .kind = KIND_MUTANT},
    {.name = "--first", .kind = KIND_FIRST},
    {.name = "--list-mutants", .kind = KIND_TASK, .task = TASK_LIST_MUTANTS},
    {.name = "--help", .kind = KIND_TASK, .task = TASK_HELP},
    {.name = "-h", .kind = KIND_TASK, .task = TASK_HELP},
    {.name = "bfs", .kind = KIND_TASK, .task = TASK_SEARCH_ALL},
    {.name = "walk", .kind = KIND_TASK, .task = TASK_WALK},
};

enum { TABLE_COUNT = sizeof table / sizeof table[0] };

void options_help(FILE *out)
{
    fputs(
        "quoin-model - search the replication protocol for a violation of what it promises\n"
        "\n"
        "  quoin-model                                 3 nodes, 2 epochs, 4 configurations, 1 "
        "write\n"
        "  quoin-model --writes 0 --crashes 1 --reads 1\n"
        "  quoin-model --acks memory --versions 3 --crashes 1 --memory-max-mb 8192\n"
        "  quoin-model --mutant nounion                without this rule it must find something\n"
        "  quoin-model walk --nodes 5 --epochs 6 --versions 14 --writes 6 --crashes 4 --seed 7\n"
        "\n"
        "  bfs            all states within the bounds, nearest first (this is what it does)\n"
        "  walk           random walks of up to 200 steps\n"
        "\n"
        "Bounds\n"
        "  --nodes N      replicas, 1-5 [3]\n"
        "  --epochs N     1-6 [2]\n"
        "  --versions N   configurations, the first one included, 1-14 [4]\n"
        "  --writes N     0-6 [1]\n"
        "  --crashes N    0-9 [0]\n"
        "  --reads N      linearizable reads, 0-9 [0]\n"
        "\n"
        "Protocol\n"
        "  --acks disk|memory   replicas acknowledge what is synced, or before [disk]\n"
        "  --min-isr N          members needed for a write, 1-5 [2]\n"
        "  --disk-loss          one of the crashes may take the disk with it\n"
        "  --leases             leases and grants as well\n"
        "  --lean               fewer kinds of steps (tests/model/README.md)\n"
        "  --mutant NAME        take a rule away\n"
        "  --list-mutants       their names and rules\n"
        "\n"
        "Search\n"
        "  --first TEXT         begin with the first step whose text begins so (repeatable)\n"
        "  --states-max N       give up after so many states [200000000]\n"
        "  --memory-max-mb N    give up at so much memory [4096]\n"
        "  --steps N            of all walks together [1000000]\n"
        "  --seed N             of the walks [1]\n"
        "\n"
        "Exit code: 0 no violation, 1 a violation (its steps are printed), 2 usage, 3 given up.\n",
        out);
}

static const struct option *find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static bool read_number(const struct option *option, const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < option->least ||
        value > option->most) {
        fprintf(stderr, "quoin-model: %s takes a number from %llu to %llu, not \"%s\"\n",
                option->name, (unsigned long long)option->least, (unsigned long long)option->most,
                text);
        return false;
    }
    *number = value;
    return true;
}

static bool read_acks(struct options *options, const char *text)
{
    options->rules.memory_acks = strcmp(text, "memory") == 0;
    if (!options->rules.memory_acks && strcmp(text, "disk") != 0) {
        fprintf(stderr, "quoin-model: --acks takes disk or memory, not \"%s\"\n", text);
        return false;
    }
    return true;
}

static bool read_first(struct options *options, const char *text)
{
    if (options->first_count == FIRST_STEPS_MAX) {
        fprintf(stderr, "quoin-model: at most %d times --first\n", FIRST_STEPS_MAX);
        return false;
    }
    options->first[options->first_count++] = text;
    return true;
}

static bool read_value(struct options *options, const struct option *option, const char *text)
{
    char *field = (char *)options + option->offset;
    uint64_t number = 0;
    switch (option->kind) {
    case KIND_BOUND:
        if (read_number(option, text, &number)) {
            *(uint8_t *)field = (uint8_t)number;
            return true;
        }
        return false;
    case KIND_LARGE:
        if (read_number(option, text, &number)) {
            memcpy(field, &number, sizeof number);
            return true;
        }
        return false;
    case KIND_ACKS:
        return read_acks(options, text);
    case KIND_FIRST:
        return read_first(options, text);
    case KIND_MUTANT:
        options->mutant = text;
        return true;
    case KIND_FLAG:
    case KIND_TASK:
        break;
    }
    return false;
}

/* What takes no value. */
static void set(struct options *options, const struct option *option)
{
    if (option->kind == KIND_TASK) {
        options->task = option->task;
    } else {
        *(bool *)((char *)options + option->offset) = true;
    }
}

static bool fail_about(const char *argument, const char *problem)
{
    fprintf(stderr, "quoin-model: %s: %s (quoin-model --help)\n", argument, problem);
    return false;
}

/* Read one argument, with its value `--name value` or `--name=value`; moves `index` over both. */
static bool read_argument(struct options *options, int argc, char **argv, int *index)
{
    const char *argument = argv[(*index)++];
    const char *value = argument[0] == '-' ? strchr(argument, '=') : NULL;
    size_t length = value == NULL ? strlen(argument) : (size_t)(value - argument);
    const struct option *option = find_option(argument, length);
    if (option == NULL) {
        return fail_about(argument, "no such option");
    }
    if (option->kind == KIND_FLAG || option->kind == KIND_TASK) {
        if (value != NULL) {
            return fail_about(option->name, "takes no value");
        }
        set(options, option);
        return true;
    }
    if (value == NULL && *index == argc) {
        return fail_about(option->name, "its value is missing");
    }
    return read_value(options, option, value == NULL ? argv[(*index)++] : value + 1);
}

static bool apply_mutant(struct options *options)
{
    if (options->mutant == NULL || rules_mutate(&options->rules, options->mutant)) {
        return true;
    }
    const char *nearest = rules_nearest_mutant(options->mutant);
    fprintf(stderr, "quoin-model: no mutant \"%s\"", options->mutant);
    if (nearest != NULL) {
        fprintf(stderr, ": did you mean %s?", nearest);
    }
    fputs(" (quoin-model --list-mutants)\n", stderr);
    return false;
}

static bool breaks(const struct rules *rules, uint32_t set)
{
    return (rules->broken & set) != 0;
}

/* Without what a rule is about nobody can miss it: the mutant would only look harmless. */
static bool mutant_matters(const struct rules *rules)
{
    static const uint32_t about_reads =
        1U << RULE_READ_AFTER_START | 1U << RULE_READ_ASKS_ALL | 1U << RULE_READ_ASKS_ELR;
    static const uint32_t about_crashes =
        1U << RULE_UNCLEAN_LEAVES | 1U << RULE_ACKS_OF_THIS_LIFE | 1U << RULE_LEASE_RESTART;
    if (breaks(rules, about_reads) && rules->read_max == 0) {
        return fail_about("--mutant", "give --reads too, this rule is about reads");
    }
    if (breaks(rules, about_crashes) && rules->crash_max == 0) {
        return fail_about("--mutant", "give --crashes too, this rule is about crashes");
    }
    return true;
}

static bool fits_together(const struct options *options)
{
    if (!mutant_matters(&options->rules)) {
        return false;
    }
    if (options->rules.min_isr > options->rules.node_count) {
        return fail_about("--min-isr", "more than there are nodes, nothing could be written");
    }
    if (options->rules.disk_loss && options->rules.crash_max == 0) {
        return fail_about("--disk-loss", "give --crashes too, a disk is lost in a crash");
    }
    return true;
}

bool options_read(struct options *options, int argc, char **argv)
{
    *options = (struct options){.rules = rules_default(),
                                .states_max = 200000000,
                                .memory_max_mb = 4096,
                                .steps = 1000000,
                                .seed = 1};
    for (int i = 1; i < argc;) {
        if (!read_argument(options, argc, argv, &i)) {
            return false;
        }
        if (options->task == TASK_HELP || options->task == TASK_LIST_MUTANTS) {
            return true;
        }
    }
    return apply_mutant(options) && fits_together(options);
}

/* Rows of the command table: caches as such. */
#include "client/cli/command_rows.h"

static const struct option_spec caches_options[] = {
    CSV,
    FLAG("raw", raw, "print names only"),
    WATCH,
};

static const char *const caches_examples[] = {"quoin caches", "quoin caches --json", NULL};

static const struct option_spec create_options[] = {
    TTL("entries expire after so long (default: never)"),
    TEXT("durability", "disk|memory", durability,
         "acknowledge from disk (default) or from memory, and write soon after"),
    NUMBER("size-max", "SIZE", size_max_bytes, OPTION_SIZE, 0, INT64_MAX,
           "limit of its entries on each node (default: none of its own)"),
};

static const char *const create_examples[] = {
    "quoin create accounts",
    "quoin create sessions --ttl 30m --durability memory --size-max 1GiB",
    NULL,
};

static const struct option_spec yes_options[] = {YES};

static const char *const clear_examples[] = {"quoin clear accounts", NULL};
static const char *const drop_examples[] = {"quoin drop accounts --yes", NULL};

static const struct command rows[] = {
    {
        .name = "caches",
        .arguments = "",
        .summary = "list the caches and their figures",
        .examples = caches_examples,
        OPTIONS(caches_options),
        .run = run_caches,
    },
    {
        .name = "create",
        .arguments = "CACHE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "make a cache",
        .detail =
            "What a cache is made with stays for its life. One that is there already is left as "
            "it is.",
        .examples = create_examples,
        OPTIONS(create_options),
        .traits = COMMAND_NEW_CACHE,
        .run = run_create,
    },
    {
        .name = "clear",
        .arguments = "CACHE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "remove every entry of a cache",
        .detail = "Asks before it does. Atomic in each partition, not over all of them.",
        .examples = clear_examples,
        OPTIONS(yes_options),
        .traits = COMMAND_NAMED_CACHE,
        .run = run_clear,
    },
    {
        .name = "drop",
        .arguments = "CACHE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "remove a cache and all its entries",
        .detail = "Asks before it does.",
        .examples = drop_examples,
        OPTIONS(yes_options),
        .traits = COMMAND_NAMED_CACHE,
        .run = run_drop,
    },
};

const struct command_group commands_caches = {"caches", rows, COUNT_OF(rows)};

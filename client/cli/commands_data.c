/* Rows of the command table: entries. */
#include "client/cli/command_rows.h"

#define INT_KEY    FLAG("key-int", int_key, "KEY is a whole number, not a string")
#define OCTETS_KEY FLAG("key-octets", octets_key, "KEY is octets: 0x00ff or b64:AP8=")
#define IF_VERSION                                                                                 \
    NUMBER("if-version", "N", if_version, OPTION_COUNT, 1, INT64_MAX,                              \
           "only when the entry has this version")

/* When scans and counts see a change. */
#define WAIT_VISIBLE                                                                               \
    FLAG("wait-visible", wait_visible, "answer when scans and counts see the change")
#define COMMIT_WITHIN                                                                              \
    NUMBER("commit-within", "DURATION", commit_within_ms, OPTION_DURATION, 1, 86400000,            \
           "let scans see the change after so long (default: by the node's timer)")

static const struct option_spec put_options[] = {
    FLAG("if-absent", if_absent, "only when there is no entry yet"),
    IF_VERSION,
    TEXT("type", "NAME", type, "VALUE is a JSON object of this type of the types file"),
    VIEW,
    FLAG("int", int_value, "VALUE is a whole number, not a string"),
    FLAG("octets", octets_value, "VALUE is octets: 0x00ff or b64:AP8=; of a file, as it is"),
    TEXT("from", "FILE", from_file, "read the value from a file instead ('-' = stdin)"),
    TTL("the entry expires after so long (default: what the cache says)"),
    WAIT_VISIBLE,
    COMMIT_WITHIN,
    INT_KEY,
    OCTETS_KEY,
    CREATE,
};

static const char *const put_examples[] = {
    "quoin put accounts alice 100",
    "quoin put accounts alice 120 --if-version 17",
    "quoin put sessions 4711 open --ttl 30m",
    "quoin put pictures logo --from logo.png --octets",
    "quoin put languages tlh '{\"alpha_3\":\"tlh\",\"name\":\"Klingon\"}' --type Language",
    NULL,
};

static const struct option_spec get_options[] = {INT_KEY, OCTETS_KEY, VIEW, CSV, RAW, WATCH};

static const char *const get_examples[] = {
    "quoin get accounts alice",
    "quoin get languages deu --types types.cfg --json",
    "quoin get pictures logo --raw > logo.png",
    "quoin get accounts alice --watch=1s",
    NULL,
};

static const struct option_spec remove_options[] = {
    IF_VERSION, INT_KEY, OCTETS_KEY, WAIT_VISIBLE, COMMIT_WITHIN,
};

static const char *const remove_examples[] = {
    "quoin remove accounts alice",
    "quoin remove accounts alice --if-version 17",
    NULL,
};

static const struct option_spec contains_options[] = {INT_KEY, OCTETS_KEY, WATCH};

static const char *const contains_examples[] = {
    "quoin contains accounts alice && echo yes",
    NULL,
};

static const struct option_spec touch_options[] = {
    TTL("from now on (default: what the cache says)"),
    INT_KEY,
    OCTETS_KEY,
    WAIT_VISIBLE,
    COMMIT_WITHIN,
};

static const char *const touch_examples[] = {
    "quoin touch sessions 4711 --ttl 30m",
    "quoin touch sessions 4711 --ttl never",
    NULL,
};

#define FRESH FLAG("fresh", fresh, "in a new view, which shows every write acknowledged before")

static const struct option_spec count_options[] = {FRESH, CSV, WATCH};

static const char *const count_examples[] = {
    "quoin count accounts",
    "quoin count accounts --watch",
    NULL,
};

static const struct option_spec scan_options[] = {
    FLAG("keys", keys_only, "print keys only"),
    NUMBER("limit", "N", limit, OPTION_COUNT, 0, INT64_MAX,
           "end after so many entries, and say where to go on"),
    TEXT("from", "POSITION", from_position, "go on where a scan with --limit ended"),
    FRESH,
    VIEW,
    CSV,
    RAW,
    WATCH,
};

static const char *const scan_examples[] = {
    "quoin scan accounts",
    "quoin scan accounts --keys --limit 10",
    "quoin scan languages --types types.cfg --json",
    NULL,
};

static const struct command rows[] = {
    {
        .name = "get",
        .arguments = "CACHE KEY",
        .argument_min = 2,
        .argument_max = 2,
        .summary = "print the value of a key",
        .detail =
            "A get is answered by the leader of the key's partition and sees every write that was "
            "acknowledged before.\n\n"
            "A string is printed as it is, octets as 0x00ff, everything else as JSON, with the "
            "names of the types file; --json has octets in base64.\n\n"
            "With --raw a string and an octet string are printed as their octets, without a line "
            "end; every other value is printed in its binary form (octet 0x15, then POF).",
        .examples = get_examples,
        OPTIONS(get_options),
        .traits = COMMAND_CACHE,
        .run = run_get,
    },
    {
        .name = "put",
        .arguments = "CACHE KEY VALUE",
        .argument_min = 2,
        .argument_max = 3,
        .summary = "store a value under a key",
        .detail =
            "A value is a string unless an option says otherwise. With --type it is JSON as get "
            "shows it; what is missing has its default.\n\n"
            "When no answer comes in time the exit code is 4: the write may have been applied or "
            "not. The message then has the name of the change, and quoin outcome settles it.",
        .examples = put_examples,
        OPTIONS(put_options),
        .traits = COMMAND_CACHE,
        .run = run_put,
    },
    {
        .name = "remove",
        .arguments = "CACHE KEY",
        .argument_min = 2,
        .argument_max = 2,
        .summary = "remove an entry",
        .examples = remove_examples,
        OPTIONS(remove_options),
        .traits = COMMAND_CACHE,
        .run = run_remove,
    },
    {
        .name = "contains",
        .arguments = "CACHE KEY",
        .argument_min = 2,
        .argument_max = 2,
        .summary = "is there an entry under a key?",
        .examples = contains_examples,
        OPTIONS(contains_options),
        .traits = COMMAND_CACHE,
        .run = run_contains,
    },
    {
        .name = "touch",
        .arguments = "CACHE KEY",
        .argument_min = 2,
        .argument_max = 2,
        .summary = "give an entry another time to live",
        .examples = touch_examples,
        OPTIONS(touch_options),
        .traits = COMMAND_CACHE,
        .run = run_touch,
    },
    {
        .name = "scan",
        .arguments = "CACHE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "print the entries of a cache, in no promised order",
        .detail =
            "Each partition is read from one view, that of its last soft commit: a write shows a "
            "second later at the latest unless the node is set otherwise; --fresh shows it at "
            "once.\n\n"
            "With --json each entry is a line; with --limit the last line is {\"next\": POSITION} "
            "when "
            "there may be more, which people find on stderr. With --raw each value, or key with "
            "--keys, is followed by a line end.",
        .examples = scan_examples,
        OPTIONS(scan_options),
        .traits = COMMAND_CACHE,
        .run = run_scan,
    },
    {
        .name = "count",
        .arguments = "CACHE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "count the entries of a cache",
        .examples = count_examples,
        OPTIONS(count_options),
        .traits = COMMAND_CACHE,
        .run = run_count,
    },
};

const struct command_group commands_data = {"entries", rows, COUNT_OF(rows)};

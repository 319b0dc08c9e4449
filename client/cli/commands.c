#define _GNU_SOURCE
#include "client/cli/commands.h"

#include <string.h>

#include "config/suggest.h"

#define PLACE(field)    offsetof(struct options, field)
#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define FLAG(name, field, text)                                                                    \
    {                                                                                              \
        name, NULL, text, OPTION_FLAG, PLACE(field), 0, 0                                          \
    }
#define TEXT(name, argument, field, text)                                                          \
    {                                                                                              \
        name, argument, text, OPTION_TEXT, PLACE(field), 0, 0                                      \
    }
#define NUMBER(name, argument, field, kind, min, max, text)                                        \
    {                                                                                              \
        name, argument, text, kind, PLACE(field), min, max                                         \
    }

#define INT_KEY FLAG("key-int", int_key, "KEY is a whole number, not a string")
#define IF_VERSION                                                                                 \
    NUMBER("if-version", "N", if_version, OPTION_COUNT, 1, INT64_MAX,                              \
           "only when the entry has this version")

static const struct option_spec put_options[] = {
    FLAG("if-absent", if_absent, "only when there is no entry yet"),
    IF_VERSION,
    TEXT("type", "NAME", type, "VALUE is a JSON object of this type of the types file"),
    FLAG("int", int_value, "VALUE is a whole number, not a string"),
    TEXT("from", "FILE", from_file, "read the value from a file instead ('-' = stdin)"),
    INT_KEY,
    FLAG("create", create, "create the cache when it does not exist"),
};

static const char *const put_examples[] = {
    "quoin put accounts alice 100",
    "quoin put accounts alice 120 --if-version 17",
    "quoin put languages tlh '{\"alpha_3\":\"tlh\",\"name\":\"Klingon\"}' --type Language",
    NULL,
};

static const struct option_spec key_options[] = {INT_KEY};

static const char *const get_examples[] = {
    "quoin get accounts alice",
    "quoin get languages deu --types types.cfg --json",
    NULL,
};

static const struct option_spec remove_options[] = {IF_VERSION, INT_KEY};

static const char *const remove_examples[] = {
    "quoin remove accounts alice",
    "quoin remove accounts alice --if-version 17",
    NULL,
};

static const char *const contains_examples[] = {
    "quoin contains accounts alice && echo yes",
    NULL,
};

static const char *const count_examples[] = {"quoin count accounts", NULL};

static const struct option_spec import_options[] = {
    TEXT("cache", "NAME", cache, "where the records go (required)"),
    TEXT("type", "NAME", type, "type of the records (default: the cache's, in the types file)"),
    TEXT("key-field", "FIELD", key_field, "field that is the key (default: in the types file)"),
    TEXT("format", "FORMAT", format, "json, jsonl or csv (default: by name and content)"),
    TEXT("at", "NAME", at, "JSON: the array is the member NAME of an object"),
    TEXT("delimiter", "CHAR", delimiter, "CSV: what separates fields (default ','; \\t = tab)"),
    FLAG("no-header", no_header, "CSV: the first line is a record, too"),
    TEXT("fields", "A,B,...", fields, "CSV: names of the columns; an empty name skips one"),
    TEXT("rejects", "FILE", rejects_file, "where rejected records go (default: FILE.rejected)"),
    NUMBER("in-flight", "N", in_flight, OPTION_COUNT, 1, 4096, "records under way (default 512)"),
    FLAG("verify", verify, "write nothing; read every record back and compare it"),
    FLAG("create", create, "create the cache when it does not exist"),
};

static const char *const import_examples[] = {
    "quoin import people.csv --cache people --types types.cfg",
    "quoin import iso_639-3.json --at 639-3 --cache languages --types types.cfg",
    "quoin import UnicodeData.txt --cache characters --types types.cfg --format csv "
    "--delimiter ';' --no-header",
    "quoin import people.csv --cache people --types types.cfg --verify",
    NULL,
};

static const char *const status_examples[] = {"quoin status", "quoin status --json", NULL};

static const struct option_spec ping_options[] = {
    FLAG("ready", ready, "exit with 0 only when the node serves every partition it should"),
    NUMBER("wait", "DURATION", wait_ms, OPTION_DURATION, 1, 86400000,
           "try again for this long (default: once)"),
};

static const char *const ping_examples[] = {"quoin ping", "quoin ping --ready --wait 30s", NULL};

static const struct option_spec bench_options[] = {
    NUMBER("requests", "N", request_count, OPTION_COUNT, 1, INT64_MAX,
           "requests in all (default 100000)"),
    NUMBER("time", "DURATION", time_ms, OPTION_DURATION, 1, 86400000, "run this long instead"),
    NUMBER("keys", "N", key_count, OPTION_COUNT, 1, INT64_MAX, "different keys (default 100000)"),
    NUMBER("key-size", "SIZE", key_size, OPTION_SIZE, 1, 65536, "octets of a key (default 16)"),
    NUMBER("value-size", "SIZE", value_size, OPTION_SIZE, 0, 16777216,
           "octets of a value (default 100)"),
    NUMBER("gets", "PERCENT", gets_percent, OPTION_COUNT, 0, 100,
           "how many requests are gets; the others are puts (default 50)"),
    NUMBER("in-flight", "N", in_flight, OPTION_COUNT, 1, 100000,
           "requests under way in each thread (default 1: calls that wait)"),
    NUMBER("threads", "N", thread_count, OPTION_COUNT, 1, 256, "threads (default 1)"),
    NUMBER("clients", "N", client_count, OPTION_COUNT, 1, 256,
           "connections that the threads share (default 1)"),
    FLAG("load", load, "put every key once instead of random requests"),
    NUMBER("warm-up", "DURATION", warm_up_ms, OPTION_DURATION, 1, 86400000,
           "run this long before measuring (default: not)"),
    FLAG("create", create, "create the cache when it does not exist"),
};

static const char *const bench_examples[] = {
    "quoin bench test --create --load --keys 1000000 --in-flight 1000",
    "quoin bench test --keys 1000000 --gets 90 --in-flight 50 --time 10s --warm-up 2s",
    "quoin bench test --gets 100 --threads 4 --json",
    NULL,
};

static const char *const help_examples[] = {"quoin help", "quoin help import", NULL};
static const char *const version_examples[] = {"quoin version", NULL};

const struct command commands[] = {
    {"put", "CACHE KEY VALUE", 2, 3, "store a value under a key", put_examples, put_options,
     COUNT_OF(put_options), run_put},
    {"get", "CACHE KEY", 2, 2, "print the value of a key", get_examples, key_options,
     COUNT_OF(key_options), run_get},
    {"remove", "CACHE KEY", 2, 2, "remove an entry", remove_examples, remove_options,
     COUNT_OF(remove_options), run_remove},
    {"contains", "CACHE KEY", 2, 2, "is there an entry under a key?", contains_examples,
     key_options, COUNT_OF(key_options), run_contains},
    {"count", "CACHE", 1, 1, "count the entries of a cache", count_examples, NULL, 0, run_count},
    {"import", "FILE", 1, 1, "store the records of a CSV or JSON file", import_examples,
     import_options, COUNT_OF(import_options), run_import},
    {"status", "", 0, 0, "how the grid is, on one screen", status_examples, NULL, 0, run_status},
    {"ping", "", 0, 0, "does a node answer, and how fast?", ping_examples, ping_options,
     COUNT_OF(ping_options), run_ping},
    {"bench", "CACHE", 1, 1, "measure throughput and latency", bench_examples, bench_options,
     COUNT_OF(bench_options), run_bench},
    {"help", "[COMMAND]", 0, 1, "explain the tool or a command", help_examples, NULL, 0, run_help},
    {"version", "", 0, 0, "print the version", version_examples, NULL, 0, run_version},
};
const size_t command_count = COUNT_OF(commands);

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

const char *command_suggest(const char *name)
{
    struct suggest suggest = {.word = name};
    for (size_t i = 0; i < command_count; i++) {
        suggest_offer(&suggest, commands[i].name);
    }
    return suggest.nearest;
}

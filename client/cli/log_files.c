/* `quoin log inspect` and `quoin log verify`: a data directory read without a node. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/command_rows.h"
#include "client/cli/progress.h"
#include "client/cli/table.h"
#include "client/cli/text.h"
#include "node/offline/offline.h"
#include "wire/hash.h"

enum { VALUE_MAX = 64 };

/* ---- what is found ---- */

/* A table of files of one kind; its columns are keys of what is told of them, but the last, which
 * is the path. */
struct listing {
    const char *kind;
    struct table table;
};

static const char *const manifest_columns[] = {"lane",  "log-first", "log-end",
                                               "clean", "snapshots", "path"};
static const char *const snapshot_columns[] = {"partition", "index", "epoch", "blocks",
                                               "plain",     "size",  "ratio", "path"};
static const char *const segment_columns[] = {"lane",       "first-lsn", "end-lsn", "records",
                                              "partitions", "size",      "index",   "path"};
/* Of one partition. */
static const char *const part_columns[] = {"lane",    "first-lsn",   "end-lsn",    "partition",
                                           "records", "first-index", "last-index", "path"};

enum { LISTINGS = 3 };

struct report {
    const struct cli *cli;
    json_t *facts;
    json_t *damages;
    struct listing listings[LISTINGS];
    bool no_memory;
    struct progress progress;
};

/* The value of a key in "key=value key=value" text. False: it has no such key. */
static bool value_find(const char *text, const char *key, char value[VALUE_MAX])
{
    size_t key_size = strlen(key);

    for (const char *at = text; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, key, key_size) == 0 && at[key_size] == '=') {
            const char *from = at + key_size + 1;
            int size = (int)strcspn(from, " ");
            (void)snprintf(value, VALUE_MAX, "%.*s", size, from);
            return true;
        }
    }
    return false;
}

/* A cell: a number where it is one. */
static void cell_add(struct table *table, const char *text)
{
    int64_t number = 0;

    if (text_to_int(bytes_of_text(text), &number)) {
        table_cell(table, json_integer((json_int_t)number), text);
    } else {
        table_text(table, text);
    }
}

static void take_file(void *arg, const char *path, const char *what)
{
    struct report *report = arg;
    char value[VALUE_MAX];

    for (size_t i = 0; i < LISTINGS; i++) {
        struct listing *listing = &report->listings[i];
        if (!value_find(what, "kind", value) || strcmp(value, listing->kind) != 0) {
            continue;
        }
        for (size_t c = 0; c + 1 < listing->table.column_count; c++) {
            bool found = value_find(what, listing->table.columns[c], value);
            cell_add(&listing->table, found ? value : "");
        }
        table_text(&listing->table, path);
    }
}

static void take_fact(void *arg, const char *name, const char *value)
{
    struct report *report = arg;
    json_t *before = json_object_get(report->facts, name);
    json_t *text = json_string(value);

    /* Several of one name, such as caches, become a list. */
    if (before == NULL) {
        report->no_memory |= json_object_set_new(report->facts, name, text) != 0;
    } else if (json_is_array(before)) {
        report->no_memory |= json_array_append_new(before, text) != 0;
    } else {
        json_t *list = json_pack("[O, o]", before, text);
        report->no_memory |= json_object_set_new(report->facts, name, list) != 0;
    }
}

static void take_damage(void *arg, const char *path, uint64_t offset, const char *what)
{
    struct report *report = arg;
    json_t *damage =
        json_pack("{s:s, s:I, s:s}", "file", path, "offset", (json_int_t)offset, "what", what);

    report->no_memory |= json_array_append_new(report->damages, damage) != 0;
    if (!report->cli->options.json) {
        progress_end(&report->progress);
        (void)printf("damage: %s at offset %" PRIu64 ": %s\n", path, offset, what);
    }
}

static void take_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    struct report *report = arg;

    report->progress.total = total_bytes;
    progress_show(&report->progress, done_bytes >> 20, done_bytes);
}

/* ---- records ---- */

static const char *type_name(uint8_t type)
{
    static const char *const names[] = {"?",           "epoch-start", "write", "session-open",
                                        "session-end", "expire",      "clear"};

    return type < COUNT_OF(names) ? names[type] : names[0];
}

static const char *effect_name(uint8_t kind)
{
    static const char *const names[] = {"?", "put", "remove", "clear", "touch"};

    return kind < COUNT_OF(names) ? names[kind] : names[0];
}

/* Keys may be private, so that only their hash is shown: enough to find out who touched one. */
static json_t *effects_json(struct bytes effects)
{
    json_t *list = json_array();
    struct effect effect;

    while (effect_next(&effects, &effect) == QN_OK) {
        char hash[VALUE_MAX];
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, hash_key(effect.key));
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:s, s:I}", "effect", effect_name(effect.kind),
                                        "cache", (json_int_t)effect.cache, "key", hash,
                                        "value_size", (json_int_t)effect.value.size));
    }
    return list;
}

static void record_json(const char *path, uint64_t offset, const struct record *record)
{
    json_t *document =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:o}", "file", path, "offset", (json_int_t)offset,
                  "partition", (json_int_t)record->partition, "epoch", (json_int_t)record->epoch,
                  "index", (json_int_t)record->index, "type", type_name(record->type), "effects",
                  effects_json(record->effects));

    (void)cli_print_json(document);
}

static void record_text(const char *path, uint64_t offset, const struct record *record)
{
    const char *slash = strrchr(path, '/');
    struct bytes effects = record->effects;
    struct effect effect;

    (void)printf("%s:%" PRIu64 " partition=%" PRIu32 " epoch=%" PRIu64 " index=%" PRIu64
                 " type=%s size=%zu",
                 slash != NULL ? slash + 1 : path, offset, record->partition, record->epoch,
                 record->index, type_name(record->type), record_size(record));
    while (effect_next(&effects, &effect) == QN_OK) {
        (void)printf(" %s(cache=%" PRIu32 " key=%016" PRIx64 " value=%zu)",
                     effect_name(effect.kind), effect.cache, hash_key(effect.key),
                     effect.value.size);
    }
    (void)putchar('\n');
}

static void take_record(void *arg, const char *path, uint64_t offset, const struct record *record)
{
    const struct report *report = arg;

    if (report->cli->options.json) {
        record_json(path, offset, record);
    } else {
        record_text(path, offset, record);
    }
}

/* ---- the report ---- */

static void listing_init(struct listing *listing, const char *kind, const char *name,
                         const char *const *columns, size_t count)
{
    listing->kind = kind;
    listing->table = (struct table){.name = name, .columns = columns, .column_count = count};
}

static void report_init(struct report *report, const struct cli *cli)
{
    bool part = cli->options.partition >= 0;

    *report = (struct report){.cli = cli, .facts = json_object(), .damages = json_array()};
    listing_init(&report->listings[0], "manifest", "manifests", manifest_columns,
                 COUNT_OF(manifest_columns));
    listing_init(&report->listings[1], "snapshot", "snapshots", snapshot_columns,
                 COUNT_OF(snapshot_columns));
    listing_init(&report->listings[2], "segment", "segments", part ? part_columns : segment_columns,
                 part ? COUNT_OF(part_columns) : COUNT_OF(segment_columns));
    report->no_memory = report->facts == NULL || report->damages == NULL;
}

static void report_fini(struct report *report)
{
    json_decref(report->facts);
    json_decref(report->damages);
    for (size_t i = 0; i < LISTINGS; i++) {
        table_fini(&report->listings[i].table);
    }
}

static struct offline_visitor visitor_of(struct report *report)
{
    return (struct offline_visitor){.arg = report,
                                    .fact = take_fact,
                                    .file = take_file,
                                    .record = take_record,
                                    .damage = take_damage,
                                    .progress = take_progress};
}

/* What could not be looked at at all. A directory that is none is not "the answer is no". */
static enum cli_exit looking_failed(const struct cli *cli, const qn_error *err)
{
    if (err->status == QN_ABSENT) {
        cli_say(cli, "%s", err->text);
        return CLI_REFUSED;
    }
    return cli_fail(cli, err);
}

static enum cli_exit memory_failed(const struct cli *cli)
{
    cli_say(cli, "out of memory: some of what was found is missing");
    return CLI_REFUSED;
}

static void facts_print_text(const json_t *facts)
{
    const char *name = NULL;
    json_t *value = NULL;
    /* The iteration changes nothing; jansson asks for a document that may be changed. */
    json_t *copy = json_copy((json_t *)(uintptr_t)facts);

    json_object_foreach(copy, name, value)
    {
        if (json_is_string(value)) {
            (void)printf("%-22s %s\n", name, json_string_value(value));
            continue;
        }
        for (size_t i = 0; i < json_array_size(value); i++) {
            (void)printf("%-22s %s\n", name, json_string_value(json_array_get(value, i)));
        }
    }
    json_decref(copy);
}

static enum cli_exit inspect_text(const struct report *report)
{
    bool printed = true;

    facts_print_text(report->facts);
    for (size_t i = 0; i < LISTINGS; i++) {
        if (report->listings[i].table.values != NULL) {
            (void)putchar('\n');
            printed = table_print(&report->listings[i].table, OUTPUT_TEXT, stdout) && printed;
        }
    }
    return printed ? CLI_DONE : memory_failed(report->cli);
}

/* The rows of a table as objects, for the one document. */
static json_t *listing_json(const struct table *table)
{
    json_t *rows = json_array();

    for (size_t at = 0; at < json_array_size(table->values); at += table->column_count) {
        json_t *row = json_object();
        for (size_t c = 0; c < table->column_count; c++) {
            json_object_set(row, table->columns[c], json_array_get(table->values, at + c));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static enum cli_exit inspect_json(const struct report *report)
{
    json_t *document = json_pack("{s:O, s:O}", "facts", report->facts, "damages", report->damages);

    for (size_t i = 0; i < LISTINGS; i++) {
        const struct table *table = &report->listings[i].table;
        json_object_set_new(document, table->name, listing_json(table));
    }
    return cli_print_json(document);
}

static enum cli_exit run_log_inspect(struct cli *cli)
{
    struct offline_options options = {.records = cli->options.records,
                                      .partition = cli->options.partition};
    struct report report;
    qn_error err = QN_ERROR_INIT;

    report_init(&report, cli);
    struct offline_visitor visitor = visitor_of(&report);
    enum cli_exit code = CLI_DONE;
    if (offline_inspect(cli->arguments[0], &options, &visitor, &err) != QN_OK) {
        code = looking_failed(cli, &err);
    } else if (report.no_memory) {
        code = memory_failed(cli);
    } else {
        code = cli->options.json ? inspect_json(&report) : inspect_text(&report);
    }
    if (code == CLI_DONE && json_array_size(report.damages) > 0) {
        code = CLI_NO;
    }
    report_fini(&report);
    return code;
}

static enum cli_exit verdict_json(const struct report *report,
                                  const struct offline_verdict *verdict)
{
    char hash[VALUE_MAX];

    (void)snprintf(hash, sizeof hash, "%016" PRIx64, verdict->state_hash);
    return cli_print_json(
        json_pack("{s:b, s:O, s:I, s:I, s:I, s:I, s:s}", "sound", verdict->damages == 0, "damages",
                  report->damages, "torn_bytes", (json_int_t)verdict->torn_bytes, "snapshots",
                  (json_int_t)verdict->snapshots, "records", (json_int_t)verdict->records,
                  "entries", (json_int_t)verdict->entries, "state_hash", hash));
}

static void verdict_print(const struct offline_verdict *verdict)
{
    char torn[TEXT_NUMBER_MAX], snapshots[TEXT_NUMBER_MAX], records[TEXT_NUMBER_MAX],
        entries[TEXT_NUMBER_MAX], damages[TEXT_NUMBER_MAX];

    if (verdict->torn_bytes > 0) {
        (void)printf("%s octets at the end of the log never reached the disk whole: normal after a "
                     "crash, and never acknowledged\n",
                     text_grouped(verdict->torn_bytes, torn));
    }
    if (verdict->damages > 0) {
        (void)printf("DAMAGED in %s place%s", text_grouped(verdict->damages, damages),
                     verdict->damages > 1 ? "s" : "");
    } else {
        (void)printf("sound");
    }
    (void)printf(": %s snapshots, %s records, %s entries, state %016" PRIx64 "\n",
                 text_grouped(verdict->snapshots, snapshots),
                 text_grouped(verdict->records, records), text_grouped(verdict->entries, entries),
                 verdict->state_hash);
}

static enum cli_exit run_log_verify(struct cli *cli)
{
    struct offline_verdict verdict;
    struct report report;
    qn_error err = QN_ERROR_INIT;
    enum cli_exit code = CLI_DONE;

    report_init(&report, cli);
    struct offline_visitor visitor = visitor_of(&report);
    progress_init(&report.progress, stderr, cli->terminal, "MiB read", 0);
    enum qn_status status = offline_verify(cli->arguments[0], &visitor, &verdict, &err);
    progress_end(&report.progress);
    if (status != QN_OK) {
        code = looking_failed(cli, &err);
    } else if (cli->options.json) {
        code = verdict_json(&report, &verdict);
    } else {
        verdict_print(&verdict);
    }
    if (code == CLI_DONE && verdict.damages > 0) {
        code = CLI_NO;
    }
    report_fini(&report);
    return code;
}

/* ---- their rows of the command table ---- */

static const struct option_spec inspect_options[] = {
    FLAG("records", records, "list every record, too: keys as hashes, values never"),
    NUMBER("partition", "N", partition, OPTION_COUNT, 0, UINT32_MAX, "of this partition only"),
};

static const char *const inspect_examples[] = {
    "quoin log inspect /var/lib/quoin",
    "quoin log inspect /var/lib/quoin --partition 17 --records",
    NULL,
};

static const char *const verify_examples[] = {
    "quoin log verify /var/lib/quoin",
    "quoin log verify /backup/quoin --json",
    NULL,
};

static const struct command rows[] = {
    {
        .name = "log inspect",
        .arguments = "DIR",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "list what a data directory holds, while no node runs on it",
        .detail = "Changes nothing. Shows whose directory it is, and its manifests, snapshots and "
                  "segments of the log.\n\n"
                  "Exit codes: 0 all could be read, 1 something is damaged, 3 a node is running on "
                  "it, 5 it is no data directory.",
        .examples = inspect_examples,
        OPTIONS(inspect_options),
        .traits = COMMAND_FILE,
        .run = run_log_inspect,
    },
    {
        .name = "log verify",
        .arguments = "DIR",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "read a data directory as a start would, while no node runs on it",
        .detail = "Checks every octet that a start needs, and that records follow each other. Each "
                  "damage is one line with file and offset; the last line is the verdict, with a "
                  "hash of the state that is the same wherever the state is the same. Changes "
                  "nothing; needs the memory of one lane.\n\n"
                  "Exit codes: 0 sound, 1 damage was found, 3 a node is running on it, 5 it is no "
                  "data directory.",
        .examples = verify_examples,
        .traits = COMMAND_FILE,
        .run = run_log_verify,
    },
};

const struct command_group commands_disk = {"data directories", rows, COUNT_OF(rows)};

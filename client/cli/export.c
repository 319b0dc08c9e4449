#define _GNU_SOURCE
#include "client/cli/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/export_state.h"
#include "client/cli/interrupt.h"
#include "client/cli/render.h"
#include "client/cli/text.h"

enum { EXPORT_OUT_MAX = 256 * 1024 };

#define EXPORT_PERIOD_NS 1000000000U

/* How the copy ended. */
enum export_end {
    EXPORT_THROUGH, /* nothing is missing */
    EXPORT_STOPPED, /* interrupted */
    EXPORT_FAILED,  /* see `failure` */
};

/* ---- entries ---- */

static bool flush(struct export *export)
{
    bool written = export_file_write(&export->file, buf_bytes(&export->out));
    buf_clear(&export->out);
    if (!written) {
        export->broken = true;
        qn_error_set(&export->failure, QN_IO, "cannot write %.200s: %s",
                     export->file.standard ? "to stdout" : export->path, strerror(errno));
    }
    return written;
}

/* An entry that is no object of the type: the first few are shown. */
static void complain(struct export *export, const struct export_entry *entry, const char *problem)
{
    export->rejected_count++;
    if (export->rejected_count > EXPORT_SHOWN_MAX + 1) {
        return;
    }
    progress_end(&export->progress);
    if (export->rejected_count > EXPORT_SHOWN_MAX) {
        cli_say(export->cli, "more entries are not exported");
        return;
    }
    struct buf key = {.size = 0};
    (void)!render_text(&key, entry->key, &export->layout.form);
    cli_say(export->cli, "key %.*s is not exported: %s", (int)key.size, (const char *)key.data,
            problem);
    buf_fini(&key);
}

static bool take_entry(struct export *export, const struct export_entry *entry)
{
    char problem[RECORD_PROBLEM_MAX];
    switch (export_text_entry(&export->text, entry, &export->out, problem)) {
    case EXPORT_WRITTEN:
        break;
    case EXPORT_REJECTED:
        complain(export, entry, problem);
        break;
    case EXPORT_NO_MEMORY:
        export->broken = true;
        qn_error_set(&export->failure, QN_MEMORY_FULL, "out of memory");
        return false;
    }
    return export->out.size < EXPORT_OUT_MAX || flush(export);
}

/* Once a second: what is in the file is on disk, and how far it goes is known. */
static bool tick(struct export *export)
{
    progress_show(&export->progress, export->text.record_count,
                  export->text.record_count + export->rejected_count);
    if (!export->keeps || progress_clock_ns() - export->saved_ns < EXPORT_PERIOD_NS) {
        return true;
    }
    bool flushed = flush(export);
    if (flushed) {
        export_state_save(export);
    }
    return flushed;
}

/* The view is gone: the source goes on at the same place in a newer one, which is worth a word,
 * since the file then shows two moments. False: it happens again and again. */
static bool renew(struct export *export, unsigned in_a_row)
{
    if (export->renewed_count++ == 0) {
        progress_end(&export->progress);
        cli_say(export->cli, "the view expired; going on at the same place in a newer one, so that "
                             "the file shows more than one moment");
    }
    return in_a_row < EXPORT_RENEWED_MAX;
}

static enum export_end copy_entries(struct export *export)
{
    int64_t limit = export->cli->options.limit;
    unsigned expired = 0;
    while (limit < 0 || export->text.record_count < (uint64_t)limit) {
        if (interrupted()) {
            return EXPORT_STOPPED;
        }
        struct export_entry entry;
        qn_error err = QN_ERROR_INIT;
        qn_status status = export->source.next(export->source.state, &entry, &err);
        if (status == QN_ABSENT) {
            break;
        }
        if (status == QN_CURSOR_EXPIRED && renew(export, ++expired)) {
            continue;
        }
        if (status != QN_OK) {
            export->failure = err;
            return EXPORT_FAILED;
        }
        expired = 0;
        if (!take_entry(export, &entry) || !tick(export)) {
            return EXPORT_FAILED;
        }
    }
    return EXPORT_THROUGH;
}

/* ---- the end ---- */

static bool complete(struct export *export)
{
    if (export_text_tail(&export->text, &export->out) != QN_OK) {
        qn_error_set(&export->failure, QN_MEMORY_FULL, "out of memory");
        return false;
    }
    if (!flush(export)) {
        return false;
    }
    if (!export_file_finish(&export->file)) {
        qn_error_set(&export->failure, QN_IO, "cannot complete %.200s: %s", export->path,
                     strerror(errno));
        return false;
    }
    export_state_remove(export);
    return true;
}

/* What the reader of the file should know. */
static void warn(const struct export *export)
{
    const struct cli *cli = export->cli;
    if (export->rejected_count > 0) {
        cli_say(cli,
                "%" PRIu64 " entries do not fit type %s and are missing; to see all as key and "
                "value, export with --types ''",
                export->rejected_count, export->layout.form.type->name);
    }
    if (export->text.other_key_count > 0) {
        cli_say(cli,
                "%" PRIu64 " entries have another key than their field '%s', under which import "
                "would store them",
                export->text.other_key_count,
                export->layout.form.key != NULL ? export->layout.form.key->name : "?");
    }
    if (export->text.inexact_count > 0) {
        cli_say(cli, "%" PRIu64 " records do not say all that their entries hold; %s",
                export->text.inexact_count,
                export->layout.format == ROWS_CSV ? "JSON does: --format jsonl"
                                                  : "import gives back what they say");
    }
    if (form_hides(&export->layout.form)) {
        cli_say(cli, "view %s hides fields: they are not in the file (to have all: --view '')",
                export->layout.form.view->name);
    }
}

/* On stdout, unless that is where the records went. */
static void print_summary(const struct export *export, double seconds)
{
    char text[TEXT_NUMBER_MAX];
    uint64_t count = export->text.record_count;
    uint64_t fresh = count - export->from_count;
    uint64_t per_second = seconds > 0 ? (uint64_t)((double)fresh / seconds) : 0;
    if (export->file.standard) {
        return;
    }
    if (export->cli->options.json) {
        (void)cli_print_json(json_pack(
            "{s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:s}", "exported", (json_int_t)count, "rejected",
            (json_int_t) export->rejected_count, "inexact", (json_int_t) export->text.inexact_count,
            "other_keys", (json_int_t) export->text.other_key_count, "views_expired",
            (json_int_t) export->renewed_count, "seconds", seconds, "per_second",
            (json_int_t)per_second, "file", export->path));
        return;
    }
    printf("%" PRIu64 " exported in %.1f s (%s/s)\n", count, seconds,
           text_grouped(per_second, text));
}

static void say_how_to_go_on(const struct export *export)
{
    if (export->file.standard) {
        return;
    }
    if (export->saved && export->keeps) {
        cli_say(export->cli,
                "%" PRIu64 " records are in %s; to have the rest: the same command with --resume",
                export->text.record_count, export->file.part);
    } else {
        cli_say(export->cli, "%s is not complete; remove it and begin anew", export->file.part);
    }
}

static enum cli_exit give_up(struct export *export, enum export_end end)
{
    if (!export->broken && flush(export)) {
        export_state_save(export);
    }
    enum cli_exit code = CLI_INTERRUPTED;
    if (end == EXPORT_STOPPED) {
        cli_say(export->cli, "interrupted after %" PRIu64 " records", export->text.record_count);
    } else {
        code = cli_fail(export->cli, &export->failure);
    }
    say_how_to_go_on(export);
    return code;
}

enum cli_exit export_copy(struct export *export)
{
    uint64_t began = progress_clock_ns();
    enum export_end end = copy_entries(export);
    if (end == EXPORT_THROUGH && !complete(export)) {
        end = EXPORT_FAILED;
        progress_end(&export->progress);
        enum cli_exit code = cli_fail(export->cli, &export->failure);
        say_how_to_go_on(export);
        return code;
    }
    progress_end(&export->progress);
    if (end != EXPORT_THROUGH) {
        return give_up(export, end);
    }
    print_summary(export, (double)(progress_clock_ns() - began) / 1e9);
    warn(export);
    return export->rejected_count > 0 ? CLI_INPUT : CLI_DONE;
}

void export_fini(struct export *export)
{
    if (export->text.record_count == 0 && !export->saved) {
        export_file_drop(&export->file);
    }
    export_file_close(&export->file);
    export_text_fini(&export->text);
    buf_fini(&export->out);
    json_decref(export->start);
    free(export->target);
}

/* ---- the command ---- */

static enum cli_exit find_layout(struct export *export)
{
    const struct cli *cli = export->cli;
    const struct options *options = &cli->options;
    struct export_layout *layout = &export->layout;
    *layout = (struct export_layout){.delimiter = ',', .keys_only = options->keys_only};
    enum cli_exit code = form_find(cli, options->cache, &layout->form);
    if (code != CLI_DONE) {
        return code;
    }
    if (options->format != NULL && !rows_format_parse(options->format, &layout->format)) {
        return cli_usage(cli, "--format %s: must be json, jsonl or csv", options->format);
    }
    if (options->format == NULL && !rows_format_of_name(export->path, &layout->format)) {
        layout->format = ROWS_JSON_LINES;
    }
    if (options->delimiter != NULL &&
        !rows_delimiter_parse(options->delimiter, &layout->delimiter)) {
        return cli_usage(cli, "--delimiter %s: must be one character, or \\t", options->delimiter);
    }
    if (options->delimiter != NULL && layout->format != ROWS_CSV) {
        return cli_usage(cli, "--delimiter is for CSV; add --format csv");
    }
    bool keyed = layout->form.key != NULL && form_key_fits(layout->form.key);
    if (layout->keys_only && !keyed) {
        layout->form.type = NULL; /* keys then have no field to stand under */
        layout->form.key = NULL;
    }
    return CLI_DONE;
}

/* How many entries there are, for the progress line; 0 = not known, which stops nobody. */
static uint64_t count_entries(qn_cache *cache)
{
    uint64_t count = 0;
    qn_error err = QN_ERROR_INIT;
    return qn_count(cache, &count, NULL, &err) == QN_OK ? count : 0;
}

static enum cli_exit scan_and_copy(struct export *export, qn_cache *cache)
{
    const struct cli *cli = export->cli;
    struct export_scan scan;
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    options.keys_only = export->layout.keys_only;
    options.fresh = cli->options.fresh;
    options.from = export_from(export);
    if (!export_scan_open(&scan, cache, &options, &err)) {
        return cli_fail(cli, &err);
    }
    interrupt_watch();
    uint64_t total = count_entries(cache);
    if (cli->options.limit >= 0 && (uint64_t)cli->options.limit < total) {
        total = (uint64_t)cli->options.limit;
    }
    bool shown = cli->terminal && !export->file.standard;
    progress_init(&export->progress, stderr, shown, "exported", total);
    progress_go_on(&export->progress, export->from_count, export->from_count);
    export->source = export_scan_source(&scan);
    enum cli_exit code = export_copy(export);
    export_scan_close(&scan);
    return code;
}

enum cli_exit run_export(struct cli *cli)
{
    struct export export = {.cli = cli, .path = cli->arguments[0], .failure = QN_ERROR_INIT};
    qn_cache *cache = NULL;
    if (cli->options.cache == NULL) {
        return cli_usage(cli, "from where? Give --cache NAME");
    }
    enum cli_exit code = cli_types(cli);
    code = code == CLI_DONE ? find_layout(&export) : code;
    code = code == CLI_DONE ? cli_open(cli, cli->options.cache, &cache) : code;
    code = code == CLI_DONE ? export_begin(&export) : code;
    code = code == CLI_DONE ? scan_and_copy(&export, cache) : code;
    export_fini(&export);
    return code;
}

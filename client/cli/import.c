/* `quoin import`: stores the records of a file, or compares them with what is stored. */
#define _GNU_SOURCE
#include "client/cli/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/import_state.h"
#include "client/cli/interrupt.h"
#include "client/cli/text.h"
#include "client/cli/ttl.h"

/* ---- what the options say ---- */

static enum cli_exit check_key(const struct import *import)
{
    struct cli *cli = import->cli;
    const struct form *form = &import->form;
    if (form->key == NULL) {
        return cli_usage(cli, "which field of %s is the key? Give --key-field FIELD",
                         form->type->name);
    }
    if (!form_key_fits(form->key)) {
        return cli_usage(cli, "field %s is a %s: a key is a string or a whole number",
                         form->key->name, pof_shape_word(form->key->shape->kind));
    }
    return form_check_reading(cli, form);
}

static enum cli_exit find_form(struct import *import)
{
    struct cli *cli = import->cli;
    enum cli_exit code = form_find(cli, cli->options.cache, &import->form);
    return code == CLI_DONE && import->form.type != NULL ? check_key(import) : code;
}

/* Without a type a record is {"key": ..., "value": ...}, which CSV has no form for. */
static enum cli_exit check_any(const struct import *import, enum rows_format format)
{
    struct cli *cli = import->cli;
    if (import->form.type != NULL || format != ROWS_CSV) {
        return CLI_DONE;
    }
    if (cli->types == NULL) {
        return cli_usage(
            cli,
            "records of a CSV need names and types: give a types file with --types FILE "
            "(or QUOIN_TYPES) that has the type of cache %s",
            cli->options.cache);
    }
    return cli_usage(cli,
                     "the types file does not say which type the values of %s have: add it to "
                     "its caches, or give --type NAME",
                     cli->options.cache);
}

/* The names of all columns with commas between: those of a file without a header. */
static bool column_list(const struct columns *columns, struct buf *list)
{
    bool done = true;
    for (size_t i = 0; i < columns->count && done; i++) {
        struct bytes name = columns->list[i].name;
        done = buf_append(list, ",", i > 0) == QN_OK &&
               buf_append(list, name.data, name.size) == QN_OK;
    }
    return done && buf_append(list, "", 1) == QN_OK;
}

static enum cli_exit rows_options_fill(struct import *import, struct rows_options *rows)
{
    const struct options *options = &import->cli->options;
    *rows = (struct rows_options){.at = options->at,
                                  .delimiter = ',',
                                  .no_header = options->no_header,
                                  .fields = options->fields};
    if (options->format == NULL) {
        rows->format = rows_guess(import->path, import->input.text, options->at != NULL);
    } else if (!rows_format_parse(options->format, &rows->format)) {
        return cli_usage(import->cli, "--format %s: must be json, jsonl or csv", options->format);
    }
    if (options->delimiter != NULL && !rows_delimiter_parse(options->delimiter, &rows->delimiter)) {
        return cli_usage(import->cli, "--delimiter %s: must be one character, or \\t",
                         options->delimiter);
    }
    bool csv = rows->format == ROWS_CSV;
    if (!csv && (options->no_header || options->fields != NULL || options->delimiter != NULL)) {
        return cli_usage(import->cli, "--no-header, --fields and --delimiter are for CSV; to read "
                                      "this file as CSV, add --format csv");
    }
    if (rows->format != ROWS_JSON && options->at != NULL) {
        return cli_usage(import->cli, "--at is for JSON; to read this file so, add --format json");
    }
    return CLI_DONE;
}

static enum cli_exit unknown_column(const struct import *import, struct bytes column)
{
    const char *near = columns_suggest(&import->columns, column);
    return cli_usage(import->cli,
                     "column '%.*s' is no field of type %s%s%s%s; name the columns with --fields "
                     "A,B,... (an empty name skips one); if the first line is a record, add "
                     "--no-header",
                     (int)column.size, (const char *)column.data, import->form.type->name,
                     near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                     near != NULL ? "'?)" : "");
}

/* Every column must be a field, and one of them the key: else every single record would be
 * rejected. */
static enum cli_exit check_columns(const struct import *import)
{
    const char *key = record_name(&import->form, import->form.key);
    bool keyed = false;
    for (size_t i = 0; i < rows_column_count(import->rows); i++) {
        struct bytes column = rows_column(import->rows, i);
        if (column.size > 0 && columns_find(&import->columns, column, i) == import->columns.count) {
            return unknown_column(import, column);
        }
        keyed = keyed || bytes_equal(column, bytes_of_text(key));
    }
    return keyed ? CLI_DONE : cli_usage(import->cli, "no column is the key field '%s'", key);
}

static enum cli_exit out_of_memory(const struct cli *cli)
{
    cli_say(cli, "out of memory");
    return CLI_REFUSED;
}

static enum cli_exit open_rows(struct import *import)
{
    struct rows_options options;
    char problem[QN_ERROR_TEXT_MAX];
    struct buf list = {.size = 0};
    enum cli_exit code = rows_options_fill(import, &options);
    code = code == CLI_DONE ? check_any(import, options.format) : code;
    if (code != CLI_DONE) {
        return code;
    }
    bool csv = options.format == ROWS_CSV;
    if (csv && !columns_init(&import->columns, &import->form, false)) {
        return out_of_memory(import->cli);
    }
    if (options.no_header && options.fields == NULL && column_list(&import->columns, &list)) {
        options.fields = (const char *)list.data;
    }
    import->rows = rows_open(import->input.text, &options, problem);
    buf_fini(&list);
    if (import->rows == NULL) {
        cli_say(import->cli, "%s: %s", import->path, problem);
        return CLI_INPUT;
    }
    return csv ? check_columns(import) : CLI_DONE;
}

static enum cli_exit open_input(struct import *import)
{
    char problem[QN_ERROR_TEXT_MAX];
    if (input_open(&import->input, import->path, 0, problem) != QN_OK) {
        cli_say(import->cli, "%s", problem);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* ---- records ---- */

bool import_reject(struct import *import, uint64_t line, const char *reason, struct bytes raw)
{
    if (import->rejects.count < IMPORT_SHOWN_MAX) {
        progress_end(&import->progress);
        cli_say(import->cli, "%s:%" PRIu64 ": %s", import->path, line, reason);
    } else if (import->rejects.count == IMPORT_SHOWN_MAX) {
        progress_end(&import->progress);
        cli_say(import->cli, "more rejected records; see %s", import->rejects.path);
    }
    if (rejects_add(&import->rejects, line, reason, raw)) {
        return true;
    }
    qn_error_set(&import->failure, QN_IO, "cannot write rejected records to %.200s: %s",
                 import->rejects.path, strerror(errno));
    return false;
}

static bool take_row(struct import *import, const struct import_sink *sink, void *state,
                     const struct row *row)
{
    char problem[RECORD_PROBLEM_MAX];
    struct bytes json = row->raw;
    bool csv = rows_column_count(import->rows) > 0;
    if (row->problem != NULL) {
        return import_reject(import, row->line, row->problem, row->raw);
    }
    bool read = !csv || columns_record(&import->columns, row, &import->json, problem);
    json = csv ? buf_bytes(&import->json) : json;
    if (!read || !record_read(&import->record, &import->form, json, problem)) {
        return import_reject(import, row->line, problem, row->raw);
    }
    return sink->take(import, state, row);
}

/* All rows, until the end, a failure or an interrupt. True: to the end. */
static bool take_rows(struct import *import, const struct import_sink *sink, void *state)
{
    struct row row;
    while (!interrupted()) {
        switch (rows_next(import->rows, &row)) {
        case ROWS_ROW:
            break;
        case ROWS_END:
            return true;
        case ROWS_BROKEN:
            return import_reject(import, import->line, rows_problem(import->rows), bytes_of("", 0));
        }
        import->line = row.line;
        if (!take_row(import, sink, state, &row) || !import_state_tick(import, sink, state)) {
            return false;
        }
        progress_show(&import->progress, import->done_count + import->different_count,
                      rows_offset(import->rows));
    }
    return false;
}

/* ---- the end ---- */

/* Counts are those of the whole import, the speed is that of this run. */
static void print_summary(const struct import *import, double seconds)
{
    bool verify = import->cli->options.verify;
    char rate[TEXT_NUMBER_MAX];
    uint64_t done = import->done_count + import->different_count + import->rejects.count -
                    import->state.from_count;
    uint64_t per_second = seconds > 0 ? (uint64_t)((double)done / seconds) : 0;
    if (import->cli->options.json) {
        (void)cli_print_json(json_pack(
            "{s:I, s:I, s:I, s:f, s:I, s:s?}", verify ? "equal" : "imported",
            (json_int_t)import->done_count, "different", (json_int_t)import->different_count,
            "rejected", (json_int_t)import->rejects.count, "seconds", seconds, "per_second",
            (json_int_t)per_second, "rejects_file",
            import->rejects.count > 0 ? import->rejects.path : NULL));
        return;
    }
    text_grouped(per_second, rate);
    if (verify) {
        printf("%" PRIu64 " equal, %" PRIu64 " different, %" PRIu64 " rejected in %.1f s (%s/s)\n",
               import->done_count, import->different_count, import->rejects.count, seconds, rate);
    } else {
        printf("%" PRIu64 " imported, %" PRIu64 " rejected in %.1f s (%s/s)\n", import->done_count,
               import->rejects.count, seconds, rate);
    }
}

/* What to do to have the rest. */
static void say_how_to_go_on(const struct import *import)
{
    const struct import_keeping *state = &import->state;
    if (state->saved_line > 0) {
        cli_say(import->cli,
                "to go on at line %" PRIu64 ": the same command with --resume (kept in %s)",
                state->saved_line, state->path);
    } else if (!import->cli->options.verify) {
        cli_say(import->cli, "importing again begins anew, which is safe");
    }
}

static enum cli_exit conclude(const struct import *import)
{
    const struct cli *cli = import->cli;
    if (import->rejects.count > 0) {
        cli_say(cli, "rejected records and reasons are in %s", import->rejects.path);
    }
    if (import->unknown_count > 0) {
        cli_say(cli, "%" PRIu64 " records may or may not be stored; importing again is safe",
                import->unknown_count);
    }
    if (interrupted()) {
        cli_say(cli, "interrupted after line %" PRIu64, import->line);
        say_how_to_go_on(import);
        return CLI_INTERRUPTED;
    }
    if (qn_error_failed(&import->failure)) {
        cli_say(cli, "stopped after line %" PRIu64, import->line);
        enum cli_exit code = cli_fail(cli, &import->failure);
        say_how_to_go_on(import);
        return import->unknown_count > 0 ? CLI_UNKNOWN : code;
    }
    if (import->different_count > 0) {
        return CLI_NO;
    }
    return import->rejects.count > 0 ? CLI_INPUT : CLI_DONE;
}

/* Scans and counts that follow see every record. Not a failure of the import when it fails. */
static void make_visible(struct import *import)
{
    qn_error err = QN_ERROR_INIT;
    if (import->done_count > 0 && qn_commit(import->cli->client, QN_COMMIT_SOFT, 0, &err) < QN_OK) {
        cli_say(import->cli, "all is stored, but counts may not show it yet: %s", qn_explain(&err));
    }
}

static enum cli_exit transfer(struct import *import)
{
    const struct import_sink *sink =
        import->cli->options.verify ? &import_verifier : &import_writer;
    void *state = sink->create(import);
    if (state == NULL) {
        qn_error_set(&import->failure, QN_MEMORY_FULL, "out of memory");
        return cli_fail(import->cli, &import->failure);
    }
    interrupt_watch();
    progress_init(&import->progress, stderr, import->cli->terminal,
                  import->cli->options.verify ? "compared" : "imported", import->input.text.size);
    progress_go_on(&import->progress, import->done_count, import->state.from_offset);
    uint64_t began = progress_clock_ns();
    /* A failure is kept in import->failure, from where conclude() takes it. */
    bool through = take_rows(import, sink, state);
    bool settled = sink->finish(import, state);
    import_state_end(import, through && settled);
    progress_end(&import->progress);
    sink->destroy(state);
    if (settled && !import->cli->options.verify) {
        make_visible(import);
    }
    if (!rejects_close(&import->rejects)) {
        qn_error_set(&import->failure, QN_IO, "cannot write %.200s", import->rejects.path);
    }
    print_summary(import, (double)(progress_clock_ns() - began) / 1e9);
    return conclude(import);
}

static enum cli_exit prepare(struct import *import)
{
    struct cli *cli = import->cli;
    if (cli->options.cache == NULL) {
        return cli_usage(cli, "where to? Give --cache NAME");
    }
    enum cli_exit code = cli_types(cli);
    code = code == CLI_DONE ? find_form(import) : code;
    code = code == CLI_DONE ? open_input(import) : code;
    code = code == CLI_DONE ? open_rows(import) : code;
    code = code == CLI_DONE ? import_state_begin(import) : code;
    code = code == CLI_DONE ? cli_open(cli, cli->options.cache, &import->cache) : code;
    if (code != CLI_DONE) {
        (void)rejects_close(&import->rejects); /* what was just created is empty and goes */
    }
    return code;
}

enum cli_exit run_import(struct cli *cli)
{
    struct import import = {
        .cli = cli,
        .path = cli->arguments[0],
        .in_flight = cli->options.in_flight > 0 ? (size_t)cli->options.in_flight : IMPORT_IN_FLIGHT,
        .put = QN_OPTIONS_INIT,
        .failure = QN_ERROR_INIT,
    };
    import.put.ttl_ms = ttl_of(&cli->options);
    enum cli_exit code = prepare(&import);
    if (code == CLI_DONE) {
        code = transfer(&import);
    }
    columns_fini(&import.columns);
    rows_close(import.rows);
    input_close(&import.input);
    buf_fini(&import.json);
    record_fini(&import.record);
    free(import.state.target);
    return code;
}

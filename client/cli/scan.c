/* `quoin scan`: the entries of a cache, as they come. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "client/cli/commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/text.h"

/* So often in a row a cursor may find its view gone before the scan gives up. */
enum { SCAN_EXPIRED_MAX = 100, SCAN_KEY_WIDTH = 24 };

struct scan {
    struct cli *cli;
    qn_cursor *cursor;
    enum output_form output;
    struct form form;
    uint64_t count; /* entries printed */
};

static struct bytes binary_of(const qn_value *value)
{
    size_t size = 0;
    const void *data = qn_value_binary(value, &size);
    return bytes_of(data, size);
}

/* ---- one entry ---- */

static enum qn_status print_json_entry(const struct scan *scan, const qn_value *key,
                                       const qn_value *value)
{
    struct buf document = {.size = 0};
    enum qn_status status = text_append(&document, "{\"key\":");
    status = status == QN_OK ? render_json(&document, binary_of(key), &scan->form) : status;
    if (status == QN_OK && value != NULL) {
        status = text_append(&document, ",\"value\":");
        status = status == QN_OK ? render_json(&document, binary_of(value), &scan->form) : status;
        status = status == QN_OK
                     ? text_append(&document, ",\"version\":%" PRIu64, qn_value_version(value))
                     : status;
    }
    if (status != QN_OK) {
        buf_fini(&document);
        return status;
    }
    return cli_print_document(scan->cli, status, &document) == CLI_DONE ? QN_OK : QN_IO;
}

static enum qn_status print_csv_entry(const struct scan *scan, const qn_value *key,
                                      const qn_value *value)
{
    enum qn_status status = output_csv_value(binary_of(key), &scan->form, stdout);
    if (status == QN_OK && value != NULL) {
        putchar(',');
        status = output_csv_value(binary_of(value), &scan->form, stdout);
        printf(",%" PRIu64, qn_value_version(value));
    }
    putchar('\n');
    return status;
}

static enum qn_status print_text_entry(const struct scan *scan, const qn_value *key,
                                       const qn_value *value)
{
    int width = value != NULL ? SCAN_KEY_WIDTH : 0;
    enum qn_status status = output_text(binary_of(key), &scan->form, width, stdout);
    if (status == QN_OK && value != NULL) {
        fputs("  ", stdout);
        status = output_text(binary_of(value), &scan->form, 0, stdout);
    }
    putchar('\n');
    return status;
}

static enum qn_status print_entry(const struct scan *scan, const qn_value *key,
                                  const qn_value *value)
{
    switch (scan->output) {
    case OUTPUT_JSON:
        return print_json_entry(scan, key, value);
    case OUTPUT_CSV:
        return print_csv_entry(scan, key, value);
    case OUTPUT_TEXT:
        return print_text_entry(scan, key, value);
    case OUTPUT_RAW:
        output_raw_value(binary_of(value != NULL ? value : key), stdout);
        putchar('\n');
        break;
    }
    return QN_OK;
}

/* ---- all of them ---- */

/* Read and print the next one. QN_ABSENT: that was all. */
static enum qn_status step(struct scan *scan, qn_error *err)
{
    qn_value *key = NULL;
    qn_value *value = NULL;
    enum qn_status status = QN_CURSOR_EXPIRED;
    for (int i = 0; status == QN_CURSOR_EXPIRED && i < SCAN_EXPIRED_MAX; i++) {
        *err = (qn_error)QN_ERROR_INIT;
        status = qn_cursor_next(scan->cursor, &key, &value, err); /* goes on in a newer view */
    }
    if (status == QN_OK) {
        status = print_entry(scan, key, value);
        if (status != QN_OK) {
            (void)qn_error_set(err, status, "scan: an entry cannot be shown");
        }
        scan->count++;
    }
    qn_value_release(key);
    qn_value_release(value);
    return status;
}

/* Say where a scan that was cut short goes on. */
static void print_position(const struct scan *scan)
{
    size_t size = qn_cursor_position(scan->cursor, NULL, 0) + 1;
    char *text = calloc(1, size);
    if (text == NULL || qn_cursor_position(scan->cursor, text, size) == 0) {
        free(text);
        return;
    }
    if (scan->output == OUTPUT_JSON) {
        (void)cli_print_json(json_pack("{s:s}", "next", text));
    } else {
        fflush(stdout);
        fprintf(stderr, "there may be more: --from %s\n", text);
    }
    free(text);
}

static enum cli_exit scan_all(struct scan *scan)
{
    int64_t limit = scan->cli->options.limit;
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = QN_OK;
    if (scan->output == OUTPUT_CSV) {
        puts(scan->cli->options.keys_only ? "key" : "key,value,version");
    }
    while (status == QN_OK && !interrupted()) {
        if (limit >= 0 && scan->count >= (uint64_t)limit) {
            print_position(scan);
            return CLI_DONE;
        }
        status = step(scan, &err);
    }
    if (status < QN_OK) {
        return cli_fail(scan->cli, &err);
    }
    return status == QN_OK ? cli_interrupted(scan->cli) : CLI_DONE;
}

enum cli_exit run_scan(struct cli *cli)
{
    const struct options *options = &cli->options;
    struct scan scan = {.cli = cli, .output = output_form_of(options)};
    qn_cache *cache = NULL;
    enum cli_exit code = cli_types(cli);
    code = code == CLI_DONE ? form_find(cli, cli->arguments[0], &scan.form) : code;
    code = code == CLI_DONE ? cli_open(cli, cli->arguments[0], &cache) : code;
    if (code != CLI_DONE) {
        return code;
    }
    qn_scan_options how = QN_SCAN_OPTIONS_INIT;
    how.keys_only = options->keys_only;
    how.fresh = options->fresh;
    how.from = options->from_position;
    qn_error err = QN_ERROR_INIT;
    scan.cursor = qn_scan(cache, &how, &err);
    code = scan.cursor != NULL ? scan_all(&scan) : cli_fail(cli, &err);
    qn_cursor_close(scan.cursor);
    return code;
}

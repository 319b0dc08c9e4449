/* `quoin get`, `remove`, `contains`, `touch`, `count`: one key or one cache. */
#define _GNU_SOURCE
#include <inttypes.h>

#include "client/cli/commands.h"
#include "client/cli/entry.h"
#include "client/cli/output.h"
#include "client/cli/text.h"

/* ---- get ---- */

static enum cli_exit print_json_value(const struct entry_call *call, const qn_value *value,
                                      struct bytes binary)
{
    struct buf document = {.size = 0};
    int64_t ttl_ms = qn_value_ttl(value);
    enum qn_status status = text_append(&document, "{\"key\":");
    status = status == QN_OK ? entry_key_json(call, &document) : status;
    status = status == QN_OK ? text_append(&document, ",\"value\":") : status;
    status = status == QN_OK ? render_json(&document, binary, &call->form) : status;
    status = status == QN_OK
                 ? text_append(&document, ",\"version\":%" PRIu64, qn_value_version(value))
                 : status;
    if (status == QN_OK && ttl_ms > 0) {
        status = text_append(&document, ",\"ttl_ms\":%" PRId64, ttl_ms);
    }
    return cli_print_document(call->cli, status, &document);
}

static enum qn_status print_csv_value(const struct entry_call *call, const qn_value *value,
                                      struct bytes binary)
{
    puts("key,value,version");
    output_csv_cell(bytes_of_text(call->cli->arguments[1]), stdout);
    putchar(',');
    enum qn_status status = output_csv_value(binary, &call->form, stdout);
    printf(",%" PRIu64 "\n", qn_value_version(value));
    return status;
}

static enum cli_exit print_value(const struct entry_call *call, const qn_value *value)
{
    const struct cli *cli = call->cli;
    size_t size = 0;
    const void *data = qn_value_binary(value, &size);
    struct bytes binary = bytes_of(data, size);
    enum qn_status status = QN_OK;
    switch (output_form_of(&cli->options)) {
    case OUTPUT_JSON:
        return print_json_value(call, value, binary);
    case OUTPUT_CSV:
        status = print_csv_value(call, value, binary);
        break;
    case OUTPUT_RAW:
        output_raw_value(binary, stdout);
        break;
    case OUTPUT_TEXT:
        status = output_text(binary, &call->form, 0, stdout);
        putchar('\n');
        break;
    }
    if (status != QN_OK) {
        cli_say(cli, "the value cannot be shown: %s", qn_status_text(status));
    }
    return status == QN_OK ? CLI_DONE : CLI_REFUSED;
}

static enum cli_exit get(const struct entry_call *call)
{
    qn_value *value = NULL;
    qn_error err = QN_ERROR_INIT;
    qn_status status = qn_get(call->cache, call->key, NULL, &value, &err);
    if (status < QN_OK) {
        return cli_fail(call->cli, &err);
    }
    enum cli_exit code = CLI_NO;
    if (status == QN_OK && value != NULL) {
        code = print_value(call, value);
    } else {
        cli_say(call->cli, "%s", qn_status_text(QN_ABSENT));
    }
    qn_value_release(value);
    return code;
}

enum cli_exit run_get(struct cli *cli)
{
    return entry_run(cli, get);
}

/* ---- remove, contains, touch, count ---- */

static enum cli_exit remove_entry(const struct entry_call *call)
{
    const qn_options how = entry_change_options(call->cli);
    int64_t version = call->cli->options.if_version;
    qn_error err = QN_ERROR_INIT;
    qn_status status = version > 0
                           ? qn_remove_if(call->cache, call->key, (uint64_t)version, &how, &err)
                           : qn_remove(call->cache, call->key, &how, &err);
    return status < QN_OK ? cli_fail(call->cli, &err) : entry_answer(call, status, 0, "removed");
}

enum cli_exit run_remove(struct cli *cli)
{
    return entry_run(cli, remove_entry);
}

static enum cli_exit contains(const struct entry_call *call)
{
    qn_error err = QN_ERROR_INIT;
    qn_status status = qn_contains(call->cache, call->key, NULL, &err);
    if (status < QN_OK) {
        return cli_fail(call->cli, &err);
    }
    if (call->cli->options.json) {
        return entry_answer(call, status, 0, "yes");
    }
    puts(status == QN_OK ? "yes" : "no");
    return cli_exit_of(status, QN_APPLIED);
}

enum cli_exit run_contains(struct cli *cli)
{
    return entry_run(cli, contains);
}

static enum cli_exit touch(const struct entry_call *call)
{
    qn_options how = entry_change_options(call->cli);
    uint64_t version = 0;
    qn_error err = QN_ERROR_INIT;
    how.version = &version;
    qn_status status = qn_touch(call->cache, call->key, entry_ttl(call->cli), &how, &err);
    return status < QN_OK ? cli_fail(call->cli, &err)
                          : entry_answer(call, status, version, "touched");
}

enum cli_exit run_touch(struct cli *cli)
{
    return entry_run(cli, touch);
}

enum cli_exit run_count(struct cli *cli)
{
    qn_cache *cache = NULL;
    enum cli_exit code = cli_open(cli, cli->arguments[0], &cache);
    if (code != CLI_DONE) {
        return code;
    }
    uint64_t count = 0;
    qn_options how = QN_OPTIONS_INIT;
    how.wait_visible = cli->options.fresh;
    qn_error err = QN_ERROR_INIT;
    if (qn_count(cache, &count, &how, &err) < QN_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->options.json) {
        return cli_print_json(
            json_pack("{s:s, s:I}", "cache", cli->arguments[0], "count", (json_int_t)count));
    }
    if (cli->options.csv) {
        puts("cache,count");
        output_csv_cell(bytes_of_text(cli->arguments[0]), stdout);
        putchar(',');
    }
    printf("%" PRIu64 "\n", count);
    return CLI_DONE;
}

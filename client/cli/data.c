/* `quoin put`, `get`, `remove`, `contains`, `count`: one key or one cache. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/input.h"
#include "client/cli/object.h"
#include "client/cli/render.h"
#include "client/cli/text.h"

/* Enough for any value that the grid takes, so that it is the grid that says what is too large. */
enum { PUT_FILE_MAX = 32 * 1024 * 1024 };

/* A cache and a key of the command line. */
struct data_call {
    struct cli *cli;
    qn_cache *cache;
    qn_arg key;
};

/* Types, key, connection, cache: what every command on a key begins with. */
static enum cli_exit call_open(struct cli *cli, struct data_call *call)
{
    *call = (struct data_call){.cli = cli};
    enum cli_exit code = cli_types(cli);
    if (code == CLI_DONE) {
        code = cli_key(cli, cli->arguments[0], cli->arguments[1], &call->key);
    }
    return code == CLI_DONE ? cli_open(cli, cli->arguments[0], &call->cache) : code;
}

static json_t *key_json(const struct data_call *call)
{
    return call->key.kind == QN_ARG_INT ? json_integer(call->key.number)
                                        : json_string(call->cli->arguments[1]);
}

/* An answer without a value: a word for people, a document for programs, the exit code for both. */
static enum cli_exit answer(const struct data_call *call, qn_status status, uint64_t version,
                            const char *done)
{
    const struct cli *cli = call->cli;
    if (cli->options.json) {
        json_t *document =
            json_pack("{s:o, s:s}", "key", key_json(call), "status", qn_status_name(status));
        if (version > 0) {
            json_object_set_new(document, "version", json_integer((json_int_t)version));
        }
        enum cli_exit printed = cli_print_json(document);
        return printed == CLI_DONE ? cli_exit_of(status, QN_APPLIED) : printed;
    }
    if (status != QN_OK) {
        cli_say(cli, "%s", qn_status_text(status));
    } else if (version > 0) {
        printf("%s, version %" PRIu64 "\n", done, version);
    } else {
        printf("%s\n", done);
    }
    return cli_exit_of(status, QN_APPLIED);
}

/* ---- put ---- */

/* The value of the command line in its Binary or plain form, and what it borrows from. */
struct put_value {
    qn_arg arg;
    struct input file;
    struct buf binary;
};

/* A JSON object of a type of the types file. */
static enum cli_exit value_typed(const struct cli *cli, struct bytes text, struct put_value *value)
{
    const char *name = cli->options.type;
    const struct types_type *type = cli->types != NULL ? types_find(cli->types, name) : NULL;
    if (type == NULL) {
        return cli_usage(cli,
                         cli->types != NULL
                             ? "--type %s: the types file has no such type"
                             : "--type %s needs a types file: --types FILE or QUOIN_TYPES",
                         name);
    }
    char problem[OBJECT_PROBLEM_MAX];
    const struct rows_options options = {.format = ROWS_JSON_LINES};
    struct rows *rows = rows_open(text, &options, problem);
    struct object object;
    struct row row = {.problem = "out of memory"};
    bool ready = object_init(&object, type) && rows != NULL;
    if (ready && rows_next(rows, &row) != ROWS_ROW) {
        row.problem = "the value is empty";
    }
    bool read = row.problem == NULL && object_read(&object, &row, problem);
    enum qn_status status = read ? object_encode(&object, &value->binary) : QN_INVALID;
    if (!read) {
        cli_say(cli, "the value is no %s: %s", name, row.problem != NULL ? row.problem : problem);
    } else if (status != QN_OK) {
        cli_say(cli, "the value cannot be encoded: %s", qn_status_text(status));
    }
    rows_close(rows);
    object_fini(&object);
    value->arg = qn_binary(value->binary.data, value->binary.size);
    return status == QN_OK ? CLI_DONE : CLI_REFUSED;
}

static enum cli_exit value_int(const struct cli *cli, const char *text, struct put_value *value)
{
    int64_t number = 0;
    if (!text_to_int(bytes_of_text(text), &number)) {
        return cli_usage(cli, "--int: %s is not a whole number of 64 bits", text);
    }
    value->arg = qn_int(number);
    return CLI_DONE;
}

static enum cli_exit value_read(const struct cli *cli, struct put_value *value)
{
    const struct options *options = &cli->options;
    const char *text = cli->argument_count > 2 ? cli->arguments[2] : NULL;
    if ((text == NULL) == (options->from_file == NULL)) {
        return cli_usage(cli, "give either VALUE or --from FILE");
    }
    if (options->int_value && (text == NULL || options->type != NULL)) {
        return cli_usage(cli, "--int goes with VALUE, and without --type");
    }
    if (options->int_value) {
        return value_int(cli, text, value);
    }
    struct bytes octets = bytes_of_text(text != NULL ? text : "");
    if (text == NULL) {
        char problem[QN_ERROR_TEXT_MAX];
        enum qn_status status = input_open(&value->file, options->from_file, PUT_FILE_MAX, problem);
        if (status != QN_OK) {
            cli_say(cli, "%s", problem);
            return status == QN_TOO_LARGE ? CLI_REFUSED : CLI_USAGE;
        }
        octets = value->file.text;
    }
    if (options->type != NULL) {
        return value_typed(cli, octets, value);
    }
    value->arg = qn_text((const char *)octets.data, octets.size);
    return CLI_DONE;
}

static enum cli_exit put(const struct data_call *call, const struct put_value *value)
{
    const struct options *options = &call->cli->options;
    uint64_t version = 0;
    qn_options how = QN_OPTIONS_INIT;
    how.version = &version;
    qn_error err = QN_ERROR_INIT;
    qn_status status;
    if (options->if_absent) {
        status = qn_put_if_absent(call->cache, call->key, value->arg, &how, &err);
    } else if (options->if_version > 0) {
        status = qn_replace(call->cache, call->key, value->arg, (uint64_t)options->if_version, &how,
                            &err);
    } else {
        status = qn_put(call->cache, call->key, value->arg, &how, &err);
    }
    return status < QN_OK ? cli_fail(call->cli, &err) : answer(call, status, version, "stored");
}

enum cli_exit run_put(struct cli *cli)
{
    if (cli->options.if_absent && cli->options.if_version > 0) {
        return cli_usage(cli, "--if-absent and --if-version exclude each other");
    }
    struct put_value value = {.binary = {.size = 0}};
    struct data_call call = {.cli = cli};
    enum cli_exit code = cli_types(cli);
    code = code == CLI_DONE ? value_read(cli, &value) : code;
    code = code == CLI_DONE ? cli_key(cli, cli->arguments[0], cli->arguments[1], &call.key) : code;
    code = code == CLI_DONE ? cli_open(cli, cli->arguments[0], &call.cache) : code;
    code = code == CLI_DONE ? put(&call, &value) : code;
    buf_fini(&value.binary);
    input_close(&value.file);
    return code;
}

/* ---- get ---- */

static enum cli_exit print_value(const struct data_call *call, const qn_value *value)
{
    const struct cli *cli = call->cli;
    size_t size = 0;
    const void *data = qn_value_binary(value, &size);
    struct bytes binary = bytes_of(data, size);
    json_t *json = NULL;
    enum qn_status status = QN_OK;
    enum cli_exit code = CLI_DONE;
    if (cli->options.json) {
        status = render_json(binary, cli->types, &json);
    } else {
        status = render_print(binary, cli->types, stdout);
    }
    if (status != QN_OK) {
        cli_say(cli, "the value cannot be shown: %s", qn_status_text(status));
        return CLI_REFUSED;
    }
    if (cli->options.json) {
        code = cli_print_json(json_pack("{s:o, s:o, s:I}", "key", key_json(call), "value", json,
                                        "version", (json_int_t)qn_value_version(value)));
    }
    return code;
}

enum cli_exit run_get(struct cli *cli)
{
    struct data_call call;
    enum cli_exit code = call_open(cli, &call);
    if (code != CLI_DONE) {
        return code;
    }
    qn_value *value = NULL;
    qn_error err = QN_ERROR_INIT;
    qn_status status = qn_get(call.cache, call.key, NULL, &value, &err);
    if (status < QN_OK) {
        return cli_fail(cli, &err);
    }
    if (status == QN_OK && value != NULL) {
        code = print_value(&call, value);
    } else {
        cli_say(cli, "%s", qn_status_text(QN_ABSENT));
        code = CLI_NO;
    }
    qn_value_release(value);
    return code;
}

/* ---- remove, contains, count ---- */

enum cli_exit run_remove(struct cli *cli)
{
    struct data_call call;
    enum cli_exit code = call_open(cli, &call);
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    qn_status status =
        cli->options.if_version > 0
            ? qn_remove_if(call.cache, call.key, (uint64_t)cli->options.if_version, NULL, &err)
            : qn_remove(call.cache, call.key, NULL, &err);
    return status < QN_OK ? cli_fail(cli, &err) : answer(&call, status, 0, "removed");
}

enum cli_exit run_contains(struct cli *cli)
{
    struct data_call call;
    enum cli_exit code = call_open(cli, &call);
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    qn_status status = qn_contains(call.cache, call.key, NULL, &err);
    if (status < QN_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->options.json) {
        return answer(&call, status, 0, "yes");
    }
    puts(status == QN_OK ? "yes" : "no");
    return cli_exit_of(status, QN_APPLIED);
}

enum cli_exit run_count(struct cli *cli)
{
    qn_cache *cache = NULL;
    enum cli_exit code = cli_open(cli, cli->arguments[0], &cache);
    if (code != CLI_DONE) {
        return code;
    }
    uint64_t count = 0;
    qn_error err = QN_ERROR_INIT;
    if (qn_count(cache, &count, NULL, &err) < QN_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->options.json) {
        return cli_print_json(
            json_pack("{s:s, s:I}", "cache", cli->arguments[0], "count", (json_int_t)count));
    }
    printf("%" PRIu64 "\n", count);
    return CLI_DONE;
}

/* `quoin put`: what the value is, and what is asked of the entry. */
#define _GNU_SOURCE
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/entry.h"
#include "client/cli/input.h"
#include "client/cli/record.h"
#include "client/cli/text.h"

/* Enough for any value that the grid takes, so that it is the grid that says what is too large. */
enum { PUT_FILE_MAX = 32 * 1024 * 1024 };

/* The value of the command line in its Binary or plain form, and what it borrows from. */
struct put_value {
    qn_arg arg;
    struct input file;
    struct buf binary;
};

/* A JSON object of a type of the types file. */
static enum cli_exit value_typed(const struct entry_call *call, struct bytes text,
                                 struct put_value *value)
{
    const struct cli *cli = call->cli;
    char problem[RECORD_PROBLEM_MAX];
    enum cli_exit code = form_check_reading(cli, &call->form);
    if (code != CLI_DONE) {
        return code;
    }
    if (!record_read_value(&value->binary, &call->form, text, problem)) {
        cli_say(cli, "the value is no %s: %s", cli->options.type, problem);
        return CLI_REFUSED;
    }
    value->arg = qn_binary(value->binary.data, value->binary.size);
    return CLI_DONE;
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

static enum cli_exit value_octets(const struct cli *cli, const char *text, struct put_value *value)
{
    if (text_to_octets(bytes_of_text(text), &value->binary) != QN_OK) {
        return cli_usage(cli, "--octets: VALUE is written 0x00ff or b64:AP8=");
    }
    value->arg = qn_bytes(value->binary.data, value->binary.size);
    return CLI_DONE;
}

static enum cli_exit value_read(const struct entry_call *call, struct put_value *value)
{
    const struct cli *cli = call->cli;
    const struct options *options = &cli->options;
    const char *text = cli->argument_count > 2 ? cli->arguments[2] : NULL;
    if ((text == NULL) == (options->from_file == NULL)) {
        return cli_usage(cli, "give either VALUE or --from FILE");
    }
    if (options->int_value + options->octets_value + (options->type != NULL) > 1) {
        return cli_usage(cli, "--int, --octets and --type exclude each other");
    }
    if (options->int_value && text == NULL) {
        return cli_usage(cli, "--int goes with VALUE");
    }
    if (options->int_value) {
        return value_int(cli, text, value);
    }
    if (options->octets_value && text != NULL) {
        return value_octets(cli, text, value);
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
        return value_typed(call, octets, value);
    }
    value->arg = options->octets_value ? qn_bytes(octets.data, octets.size)
                                       : qn_text((const char *)octets.data, octets.size);
    return CLI_DONE;
}

static enum cli_exit put(const struct entry_call *call, const struct put_value *value)
{
    const struct options *options = &call->cli->options;
    uint64_t version = 0;
    qn_options how = entry_change_options(call->cli);
    how.version = &version;
    how.ttl_ms = entry_ttl(call->cli);
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
    return status < QN_OK ? cli_fail(call->cli, &err)
                          : entry_answer(call, status, version, "stored");
}

enum cli_exit run_put(struct cli *cli)
{
    if (cli->options.if_absent && cli->options.if_version > 0) {
        return cli_usage(cli, "--if-absent and --if-version exclude each other");
    }
    struct put_value value = {.binary = {.size = 0}};
    struct entry_call call = {.cli = cli};
    enum cli_exit code = cli_types(cli);
    code = code == CLI_DONE ? form_find(cli, cli->arguments[0], &call.form) : code;
    code = code == CLI_DONE ? value_read(&call, &value) : code;
    code = code == CLI_DONE ? entry_open(&call) : code;
    code = code == CLI_DONE ? put(&call, &value) : code;
    buf_fini(&call.key_octets);
    buf_fini(&value.binary);
    input_close(&value.file);
    return code;
}

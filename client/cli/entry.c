#define _GNU_SOURCE
#include "client/cli/entry.h"

#include <inttypes.h>

#include "client/cli/json_value.h"

enum cli_exit entry_open(struct entry_call *call)
{
    struct cli *cli = call->cli;
    enum cli_exit code =
        cli_key(cli, cli->arguments[0], cli->arguments[1], &call->key_octets, &call->key);
    return code == CLI_DONE ? cli_open(cli, cli->arguments[0], &call->cache) : code;
}

enum cli_exit entry_run(struct cli *cli, enum cli_exit (*act)(const struct entry_call *call))
{
    struct entry_call call = {.cli = cli};
    enum cli_exit code = cli_types(cli);
    code = code == CLI_DONE ? entry_open(&call) : code;
    code = code == CLI_DONE ? act(&call) : code;
    buf_fini(&call.key_octets);
    return code;
}

qn_options entry_change_options(const struct cli *cli)
{
    qn_options how = QN_OPTIONS_INIT;
    how.wait_visible = cli->options.wait_visible;
    how.commit_within_ms = cli->options.commit_within_ms;
    return how;
}

int64_t entry_ttl(const struct cli *cli)
{
    int64_t ttl_ms = cli->options.ttl_ms;
    return ttl_ms == OPTIONS_NEVER ? QN_TTL_NEVER : ttl_ms > 0 ? ttl_ms : 0;
}

json_t *entry_key_json(const struct entry_call *call)
{
    if (call->key.kind == QN_ARG_BYTES) {
        return json_value_octets(buf_bytes(&call->key_octets));
    }
    return call->key.kind == QN_ARG_INT ? json_integer(call->key.number)
                                        : json_string(call->cli->arguments[1]);
}

enum cli_exit entry_answer(const struct entry_call *call, qn_status status, uint64_t version,
                           const char *done)
{
    const struct cli *cli = call->cli;
    if (cli->options.json) {
        json_t *document =
            json_pack("{s:o, s:s}", "key", entry_key_json(call), "status", qn_status_name(status));
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

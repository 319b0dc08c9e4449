#define _GNU_SOURCE
#include "client/cli/entry.h"

#include <inttypes.h>

#include "client/cli/render.h"
#include "client/cli/text.h"
#include "wire/pof/binary.h"

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
    code = code == CLI_DONE ? form_find(cli, cli->arguments[0], &call.form) : code;
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

/* The key as a Binary. */
static enum qn_status key_binary(const struct entry_call *call, struct buf *binary)
{
    switch (call->key.kind) {
    case QN_ARG_BYTES:
        return pof_binary_octets(binary, buf_bytes(&call->key_octets));
    case QN_ARG_INT:
        return pof_binary_int64(binary, call->key.number);
    case QN_ARG_STRING:
    case QN_ARG_BINARY:
        break;
    }
    return pof_binary_string(binary, bytes_of_text(call->cli->arguments[1]));
}

enum qn_status entry_key_json(const struct entry_call *call, struct buf *out)
{
    struct buf binary = {.size = 0};
    enum qn_status status = key_binary(call, &binary);
    status = status == QN_OK ? render_json(out, buf_bytes(&binary), &(struct form){.schema = NULL})
                             : status;
    buf_fini(&binary);
    return status;
}

/* What was done, as a document. */
static enum cli_exit answer_json(const struct entry_call *call, qn_status status, uint64_t version)
{
    struct buf document = {.size = 0};
    enum qn_status made = text_append(&document, "{\"key\":");
    made = made == QN_OK ? entry_key_json(call, &document) : made;
    made =
        made == QN_OK ? text_append(&document, ",\"status\":\"%s\"", qn_status_name(status)) : made;
    if (made == QN_OK && version > 0) {
        made = text_append(&document, ",\"version\":%" PRIu64, version);
    }
    enum cli_exit printed = cli_print_document(call->cli, made, &document);
    return printed == CLI_DONE ? cli_exit_of(status, QN_APPLIED) : printed;
}

enum cli_exit entry_answer(const struct entry_call *call, qn_status status, uint64_t version,
                           const char *done)
{
    const struct cli *cli = call->cli;
    if (cli->options.json) {
        return answer_json(call, status, version);
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

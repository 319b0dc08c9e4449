/* `quoin commit`, `config`, `log levels`, `log set`, `outcome`: what is asked of nodes. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/table.h"

enum {
    NODES_VALUE_MAX = 1024,
    COMMIT_HARD_MS = 30 * 60 * 1000,
};

/* ---- commit ---- */

enum cli_exit run_commit(struct cli *cli)
{
    const char *level = cli->options.hard ? "hard" : "soft";
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    /* Snapshots of everything take their time; a node that is gone is noticed all the same. */
    int64_t patience_ms = cli->options.hard && cli->options.timeout_ms < 0 ? COMMIT_HARD_MS : 0;
    if (qn_commit(cli->client, cli->options.hard ? QN_COMMIT_HARD : QN_COMMIT_SOFT, patience_ms,
                  &err) < QN_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->options.json) {
        return cli_print_json(json_pack("{s:s, s:s}", "commit", level, "status", "done"));
    }
    puts(cli->options.hard ? "committed: a snapshot of everything is on disk"
                           : "committed: scans and counts see every write up to now");
    return CLI_DONE;
}

/* ---- tables of what nodes say ---- */

struct listing {
    const struct cli *cli;
    struct table table;
};

static enum cli_exit listing_end(struct listing *listing, qn_status status, const qn_error *err)
{
    enum cli_exit code = CLI_DONE;
    if (status < QN_OK) {
        code = cli_fail(listing->cli, err);
    } else if (!table_print(&listing->table, output_form_of(&listing->cli->options), stdout)) {
        cli_say(listing->cli, "out of memory");
        code = CLI_REFUSED;
    }
    table_fini(&listing->table);
    return code;
}

/* ---- config ---- */

/* `value` is "4096  # quoin.cfg:12": what it is, then where it comes from. */
static void add_setting(void *arg, uint32_t node, const char *path, const char *value)
{
    struct listing *listing = arg;
    int64_t wanted = listing->cli->options.node;
    char text[NODES_VALUE_MAX];
    if (wanted != 0 && wanted != (int64_t)node) {
        return;
    }
    const char *origin = strstr(value, "  # ");
    size_t length = origin != NULL ? (size_t)(origin - value) : strlen(value);
    snprintf(text, sizeof text, "%.*s", (int)length, value);
    table_text(&listing->table, path);
    table_text(&listing->table, text);
    table_text(&listing->table, origin != NULL ? origin + 4 : "");
    table_number(&listing->table, node);
}

enum cli_exit run_config(struct cli *cli)
{
    static const char *const columns[] = {"setting", "value", "origin", "node"};
    struct listing listing = {.cli = cli,
                              .table = {.name = "settings", .columns = columns, .column_count = 4}};
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    qn_status status = qn_node_config(cli->client, 0, add_setting, &listing, &err);
    if (status >= QN_OK && listing.table.values == NULL && cli->options.node != 0) {
        cli_say(cli, "no node has the number %" PRId64, cli->options.node);
        return CLI_NO;
    }
    return listing_end(&listing, status, &err);
}

/* ---- log ---- */

static void add_level(void *arg, uint32_t node, const char *module, const char *level)
{
    struct listing *listing = arg;
    table_text(&listing->table, module);
    table_text(&listing->table, level);
    table_number(&listing->table, node);
}

/* `level` NULL = only tell. */
static enum cli_exit log_levels(struct cli *cli, const char *module, const char *level)
{
    static const char *const columns[] = {"module", "level", "node"};
    struct listing listing = {.cli = cli,
                              .table = {.name = "levels", .columns = columns, .column_count = 3}};
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    qn_status status = qn_node_log_level(cli->client, module, level, 0, add_level, &listing, &err);
    return listing_end(&listing, status, &err);
}

enum cli_exit run_log_levels(struct cli *cli)
{
    return log_levels(cli, NULL, NULL);
}

enum cli_exit run_log_set(struct cli *cli)
{
    const char *module = cli->arguments[0];
    return log_levels(cli, strcmp(module, "all") == 0 ? NULL : module, cli->arguments[1]);
}

/* ---- outcome ---- */

static const char *certainty_name(enum qn_certainty certainty)
{
    switch (certainty) {
    case QN_NOT_APPLIED:
        return "not applied";
    case QN_APPLIED:
        return "applied";
    case QN_UNKNOWN:
        return "unknown";
    }
    return "?";
}

static enum cli_exit exit_of_certainty(enum qn_certainty certainty)
{
    switch (certainty) {
    case QN_NOT_APPLIED:
        return CLI_NO;
    case QN_APPLIED:
        return CLI_DONE;
    case QN_UNKNOWN:
        return CLI_UNKNOWN;
    }
    return CLI_UNKNOWN;
}

static enum cli_exit print_outcome(const struct cli *cli, enum qn_certainty certainty,
                                   qn_status status)
{
    enum cli_exit code = exit_of_certainty(certainty);
    if (cli->options.json) {
        enum cli_exit printed =
            cli_print_json(json_pack("{s:s, s:s, s:s}", "change", cli->arguments[0], "outcome",
                                     certainty_name(certainty), "status", qn_status_name(status)));
        return printed == CLI_DONE ? code : printed;
    }
    printf("%s\n", certainty_name(certainty));
    if (status != QN_OK) {
        cli_say(cli, "the answer was: %s", qn_status_text(status));
    }
    return code;
}

enum cli_exit run_outcome(struct cli *cli)
{
    enum qn_certainty certainty = QN_UNKNOWN;
    qn_status status = QN_OK;
    qn_error err = QN_ERROR_INIT;
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    qn_status settled = qn_outcome(cli->client, cli->arguments[0], 0, &certainty, &status, &err);
    if (settled == QN_SESSION_EXPIRED) {
        return print_outcome(cli, QN_UNKNOWN, settled);
    }
    return settled < QN_OK ? cli_fail(cli, &err) : print_outcome(cli, certainty, status);
}

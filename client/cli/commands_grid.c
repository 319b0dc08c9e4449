/* Rows of the command table: nodes and the grid as a whole. */
#include "client/cli/command_rows.h"

static const struct option_spec status_options[] = {WATCH};

static const char *const status_examples[] = {
    "quoin status",
    "quoin status --json",
    "quoin status --watch",
    NULL,
};

static const struct option_spec ping_options[] = {
    FLAG("ready", ready, "exit with 0 only when the node serves every partition it should"),
    NUMBER("wait", "DURATION", wait_ms, OPTION_DURATION, 1, 86400000,
           "try again for this long (default: once)"),
    WATCH,
};

static const char *const ping_examples[] = {
    "quoin ping",
    "quoin ping --ready --wait 30s",
    NULL,
};

static const struct option_spec commit_options[] = {
    FLAG("hard", hard, "write snapshots to disk, too: the log before is not needed any more"),
};

static const char *const commit_examples[] = {"quoin commit", "quoin commit --hard", NULL};

static const struct option_spec config_options[] = {
    NUMBER("node", "N", node, OPTION_COUNT, 1, UINT32_MAX, "of this node only"),
    CSV,
    WATCH,
};

static const char *const config_examples[] = {"quoin config", "quoin config --node 1", NULL};

static const struct option_spec levels_options[] = {CSV, WATCH};

static const char *const levels_examples[] = {"quoin log levels", NULL};

static const char *const set_examples[] = {
    "quoin log set log debug",
    "quoin log set all info",
    NULL,
};

static const char *const outcome_examples[] = {
    "quoin outcome w1-11d176798f9908dc0a95533a8f05ad820c00000002000000000000000200000000000000"
    "581d9825",
    NULL,
};

static const struct command rows[] = {
    {
        .name = "status",
        .arguments = "",
        .summary = "how the grid is, on one screen",
        .examples = status_examples,
        OPTIONS(status_options),
        .run = run_status,
    },
    {
        .name = "ping",
        .arguments = "",
        .summary = "does a node answer, and how fast?",
        .examples = ping_examples,
        OPTIONS(ping_options),
        .run = run_ping,
    },
    {
        .name = "commit",
        .arguments = "",
        .summary = "let scans and counts see every write up to now",
        .detail = "A soft commit makes new views for scans and counts. A hard commit also writes a "
                  "snapshot of every partition. Both happen by themselves, too.",
        .examples = commit_examples,
        OPTIONS(commit_options),
        .run = run_commit,
    },
    {
        .name = "config",
        .arguments = "",
        .summary = "the settings in force on the nodes, and where they come from",
        .examples = config_examples,
        OPTIONS(config_options),
        .run = run_config,
    },
    {
        .name = "log levels",
        .arguments = "",
        .summary = "what the modules of the nodes log",
        .examples = levels_examples,
        OPTIONS(levels_options),
        .run = run_log_levels,
    },
    {
        .name = "log set",
        .arguments = "MODULE error|warn|info|debug",
        .argument_min = 2,
        .argument_max = 2,
        .summary = "set what a module (\"all\" = every one) logs, until the node restarts",
        .examples = set_examples,
        .run = run_log_set,
    },
    {
        .name = "outcome",
        .arguments = "CHANGE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "what became of a change of unknown outcome?",
        .detail =
            "CHANGE is the name that the message about the unknown outcome shows. A change that "
            "has not arrived by now never will take effect.\n\n"
            "Exit codes: 0 it was applied, 1 it was not, 4 nobody knows any more.",
        .examples = outcome_examples,
        .run = run_outcome,
    },
};

const struct command_group commands_grid = {"the grid", rows, COUNT_OF(rows)};

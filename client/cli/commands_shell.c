/* Rows of the command table: the tool itself, its shell and its scripts. */
#include "client/cli/command_rows.h"

static const char *const shell_examples[] = {
    "quoin",
    "quoin shell --cache accounts",
    NULL,
};

static const struct option_spec run_options[] = {
    FLAG("keep-going", keep_going, "go on after a command that failed"),
};

static const char *const run_examples[] = {
    "quoin run nightly.quoin",
    "quoin run - --keep-going < nightly.quoin",
    "quoin < nightly.quoin",
    NULL,
};

static const char *const use_examples[] = {"use accounts", "use", NULL};
static const char *const timing_examples[] = {"timing on", NULL};
static const char *const history_examples[] = {"history", NULL};
static const char *const exit_examples[] = {"exit", NULL};
static const char *const quit_examples[] = {"quit", NULL};
static const char *const help_examples[] = {"quoin help", "quoin help import", NULL};
static const char *const version_examples[] = {"quoin version", NULL};

static const struct command rows[] = {
    {
        .name = "shell",
        .arguments = "",
        .summary = "read commands from the terminal",
        .detail = "The same commands as on the command line, without the word quoin, over one "
                  "connection. "
                  "Words are quoted as in sh: '...', \"...\" and \\; # begins a comment; a line "
                  "that ends in "
                  "\\ or within quotes goes on in the next one.\n\n"
                  "Tab completes commands, options, names of caches and of files. Ctrl-C ends the "
                  "line or "
                  "the command that runs, Ctrl-D the shell. The history is kept in "
                  "$XDG_STATE_HOME/quoin/history, else ~/.local/state/quoin/history.",
        .examples = shell_examples,
        .traits = COMMAND_ONCE,
        .run = run_shell,
    },
    {
        .name = "run",
        .arguments = "FILE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "run the commands of a file ('-' = stdin)",
        .detail =
            "One command a line, written as in the shell, over one connection. The script ends at "
            "the "
            "first command whose exit code is not 0, with that code, and says on stderr in which "
            "line "
            "that was; with --keep-going it runs to its end and has the code of the first "
            "failure.\n\n"
            "A line that begins with ? is a question: the answer no (exit code 1) is not a failure "
            "there.",
        .examples = run_examples,
        OPTIONS(run_options),
        .traits = COMMAND_FILE,
        .run = run_script,
    },
    {
        .name = "use",
        .arguments = "[CACHE]",
        .argument_max = 1,
        .summary = "make a cache the current one, or none",
        .detail =
            "The argument CACHE of other commands is left out then; --cache NAME still addresses "
            "another cache. Without CACHE there is no current cache any more.",
        .examples = use_examples,
        .traits = COMMAND_SESSION | COMMAND_NAMED_CACHE,
        .run = run_use,
    },
    {
        .name = "timing",
        .arguments = "on|off",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "say after each command how long it took",
        .examples = timing_examples,
        .traits = COMMAND_SESSION,
        .run = run_timing,
    },
    {
        .name = "history",
        .arguments = "",
        .summary = "print the lines entered so far",
        .examples = history_examples,
        .traits = COMMAND_SESSION,
        .run = run_history,
    },
    {
        .name = "exit",
        .arguments = "",
        .summary = "leave the shell, end the script",
        .examples = exit_examples,
        .traits = COMMAND_SESSION,
        .run = run_exit,
    },
    {
        .name = "quit",
        .arguments = "",
        .summary = "the same",
        .examples = quit_examples,
        .traits = COMMAND_SESSION,
        .run = run_exit,
    },
    {
        .name = "help",
        .arguments = "[COMMAND]",
        .argument_max = 2,
        .summary = "explain the tool or a command",
        .examples = help_examples,
        .traits = COMMAND_COMMAND,
        .run = run_help,
    },
    {
        .name = "version",
        .arguments = "",
        .summary = "print the version",
        .examples = version_examples,
        .run = run_version,
    },
};

const struct command_group commands_shell = {"the tool", rows, COUNT_OF(rows)};

/* The commands of the tool: their table, and what runs each.
 *
 * The rows stand in commands_*.c, a file per group. They drive dispatch, help, completion, the
 * manual pages and docs/cli.md. */
#ifndef QUOIN_CLIENT_CLI_COMMANDS_H
#define QUOIN_CLIENT_CLI_COMMANDS_H

#include "client/cli/cli.h"

/* What is special about a command; a set of bits. */
enum command_trait {
    COMMAND_CACHE = 1, /* the first argument is a cache; left out where there is a current one */
    COMMAND_NAMED_CACHE = 2, /* the first argument is a cache and never left out */
    COMMAND_NEW_CACHE = 4,   /* the same of one that may not be there yet */
    COMMAND_FILE = 8,        /* the first argument is a file */
    COMMAND_COMMAND = 16,    /* the first argument is a command */
    COMMAND_SESSION = 32,    /* only in the shell and in scripts */
    COMMAND_ONCE = 64,       /* not in the shell and not in scripts */
};

/* One row of the command table. */
struct command {
    const char *name;      /* one word, or two: "log set" */
    const char *arguments; /* as usage shows them: "CACHE KEY" */
    int argument_min;
    int argument_max;
    const char *summary;         /* one line */
    const char *detail;          /* paragraphs for the manual, "\n\n" between them; NULL = none */
    const char *const *examples; /* NULL at the end */
    const struct option_spec *options;
    size_t option_count;
    unsigned traits;
    enum cli_exit (*run)(struct cli *cli);
};

struct command_group {
    const char *title;
    const struct command *rows;
    size_t count;
};

extern const struct command_group commands_data;
extern const struct command_group commands_caches;
extern const struct command_group commands_files;
extern const struct command_group commands_types;
extern const struct command_group commands_grid;
extern const struct command_group commands_disk;
extern const struct command_group commands_bench;
extern const struct command_group commands_shell;

/* The groups in the order of help; NULL at the end. */
extern const struct command_group *const command_groups[];

/* The rows of all groups, numbered through; NULL beyond the last. */
const struct command *command_at(size_t number);

/* NULL when there is none of this name. */
const struct command *command_find(const char *name);

/* The command that a line begins with, and in `*used` how many of its `count` words name it. NULL:
 * none. */
const struct command *command_match(char *const *words, int count, int *used);

/* "log levels, log set" of "log": the names of two words that begin with it, cut when they are too
 * many. False: there is none. */
bool command_list_below(const char *name, char *list, size_t size);

/* The known name nearest to `name`, or NULL. */
const char *command_suggest(const char *name);

/* What each does stands in its row of the table. Options and number of arguments have been checked.
 */
enum cli_exit run_put(struct cli *cli);
enum cli_exit run_get(struct cli *cli);
enum cli_exit run_remove(struct cli *cli);
enum cli_exit run_contains(struct cli *cli);
enum cli_exit run_touch(struct cli *cli);
enum cli_exit run_count(struct cli *cli);
enum cli_exit run_scan(struct cli *cli);
enum cli_exit run_caches(struct cli *cli);
enum cli_exit run_create(struct cli *cli);
enum cli_exit run_clear(struct cli *cli);
enum cli_exit run_drop(struct cli *cli);
enum cli_exit run_import(struct cli *cli);
enum cli_exit run_export(struct cli *cli);
enum cli_exit run_status(struct cli *cli);
enum cli_exit run_ping(struct cli *cli);
enum cli_exit run_commit(struct cli *cli);
enum cli_exit run_config(struct cli *cli);
enum cli_exit run_log_levels(struct cli *cli);
enum cli_exit run_log_set(struct cli *cli);
enum cli_exit run_outcome(struct cli *cli);
enum cli_exit run_bench(struct cli *cli);
enum cli_exit run_shell(struct cli *cli);
enum cli_exit run_script(struct cli *cli);
enum cli_exit run_use(struct cli *cli);
enum cli_exit run_exit(struct cli *cli);
enum cli_exit run_history(struct cli *cli);
enum cli_exit run_timing(struct cli *cli);
enum cli_exit run_help(struct cli *cli);
enum cli_exit run_version(struct cli *cli);

/* Help on one command, examples first; on all of them when NULL. */
void help_print(const struct command *command, FILE *to);

#endif

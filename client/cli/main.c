/* The tool `quoin`: options before the command, then the command; without one, the shell or a
 * script. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/dispatch.h"
#include "client/cli/environment.h"

extern char **environ;

/* The current cache of the beginning: --cache, else QUOIN_CACHE. */
static bool current_set(struct cli *cli)
{
    const char *name = cli->base.cache != NULL ? cli->base.cache : getenv("QUOIN_CACHE");
    cli->base.cache = NULL;
    if (name == NULL || *name == '\0') {
        return true;
    }
    cli->current = strdup(name);
    return cli->current != NULL;
}

/* Nothing but options: a person gets the shell, a pipe is a script. */
static enum cli_exit run_bare(struct cli *cli)
{
    if (isatty(STDIN_FILENO) == 1) {
        char *words[] = {(char[]){"shell"}, NULL};
        return dispatch(cli, 1, words);
    }
    char *words[] = {(char[]){"run"}, (char[]){"-"}, NULL};
    return dispatch(cli, 2, words);
}

static enum cli_exit run(struct cli *cli, int argc, char **argv)
{
    char problem[OPTIONS_PROBLEM_MAX];
    options_init(&cli->base);
    int first = options_parse(argc, argv, false, NULL, 0, &cli->base, problem);
    if (first < 0) {
        return cli_usage(cli, "%s", problem);
    }
    if (!current_set(cli)) {
        cli_say(cli, "out of memory");
        return CLI_REFUSED;
    }
    cli->options = cli->base;
    if (cli->base.version) {
        return run_version(cli);
    }
    if (first < argc) {
        return dispatch(cli, argc - first, argv + first);
    }
    if (cli->base.help) {
        help_print(NULL, stdout);
        return CLI_DONE;
    }
    return run_bare(cli);
}

int main(int argc, char **argv)
{
    const char *no_color = getenv("NO_COLOR");
    struct cli cli = {
        .place = CLI_ONCE,
        .terminal = isatty(STDERR_FILENO) == 1,
        .color = isatty(STDOUT_FILENO) == 1 && (no_color == NULL || *no_color == '\0'),
    };
    environment_check((const char *const *)environ, stderr);
    enum cli_exit code = run(&cli, argc, argv);
    cli_fini(&cli);
    if (fflush(stdout) != 0 && code == CLI_DONE) {
        cli_say(&cli, "cannot write to stdout");
        code = CLI_REFUSED;
    }
    return (int)code;
}

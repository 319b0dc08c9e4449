/* `quoin run`, and the commands that only the shell and scripts have. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/dispatch.h"
#include "client/cli/guard.h"
#include "client/cli/input.h"
#include "client/cli/interrupt.h"
#include "client/cli/script.h"
#include "client/cli/shell.h"

/* A script that runs itself ends here, and not at the end of the stack. */
enum { SCRIPT_DEPTH_MAX = 16, SCRIPT_SIZE_MAX = 64 * 1024 * 1024 };

/* ---- run ---- */

static enum cli_exit script_command(void *arg, int count, char **words)
{
    enum cli_exit code = dispatch_line(arg, count, words);
    interrupt_unwatch(); /* the next command may be one that waits */
    return code;
}

static enum script_wish script_wish(void *arg)
{
    const struct cli *cli = arg;
    if (cli->guard != NULL && interrupted()) {
        return SCRIPT_INTERRUPTED;
    }
    return cli->leaving ? SCRIPT_LEAVES : SCRIPT_GOES_ON;
}

/* What a script changes for the commands in it, put back at its end. */
struct script_frame {
    enum cli_place place;
    struct options base;
    char *current;
    bool leaving;
    bool timing;
};

static bool frame_enter(struct cli *cli, struct script_frame *frame)
{
    *frame = (struct script_frame){.place = cli->place,
                                   .base = cli->base,
                                   .current = cli->current,
                                   .leaving = cli->leaving,
                                   .timing = cli->timing};
    const char *current = cli->options.cache;
    char *copy = current != NULL ? strdup(current) : NULL;
    if (current != NULL && copy == NULL) {
        return false;
    }
    cli->current = copy;
    cli->base = cli->options;
    cli->base.cache = NULL;
    cli->base.keep_going = false;
    cli->place = CLI_SCRIPT;
    cli->leaving = false;
    cli->depth++;
    return true;
}

static void frame_leave(struct cli *cli, const struct script_frame *frame)
{
    free(cli->current);
    cli->depth--;
    cli->place = frame->place;
    cli->base = frame->base;
    cli->current = frame->current;
    cli->leaving = frame->leaving;
    cli->timing = frame->timing;
}

static enum cli_exit run_text(struct cli *cli, const char *name, struct bytes text)
{
    struct script_frame frame;
    const struct script script = {
        .name = strcmp(name, "-") == 0 ? "stdin" : name,
        .keep_going = cli->options.keep_going,
        .run = script_command,
        .wish = script_wish,
        .arg = cli,
        .complaints = stderr,
    };
    if (!frame_enter(cli, &frame)) {
        cli_say(cli, "out of memory");
        return CLI_REFUSED;
    }
    enum cli_exit code = script_run(&script, text);
    frame_leave(cli, &frame);
    return code;
}

/* Ctrl-C ends the script and not the process, so that it can be said how far it has got. In the
 * shell there is a guard already; without one (no thread) the signal ends the process. */
static enum cli_exit run_guarded(struct cli *cli, const char *name, struct bytes text)
{
    struct guard *guard = cli->guard == NULL ? guard_start() : NULL;
    if (guard == NULL) {
        return run_text(cli, name, text);
    }
    cli->guard = guard;
    guard_begin(guard);
    enum cli_exit code = run_text(cli, name, text);
    guard_end(guard);
    cli_disconnect(cli);
    cli->guard = NULL;
    guard_stop(guard);
    return code;
}

enum cli_exit run_script(struct cli *cli)
{
    const char *name = cli->arguments[0];
    char problem[QN_ERROR_TEXT_MAX];
    struct input input;
    if (cli->depth >= SCRIPT_DEPTH_MAX) {
        cli_say(cli, "scripts run scripts %d deep; does one run itself?", SCRIPT_DEPTH_MAX);
        return CLI_REFUSED;
    }
    enum qn_status status = input_open(&input, name, SCRIPT_SIZE_MAX, problem);
    if (status != QN_OK) {
        cli_say(cli, "%s", problem);
        return status == QN_TOO_LARGE ? CLI_REFUSED : CLI_USAGE;
    }
    enum cli_exit code = run_guarded(cli, name, input.text);
    input_close(&input);
    return code;
}

/* ---- what is only said within ---- */

/* The name is one of a cache that is there: a slip shows at once and not at the first put. */
enum cli_exit run_use(struct cli *cli)
{
    const char *name = cli->argument_count > 0 ? cli->arguments[0] : NULL;
    qn_cache *cache = NULL;
    enum cli_exit code = name != NULL ? cli_open(cli, name, &cache) : CLI_DONE;
    if (code == CLI_DONE && !cli_use(cli, name)) {
        cli_say(cli, "out of memory");
        code = CLI_REFUSED;
    }
    return code;
}

enum cli_exit run_exit(struct cli *cli)
{
    cli->leaving = true;
    return CLI_DONE;
}

enum cli_exit run_history(struct cli *cli)
{
    if (cli->shell == NULL) {
        return cli_usage(cli, "a script has no history");
    }
    shell_history(cli->shell, stdout);
    return CLI_DONE;
}

enum cli_exit run_timing(struct cli *cli)
{
    const char *word = cli->arguments[0];
    cli->timing = strcmp(word, "on") == 0;
    if (!cli->timing && strcmp(word, "off") != 0) {
        return cli_usage(cli, "timing is on or off, and not %s", word);
    }
    return CLI_DONE;
}

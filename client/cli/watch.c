#define _GNU_SOURCE
#include "client/cli/watch.h"

#include <time.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/interrupt.h"

static const char screen_enter[] = "\033[?1049h";
static const char screen_clear[] = "\033[H\033[2J";
static const char screen_leave[] = "\033[?1049l";

enum { WATCH_STEP_MS = 50, WATCH_CLOCK_MAX = 16 };

static void title_print(const struct cli *cli)
{
    char clock[WATCH_CLOCK_MAX] = "";
    struct tm parts;
    time_t now = time(NULL);
    if (localtime_r(&now, &parts) != NULL) {
        strftime(clock, sizeof clock, "%H:%M:%S", &parts);
    }
    printf("%s%s", screen_clear, cli->command->name);
    for (int i = 0; i < cli->argument_count; i++) {
        printf(" %s", cli->arguments[i]);
    }
    printf("   %s, every %.1f s, Ctrl-C ends\n\n", clock, (double)cli->options.watch_ms / 1000);
}

static void separator_print(const struct cli *cli)
{
    if (!cli->options.json && !cli->options.csv) {
        puts("---");
    }
}

/* A sleep that ends soon after a signal. */
static void pause_for(int64_t ms)
{
    for (int64_t left = ms; left > 0 && !interrupted(); left -= WATCH_STEP_MS) {
        int64_t step = left < WATCH_STEP_MS ? left : WATCH_STEP_MS;
        struct timespec time = {.tv_nsec = (long)step * 1000000};
        nanosleep(&time, NULL);
    }
}

/* After a signal nothing is asked any more: the guard of the shell may have closed the connection.
 */
static enum cli_exit watch_loop(struct cli *cli, bool screen)
{
    for (bool again = false;; again = true) {
        if (screen) {
            title_print(cli);
        } else if (again) {
            separator_print(cli);
        }
        enum cli_exit code = cli->command->run(cli);
        fflush(stdout);
        if (code == CLI_USAGE) {
            return code;
        }
        if (!interrupted()) {
            pause_for(cli->options.watch_ms);
        }
        if (interrupted()) {
            return CLI_INTERRUPTED;
        }
    }
}

enum cli_exit watch_run(struct cli *cli)
{
    bool screen = isatty(STDOUT_FILENO) == 1;
    if (cli->guard == NULL) {
        interrupt_watch();
    }
    if (screen) {
        fputs(screen_enter, stdout);
    }
    enum cli_exit code = watch_loop(cli, screen);
    if (screen) {
        fputs(screen_leave, stdout);
        fflush(stdout);
    }
    return code;
}

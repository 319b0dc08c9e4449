#define _GNU_SOURCE
#include "client/cli/shell.h"

#include <dirent.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/dispatch.h"
#include "client/cli/editor.h"
#include "client/cli/guard.h"
#include "client/cli/interrupt.h"

enum { SHELL_PROMPT_MAX = 300, SHELL_ASK_MS = 500 };

struct shell {
    struct cli *cli;
    struct editor *editor;
    struct buf pending; /* the lines of a command that goes on */
};

void shell_history(struct shell *shell, FILE *to)
{
    editor_history(shell->editor, to);
}

/* ---- completion: names that the command table does not know ---- */

struct offering {
    complete_offer offer;
    void *arg;
};

static void offer_cache(void *arg, const qn_cache_info *info)
{
    const struct offering *offering = arg;
    offering->offer(offering->arg, info->name);
}

/* Ask the nodes, but not for long. A grid that does not answer completes nothing. */
static void offer_caches(void *arg, complete_offer offer, void *offer_arg)
{
    struct shell *shell = arg;
    struct offering offering = {.offer = offer, .arg = offer_arg};
    qn_error err = QN_ERROR_INIT;
    if (cli_connect(shell->cli) == CLI_DONE) {
        qn_status status =
            qn_caches(shell->cli->client, SHELL_ASK_MS, offer_cache, &offering, &err);
        (void)status;
    }
}

static void offer_file(const char *folder, size_t folder_size, const struct dirent *entry,
                       const struct offering *offering)
{
    char *name = NULL;
    const char *mark = entry->d_type == DT_DIR ? "/" : "";
    if (asprintf(&name, "%.*s%s%s", (int)folder_size, folder, entry->d_name, mark) >= 0) {
        offering->offer(offering->arg, name);
        free(name);
    }
}

static void offer_files(void *arg, const char *begun, complete_offer offer, void *offer_arg)
{
    (void)arg;
    const struct offering offering = {.offer = offer, .arg = offer_arg};
    const char *slash = strrchr(begun, '/');
    size_t size = slash != NULL ? (size_t)(slash - begun) + 1 : 0;
    char *folder = size > 0 ? strndup(begun, size) : strdup(".");
    DIR *dir = folder != NULL ? opendir(folder) : NULL;
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') {
            offer_file(begun, size, entry, &offering);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    free(folder);
}

static void complete(void *arg, struct bytes line, complete_offer offer, void *offer_arg)
{
    struct shell *shell = arg;
    const struct complete_source source = {
        .current = shell->cli->current != NULL,
        .caches = offer_caches,
        .files = offer_files,
        .arg = shell,
    };
    struct words words;
    size_t used = 0;
    if (words_read(line, &used, &words) != WORDS_NO_MEMORY) {
        complete_line(&source, &words, offer, offer_arg);
    }
    words_free(&words);
}

/* ---- running ---- */

static void run_guarded(struct cli *cli, const struct words *words)
{
    guard_begin(cli->guard);
    enum cli_exit code = dispatch_line(cli, words->count, words->list);
    guard_end(cli->guard);
    if (interrupted() && code != CLI_INTERRUPTED) {
        (void)cli_interrupted(cli);
    }
}

/* Take line end and blanks off the end, and make one line of those that a backslash joins. */
static char *command_text(const struct buf *pending)
{
    char *text = strndup((const char *)pending->data, pending->size);
    if (text == NULL) {
        return NULL;
    }
    for (char *at = text; (at = strstr(at, "\\\n")) != NULL;) {
        memmove(at, at + 2, strlen(at + 2) + 1);
    }
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
        text[--length] = '\0';
    }
    return text;
}

static void remember(struct shell *shell)
{
    char *text = command_text(&shell->pending);
    if (text != NULL) {
        editor_remember(shell->editor, text);
    }
    free(text);
}

/* Run the command that the pending lines are, unless it goes on. */
static void run_pending(struct shell *shell)
{
    struct words words;
    size_t used = 0;
    enum words_result result = words_read(buf_bytes(&shell->pending), &used, &words);
    if (result == WORDS_NO_MEMORY) {
        cli_say(shell->cli, "out of memory");
    } else if (result == WORDS_DONE && words.count > 0) {
        remember(shell);
        run_guarded(shell->cli, &words);
    }
    words_free(&words);
    if (result != WORDS_MORE) {
        shell->pending.size = 0;
    }
}

static void prompt_make(const struct shell *shell, char *prompt)
{
    const char *current = shell->cli->current;
    if (shell->pending.size > 0) {
        snprintf(prompt, SHELL_PROMPT_MAX, "...> ");
    } else {
        snprintf(prompt, SHELL_PROMPT_MAX, "quoin%s%s> ", current != NULL ? " " : "",
                 current != NULL ? current : "");
    }
}

static void loop(struct shell *shell)
{
    while (!shell->cli->leaving) {
        char prompt[SHELL_PROMPT_MAX];
        const char *line = NULL;
        prompt_make(shell, prompt);
        enum editor_result result = editor_read(shell->editor, prompt, &line);
        if (result == EDITOR_END) {
            putchar('\n');
            return;
        }
        if (result == EDITOR_INTERRUPTED) {
            puts("^C");
            shell->pending.size = 0;
        } else if (buf_append(&shell->pending, line, strlen(line)) != QN_OK) {
            cli_say(shell->cli, "out of memory");
            shell->pending.size = 0;
        } else {
            run_pending(shell);
        }
    }
}

/* $XDG_STATE_HOME/quoin/history, else ~/.local/state/quoin/history. NULL = no place for it. */
static char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    char *path = NULL;
    int size = -1;
    if (state != NULL && *state == '/') {
        size = asprintf(&path, "%s/quoin/history", state);
    } else if (home != NULL && *home == '/') {
        size = asprintf(&path, "%s/.local/state/quoin/history", home);
    }
    return size < 0 ? NULL : path;
}

enum cli_exit run_shell(struct cli *cli)
{
    if (isatty(STDIN_FILENO) != 1) {
        return cli_usage(cli, "stdin is no terminal; for commands of a file: quoin run FILE");
    }
    (void)setlocale(LC_CTYPE, ""); /* characters of several octets are one on the screen */
    struct shell shell = {.cli = cli};
    const char *given = cli->options.cache;
    char *path = history_path();
    const struct editor_options options = {
        .history_path = path, .complete = complete, .arg = &shell};
    shell.editor = editor_open(&options);
    cli->guard = guard_start();
    free(path);
    bool ready = shell.editor != NULL && cli->guard != NULL && cli_use(cli, given);
    if (ready) {
        cli->shell = &shell;
        cli->place = CLI_SHELL;
        cli->options.cache = NULL;
        cli->base = cli->options;
        printf("quoin %s; help explains the commands, Ctrl-D leaves\n", qn_version_text());
        loop(&shell);
        cli_disconnect(cli);
    } else {
        cli_say(cli, "cannot start: no memory or no threads");
    }
    guard_stop(cli->guard);
    cli->guard = NULL;
    cli->shell = NULL;
    cli->place = CLI_ONCE;
    editor_close(shell.editor);
    buf_fini(&shell.pending);
    return ready ? CLI_DONE : CLI_REFUSED;
}

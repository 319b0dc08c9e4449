#define _GNU_SOURCE
#include "client/cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/form.h"
#include "client/cli/interrupt.h"
#include "client/cli/text.h"

enum { CLI_DIGITS = 9, CLI_ANSWER_MAX = 16 };

__attribute__((format(printf, 2, 0))) static void say(const struct cli *cli, const char *format,
                                                      va_list arguments)
{
    fflush(stdout); /* on a terminal the order counts */
    if (cli->place != CLI_SHELL) {
        const char *name = cli->command != NULL ? cli->command->name : NULL;
        fprintf(stderr, "quoin%s%s: ", name != NULL ? " " : "", name != NULL ? name : "");
    }
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void cli_say(const struct cli *cli, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(cli, format, arguments);
    va_end(arguments);
}

enum cli_exit cli_usage(const struct cli *cli, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(cli, format, arguments);
    va_end(arguments);
    const char *tool = cli->place == CLI_SHELL ? "" : "quoin ";
    if (cli->command != NULL) {
        const char *shown = cli->command->arguments;
        fprintf(stderr, "usage: %s%s %s%s[options]; more with: %shelp %s\n", tool,
                cli->command->name, shown, *shown != '\0' ? " " : "", tool, cli->command->name);
    } else {
        fprintf(stderr, "for the commands: %shelp\n", tool);
    }
    return CLI_USAGE;
}

enum cli_exit cli_fail(const struct cli *cli, const qn_error *err)
{
    fflush(stdout);
    if (cli->guard != NULL && interrupted() && err->certainty != QN_UNKNOWN) {
        return cli_interrupted(cli); /* as the user wished */
    }
    /* The text names what was called, and what settles an outcome that is not known. */
    fprintf(stderr, "%s%s\n", cli->place == CLI_SHELL ? "" : "quoin: ", qn_explain(err));
    return cli_exit_of(err->status, err->certainty);
}

bool cli_use(struct cli *cli, const char *name)
{
    char *copy = name != NULL ? strdup(name) : NULL;
    if (name != NULL && copy == NULL) {
        return false;
    }
    free(cli->current);
    cli->current = copy;
    return true;
}

/* One line of the terminal, without stdio, which would read ahead. False: interrupted or at its
 * end. */
static bool answer_read(char *answer, size_t size)
{
    size_t length = 0;
    char c = '\0';
    while (c != '\n') {
        ssize_t got = read(STDIN_FILENO, &c, 1);
        if (got <= 0) {
            return false;
        }
        if (c != '\n' && length + 1 < size) {
            answer[length++] = c;
        }
    }
    answer[length] = '\0';
    return true;
}

enum cli_exit cli_ask(const struct cli *cli, const char *what)
{
    char answer[CLI_ANSWER_MAX];
    if (cli->options.yes) {
        return CLI_DONE;
    }
    if (isatty(STDIN_FILENO) != 1) {
        return cli_usage(cli, "this would %s; without a terminal to ask at, it needs --yes", what);
    }
    fflush(stdout);
    fprintf(stderr, "This will %s. Go on? (yes/no) ", what);
    if (!answer_read(answer, sizeof answer)) {
        fputc('\n', stderr);
        return interrupted() ? CLI_INTERRUPTED : CLI_NO;
    }
    if (strcmp(answer, "yes") == 0 || strcmp(answer, "y") == 0) {
        return CLI_DONE;
    }
    cli_say(cli, "nothing was done");
    return CLI_NO;
}

enum cli_exit cli_interrupted(const struct cli *cli)
{
    cli_say(cli, "interrupted");
    return CLI_INTERRUPTED;
}

enum cli_exit cli_types(struct cli *cli)
{
    const char *path = cli->options.types_file;
    if (path == NULL) {
        path = getenv("QUOIN_TYPES");
    }
    if (cli->types != NULL || path == NULL || *path == '\0') {
        return CLI_DONE;
    }
    struct cfg_report report = {.error_count = 0};
    enum qn_status status = types_load(path, &cli->types, &report);
    if (status != QN_OK) {
        cli_say(cli, "the types file %s cannot be used:", path);
        cfg_report_print(&report, stderr);
    }
    cfg_report_fini(&report);
    return status == QN_OK ? CLI_DONE : CLI_USAGE;
}

static enum cli_exit key_octets(const struct cli *cli, const char *text, struct buf *memory,
                                qn_arg *key)
{
    enum qn_status status = text_to_octets(bytes_of_text(text), memory);
    if (status == QN_MEMORY_FULL) {
        cli_say(cli, "out of memory");
        return CLI_REFUSED;
    }
    if (status != QN_OK) {
        return cli_usage(cli, "key %s: octets are written 0x00ff or b64:AP8=", text);
    }
    *key = qn_bytes(memory->data, memory->size);
    return CLI_DONE;
}

enum cli_exit cli_key(const struct cli *cli, const char *cache, const char *text,
                      struct buf *memory, qn_arg *key)
{
    const struct types_cache *known =
        cli->types != NULL ? types_cache_find(cli->types, cache) : NULL;
    bool whole = known != NULL && known->key != NULL && form_key_is_whole(known->key);
    if (cli->options.octets_key) {
        return key_octets(cli, text, memory, key);
    }
    if (!whole && !cli->options.int_key) {
        *key = qn_str(text);
        return CLI_DONE;
    }
    int64_t number = 0;
    if (!text_to_int(bytes_of_text(text), &number)) {
        return cli_usage(cli, "key %s: not a whole number, as the keys of %s are", text, cache);
    }
    *key = qn_int(number);
    return CLI_DONE;
}

enum cli_exit cli_print_json(json_t *document)
{
    int failed = json_dumpf(document, stdout,
                            JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(CLI_DIGITS));
    json_decref(document);
    bool written = failed == 0 && fputc('\n', stdout) != EOF;
    return written ? CLI_DONE : CLI_REFUSED;
}

enum cli_exit cli_print_document(const struct cli *cli, enum qn_status status, struct buf *document)
{
    enum cli_exit code = CLI_REFUSED;
    if (status != QN_OK) {
        cli_say(cli, "the answer cannot be shown: %s", qn_status_text(status));
    } else if (fwrite(document->data, 1, document->size, stdout) == document->size &&
               fputs("}\n", stdout) != EOF) {
        code = CLI_DONE;
    }
    buf_fini(document);
    return code;
}

void cli_fini(struct cli *cli)
{
    cli_disconnect(cli);
    types_free(cli->types);
    cli->types = NULL;
    free(cli->current);
    cli->current = NULL;
}

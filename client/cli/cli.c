#define _GNU_SOURCE
#include "client/cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/json_value.h"
#include "client/cli/text.h"

enum { CLI_CLOSE_MS = 200, CLI_MEASURED_DIGITS = 9 };

__attribute__((format(printf, 2, 0))) static void say(const struct cli *cli, const char *format,
                                                      va_list arguments)
{
    const char *name = cli->command != NULL ? cli->command->name : NULL;
    fprintf(stderr, "quoin%s%s: ", name != NULL ? " " : "", name != NULL ? name : "");
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
    if (cli->command != NULL) {
        const char *shown = cli->command->arguments;
        fprintf(stderr, "usage: quoin %s %s%s[options]; more with: quoin help %s\n",
                cli->command->name, shown, *shown != '\0' ? " " : "", cli->command->name);
    } else {
        fputs("for the commands: quoin help\n", stderr);
    }
    return CLI_USAGE;
}

enum cli_exit cli_fail(const struct cli *cli, const qn_error *err)
{
    (void)cli; /* the text names what was called */
    fprintf(stderr, "quoin: %s\n", qn_explain(err));
    return cli_exit_of(err->status, err->certainty);
}

char *cli_uri(const struct cli *cli)
{
    const char *uri = cli->options.uri;
    if (uri == NULL) {
        uri = getenv("QUOIN_URI");
    }
    if (uri == NULL || *uri == '\0') {
        uri = "quoin://127.0.0.1:7100";
    }
    if (cli->options.timeout_ms < 0) {
        return strdup(uri);
    }
    char value[TEXT_NUMBER_MAX];
    snprintf(value, sizeof value, "%lldms", (long long)cli->options.timeout_ms);
    return text_uri_with(uri, "timeout", value);
}

enum cli_exit cli_connect(struct cli *cli)
{
    char *uri = cli_uri(cli);
    if (uri == NULL) {
        cli_say(cli, "out of memory");
        return CLI_REFUSED;
    }
    qn_error err = QN_ERROR_INIT;
    cli->client = qn_connect(uri, &err);
    free(uri);
    if (cli->client != NULL) {
        return CLI_DONE;
    }
    enum cli_exit code = cli_fail(cli, &err);
    return err.status == QN_INVALID ? CLI_USAGE : code;
}

enum cli_exit cli_open(struct cli *cli, const char *name, qn_cache **cache)
{
    if (cli->client == NULL) {
        enum cli_exit code = cli_connect(cli);
        if (code != CLI_DONE) {
            return code;
        }
    }
    qn_error err = QN_ERROR_INIT;
    *cache = cli->options.create ? qn_open_create(cli->client, name, &err)
                                 : qn_open(cli->client, name, &err);
    return *cache != NULL ? CLI_DONE : cli_fail(cli, &err);
}

enum cli_exit cli_types(struct cli *cli)
{
    const char *path = cli->options.types_file;
    if (path == NULL) {
        path = getenv("QUOIN_TYPES");
    }
    if (path == NULL || *path == '\0') {
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

static bool kind_is_whole(enum types_kind kind)
{
    return kind == TYPES_OCTET || kind == TYPES_INT16 || kind == TYPES_INT32 || kind == TYPES_INT64;
}

enum cli_exit cli_key(const struct cli *cli, const char *cache, const char *text, qn_arg *key)
{
    const struct types_cache *known =
        cli->types != NULL ? types_cache_find(cli->types, cache) : NULL;
    bool whole = known != NULL && known->key != NULL && kind_is_whole(known->key->kind);
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

static enum cli_exit print_json(json_t *document, size_t digits)
{
    int failed =
        json_dumpf(document, stdout, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
    json_decref(document);
    bool written = failed == 0 && fputc('\n', stdout) != EOF;
    return written ? CLI_DONE : CLI_REFUSED;
}

enum cli_exit cli_print_json(json_t *document)
{
    return print_json(document, json_value_digits(document));
}

enum cli_exit cli_print_measured(json_t *document)
{
    return print_json(document, CLI_MEASURED_DIGITS);
}

void cli_fini(struct cli *cli)
{
    (void)qn_close_within(cli->client, CLI_CLOSE_MS);
    types_free(cli->types);
}

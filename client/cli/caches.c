/* `quoin caches`, `create`, `clear`, `drop`: caches as such. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/table.h"
#include "client/cli/text.h"
#include "config/value.h"

enum { CACHES_TEXT_MAX = 512 };

/* ---- caches ---- */

static void cell_size(struct table *table, uint64_t octets)
{
    char text[TEXT_NUMBER_MAX];
    table_cell(table, json_integer((json_int_t)octets), text_size(octets, text));
}

/* A time to live and a limit: 0 is none. */
static void cell_ttl(struct table *table, int64_t ttl_ms)
{
    char text[VALUE_TEXT_MAX];
    table_cell(table, json_integer(ttl_ms),
               ttl_ms > 0 ? value_duration_print(ttl_ms, text) : "never");
}

static void cell_limit(struct table *table, uint64_t octets)
{
    char text[TEXT_NUMBER_MAX];
    table_cell(table, json_integer((json_int_t)octets),
               octets > 0 ? text_size(octets, text) : "none");
}

static const char *durability_name(enum qn_durability durability)
{
    switch (durability) {
    case QN_DURABILITY_DISK:
        return "disk";
    case QN_DURABILITY_MEMORY:
        return "memory";
    }
    return "?";
}

static void add_cache(void *arg, const qn_cache_info *info)
{
    struct table *table = arg;
    table_text(table, info->name);
    table_number(table, info->entries);
    cell_size(table, info->bytes);
    table_number(table, info->hits);
    table_number(table, info->misses);
    cell_ttl(table, info->definition.ttl_ms);
    table_text(table, durability_name(info->definition.durability));
    cell_limit(table, info->definition.size_max_bytes);
}

enum cli_exit run_caches(struct cli *cli)
{
    static const char *const columns[] = {"name",   "entries", "bytes",      "hits",
                                          "misses", "ttl_ms",  "durability", "size_max_bytes"};
    static const char *const shown[] = {"name",   "entries", "bytes",      "hits",
                                        "misses", "ttl",     "durability", "limit"};
    enum output_form form = output_form_of(&cli->options);
    struct table table = {
        .name = "caches",
        .columns = form == OUTPUT_TEXT ? shown : columns,
        .column_count = sizeof columns / sizeof *columns,
    };
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    if (qn_caches(cli->client, 0, add_cache, &table, &err) < QN_OK) {
        code = cli_fail(cli, &err);
    } else if (!table_print(&table, form, stdout)) {
        cli_say(cli, "out of memory");
        code = CLI_REFUSED;
    }
    table_fini(&table);
    return code;
}

/* ---- create ---- */

static bool durability_read(const char *word, enum qn_durability *durability)
{
    bool memory = word != NULL && strcmp(word, "memory") == 0;
    *durability = memory ? QN_DURABILITY_MEMORY : QN_DURABILITY_DISK;
    return word == NULL || memory || strcmp(word, "disk") == 0;
}

/* Print what was done to a cache, for both kinds of readers. */
static enum cli_exit done(const struct cli *cli, const char *what)
{
    if (cli->options.json) {
        return cli_print_json(json_pack("{s:s, s:s}", "cache", cli->arguments[0], "status", what));
    }
    printf("%s\n", what);
    return CLI_DONE;
}

static bool cache_is_there(const struct cli *cli)
{
    qn_error err = QN_ERROR_INIT;
    return qn_open(cli->client, cli->arguments[0], &err) != NULL;
}

enum cli_exit run_create(struct cli *cli)
{
    const struct options *options = &cli->options;
    qn_cache_options how = QN_CACHE_OPTIONS_INIT;
    if (!durability_read(options->durability, &how.durability)) {
        return cli_usage(cli, "--durability is disk or memory, and not %s", options->durability);
    }
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    if (cache_is_there(cli)) {
        cli_say(cli, "the cache %s is there already and stays as it is", cli->arguments[0]);
        return CLI_NO;
    }
    how.ttl_ms = options->ttl_ms > 0 && options->ttl_ms != OPTIONS_NEVER ? options->ttl_ms : 0;
    how.size_max_bytes = (uint64_t)options->size_max_bytes;
    qn_error err = QN_ERROR_INIT;
    if (qn_create(cli->client, cli->arguments[0], &how, &err) == NULL) {
        return cli_fail(cli, &err);
    }
    return done(cli, "created");
}

/* ---- clear, drop ---- */

/* Name what is lost, with its number of entries, and ask. */
static enum cli_exit ask(struct cli *cli, qn_cache *cache, const char *verb)
{
    char count_text[TEXT_NUMBER_MAX];
    char what[CACHES_TEXT_MAX];
    uint64_t count = 0;
    qn_error err = QN_ERROR_INIT;
    if (cli->options.yes) {
        return CLI_DONE;
    }
    if (qn_count(cache, &count, NULL, &err) < QN_OK) {
        return cli_fail(cli, &err);
    }
    snprintf(what, sizeof what, "%s the cache %s with its %s entries", verb, cli->arguments[0],
             text_grouped(count, count_text));
    return cli_ask(cli, what);
}

enum cli_exit run_clear(struct cli *cli)
{
    qn_cache *cache = NULL;
    enum cli_exit code = cli_open(cli, cli->arguments[0], &cache);
    code = code == CLI_DONE ? ask(cli, cache, "empty") : code;
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    return qn_clear(cache, NULL, &err) < QN_OK ? cli_fail(cli, &err) : done(cli, "cleared");
}

enum cli_exit run_drop(struct cli *cli)
{
    const char *name = cli->arguments[0];
    qn_cache *cache = NULL;
    enum cli_exit code = cli_open(cli, name, &cache);
    code = code == CLI_DONE ? ask(cli, cache, "remove") : code;
    if (code != CLI_DONE) {
        return code;
    }
    qn_error err = QN_ERROR_INIT;
    if (qn_drop(cli->client, name, 0, &err) < QN_OK) {
        return cli_fail(cli, &err);
    }
    cli_forget_caches(cli);
    if (cli->current != NULL && strcmp(cli->current, name) == 0) {
        (void)cli_use(cli, NULL); /* no name to copy: this cannot fail */
    }
    return done(cli, "dropped");
}

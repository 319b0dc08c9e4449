/* The connection of a run, and the caches opened over it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/guard.h"
#include "client/cli/interrupt.h"
#include "client/cli/text.h"
#include "wire/suggest.h"

enum { CONNECT_CLOSE_MS = 200, CONNECT_CACHE_MAX = 256 };

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

void cli_disconnect(struct cli *cli)
{
    if (cli->guard != NULL) {
        guard_release(cli->guard);
    }
    (void)qn_close_within(cli->client, CONNECT_CLOSE_MS);
    cli_forget_caches(cli);
    free(cli->client_uri);
    cli->client = NULL;
    cli->client_uri = NULL;
}

/* Under a guard nothing waits where the guard cannot reach it: the first call waits for a node. */
static qn_client *connect_to(const struct cli *cli, const char *uri, qn_error *err)
{
    if (cli->guard == NULL) {
        return qn_connect(uri, err);
    }
    qn_client *client = qn_connect_start(uri, err);
    if (client != NULL) {
        qn_log_to(client, QN_LOG_ERROR, NULL, NULL); /* nothing between the lines of the prompt */
    }
    guard_hold(cli->guard, client);
    return client;
}

bool cli_connect_quiet(struct cli *cli, qn_error *err)
{
    char *uri = cli_uri(cli);
    if (uri == NULL) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "connect: out of memory");
        return false;
    }
    if (cli->client != NULL && cli->client_uri != NULL && strcmp(uri, cli->client_uri) == 0) {
        free(uri);
        return true;
    }
    cli_disconnect(cli);
    cli->client = connect_to(cli, uri, err);
    cli->client_uri = uri;
    return cli->client != NULL;
}

enum cli_exit cli_connect(struct cli *cli)
{
    if (cli->guard != NULL && interrupted()) {
        return cli_interrupted(cli); /* the guard may close what there is */
    }
    qn_error err = QN_ERROR_INIT;
    if (cli_connect_quiet(cli, &err)) {
        return CLI_DONE;
    }
    enum cli_exit code = cli_fail(cli, &err);
    return err.status == QN_INVALID ? CLI_USAGE : code;
}

static qn_cache *opened_find(const struct cli *cli, const char *name)
{
    for (size_t i = 0; i < cli->opened_count; i++) {
        if (strcmp(qn_cache_name(cli->opened[i]), name) == 0) {
            return cli->opened[i];
        }
    }
    return NULL;
}

/* Without memory it is opened again the next time. */
static void opened_add(struct cli *cli, qn_cache *cache)
{
    qn_cache **list = realloc(cli->opened, (cli->opened_count + 1) * sizeof(qn_cache *));
    if (list != NULL) {
        cli->opened = list;
        cli->opened[cli->opened_count++] = cache;
    }
}

void cli_forget_caches(struct cli *cli)
{
    free(cli->opened);
    cli->opened = NULL;
    cli->opened_count = 0;
}

/* The search for the cache that was meant. */
struct nearest {
    struct suggest suggest;
    char name[CONNECT_CACHE_MAX];
};

static void offer_cache(void *arg, const qn_cache_info *info)
{
    struct nearest *nearest = arg;
    suggest_offer(&nearest->suggest, info->name);
    if (nearest->suggest.nearest == info->name) { /* which is gone soon */
        snprintf(nearest->name, sizeof nearest->name, "%s", info->name);
        nearest->suggest.nearest = nearest->name;
    }
}

/* Explain that a cache cannot be opened, and which one could be meant. */
static enum cli_exit fail_to_open(const struct cli *cli, const char *name, const qn_error *err)
{
    enum cli_exit code = cli_fail(cli, err);
    struct nearest nearest = {.suggest = {.word = name}};
    qn_error ignored = QN_ERROR_INIT;
    if (err->status != QN_UNKNOWN_CACHE ||
        qn_caches(cli->client, 0, offer_cache, &nearest, &ignored) != QN_OK) {
        return code;
    }
    if (nearest.suggest.nearest != NULL) {
        fprintf(stderr, "did you mean %s?\n", nearest.suggest.nearest);
    } else {
        fprintf(stderr, "for a new cache: %screate %s\n", cli->place == CLI_SHELL ? "" : "quoin ",
                name);
    }
    return code;
}

enum cli_exit cli_open(struct cli *cli, const char *name, qn_cache **cache)
{
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    *cache = opened_find(cli, name);
    if (*cache != NULL) {
        return CLI_DONE;
    }
    qn_error err = QN_ERROR_INIT;
    *cache = cli->options.create ? qn_open_create(cli->client, name, &err)
                                 : qn_open(cli->client, name, &err);
    if (*cache == NULL) {
        return fail_to_open(cli, name, &err);
    }
    opened_add(cli, *cache);
    return CLI_DONE;
}

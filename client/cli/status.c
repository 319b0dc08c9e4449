/* `quoin status` and `quoin ping`: what the nodes say. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "client/cli/commands.h"
#include "client/cli/facts.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"
#include "client/cli/text.h"

enum { PING_PAUSE_MS = 100, PING_TIMEOUT_MS = 15000 };

/* ---- status ---- */

static uint32_t leader_of(const qn_client *client, uint32_t partition)
{
    qn_partition_info info = {.size = sizeof info};
    return qn_partition_info_get(client, partition, &info) == QN_OK ? info.leader : 0;
}

static uint32_t count_led_by(const qn_client *client, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < qn_partition_count(client); p++) {
        count += leader_of(client, p) == node;
    }
    return count;
}

static void print_partitions(const qn_client *client)
{
    uint32_t all = qn_partition_count(client);
    uint32_t without = count_led_by(client, 0);
    printf("%" PRIu32 " partitions, ", all);
    if (without > 0) {
        printf("%" PRIu32 " WITHOUT A LEADER: writes to their keys wait\n", without);
    } else {
        printf("each with a leader\n");
    }
}

static json_t *status_json(const struct cli *cli, const struct facts *facts)
{
    json_t *nodes = json_array();
    json_t *leaders = json_object();
    for (uint32_t n = facts_next_node(facts, 0); n != 0; n = facts_next_node(facts, n)) {
        char name[TEXT_NUMBER_MAX];
        snprintf(name, sizeof name, "%" PRIu32, n);
        json_array_append_new(nodes, facts_json(facts, n));
        json_object_set_new(leaders, name, json_integer(count_led_by(cli->client, n)));
    }
    return json_pack("{s:o, s:{s:I, s:I, s:o}}", "nodes", nodes, "partitions", "count",
                     (json_int_t)qn_partition_count(cli->client), "without_leader",
                     (json_int_t)count_led_by(cli->client, 0), "leading", leaders);
}

enum cli_exit run_status(struct cli *cli)
{
    enum cli_exit code = cli_connect(cli);
    if (code != CLI_DONE) {
        return code;
    }
    struct facts facts = {.list = NULL};
    qn_error err = QN_ERROR_INIT;
    if (qn_node_facts(cli->client, 0, facts_add, &facts, &err) != QN_OK) {
        code = cli_fail(cli, &err);
    } else if (cli->options.json) {
        code = cli_print_json(status_json(cli, &facts));
    } else {
        for (uint32_t n = facts_next_node(&facts, 0); n != 0; n = facts_next_node(&facts, n)) {
            facts_print(&facts, n, cli->color, stdout);
        }
        print_partitions(cli->client);
    }
    facts_fini(&facts);
    return code;
}

/* ---- ping ---- */

/* What one attempt came to. */
struct ping {
    qn_error err;
    struct facts facts;
    uint64_t nanos; /* of one round trip */
};

/* Connect, unless there is a connection, and ask once. */
static bool ping_try(struct cli *cli, struct ping *ping)
{
    ping->err = (qn_error)QN_ERROR_INIT;
    facts_fini(&ping->facts);
    if (cli->client == NULL && !cli_connect_quiet(cli, &ping->err)) {
        return false;
    }
    uint64_t began = progress_clock_ns();
    if (qn_node_facts(cli->client, 0, facts_add, &ping->facts, &ping->err) != QN_OK) {
        return false;
    }
    ping->nanos = progress_clock_ns() - began;
    return !cli->options.ready || facts_all_ready(&ping->facts);
}

/* No attempt takes longer than what is left of the wait. */
static void ping_bound(struct cli *cli, int64_t timeout_ms, uint64_t now, uint64_t end)
{
    int64_t left_ms = end > now ? (int64_t)((end - now) / 1000000U) : 0;
    left_ms = left_ms > PING_PAUSE_MS ? left_ms : PING_PAUSE_MS;
    cli->options.timeout_ms = left_ms < timeout_ms ? left_ms : timeout_ms;
}

static bool ping_until(struct cli *cli, struct ping *ping)
{
    uint64_t end = progress_clock_ns() + (uint64_t)cli->options.wait_ms * 1000000U;
    int64_t timeout_ms =
        cli->options.timeout_ms > 0 ? cli->options.timeout_ms : (int64_t)PING_TIMEOUT_MS;
    for (;;) {
        if (cli->options.wait_ms > 0) {
            ping_bound(cli, timeout_ms, progress_clock_ns(), end);
        }
        if (ping_try(cli, ping)) {
            return true;
        }
        bool hopeless = ping->err.status == QN_INVALID || ping->err.status == QN_UNSUPPORTED;
        if (hopeless || interrupted() || progress_clock_ns() >= end) {
            return false;
        }
        struct timespec pause = {.tv_nsec = PING_PAUSE_MS * 1000000};
        nanosleep(&pause, NULL);
    }
}

static enum cli_exit ping_report(const struct cli *cli, const struct ping *ping)
{
    char text[TEXT_NUMBER_MAX];
    uint32_t node = facts_next_node(&ping->facts, 0);
    const char *version = facts_text(&ping->facts, node, "version", "?");
    if (cli->options.json) {
        return cli_print_json(json_pack("{s:I, s:s, s:b, s:f}", "node", (json_int_t)node, "version",
                                        version, "ready", facts_all_ready(&ping->facts),
                                        "round_trip_us", (double)ping->nanos / 1000));
    }
    printf("node %" PRIu32 " (version %s) answers in %s%s\n", node, version,
           text_nanos(ping->nanos, text), facts_all_ready(&ping->facts) ? ", ready" : "");
    return CLI_DONE;
}

static enum cli_exit ping_failed(const struct cli *cli, const struct ping *ping)
{
    if (interrupted()) {
        cli_say(cli, "interrupted");
        return CLI_INTERRUPTED;
    }
    if (qn_error_failed(&ping->err)) {
        enum cli_exit code = cli_fail(cli, &ping->err);
        return ping->err.status == QN_INVALID ? CLI_USAGE : code;
    }
    uint32_t node = facts_next_node(&ping->facts, 0);
    cli_say(cli, "node %" PRIu32 " is not ready: %s", node,
            facts_text(&ping->facts, node, "reason", "it gives no reason"));
    return CLI_NO;
}

enum cli_exit run_ping(struct cli *cli)
{
    struct ping ping = {.nanos = 0};
    if (cli->options.wait_ms > 0 && cli->guard == NULL) {
        interrupt_watch();
    }
    enum cli_exit code = ping_until(cli, &ping) ? ping_report(cli, &ping) : ping_failed(cli, &ping);
    facts_fini(&ping.facts);
    return code;
}

/* Looking at the client: places of partitions, state, counters. */
#include <inttypes.h>
#include <stdio.h>

#include "client/call.h"
#include "wire/hash.h"

/* ---- places ---- */

/* The mutex of a client that is only looked at. */
static enum qn_status enter_const(const qn_client *client, qn_client **entered)
{
    *entered = (qn_client *)(uintptr_t)client;
    return driver_enter(*entered, NULL);
}

uint32_t qn_partition_count(const qn_client *client)
{
    qn_client *entered;
    uint32_t count = 0;

    if (enter_const(client, &entered) == QN_OK) {
        count = session_partition_count(entered->session);
        driver_leave(entered);
    }
    return count;
}

qn_status qn_partition_info_get(const qn_client *client, uint32_t partition,
                                qn_partition_info *info)
{
    qn_client *entered;
    struct session_place place = {0};

    if (!info) {
        return QN_INVALID;
    }
    enum qn_status status = enter_const(client, &entered);
    if (status != QN_OK) {
        return status;
    }
    bool is_known = session_place(entered->session, partition, &place);
    driver_leave(entered);
    if (!is_known) {
        return QN_INVALID;
    }
    info->partition = partition;
    info->leader = place.leader;
    info->shard = place.shard;
    info->epoch = place.epoch;
    return QN_OK;
}

qn_status qn_partition_of(const qn_client *client, qn_arg key, uint32_t *partition)
{
    struct arg arg;
    uint32_t count = qn_partition_count(client);
    enum qn_status status = count > 0 && partition ? QN_OK : QN_INVALID;

    if (status != QN_OK) {
        return status;
    }
    status = arg_encode(&arg, key, WIRE_KEY_MAX, "partition", "key", NULL);
    if (status == QN_OK) {
        *partition = hash_partition(hash_key(arg.binary), count);
    }
    arg_fini(&arg);
    return status;
}

qn_status qn_cache_partition_of(const qn_cache *cache, qn_arg key, uint32_t *partition)
{
    enum qn_status status = cache ? qn_partition_of(cache->client, key, partition) : QN_INVALID;

    if (status == QN_OK) {
        *partition += cache->service * qn_partition_count(cache->client);
    }
    return status;
}

/* ---- state ---- */

enum qn_state qn_state(const qn_client *client)
{
    qn_client *entered;
    enum qn_state state = QN_STATE_OFFLINE;

    if (enter_const(client, &entered) == QN_OK) {
        driver_yield(entered); /* what has come by now counts */
        driver_state_update(entered);
        state = entered->state;
        driver_leave(entered);
    }
    return state;
}

void qn_on_state(qn_client *client, void (*fn)(void *arg, enum qn_state state), void *arg)
{
    if (driver_enter(client, NULL) != QN_OK) {
        return;
    }
    driver_state_update(client);
    client->state_fn = fn;
    client->state_arg = arg;
    client->state_told = client->state;
    if (fn && driver_thread_start(client, NULL) == QN_OK) {
        session_watch(client->session);
        driver_wake(client);
    }
    driver_leave(client);
}

/* ---- counters ---- */

static void stats_take(qn_client *client, qn_stats *stats)
{
    struct counters *counters = &client->counters;

    *stats = (qn_stats){
        .operations = counters->operations,
        .failures = counters->failures,
        .unknown = counters->unknown,
        .retries = counters->retries,
        .busy = counters->busy,
        .in_flight = client->in_flight,
        .in_flight_bytes = client->in_flight_bytes,
        .messages_sent = counters->messages_sent,
        .messages_received = counters->messages_received,
        .bytes_sent = counters->bytes_sent,
        .bytes_received = counters->bytes_received,
        .compressed = atomic_load_explicit(&counters->compressed, memory_order_relaxed),
        .compressed_saved = atomic_load_explicit(&counters->compressed_saved, memory_order_relaxed),
        .reconnects = counters->reconnects,
    };
}

qn_status qn_stats_get(const qn_client *client, qn_stats *stats)
{
    qn_client *entered;
    qn_stats known;

    if (!stats) {
        return QN_INVALID;
    }
    enum qn_status status = enter_const(client, &entered);
    if (status != QN_OK) {
        return status;
    }
    stats_take(entered, &known);
    driver_leave(entered);
    known.size = stats->size;
    size_t size = stats->size == 0 ? sizeof known : stats->size;
    memcpy(stats, &known, size < sizeof known ? size : sizeof known);
    return QN_OK;
}

/* X(field, name, type, what it is) */
#define STATS_MAP(X)                                                                               \
    X(operations, "operations_total", "counter", "Operations done, whatever the answer.")          \
    X(failures, "failures_total", "counter", "Operations that failed.")                            \
    X(unknown, "unknown_total", "counter", "Changes that ended with an unknown outcome.")          \
    X(retries, "retries_total", "counter", "Attempts beyond the first.")                           \
    X(busy, "busy_total", "counter", "Calls refused because too much was in flight.")              \
    X(in_flight, "in_flight", "gauge", "Operations in flight.")                                    \
    X(in_flight_bytes, "in_flight_bytes", "gauge", "Octets of their keys and values.")             \
    X(messages_sent, "messages_sent_total", "counter", "Messages sent.")                           \
    X(messages_received, "messages_received_total", "counter", "Messages received.")               \
    X(bytes_sent, "sent_bytes_total", "counter", "Octets sent.")                                   \
    X(bytes_received, "received_bytes_total", "counter", "Octets received.")                       \
    X(compressed, "compressed_total", "counter", "Values compressed.")                             \
    X(compressed_saved, "compressed_saved_bytes_total", "counter", "Octets that this saved.")      \
    X(reconnects, "reconnects_total", "counter", "Connections made again.")

struct stats_row {
    const char *name;
    const char *type;
    const char *help;
    uint64_t value;
};

/* Append a metric; `used` may run beyond `size`, as with snprintf. */
static size_t row_print(const struct stats_row *row, char *text, size_t size, size_t used)
{
    int more = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0,
                        "# HELP quoin_client_%s %s\n# TYPE quoin_client_%s %s\n"
                        "quoin_client_%s %" PRIu64 "\n",
                        row->name, row->help, row->name, row->type, row->name, row->value);

    return used + (more > 0 ? (size_t)more : 0);
}

size_t qn_stats_text(const qn_client *client, char *text, size_t size)
{
    qn_stats stats = {.size = sizeof stats};
    size_t used = 0;

    if (size > 0) {
        text[0] = '\0';
    }
    if (qn_stats_get(client, &stats) != QN_OK) {
        return 1;
    }
    const struct stats_row rows[] = {
#define STATS_ROW(field, name, type, help) {name, type, help, stats.field},
        STATS_MAP(STATS_ROW)
#undef STATS_ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        used = row_print(&rows[i], text, size, used);
    }
    return used + 1;
}

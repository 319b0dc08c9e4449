/* The public calls beyond get and put: lives, commits, caches, compression, outcomes, observing. */
#define _GNU_SOURCE
#include "tests/unit/client/client_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/change.h"

/* ---- options of changes ---- */

/* Times to live and visibility travel with a change; a get tells what is left. */
static void options_travel(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;

    (void)state;
    options.ttl_ms = 5000;
    options.wait_visible = true;
    options.commit_within_ms = 70;
    assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), &options, &err), QN_OK);
    struct wire_op op = latest_op(WIRE_OP_PUT);
    assert_int_equal(op.ttl_ms, 5000);
    assert_int_equal(op.flags, WIRE_VISIBLE);
    assert_int_equal(op.commit_within_ms, 70);
    assert_int_equal(qn_get(cache, qn_str("a"), NULL, &value, &err), QN_OK);
    assert_int_equal(qn_value_ttl(value), 5000);
    qn_value_release(value);
    assert_int_equal(qn_touch(cache, qn_str("a"), QN_TTL_NEVER, NULL, &err), QN_OK);
    assert_int_equal(latest_op(WIRE_OP_TOUCH).ttl_ms, WIRE_TTL_NEVER);
    assert_int_equal(qn_get(cache, qn_str("a"), NULL, &value, &err), QN_OK);
    assert_int_equal(qn_value_ttl(value), 0);
    qn_value_release(value);
    assert_int_equal(qn_touch(cache, qn_str("nobody"), 10, NULL, &err), QN_ABSENT);
    qn_op *touch = qn_touch_start(cache, qn_str("a"), 900, NULL, &err);
    assert_true(qn_op_wait(touch, -1));
    assert_int_equal(qn_op_status(touch), QN_OK);
    assert_int_equal(latest_op(WIRE_OP_TOUCH).ttl_ms, 900);
    qn_op_release(touch);
    fine(&err);
    qn_close(client);
}

/* Options that make no sense are refused with their name. */
static void wrong_options_are_refused(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);

    (void)state;
    options.ttl_ms = -2;
    assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), &options, &err), QN_INVALID);
    told(&err, QN_INVALID, "ttl_ms is negative");
    qn_error_clear(&err);
    assert_int_equal(qn_touch(cache, qn_str("a"), -7, NULL, &err), QN_INVALID);
    qn_error_clear(&err);
    options.ttl_ms = 0;
    options.commit_within_ms = INT64_MAX;
    assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), &options, &err), QN_INVALID);
    told(&err, QN_INVALID, "commit_within_ms");
    qn_close(client);
}

/* A program that knows the first version of the options is understood: nothing behind is read. */
static void older_options_are_understood(void **state)
{
    struct {
        size_t size;
        int64_t timeout_ms;
        qn_value **old;
        uint64_t *version;
        int64_t no_option[4];
    } older = {.no_option = {-99, -99, -99, -99}};
    qn_error err = QN_ERROR_INIT;
    uint64_t version = 0;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    const qn_options *options = (const qn_options *)(const void *)&older;

    (void)state;
    older.version = &version;
    for (size_t size = 0; size <= offsetof(qn_options, ttl_ms); size += 8) {
        older.size = size;
        version = 0;
        assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), options, &err), QN_OK);
        assert_true(version > 0);
        assert_int_equal(latest_op(WIRE_OP_PUT).ttl_ms, 0);
    }
    fine(&err);
    qn_close(client);
}

/* Clearing empties every partition of the cache, and of no other; the count follows the view. */
static void a_cache_is_cleared(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_options fresh = QN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    qn_cache *other = qn_open_create(client, "other", &err);
    uint64_t count = 99;

    (void)state;
    fresh.wait_visible = true;
    numbers_put(cache, 0, 300);
    numbers_put(other, 0, 20);
    assert_int_equal(qn_count(cache, &count, NULL, &err), QN_OK);
    assert_int_equal(count, 0); /* nobody has published them */
    assert_int_equal(qn_count(cache, &count, &fresh, &err), QN_OK);
    assert_int_equal(count, 300);
    assert_int_equal(qn_clear(cache, NULL, &err), QN_OK);
    assert_int_equal(qn_count(cache, &count, NULL, &err), QN_OK);
    assert_int_equal(count, 300);
    assert_int_equal(qn_count(cache, &count, &fresh, &err), QN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(qn_count(other, &count, NULL, &err), QN_OK);
    assert_int_equal(count, 20);
    qn_close(client);
}

/* A clear that fails says how far it came, and is unknown as a whole. */
static void a_clear_that_fails_says_how_far_it_came(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);

    (void)state;
    fake_grid_refuse(fake_server_lock(&server), QN_MEMORY_FULL, 1);
    fake_server_unlock(&server);
    assert_int_equal(qn_clear(cache, NULL, &err), QN_MEMORY_FULL);
    told(&err, QN_MEMORY_FULL, "15 of 16 partitions are cleared");
    assert_int_equal(err.certainty, QN_UNKNOWN);
    qn_close(client);
}

/* ---- caches ---- */

/* A cache is made with a definition and keeps it; its keys live in the partitions of its service.
 */
static void a_cache_keeps_its_definition(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_cache_options options = QN_CACHE_OPTIONS_INIT;
    qn_cache_options known = QN_CACHE_OPTIONS_INIT;
    qn_options fresh = QN_OPTIONS_INIT;
    qn_client *client = connected("");
    uint32_t partition = 0;
    uint64_t count = 0;

    (void)state;
    fresh.wait_visible = true;
    options.durability = QN_DURABILITY_MEMORY;
    options.ttl_ms = 60000;
    options.size_max_bytes = 1 << 20;
    assert_non_null(qn_create(client, "quick", &options, &err));
    qn_cache *cache = qn_open(client, "quick", &err);
    assert_int_equal(qn_cache_definition(cache, &known), QN_OK);
    assert_int_equal(known.durability, QN_DURABILITY_MEMORY);
    assert_int_equal(known.ttl_ms, 60000);
    assert_int_equal(known.size_max_bytes, 1 << 20);
    assert_int_equal(qn_cache_partition_of(cache, qn_str("a"), &partition), QN_OK);
    assert_true(partition >= 16 && partition < 32);
    assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), NULL, &err), QN_OK);
    assert_int_equal(latest_op(WIRE_OP_PUT).partition, partition);
    numbers_put(cache, 0, 100);
    assert_int_equal(qn_count(cache, &count, &fresh, &err), QN_OK);
    assert_int_equal(count, 101);
    assert_true(latest_op(WIRE_OP_COUNT).partition >= 16);
    assert_int_equal(qn_clear(cache, &fresh, &err), QN_OK);
    assert_int_equal(qn_count(cache, &count, NULL, &err), QN_OK);
    assert_int_equal(count, 0);
    options.ttl_ms = -1;
    assert_null(qn_create(client, "wrong", &options, &err));
    told(&err, QN_INVALID, "ttl_ms");
    qn_close(client);
}

/* A dropped cache is gone for its handles, too; dropping it again says that there is none. */
static void a_cache_is_dropped(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");
    qn_cache *cache = qn_open_create(client, "old", &err);

    (void)state;
    numbers_put(cache, 0, 10);
    assert_int_equal(qn_drop(client, "old", 0, &err), QN_OK);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(1), NULL, &err), QN_UNKNOWN_CACHE);
    qn_error_clear(&err);
    assert_int_equal(qn_drop(client, "old", 0, &err), QN_UNKNOWN_CACHE);
    told(&err, QN_UNKNOWN_CACHE, "drop old: no such cache");
    qn_error_clear(&err);
    assert_int_equal(qn_drop(client, "", 0, &err), QN_INVALID);
    qn_close(client);
}

static void info_note(void *arg, const qn_cache_info *info)
{
    char *names = arg;

    assert_int_equal(info->size, sizeof *info);
    assert_true(info->entries > 0);
    strcat(names, info->name);
    strcat(names, info->definition.durability == QN_DURABILITY_MEMORY ? "(memory) " : " ");
}

/* Caches are told in the order of their names. */
static void caches_are_listed(void **state)
{
    char names[200] = "";
    qn_error err = QN_ERROR_INIT;
    qn_cache_options memory = QN_CACHE_OPTIONS_INIT;
    qn_client *client = connected("");

    (void)state;
    memory.durability = QN_DURABILITY_MEMORY;
    numbers_put(accounts_of(client), 0, 10);
    (void)qn_open_create(client, "zebra", &err);
    (void)qn_create(client, "bee", &memory, &err);
    (void)qn_open_create(client, "ant", &err);
    assert_int_equal(qn_caches(client, 0, info_note, names, &err), QN_OK);
    assert_string_equal(names, "accounts ant bee(memory) zebra ");
    assert_int_equal(qn_caches(client, 0, NULL, NULL, &err), QN_INVALID);
    qn_close(client);
}

/* ---- nodes ---- */

/* A commit goes to every shard, and a refusal names the node. */
static void a_commit_asks_every_shard(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");

    (void)state;
    assert_int_equal(qn_commit(client, QN_COMMIT_HARD, 0, &err), QN_OK);
    assert_int_equal(fake_grid_control_count(fake_server_lock(&server), WIRE_COMMIT), 2);
    fake_grid_refuse_control(server.grid, WIRE_COMMIT, QN_DISK_FULL);
    fake_server_unlock(&server);
    assert_int_equal(qn_commit(client, QN_COMMIT_HARD, 0, &err), QN_DISK_FULL);
    told(&err, QN_DISK_FULL, "commit: told to refuse");
    assert_int_equal(err.node, 1);
    qn_error_clear(&err);
    atomic_store(&server.mute, true);
    assert_int_equal(qn_commit(client, QN_COMMIT_SOFT, 80, &err), QN_DEADLINE);
    told(&err, QN_DEADLINE, "commit: no answer from node 1 (shard 0) within 80 ms");
    qn_error_clear(&err);
    atomic_store(&server.mute, false);
    assert_int_equal(qn_commit(client, (enum qn_commit_level)9, 0, &err), QN_INVALID);
    qn_close(client);
}

static void pair_note(void *arg, uint32_t node, const char *name, const char *text)
{
    char *line = arg;

    assert_int_equal(node, 1);
    (void)sprintf(line + strlen(line), "%s=%s ", name, text);
}

/* Settings and log levels of a node are told as text. */
static void nodes_tell_their_settings(void **state)
{
    char line[200] = "";
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");

    (void)state;
    assert_int_equal(qn_node_config(client, 0, pair_note, line, &err), QN_OK);
    assert_string_equal(line, "node.id=1  # default ");
    line[0] = '\0';
    assert_int_equal(qn_node_log_level(client, NULL, NULL, 0, pair_note, line, &err), QN_OK);
    assert_int_equal(qn_node_log_level(client, "shard", "debug", 0, pair_note, line, &err), QN_OK);
    assert_string_equal(line, "shard=info shard=debug ");
    assert_int_equal(qn_node_log_level(client, "", "warn", 0, NULL, NULL, &err), QN_OK);
    assert_int_equal(qn_node_log_level(client, "nobody", "warn", 0, NULL, NULL, &err), QN_INVALID);
    told(&err, QN_INVALID, "there is no module nobody");
    qn_close(client);
}

/* ---- compression ---- */

static void value_returns(qn_cache *cache, const char *data, size_t size)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_value *value = NULL;
    qn_value *old = NULL;
    const void *found = NULL;
    size_t found_size = 0;

    options.old = &old;
    assert_int_equal(qn_put(cache, qn_str("k"), qn_bytes(data, size), NULL, &err), QN_OK);
    assert_int_equal(qn_get(cache, qn_str("k"), NULL, &value, &err), QN_OK);
    assert_int_equal(qn_value_bytes(value, &found, &found_size), QN_OK);
    assert_bytes_equal(bytes_of(found, found_size), bytes_of(data, size));
    qn_value_release(value);
    assert_int_equal(qn_remove(cache, qn_str("k"), &options, &err), QN_OK);
    assert_int_equal(qn_value_bytes(old, &found, &found_size), QN_OK);
    assert_bytes_equal(bytes_of(found, found_size), bytes_of(data, size));
    qn_value_release(old);
}

/* Values travel compressed when they are large enough and it pays, and nobody notices. */
static void values_are_compressed_when_it_pays(void **state)
{
    static char zeros[100000];
    static char noise[4000];
    qn_stats stats = {.size = sizeof stats};
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof noise; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        noise[i] = (char)(random >> 56);
    }
    value_returns(cache, zeros, 400);
    assert_int_equal(latest_op(WIRE_OP_PUT).value_flags, 0);
    value_returns(cache, noise, sizeof noise);
    assert_int_equal(latest_op(WIRE_OP_PUT).value_flags, 0);
    value_returns(cache, zeros, sizeof zeros);
    assert_int_equal(latest_op(WIRE_OP_PUT).value_flags, VALUE_COMPRESSED);
    assert_int_equal(qn_stats_get(client, &stats), QN_OK);
    assert_int_equal(stats.compressed, 1);
    assert_true(stats.compressed_saved > 90000);
    qn_close(client);
    client = connected("&compress_min=0B");
    value_returns(accounts_of(client), zeros, sizeof zeros);
    assert_int_equal(latest_op(WIRE_OP_PUT).value_flags, 0);
    qn_close(client);
}

/* Batches and operations without waiting unpack, too. */
static void every_call_unpacks(void **state)
{
    static char zeros[5000];
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    qn_batch *batch = qn_batch_new(cache, &err);
    const void *data = NULL;
    size_t size = 0;

    (void)state;
    (void)qn_batch_put(batch, qn_int(1), qn_bytes(zeros, sizeof zeros), &err);
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK);
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK); /* again, as it is */
    assert_int_equal(latest_op(WIRE_OP_PUT).value_flags, VALUE_COMPRESSED);
    qn_batch_clear(batch);
    (void)qn_batch_get(batch, qn_int(1), &err);
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK);
    assert_int_equal(qn_value_bytes(qn_batch_value(batch, 0), &data, &size), QN_OK);
    assert_bytes_equal(bytes_of(data, size), bytes_of(zeros, sizeof zeros));
    qn_batch_free(batch);
    qn_op *op = qn_get_start(cache, qn_int(1), NULL, &err);
    assert_true(qn_op_wait(op, -1));
    assert_int_equal(qn_value_bytes(qn_op_value(op), &data, &size), QN_OK);
    assert_bytes_equal(bytes_of(data, size), bytes_of(zeros, sizeof zeros));
    qn_op_release(op);
    qn_close(client);
}

/* A value that can not be unpacked is damage, and never handed out. */
static void damaged_values_are_told(void **state)
{
    static char zeros[5000];
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;

    (void)state;
    fake_grid_damage(fake_server_lock(&server));
    fake_server_unlock(&server);
    assert_int_equal(qn_put(cache, qn_int(1), qn_bytes(zeros, sizeof zeros), NULL, &err), QN_OK);
    assert_int_equal(qn_get(cache, qn_int(1), NULL, &value, &err), QN_CORRUPT);
    told(&err, QN_CORRUPT, "get accounts/1: the value is damaged");
    assert_null(value);
    qn_error_clear(&err);
    qn_op *op = qn_get_start(cache, qn_int(1), NULL, &err);
    assert_true(qn_op_wait(op, -1));
    assert_int_equal(qn_op_status(op), QN_CORRUPT);
    assert_null(qn_op_value(op));
    told(qn_op_error(op), QN_CORRUPT, "the value is damaged");
    qn_op_release(op);
    qn_batch *batch = qn_batch_new(cache, &err);
    (void)qn_batch_get(batch, qn_int(1), &err);
    (void)qn_batch_get(batch, qn_int(2), &err);
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_CORRUPT);
    assert_int_equal(qn_batch_status(batch, 0), QN_CORRUPT);
    assert_int_equal(qn_batch_status(batch, 1), QN_ABSENT);
    qn_batch_free(batch);
    qn_error_clear(&err);
    /* The change that asked for the old value has been made all the same, and says so. */
    options.old = &value;
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(5), &options, &err), QN_CORRUPT);
    assert_null(value);
    assert_int_equal(err.certainty, QN_APPLIED);
    told(&err, QN_CORRUPT, "the write was applied");
    qn_close(client);
}

/* ---- settings ---- */

/* A client is made of a configuration, which may be used again; without waiting, too. */
static void a_client_is_made_of_settings(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);

    (void)state;
    assert_int_equal(qn_config_set(config, "uri", server.uri, &err), QN_OK);
    assert_int_equal(qn_config_set(config, "in_flight", "3", &err), QN_OK);
    qn_client *client = qn_connect_config(config, &err);
    qn_client *other = qn_connect_config_start(config, &err);
    qn_config_free(config);
    fine(&err);
    assert_int_equal(setting_number(&client->settings, PROPERTY_IN_FLIGHT), 3);
    assert_int_equal(qn_put(accounts_of(other), qn_int(1), qn_int(1), NULL, &err), QN_OK);
    qn_close(client);
    qn_close(other);
    assert_null(qn_connect_config(NULL, &err));
    told(&err, QN_INVALID, "no settings");
}

/* ---- outcomes ---- */

/* A put that is applied while its answers are lost. */
static void put_unknown(qn_cache *cache, int64_t key, qn_error *err)
{
    qn_options options = QN_OPTIONS_INIT;

    options.timeout_ms = 250;
    atomic_store(&server.curt, true);
    assert_int_equal(qn_put(cache, qn_int(key), qn_int(1), &options, err), QN_DEADLINE);
    atomic_store(&server.curt, false);
    assert_int_equal(err->certainty, QN_UNKNOWN);
}

static void outcome_is(qn_client *client, const char *id, enum qn_certainty certainty,
                       enum qn_status expected)
{
    qn_error err = QN_ERROR_INIT;
    enum qn_certainty found = QN_UNKNOWN;
    qn_status status = QN_BUSY;

    assert_int_equal(qn_outcome(client, id, 0, &found, &status, &err), QN_OK);
    fine(&err);
    assert_int_equal(found, certainty);
    assert_int_equal(status, expected);
}

/* The outcome of a change is found by the name that its error carries, by its own client and by
 * another; it is the truth. */
static void an_unknown_change_is_settled(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("&log_level=off");
    qn_client *other = connected("&log_level=off");
    qn_cache *cache = accounts_of(client);
    char shown[QN_CHANGE_ID_MAX + 40];

    (void)state;
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    assert_string_equal(qn_change_id(&err), "");
    put_unknown(cache, 1, &err);
    assert_true(strlen(qn_change_id(&err)) > 40);
    (void)snprintf(shown, sizeof shown, "quoin outcome %s", qn_change_id(&err));
    told(&err, QN_DEADLINE, shown);
    told(&err, QN_DEADLINE, "qn_outcome()");
    outcome_is(other, qn_change_id(&err), QN_APPLIED, QN_OK);
    outcome_is(client, qn_change_id(&err), QN_APPLIED, QN_OK);
    /* Its number is let go now; this client remembers. */
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, NULL), QN_OK);
    outcome_is(client, qn_change_id(&err), QN_APPLIED, QN_OK);
    qn_close(other);
    qn_close(client);
}

/* A change that never arrived is withdrawn. */
static void a_lost_change_is_settled(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("&log_level=off");
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;
    int64_t number = -1;

    (void)state;
    options.timeout_ms = 250;
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    atomic_store(&server.mute, true);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(7), &options, &err), QN_DEADLINE);
    atomic_store(&server.mute, false);
    outcome_is(client, qn_change_id(&err), QN_NOT_APPLIED, QN_WITHDRAWN);
    assert_int_equal(qn_get(cache, qn_int(1), NULL, &value, NULL), QN_OK);
    assert_int_equal(qn_value_int(value, &number), QN_OK);
    assert_int_equal(number, 0);
    qn_value_release(value);
    qn_close(client);
}

/* Names that are damaged or of another grid, and sessions that have ended, are told apart. */
static void outcomes_that_nobody_knows(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_error asked = QN_ERROR_INIT;
    qn_client *client = connected("&log_level=off");
    qn_cache *cache = accounts_of(client);
    enum qn_certainty certainty = QN_APPLIED;
    char id[QN_CHANGE_ID_MAX];

    (void)state;
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    put_unknown(cache, 1, &err);
    (void)snprintf(id, sizeof id, "%s", qn_change_id(&err));
    for (size_t i = 0; i < strlen(id); i++) {
        char before = id[i];
        id[i] = before == 'a' ? 'b' : 'a';
        assert_int_equal(qn_outcome(client, id, 0, &certainty, NULL, &asked), QN_INVALID);
        assert_int_equal(certainty, QN_UNKNOWN);
        qn_error_clear(&asked);
        id[i] = before;
    }
    assert_int_equal(qn_outcome(client, "", 0, &certainty, NULL, &asked), QN_INVALID);
    told(&asked, QN_INVALID, "not the name of a change");
    qn_error_clear(&asked);
    fake_grid_expire_sessions(fake_server_lock(&server));
    fake_server_unlock(&server);
    assert_int_equal(qn_outcome(client, id, 0, &certainty, NULL, &asked), QN_SESSION_EXPIRED);
    told(&asked, QN_SESSION_EXPIRED, "too late");
    qn_close(client);
}

/* Operations without waiting and entries of batches have names, too. */
static void every_change_has_a_name(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("&log_level=off");
    qn_cache *cache = accounts_of(client);
    qn_batch *batch = qn_batch_new(cache, &err);
    char id[QN_CHANGE_ID_MAX];

    (void)state;
    options.timeout_ms = 250;
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    (void)qn_batch_put(batch, qn_int(1), qn_int(1), &err);
    (void)qn_batch_get(batch, qn_int(1), &err);
    assert_int_equal(qn_batch_change_id(batch, 0, id, sizeof id), 1);
    atomic_store(&server.curt, true);
    qn_op *op = qn_put_start(cache, qn_int(1), qn_int(2), &options, &err);
    assert_true(qn_op_wait(op, -1));
    assert_int_equal(qn_batch_run(batch, 250, &err), QN_DEADLINE);
    atomic_store(&server.curt, false);
    outcome_is(client, qn_change_id(qn_op_error(op)), QN_APPLIED, QN_OK);
    assert_int_equal(qn_batch_change_id(batch, 1, id, sizeof id), 1);
    assert_true(qn_batch_change_id(batch, 0, id, sizeof id) > 40);
    outcome_is(client, id, QN_APPLIED, QN_OK);
    assert_string_equal(qn_change_id(&err), id);
    assert_int_equal(qn_batch_change_id(batch, 9, id, sizeof id), 1);
    qn_op_release(op);
    qn_batch_free(batch);
    qn_close(client);
}

/* An error of the first version has no room for a name: nothing is written behind it. */
static void a_short_error_is_not_overrun(void **state)
{
    qn_error err;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("&log_level=off");
    qn_cache *cache = accounts_of(client);

    (void)state;
    options.timeout_ms = 250;
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, NULL), QN_OK);
    memset(&err, 0x77, sizeof err);
    err.size = 0;
    qn_error_clear(&err);
    atomic_store(&server.mute, true);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(7), &options, &err), QN_DEADLINE);
    atomic_store(&server.mute, false);
    assert_int_equal(err.size, 0);
    assert_string_equal(qn_change_id(&err), "");
    for (size_t i = 0; i < sizeof err.change_id; i++) {
        assert_int_equal(err.change_id[i], 0x77);
    }
    qn_close(client);
}

/* ---- observing ---- */

struct log_note {
    char text[2000];
    int calls;
};

static void log_note_take(void *arg, enum qn_log_level level, const char *module,
                          const char *message, const char *fields)
{
    struct log_note *note = arg;
    size_t used = strlen(note->text);

    assert_true(level <= QN_LOG_WARN);
    assert_string_equal(module, "client");
    (void)snprintf(note->text + used, sizeof note->text - used, "%s (%s)\n", message, fields);
    note->calls++;
}

/* Reconnections and ended sessions are told to the hook, and to nobody when it is NULL. */
static void the_log_tells_what_happens(void **state)
{
    struct log_note note = {.calls = 0};
    qn_error err = QN_ERROR_INIT;
    qn_stats stats = {.size = sizeof stats};
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);

    (void)state;
    qn_log_to(client, QN_LOG_WARN, log_note_take, &note);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    assert_int_equal(note.calls, 0);
    fake_server_kill(&server);
    fake_server_revive(&server);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    assert_non_null(strstr(note.text, "connected again (endpoint=tcp://127.0.0.1:"));
    assert_int_equal(qn_stats_get(client, &stats), QN_OK);
    assert_true(stats.reconnects > 0);
    fake_grid_expire_sessions(fake_server_lock(&server));
    fake_server_unlock(&server);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    assert_non_null(strstr(note.text, "the session has ended"));
    int calls = note.calls;
    qn_log_to(client, QN_LOG_WARN, NULL, NULL);
    fake_grid_expire_sessions(fake_server_lock(&server));
    fake_server_unlock(&server);
    assert_int_equal(qn_put(cache, qn_int(1), qn_int(0), NULL, &err), QN_OK);
    assert_int_equal(note.calls, calls);
    qn_close(client);
}

struct state_note {
    enum qn_state latest;
    int calls;
};

static void state_take(void *arg, enum qn_state state)
{
    struct state_note *note = arg;

    note->latest = state;
    note->calls++;
}

static void state_await(qn_client *client, const struct state_note *note, enum qn_state wanted)
{
    struct transport_wait wait = {.fd = qn_fd(client)};

    while (note->latest != wanted) {
        assert_true(transport_wait(&wait, 1, 60000) > 0);
        (void)qn_dispatch(client, 0);
    }
}

/* A node that goes away and comes back is told by dispatching, without a call of the program. */
static void the_state_is_told(void **state)
{
    struct state_note note = {.latest = QN_STATE_CONNECTED};
    qn_client *client = connected("&log_level=off");

    (void)state;
    assert_int_equal(qn_state(client), QN_STATE_CONNECTED);
    qn_on_state(client, state_take, &note);
    assert_int_equal(qn_dispatch(client, 0), 0);
    assert_int_equal(note.calls, 0);
    fake_server_kill(&server);
    state_await(client, &note, QN_STATE_OFFLINE);
    assert_int_equal(qn_state(client), QN_STATE_OFFLINE);
    fake_server_revive(&server);
    state_await(client, &note, QN_STATE_CONNECTED);
    qn_on_state(client, NULL, NULL);
    qn_close(client);
}

/* What is done is counted; the text has a line for each counter. */
static void what_is_done_is_counted(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_stats stats = {.size = sizeof stats};
    qn_client *client = connected("&log_level=off");
    qn_cache *cache = accounts_of(client);
    char text[4096];

    (void)state;
    numbers_put(cache, 0, 10);
    put_unknown(cache, 1, &err);
    assert_int_equal(qn_stats_get(client, &stats), QN_OK);
    assert_int_equal(stats.operations, 11);
    assert_int_equal(stats.failures, 1);
    assert_int_equal(stats.unknown, 1);
    assert_int_equal(stats.in_flight, 0);
    assert_int_equal(stats.in_flight_bytes, 0);
    assert_true(stats.messages_sent > 2 && stats.messages_received > 2);
    assert_true(stats.bytes_sent > stats.messages_sent);
    size_t size = qn_stats_text(client, text, sizeof text);
    assert_int_equal(size, strlen(text) + 1);
    assert_int_equal(qn_stats_text(client, NULL, 0), size);
    assert_non_null(strstr(text, "\nquoin_client_operations_total 11\n"));
    assert_non_null(strstr(text, "# TYPE quoin_client_in_flight gauge\n"));
    memset(text, 'x', sizeof text);
    assert_int_equal(qn_stats_text(client, text, 10), size);
    assert_int_equal(text[9], '\0');
    assert_int_equal(text[10], 'x');
    /* Who knows less gets less. */
    qn_stats small = {.size = offsetof(qn_stats, failures), .failures = 99};
    assert_int_equal(qn_stats_get(client, &small), QN_OK);
    assert_int_equal(small.operations, 11);
    assert_int_equal(small.failures, 99);
    qn_close(client);
}

/* ---- fork ---- */

struct inherited {
    qn_client *client;
    qn_cache *cache;
    qn_op *op;
    qn_batch *batch;
    qn_cursor *cursor;
    char change_id[QN_CHANGE_ID_MAX];
};

static void ignore_fact(void *arg, uint32_t node, const char *name, const char *text,
                        int64_t number)
{
    (void)arg;
    (void)node;
    (void)name;
    (void)text;
    (void)number;
}

static void ignore_info(void *arg, const qn_cache_info *info)
{
    (void)arg;
    (void)info;
}

#define REFUSED(call) ((call) == QN_FORKED ? 0 : (fprintf(stderr, "%s\n", #call), 1))

/* Every call of a child with its parent's handles: how many are not refused. */
static int child_tries(const struct inherited *has)
{
    enum qn_certainty certainty;
    qn_stats stats = {.size = sizeof stats};
    qn_value *value = NULL;
    qn_partition_info info = {.size = sizeof info};
    uint64_t count;
    int wrong = 0;

    wrong += REFUSED(qn_put(has->cache, qn_int(1), qn_int(1), NULL, NULL));
    wrong += REFUSED(qn_get(has->cache, qn_int(1), NULL, &value, NULL));
    wrong += REFUSED(qn_touch(has->cache, qn_int(1), 5, NULL, NULL));
    wrong += REFUSED(qn_clear(has->cache, NULL, NULL));
    wrong += REFUSED(qn_count(has->cache, &count, NULL, NULL));
    wrong += REFUSED(qn_batch_run(has->batch, 0, NULL));
    wrong += REFUSED(qn_cursor_next(has->cursor, &value, NULL, NULL));
    wrong += REFUSED(qn_commit(has->client, QN_COMMIT_SOFT, 0, NULL));
    wrong += REFUSED(qn_drop(has->client, "accounts", 0, NULL));
    wrong += REFUSED(qn_caches(has->client, 0, ignore_info, NULL, NULL));
    wrong += REFUSED(qn_node_facts(has->client, 0, ignore_fact, NULL, NULL));
    wrong += REFUSED(qn_node_config(has->client, 0, pair_note, NULL, NULL));
    wrong += REFUSED(qn_node_log_level(has->client, "", "", 0, NULL, NULL, NULL));
    wrong += REFUSED(qn_outcome(has->client, has->change_id, 0, &certainty, NULL, NULL));
    wrong += REFUSED(qn_stats_get(has->client, &stats));
    wrong += REFUSED(qn_partition_info_get(has->client, 0, &info));
    wrong += REFUSED(qn_op_status(has->op));
    wrong += qn_op_wait(has->op, -1);
    wrong += qn_dispatch(has->client, 0) != 0;
    wrong += qn_fd(has->client) != -1;
    wrong += qn_open(has->client, "accounts", NULL) != NULL;
    wrong += qn_scan(has->cache, NULL, NULL) != NULL;
    wrong += qn_put_start(has->cache, qn_int(1), qn_int(1), NULL, NULL) != NULL;
    wrong += qn_state(has->client) != QN_STATE_OFFLINE;
    wrong += qn_partition_count(has->client) != 0;
    qn_log_to(has->client, QN_LOG_INFO, NULL, NULL);
    qn_on_state(has->client, NULL, NULL);
    qn_op_on_done(has->op, NULL, NULL);
    qn_op_cancel(has->op);
    qn_op_release(has->op);
    qn_batch_free(has->batch);
    qn_cursor_close(has->cursor);
    wrong += REFUSED(qn_close_within(has->client, 1000));
    qn_close(has->client);
    return wrong;
}

/* A child may not use its parent's handles: each call says so or does nothing, and none hangs, even
 * while a thread of the parent holds the mutex. */
static void a_child_is_refused_by_every_call(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("&log_level=off&scan_bytes=4KiB");
    struct inherited has = {.client = client, .cache = accounts_of(client)};
    qn_value *key = NULL;
    int result = 0;

    (void)state;
    numbers_put(has.cache, 0, 2000);
    soft_commit(client);
    has.batch = qn_batch_new(has.cache, &err);
    (void)qn_batch_get(has.batch, qn_int(1), &err);
    has.cursor = qn_scan(has.cache, NULL, &err);
    assert_int_equal(qn_cursor_next(has.cursor, &key, NULL, &err), QN_OK);
    qn_value_release(key);
    change_print(&(struct change_id){.change = {.session = 1, .sequence = 1}}, has.change_id);
    atomic_store(&server.mute, true);
    has.op = qn_get_start(has.cache, qn_int(1), NULL, &err);
    (void)pthread_mutex_lock(&client->mutex);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(20); /* one that hangs */
        _exit(child_tries(&has));
    }
    (void)pthread_mutex_unlock(&client->mutex);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    atomic_store(&server.mute, false);
    /* And the parent goes on. */
    assert_true(qn_op_wait(has.op, -1));
    assert_int_equal(qn_op_status(has.op), QN_OK);
    assert_int_equal(qn_batch_run(has.batch, 0, &err), QN_OK);
    while (qn_cursor_next(has.cursor, &key, NULL, &err) == QN_OK) {
        qn_value_release(key);
    }
    fine(&err);
    qn_op_release(has.op);
    qn_batch_free(has.batch);
    qn_cursor_close(has.cursor);
    qn_close(client);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(options_travel),
        WITH_SERVER(wrong_options_are_refused),
        WITH_SERVER(older_options_are_understood),
        WITH_SERVER(a_cache_is_cleared),
        WITH_SERVER(a_clear_that_fails_says_how_far_it_came),
        WITH_SERVER(a_cache_keeps_its_definition),
        WITH_SERVER(a_cache_is_dropped),
        WITH_SERVER(caches_are_listed),
        WITH_SERVER(a_commit_asks_every_shard),
        WITH_SERVER(nodes_tell_their_settings),
        WITH_SERVER(values_are_compressed_when_it_pays),
        WITH_SERVER(every_call_unpacks),
        WITH_SERVER(damaged_values_are_told),
        WITH_SERVER(a_client_is_made_of_settings),
        WITH_SERVER(an_unknown_change_is_settled),
        WITH_SERVER(a_lost_change_is_settled),
        WITH_SERVER(outcomes_that_nobody_knows),
        WITH_SERVER(every_change_has_a_name),
        WITH_SERVER(a_short_error_is_not_overrun),
        WITH_SERVER(the_log_tells_what_happens),
        WITH_SERVER(the_state_is_told),
        WITH_SERVER(what_is_done_is_counted),
        WITH_SERVER(a_child_is_refused_by_every_call),
    };

    return RUN_TESTS(tests);
}

#define _GNU_SOURCE /* open_memstream */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/cfg.h"
#include "config/cfg_table.h"
#include "tests/unit/config/folder.h"

static int setup(void **state)
{
    struct folder *folder = malloc(sizeof *folder);

    folder_create(folder);
    *state = folder;
    return 0;
}

static int teardown(void **state)
{
    folder_remove(*state);
    free(*state);
    return 0;
}

/* Load sources that must be right. */
static void good_load(const struct cfg_sources *sources, struct cfg *cfg)
{
    struct cfg_report report = {0};
    enum qn_status status = cfg_load(sources, cfg, &report);

    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    assert_int_equal(report.error_count, 0);
    cfg_report_fini(&report);
}

static void assert_printed(const struct cfg *cfg, const char *line)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    cfg_print(cfg, to);
    fclose(to);
    if (!strstr(text, line)) {
        fail_msg("no line \"%s\" in\n%s", line, text);
    }
    free(text);
}

/* Without any layer everything has its documented default. */
static void defaults_hold_without_layers(void **state)
{
    struct cfg cfg;

    (void)state;
    good_load(&(struct cfg_sources){0}, &cfg);
    assert_int_equal(cfg.node_id, 1);
    assert_string_equal(cfg.node_data_dir, "data");
    assert_string_equal(cfg.node_bind, "127.0.0.1");
    assert_string_equal(cfg.node_advertise, "127.0.0.1");
    assert_int_equal(cfg.node_data_port, 7100);
    assert_int_equal(cfg.node_pin, CFG_PIN_OFF);
    assert_string_equal(cfg.cluster_name, "quoin");
    assert_int_equal(cfg.cluster_coordination, CFG_COORDINATION_STANDALONE);
    assert_int_equal(cfg.cluster_partitions, 271);
    assert_int_equal(cfg.cluster_copies, 1);
    assert_int_equal(cfg.caches_names.count, 1);
    assert_string_equal(cfg.caches_names.list[0].name, "default");
    assert_false(cfg.caches_create);
    assert_int_equal(cfg.commit_soft_interval_ms, 1000);
    assert_int_equal(cfg.commit_hard_interval_ms, 5 * 60 * 1000);
    assert_int_equal(cfg.log_segment_size_bytes, 64 * 1024 * 1024);
    assert_int_equal(cfg.log_replay_budget_bytes, 2ull << 30);
    assert_int_equal(cfg.log_snapshot_rate_bytes, 48 << 20);
    assert_int_equal(cfg.limits_memory_max_bytes, 0);
    assert_int_equal(cfg.views_pins_max, 4);
    assert_int_equal(cfg.views_ttl_ms, 30000);
    assert_int_equal(cfg.logging_levels.count, 0);
    assert_int_equal(cfg.limits_key_size_max_bytes, 64 * 1024);
    assert_int_equal(cfg.limits_value_size_max_bytes, 16 * 1024 * 1024);
    assert_int_equal(cfg.session_ttl_ms, 10 * 60 * 1000);
    assert_int_equal(cfg.session_bytes_max, 8 * 1024 * 1024);
    assert_true(cfg.admin_enabled);
    assert_int_equal(cfg.admin_port, 7180);
    assert_int_equal(cfg.logging_level, CFG_LEVEL_INFO);
    cfg_fini(&cfg);
}

/* One value of every kind, as it is written in a file. */
static void file_sets_values_of_every_kind(void **state)
{
    struct cfg cfg;

    folder_write(*state, "quoin.cfg",
                 "node = { id = 7; data_dir = \"/srv/quoin\"; pin = \"auto\"; };\n"
                 "caches = { names = [ \"languages\", \"countries\" ]; create = true; };\n"
                 "session = { ttl = \"90s\"; bytes_max = \"1MiB\"; };\n"
                 "logging = { level = \"debug\"; };\n");
    good_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg")}, &cfg);
    assert_int_equal(cfg.node_id, 7);
    assert_string_equal(cfg.node_data_dir, "/srv/quoin");
    assert_int_equal(cfg.node_pin, CFG_PIN_AUTO);
    assert_int_equal(cfg.caches_names.count, 2);
    assert_string_equal(cfg.caches_names.list[1].name, "countries");
    assert_true(cfg.caches_create);
    assert_int_equal(cfg.session_ttl_ms, 90000);
    assert_int_equal(cfg.session_bytes_max, 1024 * 1024);
    assert_int_equal(cfg.logging_level, CFG_LEVEL_DEBUG);
    cfg_fini(&cfg);
}

/* defaults < file < conf.d in the order of names < environment < --set; each value remembers its
 * layer. */
static void later_layers_win(void **state)
{
    static const char *const environ[] = {"HOME=/", "QUOIN_NODE__ID=4", "QUOIN_NODE__SHARDS=4",
                                          "QUOIN_URI=quoin://x", NULL};
    static const char *const sets[] = {"node.id=5", "admin.enabled=off"};
    struct cfg cfg;

    folder_write(*state, "quoin.cfg",
                 "node = {\n id = 1;\n shards = 1; bind = \"10.0.0.1\"; data_port = 1001; };\n"
                 "cluster = { partitions = 1; name = \"file\"; };");
    folder_write(*state, "conf.d/20-b.cfg",
                 "node = { id = 3; shards = 3; data_port = 1003; };\n"
                 "cluster = { partitions = 3; };");
    folder_write(*state, "conf.d/10-a.cfg", "node = { id = 2; bind = \"10.0.0.2\"; };");
    folder_write(*state, "conf.d/README", "not read");
    folder_write(*state, "conf.d/.hidden.cfg", "not read");
    good_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg"),
                                    .environ = environ,
                                    .sets = sets,
                                    .set_count = 2},
              &cfg);
    assert_int_equal(cfg.node_id, 5);
    assert_int_equal(cfg.node_shards, 4);
    assert_int_equal(cfg.node_data_port, 1003);
    assert_string_equal(cfg.node_bind, "10.0.0.2");
    assert_string_equal(cfg.cluster_name, "file");
    assert_false(cfg.admin_enabled);
    assert_printed(&cfg, "node.id = 5  # --set node.id\n");
    assert_printed(&cfg, "node.shards = 4  # QUOIN_NODE__SHARDS\n");
    assert_printed(&cfg, "conf.d/20-b.cfg:1\n");
    assert_printed(&cfg, "quoin.cfg:4\n");
    assert_printed(&cfg, "cluster.copies = 1  # default\n");
    assert_printed(&cfg, "node.advertise = \"10.0.0.2\"  # node.bind\n");
    cfg_fini(&cfg);
}

/* In the environment and in --set a list is written with commas; nothing is the empty list, and
 * quotes are not needed around texts, sizes and durations. */
static void words_are_written_without_quotes(void **state)
{
    static const char *const environ[] = {"QUOIN_CACHES__NAMES= a, b ,c", "QUOIN_SESSION__TTL=2h",
                                          "QUOIN_LOG__SEGMENT_SIZE=1MiB", NULL};
    static const char *const sets[] = {"caches.names=", "caches.create=yes", "node.data_dir=a=b"};
    struct cfg cfg;

    (void)state;
    good_load(&(struct cfg_sources){.environ = environ}, &cfg);
    assert_int_equal(cfg.caches_names.count, 3);
    assert_string_equal(cfg.caches_names.list[0].name, "a");
    assert_string_equal(cfg.caches_names.list[1].name, "b");
    assert_int_equal(cfg.session_ttl_ms, 2 * 3600 * 1000);
    assert_int_equal(cfg.log_segment_size_bytes, 1024 * 1024);
    cfg_fini(&cfg);

    good_load(&(struct cfg_sources){.environ = environ, .sets = sets, .set_count = 3}, &cfg);
    assert_int_equal(cfg.caches_names.count, 0);
    assert_string_equal(cfg.node_data_dir, "a=b");
    assert_printed(&cfg, "caches.names = [ ]  # --set caches.names\n");
    cfg_fini(&cfg);
}

/* A file can be composed of others, relative to its folder. */
static void included_files_count(void **state)
{
    struct cfg cfg;

    folder_write(*state, "quoin.cfg",
                 "@include \"parts/node.cfg\"\ncluster = { name = \"x\"; };\n");
    folder_write(*state, "parts/node.cfg", "\nnode = { id = 9; };\n");
    good_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg")}, &cfg);
    assert_int_equal(cfg.node_id, 9);
    assert_string_equal(cfg.cluster_name, "x");
    assert_printed(&cfg, "parts/node.cfg:2\n");
    cfg_fini(&cfg);
}

/* What is printed as text can be read back as a file, whatever is in it. */
static void printed_texts_are_escaped(void **state)
{
    static const char *const sets[] = {"node.data_dir=a\"b\\c"};
    struct cfg cfg;

    (void)state;
    good_load(&(struct cfg_sources){.sets = sets, .set_count = 1}, &cfg);
    assert_printed(&cfg, "node.data_dir = \"a\\\"b\\\\c\"");
    cfg_fini(&cfg);
}

/* Few machines have CPUs to spare for more than two shards by default; what is written wins. */
static void shards_follow_the_cpus_unless_written(void **state)
{
    (void)state;
    assert_int_equal(cfg_shard_count(&(struct cfg){.node_shards = 0}, 1), 1);
    assert_int_equal(cfg_shard_count(&(struct cfg){.node_shards = 0}, 2), 2);
    assert_int_equal(cfg_shard_count(&(struct cfg){.node_shards = 0}, 64), 2);
    assert_int_equal(cfg_shard_count(&(struct cfg){.node_shards = 9}, 2), 9);
}

/* A reload takes what may change, and names the rest. */
static void reload_takes_only_what_may_change(void **state)
{
    static const char *const sets[] = {"logging.level=warn", "node.id=2", "caches.names=a,b"};
    struct cfg running, fresh;
    struct cfg_report report = {0};

    (void)state;
    good_load(&(struct cfg_sources){0}, &running);
    good_load(&(struct cfg_sources){.sets = sets, .set_count = 3}, &fresh);
    assert_int_equal(cfg_reload(&running, &fresh, &report), 1);
    assert_int_equal(running.logging_level, CFG_LEVEL_WARN);
    assert_int_equal(running.node_id, 1);
    assert_int_equal(report.error_count, 0);
    assert_int_equal(report.note_count, 2);
    assert_non_null(strstr(cfg_report_text(&report), "node.id has changed (--set node.id)"));
    assert_non_null(strstr(cfg_report_text(&report), "caches.names has changed"));
    assert_int_equal(cfg_reload(&running, &running, &report), 0);
    cfg_report_fini(&report);
    cfg_fini(&fresh);
    cfg_fini(&running);
}

/* A cache of the settings has a name and what it wants to be otherwise than others, in any order.
 */
static void caches_say_what_they_are(void **state)
{
    struct cfg cfg;

    folder_write(
        *state, "quoin.cfg",
        "caches = { names = [ \"plain\", \"  orders-2.x   size_max=2GiB ttl=90s \",\n"
        "  \"hot durability=memory\", \"cold durability=disk ttl=0ms size_max=0B\" ]; };\n");
    good_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg")}, &cfg);
    const struct cfg_cache *caches = cfg.caches_names.list;
    assert_int_equal(cfg.caches_names.count, 4);
    assert_string_equal(caches[0].name, "plain");
    assert_int_equal(caches[0].ttl_ms, 0);
    assert_int_equal(caches[0].durability, CFG_DURABILITY_DISK);
    assert_int_equal(caches[0].size_max_bytes, 0);
    assert_string_equal(caches[1].name, "orders-2.x");
    assert_int_equal(caches[1].ttl_ms, 90000);
    assert_int_equal(caches[1].size_max_bytes, 2ull << 30);
    assert_string_equal(caches[2].name, "hot");
    assert_int_equal(caches[2].durability, CFG_DURABILITY_MEMORY);
    assert_string_equal(caches[3].text, "cold");
    assert_printed(&cfg, "caches.names = [ \"plain\", \"orders-2.x ttl=90s size_max=2GiB\", \"hot "
                         "durability=memory\", \"cold\" ]");
    cfg_fini(&cfg);
}

/* As words: commas between the caches, blanks between their attributes. */
static void caches_can_be_written_as_words(void **state)
{
    static const char *const sets[] = {"caches.names=a ttl=1h, b durability=memory size_max=1MiB",
                                       "logging.levels=log=debug, node=warn"};
    struct cfg cfg;

    (void)state;
    good_load(&(struct cfg_sources){.sets = sets, .set_count = 2}, &cfg);
    assert_int_equal(cfg.caches_names.count, 2);
    assert_int_equal(cfg.caches_names.list[0].ttl_ms, 3600 * 1000);
    assert_int_equal(cfg.caches_names.list[1].size_max_bytes, 1024 * 1024);
    assert_int_equal(cfg.logging_levels.count, 2);
    assert_string_equal(cfg.logging_levels.list[0].module, "log");
    assert_int_equal(cfg.logging_levels.list[0].level, CFG_LEVEL_DEBUG);
    assert_string_equal(cfg.logging_levels.list[1].module, "node");
    assert_int_equal(cfg.logging_levels.list[1].level, CFG_LEVEL_WARN);
    assert_printed(&cfg, "logging.levels = [ \"log=debug\", \"node=warn\" ]");
    cfg_fini(&cfg);
}

/* Levels of modules change while the node runs, also back to none; they are copied, so that the
 * fresh settings can go. */
static void reload_takes_over_levels_of_modules(void **state)
{
    static const char *const sets[] = {"logging.levels=log=debug,shard=error"};
    struct cfg running, fresh;
    struct cfg_report report = {0};

    (void)state;
    good_load(&(struct cfg_sources){0}, &running);
    good_load(&(struct cfg_sources){.sets = sets, .set_count = 1}, &fresh);
    assert_int_equal(cfg_reload(&running, &fresh, &report), 1);
    assert_int_equal(cfg_reload(&running, &fresh, &report), 0);
    cfg_fini(&fresh);
    assert_int_equal(running.logging_levels.count, 2);
    assert_string_equal(running.logging_levels.list[1].module, "shard");
    assert_int_equal(running.logging_levels.list[1].level, CFG_LEVEL_ERROR);
    good_load(&(struct cfg_sources){0}, &fresh);
    assert_int_equal(cfg_reload(&running, &fresh, &report), 1);
    assert_int_equal(running.logging_levels.count, 0);
    assert_string_equal(cfg_report_text(&report), "");
    cfg_fini(&fresh);
    cfg_fini(&running);
}

/* Reloads for ever use up the memory of the settings one day: that is said, and breaks nothing. */
static void reload_without_memory_changes_nothing(void **state)
{
    static const char *const sets[] = {"logging.levels=log=debug"};
    struct cfg running, none, some;
    struct cfg_report report = {0};

    (void)state;
    good_load(&(struct cfg_sources){0}, &running);
    good_load(&(struct cfg_sources){0}, &none);
    good_load(&(struct cfg_sources){.sets = sets, .set_count = 1}, &some);
    running.memory.size_max = running.memory.size;
    assert_int_equal(cfg_reload(&running, &some, &report), 0);
    assert_int_equal(running.logging_levels.count, 0);
    assert_int_equal(report.error_count, 1);
    assert_non_null(strstr(cfg_report_text(&report), "restart the node"));
    cfg_report_fini(&report);
    cfg_fini(&some);
    cfg_fini(&none);
    cfg_fini(&running);
}

struct seen {
    size_t count;
    bool id, names;
};

static void setting_see(void *arg, const char *path, const char *value, const char *origin)
{
    struct seen *seen = arg;

    seen->count++;
    if (strcmp(path, "node.id") == 0) {
        seen->id = strcmp(value, "8") == 0 && strcmp(origin, "--set node.id") == 0;
    } else if (strcmp(path, "caches.names") == 0) {
        seen->names = strcmp(value, "[ \"default\" ]") == 0 && strcmp(origin, "default") == 0;
    }
}

/* The settings can be handed out one by one, with value and origin as they are printed. */
static void each_setting_is_visited_once(void **state)
{
    static const char *const sets[] = {"node.id=8"};
    struct cfg cfg;
    struct seen seen = {0};

    (void)state;
    good_load(&(struct cfg_sources){.sets = sets, .set_count = 1}, &cfg);
    assert_int_equal(cfg_each(&cfg, setting_see, &seen), QN_OK);
    assert_int_equal(seen.count, CFG_SETTING_COUNT);
    assert_true(seen.id);
    assert_true(seen.names);
    cfg_fini(&cfg);
}

static uint64_t hash_of(const char *set)
{
    struct cfg cfg;

    good_load(&(struct cfg_sources){.sets = &set, .set_count = 1}, &cfg);
    uint64_t hash = cfg_hash(&cfg);
    cfg_fini(&cfg);
    return hash;
}

/* The hash is that of the values: not of where they are written, nor of how they are spelled. */
static void hash_is_that_of_the_values(void **state)
{
    uint64_t defaults = hash_of("node.id=1");

    (void)state;
    assert_true(defaults != 0);
    assert_true(hash_of("session.ttl=600s") == defaults);
    assert_true(hash_of("caches.names= default ttl=0s durability=disk") == defaults);
    assert_true(hash_of("node.id=2") != defaults);
    assert_true(hash_of("caches.names=default ttl=1s") != defaults);
    assert_true(hash_of("logging.levels=log=debug") != defaults);
}

/* fini copes with what never was loaded. */
static void fini_copes_with_nothing(void **state)
{
    struct cfg cfg = {0};

    (void)state;
    cfg_fini(&cfg);
    cfg_fini(NULL);
}

/* Defaults alone are told from settings that somebody gave, even when they are the same. */
static void given_settings_are_told_from_defaults(void **state)
{
    static const char *const environ[] = {"HOME=/", "QUOIN_NODE__ID=1", NULL};
    struct cfg_report report = {0};
    struct cfg cfg;

    (void)state;
    assert_int_equal(cfg_load(&(struct cfg_sources){0}, &cfg, &report), QN_OK);
    assert_true(cfg_is_default(&cfg));
    cfg_fini(&cfg);
    assert_int_equal(cfg_load(&(struct cfg_sources){.environ = environ}, &cfg, &report), QN_OK);
    assert_false(cfg_is_default(&cfg));
    cfg_fini(&cfg);
    cfg_report_fini(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold_without_layers),
        cmocka_unit_test_setup_teardown(file_sets_values_of_every_kind, setup, teardown),
        cmocka_unit_test_setup_teardown(later_layers_win, setup, teardown),
        cmocka_unit_test(words_are_written_without_quotes),
        cmocka_unit_test_setup_teardown(included_files_count, setup, teardown),
        cmocka_unit_test(printed_texts_are_escaped),
        cmocka_unit_test(given_settings_are_told_from_defaults),
        cmocka_unit_test(shards_follow_the_cpus_unless_written),
        cmocka_unit_test(reload_takes_only_what_may_change),
        cmocka_unit_test_setup_teardown(caches_say_what_they_are, setup, teardown),
        cmocka_unit_test(caches_can_be_written_as_words),
        cmocka_unit_test(reload_takes_over_levels_of_modules),
        cmocka_unit_test(reload_without_memory_changes_nothing),
        cmocka_unit_test(each_setting_is_visited_once),
        cmocka_unit_test(hash_is_that_of_the_values),
        cmocka_unit_test(fini_copes_with_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/cfg.h"
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

/* A load that must fail with `status` and exactly `count` mistakes, one with `message` in it. */
static void bad_load(const struct cfg_sources *sources, enum qn_status status, size_t count,
                     const char *message)
{
    struct cfg cfg = {.node_id = 77};
    struct cfg_report report = {0};
    enum qn_status found = cfg_load(sources, &cfg, &report);

    print_message("%s", cfg_report_text(&report));
    assert_int_equal(found, status);
    assert_int_equal(report.error_count, count);
    assert_int_equal(cfg.node_id, 77);
    if (!strstr(cfg_report_text(&report), message)) {
        fail_msg("wanted: %s", message);
    }
    cfg_report_fini(&report);
}

struct row {
    const char *text;
    const char *message; /* the whole line begins so */
};

static const struct row bad_files[] = {
    /* what libconfig loses or cannot explain */
    {"node = { id = 5000000000; };", "f.cfg:1: the number is too large (beyond 2147483647)"},
    {"session = {\n ttl = 10m;\n};",
     "f.cfg:2: 10m: a number with a unit stands in quotes: \"10m\""},
    {"node.id = 1;", "f.cfg:1: a dot in a name: write section = { key = value; };"},
    {"node = { id = 1;\n id = 2; };", "f.cfg:2: this name is used twice in its group"},
    {"node = { id = 1; };\n\nnode = { shards = 1; };", "f.cfg:3: this name is used twice"},
    {"node = { id 1; };", "f.cfg:1: syntax error here or before"},
    {"node = { pin = off; };", "f.cfg:1: syntax error here or before"},
    {"node = { data_dir = \"x; };", "f.cfg:1: the text that begins here has no closing"},
    {"@include \"none.cfg\"", "f.cfg:1: cannot include ./none.cfg: No such file or directory"},
    {"@include \"/etc/none.cfg\"", "f.cfg:1: write the path of @include relative to ./"},
    /* unknown names */
    {"node = { idd = 1; };", "f.cfg:1: unknown setting idd: did you mean node.id?"},
    {"node = { data_prot = 1; };",
     "f.cfg:1: unknown setting data_prot: did you mean node.data_port?"},
    {"node = { min_isr = 1; };", "f.cfg:1: unknown setting min_isr: did you mean cluster.min_isr?"},
    {"node = { zzz = 1; };", "f.cfg:1: unknown setting zzz\n"},
    {"Node = { id = 1; };", "f.cfg:1: unknown section Node: did you mean node?"},
    {"clutser = { };", "f.cfg:1: unknown section clutser: did you mean cluster?"},
    {"\ndata_port = 7;", "f.cfg:2: unknown section data_port: did you mean node.data_port?"},
    {"node = 1;", "f.cfg:1: node is a section: write node = { ... };, not a whole number"},
    /* wrong types */
    {"node = { id = \"1\"; };",
     "f.cfg:1: node.id: wants a whole number without quotes, but is a text"},
    {"node = { id = 1.5; };",
     "f.cfg:1: node.id: wants a whole number without quotes, but is a number"},
    {"node = { id = true; };", "f.cfg:1: node.id: wants a whole number"},
    {"node = { bind = { }; };", "f.cfg:1: node.bind: wants a text in quotes, but is a group { }"},
    {"log = { segment_size = 64; };",
     "f.cfg:1: log.segment_size: wants a size in quotes, such as \"64MiB\", but is a bare number"},
    {"session = { ttl = 600; };", "f.cfg:1: session.ttl: wants a duration in quotes"},
    {"caches = { create = 1; };",
     "f.cfg:1: caches.create: wants true or false, but is a bare number"},
    {"caches = { names = \"a\"; };", "f.cfg:1: caches.names: wants a list of texts"},
    {"caches = { names = ( \"a\", 1 ); };",
     "f.cfg:1: caches.names: wants a list of texts, such as [ \"a\", \"b\" ], but is a list with"},
    {"logging = { level = [ \"info\" ]; };", "f.cfg:1: logging.level: wants a word in quotes"},
    /* wrong values */
    {"node = { id = 0; };", "f.cfg:1: node.id: 0 is not within 1..65535"},
    {"node = { id = 65536; };", "f.cfg:1: node.id: 65536 is not within 1..65535"},
    {"node = { id = -1; };", "f.cfg:1: node.id: -1 is not within 1..65535"},
    {"node = { id = 5000000000L; };", "f.cfg:1: node.id: 5000000000 is not within 1..65535"},
    {"node = { data_dir = \"\"; };", "f.cfg:1: node.data_dir: must not be empty"},
    {"node = { data_dir = \"a\\nb\"; };", "f.cfg:1: node.data_dir: contains a control character"},
    {"log = { segment_size = \"64MB\"; };", "f.cfg:1: log.segment_size: \"64MB\" is not a size"},
    {"log = { segment_size = \"1KiB\"; };",
     "f.cfg:1: log.segment_size: 1KiB is not within 1MiB..1GiB"},
    {"limits = { value_size_max = \"1B\"; };",
     "f.cfg:1: limits.value_size_max: 1B is not within 1KiB..16MiB"},
    {"session = { ttl = \"10 minutes\"; };",
     "f.cfg:1: session.ttl: \"10 minutes\" is not a duration"},
    {"session = { ttl = \"1ms\"; };", "f.cfg:1: session.ttl: 1ms is not within 1s..7d"},
    {"logging = { level = \"wran\"; };",
     "f.cfg:1: logging.level: \"wran\" is not error, warn, info or debug: did you mean \"warn\"?"},
    {"cluster = { coordination = \"zookeeper\"; };",
     "f.cfg:1: cluster.coordination: \"zookeeper\" is not standalone"},
    {"caches = { names = [ \"\" ]; };", "f.cfg:1: caches.names: must not be empty"},
    /* caches and levels */
    {"caches = {\n names = [ \"a b\" ]; };",
     "f.cfg:2: caches.names: a: unknown attribute \"b\": write NAME [ttl=DURATION]"},
    {"caches = { names = [ \"a tll=1s\" ]; };",
     "f.cfg:1: caches.names: a: unknown attribute \"tll\": did you mean ttl?"},
    {"caches = { names = [ \"a ttl\" ]; };", "f.cfg:1: caches.names: a: ttl: \"\" has no value"},
    {"caches = { names = [ \"a ttl=\" ]; };", "f.cfg:1: caches.names: a: ttl: \"\" is not a dur"},
    {"caches = { names = [ \"a ttl=1s ttl=2s\" ]; };",
     "f.cfg:1: caches.names: a: ttl: \"2s\" stands there twice"},
    {"caches = { names = [ \"a ttl=60\" ]; };",
     "f.cfg:1: caches.names: a: ttl: \"60\" is not a du"},
    {"caches = { names = [ \"a ttl=36501d\" ]; };",
     "f.cfg:1: caches.names: a: ttl: \"36501d\" is "},
    {"caches = { names = [ \"a size_max=1GB\" ]; };",
     "f.cfg:1: caches.names: a: size_max: \"1GB\" is not a size"},
    {"caches = { names = [ \"a durability=dsik\" ]; };",
     "f.cfg:1: caches.names: a: durability: \"dsik\" is not disk or memory: did you mean disk?"},
    {"caches = { names = [ \"a durability=never\" ]; };",
     "f.cfg:1: caches.names: a: durability: \"never\" is not disk or memory"},
    {"caches = { names = [ \"  \" ]; };", "f.cfg:1: caches.names: \"\" is not a name: 1 to 128"},
    {"caches = { names = [ \"a/b\" ]; };", "f.cfg:1: caches.names: \"a/b\" is not a name"},
    {"caches = { names = [ \"ttl=1s\" ]; };", "f.cfg:1: caches.names: \"ttl=1s\" is not a name"},
    {"logging = { levels = [ \"log\" ]; };",
     "f.cfg:1: logging.levels: \"log\" is not module=level, such as \"log=debug\""},
    {"logging = { levels = [ \"=debug\" ]; };",
     "f.cfg:1: logging.levels: \"=debug\" is not module"},
    {"logging = { levels = [ \"log=debgu\" ]; };",
     "f.cfg:1: logging.levels: log: \"debgu\" is not a level: did you mean debug?"},
    {"logging = { levels = [ \"a=warn\", \"a=info\" ]; };",
     "f.cfg:1: logging.levels: a stands there twice"},
    {"views = { pins_max = 8; };", "f.cfg:1: views.pins_max: 8 is not within 1..7"},
    {"commit = { soft_interval = \"1\"; };", "f.cfg:1: commit.soft_interval: \"1\" is not a dur"},
    /* relations */
    {"log = { replay_budget = \"256MiB\"; };",
     "f.cfg:1: log.replay_budget >= 4 * log.segment_size * node.shards does not hold: 256MiB < "
     "512MiB (f.cfg:1, default, default)"},
    {"log = {\n segment_size = \"1GiB\"; };",
     "f.cfg:2: log.replay_budget >= 4 * log.segment_size * node.shards does not hold: 2GiB < 8GiB "
     "(default, f.cfg:2, default)"},
    {"limits = { memory_max = \"1MiB\"; };",
     "f.cfg:1: limits.memory_max: 1MiB is neither 0B nor at least 64MiB"},
    {"caches = { names = [ \"a\", \"a ttl=1s\" ]; };",
     "f.cfg:1: caches.names: a stands there twice"},
    {"cluster = {\n min_isr = 2;\n};",
     "f.cfg:2: cluster.min_isr <= cluster.copies does not hold: 2 > 1 (f.cfg:2, default)"},
    {"cluster = { copies = 3; };", "f.cfg:1: cluster.copies = 1 does not hold: 3: with"},
    {"node = { shards = 4;\n data_port = 65533; };",
     "f.cfg:2: node.data_port + node.shards - 1 <= 65535 does not hold: it is 65536 (f.cfg:2, "
     "f.cfg:1)"},
    {"node = { data_port = 65535; };", "f.cfg:1: node.data_port + node.shards - 1 <= 65535"},
    {"admin = { port = 7101; };",
     "f.cfg:1: admin.port must not be one of the shards' ports: 7101 is within 7100..7101"},
    {"node = { shards = 100; }; log = { segment_size = \"1MiB\"; };",
     "f.cfg:1: admin.port must not be one"},
    {"limits = { inflight_bytes = \"16MiB\"; };",
     "f.cfg:1: limits.key_size_max + limits.value_size_max <= limits.inflight_bytes does not hold: "
     "16842752 > 16777216 octets"},
    {"caches = { names = [ \"a\", \"b\", \"a\" ]; };",
     "f.cfg:1: caches.names: a stands there twice"},
    {"caches = { names = [ ]; };", "f.cfg:1: caches.names is empty and caches.create is false"},
    {"node = { bind = \"0.0.0.0\"; };",
     "f.cfg:1: node.advertise must be set when node.bind is 0.0.0.0"},
};

/* Each mistake gives one line that begins with file and line and says what is wrong; nothing is
 * handed out. */
static void each_mistake_is_one_line_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        struct cfg cfg = {.node_id = 77};
        struct cfg_report report = {0};
        enum qn_status status =
            cfg_load_text(bytes_of_text(bad_files[i].text), "f.cfg", &cfg, &report);

        print_message("%s", cfg_report_text(&report));
        assert_int_equal(status, QN_INVALID);
        assert_int_equal(report.error_count, 1);
        assert_int_equal(cfg.node_id, 77);
        if (strncmp(cfg_report_text(&report), bad_files[i].message, strlen(bad_files[i].message)) !=
            0) {
            fail_msg("wanted: %s", bad_files[i].message);
        }
        cfg_report_fini(&report);
    }
}

/* These look like some of the above, and are right. */
static void near_misses_are_accepted(void **state)
{
    static const char *const good_files[] = {
        "",
        "node = { };",
        "# 10m 5000000000\n",
        "cluster = { min_isr = 1; copies = 1; };",
        "node = { shards = 3; data_port = 65533; };",
        "node = { data_port = 0; shards = 256; }; log = { replay_budget = \"64GiB\"; };",
        "node = { shards = 100; }; admin = { enabled = false; }; log = { segment_size = \"1MiB\"; "
        "};",
        "node = { shards = 100; }; admin = { bind = \"127.0.0.2\"; }; log = { segment_size = "
        "\"1MiB\"; };",
        "log = { replay_budget = \"512MiB\"; };",
        "limits = { memory_max = \"64MiB\"; };",
        "commit = { soft_interval = \"0ms\"; hard_interval = \"0s\"; };",
        "caches = { names = [ \"a ttl=36500d size_max=1TiB durability=memory\" ]; };",
        "logging = { levels = [ ]; }",
        "caches = { names = [ ]; create = true; };",
        "caches = { names = ( \"a\", \"b\" ); };",
        "node = { bind = \"0.0.0.0\"; advertise = \"10.0.0.1\"; };",
        "node : { id : 5 }\ncluster : { name = \"a\" \"b\" }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good_files / sizeof good_files[0]; i++) {
        struct cfg cfg;
        struct cfg_report report = {0};
        enum qn_status status = cfg_load_text(bytes_of_text(good_files[i]), "f.cfg", &cfg, &report);

        print_message("%s => %s\n", good_files[i], cfg_report_text(&report));
        assert_int_equal(status, QN_OK);
        cfg_fini(&cfg);
        cfg_report_fini(&report);
    }
}

/* One run shows all mistakes of all layers, but no relation with a value that was refused. */
static void all_mistakes_are_reported_at_once(void **state)
{
    static const char *const environ[] = {"QUOIN_NODE__PORT=1", NULL};
    static const char *const sets[] = {"node.id"};
    const char *file;

    folder_write(*state, "quoin.cfg",
                 "node = { id = 0; };\ncluster = { copies = \"x\"; min_isr = 3; };\nnoed = { };\n");
    folder_write(*state, "conf.d/a.cfg", "session = { ttl = 1; };\nlog = { ;\n");
    file = folder_path(*state, "quoin.cfg");
    bad_load(&(struct cfg_sources){.file = file, .environ = environ, .sets = sets, .set_count = 1},
             QN_INVALID, 6, "conf.d/a.cfg:2: syntax error");
}

/* A variable for a known section is meant for us; others are not looked at. */
static void variables_of_known_sections_must_be_known(void **state)
{
    static const char *const unknown[] = {"QUOIN_NODE__DATA_PROT=1", NULL};
    static const char *const wrong[] = {"QUOIN_NODE__ID=one", NULL};
    static const char *const foreign[] = {
        "QUOIN_URI=x", "QUOIN_OTHER__KEY=1", "QUOIN_=",        "QUOIN___=",
        "NODE__ID=9",  "QUOIN_NODE_ID=9",    "quoin_node__id", NULL};
    struct cfg cfg;
    struct cfg_report report = {0};

    (void)state;
    bad_load(&(struct cfg_sources){.environ = unknown}, QN_INVALID, 1,
             "QUOIN_NODE__DATA_PROT: unknown setting node.data_prot: did you mean node.data_port?");
    bad_load(&(struct cfg_sources){.environ = wrong}, QN_INVALID, 1,
             "QUOIN_NODE__ID: node.id: \"one\" is not a whole number");
    assert_int_equal(cfg_load(&(struct cfg_sources){.environ = foreign}, &cfg, &report), QN_OK);
    assert_int_equal(cfg.node_id, 1);
    cfg_fini(&cfg);
    cfg_report_fini(&report);
}

/* A variable that nobody reads, but is near to one that is read, is a note and no mistake. */
static void variables_that_are_near_are_noted(void **state)
{
    static const char *const near[] = {"QUOIN_NODE_DATA_PORT=1", "QUOIN_NOED__ID=2", NULL};
    static const char *const others[] = {"QUOIN_URI=x",      "QUOIN_CACHE=a",  "QUOIN_TYPES=t",
                                         "QUOIN_TIMEOUT=1s", "QUOIN_BUILD=b",  "QUOIN_X__Y=1",
                                         "QUOIN_NOED__IDD=", "QUOIN_NODE_IDS", NULL};
    struct cfg cfg;
    struct cfg_report report = {0};

    (void)state;
    assert_int_equal(cfg_load(&(struct cfg_sources){.environ = near}, &cfg, &report), QN_OK);
    assert_int_equal(cfg.node_id, 1);
    assert_string_equal(cfg_report_text(&report),
                        "the environment variable QUOIN_NODE_DATA_PORT is not read: did you mean "
                        "QUOIN_NODE__DATA_PORT?\n"
                        "the environment variable QUOIN_NOED__ID is not read: did you mean "
                        "QUOIN_NODE__ID?\n");
    cfg_fini(&cfg);
    cfg_report_fini(&report);
    assert_int_equal(cfg_load(&(struct cfg_sources){.environ = others}, &cfg, &report), QN_OK);
    assert_string_equal(cfg_report_text(&report), "");
    cfg_fini(&cfg);
}

/* An address that can be none is found before the node starts. */
static void wrong_addresses_are_named(void **state)
{
    static const char *const wrong[] = {
        "node.bind=300.1.1.1", "node.bind=1.2.3",     "node.bind=a b",       "node.bind=:::1",
        "node.bind=tcp://x",   "node.advertise=a:b",  "admin.bind=nonsense", "admin.bind=",
        "node.bind=[1.2.3.4]", "admin.bind=1.2.3.256"};
    static const char *const right[] = {"node.bind=10.0.0.1",
                                        "node.bind=::1",
                                        "node.bind=[::1]",
                                        "node.bind=eth0",
                                        "node.advertise=db-1.example.org",
                                        "admin.bind=::",
                                        "admin.bind=[::1]"};
    struct cfg cfg;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cfg_report report = {0};
        struct cfg_sources sources = {.sets = &wrong[i], .set_count = 1};
        print_message("%s\n", wrong[i]);
        assert_int_equal(cfg_load(&sources, &cfg, &report), QN_INVALID);
        assert_int_equal(report.error_count, 1);
        cfg_report_fini(&report);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        struct cfg_report report = {0};
        struct cfg_sources sources = {.sets = &right[i], .set_count = 1};
        enum qn_status status = cfg_load(&sources, &cfg, &report);
        print_message("%s %s\n", right[i], cfg_report_text(&report));
        assert_int_equal(status, QN_OK);
        cfg_fini(&cfg);
        cfg_report_fini(&report);
    }
}

/* --set wants section.key=value with a setting that exists. */
static void wrong_sets_are_named(void **state)
{
    static const char *const shapes[] = {"node.id", "id=1", "=", ""};
    static const char *const unknown[] = {"node.ids=1"};
    static const char *const wrong[] = {"node.id=99999"};
    static const char *const doubled[] = {"cluster.min_isr=3"};

    (void)state;
    bad_load(&(struct cfg_sources){.sets = shapes, .set_count = 4}, QN_INVALID, 4,
             "--set: \"node.id\" is not section.key=value");
    bad_load(&(struct cfg_sources){.sets = unknown, .set_count = 1}, QN_INVALID, 1,
             "--set node.ids: unknown setting node.ids: did you mean node.id?");
    bad_load(&(struct cfg_sources){.sets = wrong, .set_count = 1}, QN_INVALID, 1,
             "--set node.id: node.id: 99999 is not within 1..65535");
    bad_load(&(struct cfg_sources){.sets = doubled, .set_count = 1}, QN_INVALID, 1,
             "--set cluster.min_isr: cluster.min_isr <= cluster.copies does not hold: 3 > 1");
}

/* A file that cannot be read says why. */
static void unreadable_file_says_why(void **state)
{
    folder_write(*state, "sub/x.cfg", "");
    bad_load(&(struct cfg_sources){.file = folder_path(*state, "none.cfg")}, QN_IO, 1,
             "none.cfg: cannot be read: No such file or directory");
    bad_load(&(struct cfg_sources){.file = folder_path(*state, "sub")}, QN_IO, 1,
             "sub: cannot be read: Is a directory");
}

/* Mistakes in an included file are reported there, and a file that includes itself comes to an end.
 */
static void includes_are_checked_too(void **state)
{
    folder_write(*state, "quoin.cfg", "@include \"a.cfg\"\n");
    folder_write(*state, "a.cfg", "\nnode = { id = 5000000000; };\n");
    bad_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg")}, QN_INVALID, 1,
             "a.cfg:2: the number is too large");
    folder_write(*state, "a.cfg", "\nnode = { id = 0; };\n");
    bad_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg")}, QN_INVALID, 1,
             "a.cfg:2: node.id: 0 is not within");
    folder_write(*state, "a.cfg", "@include \"a.cfg\"\n");
    bad_load(&(struct cfg_sources){.file = folder_path(*state, "quoin.cfg")}, QN_INVALID, 1,
             "too many @include");
}

/* Every mistake of a list is reported, not the first alone; the list of the layer below stays. */
static void all_mistakes_of_a_list_are_reported(void **state)
{
    static const char *const sets[] = {"caches.names=a ttl=x size_max=y,/,b z"};

    (void)state;
    bad_load(&(struct cfg_sources){.sets = sets, .set_count = 1}, QN_INVALID, 4,
             "--set caches.names: caches.names: b: unknown attribute \"z\"");
}

/* A report stays small whatever is wrong, and still counts. */
static void endless_mistakes_are_counted_not_kept(void **state)
{
    struct buf text = {0};
    struct cfg cfg;
    struct cfg_report report = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        char line[32];
        int size = snprintf(line, sizeof line, "unknown%d = 1;\n", i);
        assert_int_equal(buf_append(&text, line, (size_t)size), QN_OK);
    }
    assert_int_equal(cfg_load_text(buf_bytes(&text), "f", &cfg, &report), QN_INVALID);
    assert_int_equal(report.error_count, 1000);
    assert_true(report.text.size < CFG_REPORT_LINES_MAX * CFG_REPORT_LINE_MAX);
    cfg_report_fini(&report);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_one_line_with_its_place),
        cmocka_unit_test(near_misses_are_accepted),
        cmocka_unit_test_setup_teardown(all_mistakes_are_reported_at_once, setup, teardown),
        cmocka_unit_test(variables_of_known_sections_must_be_known),
        cmocka_unit_test(variables_that_are_near_are_noted),
        cmocka_unit_test(wrong_addresses_are_named),
        cmocka_unit_test(wrong_sets_are_named),
        cmocka_unit_test_setup_teardown(unreadable_file_says_why, setup, teardown),
        cmocka_unit_test_setup_teardown(includes_are_checked_too, setup, teardown),
        cmocka_unit_test(all_mistakes_of_a_list_are_reported),
        cmocka_unit_test(endless_mistakes_are_counted_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* The committed sample, relative to the root of the source, where ctest runs the tests. */
static const char sample_path[] = "config/quoin.cfg";

static char *sample_print(void)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    cfg_sample_write(to);
    fclose(to);
    return text;
}

static char *file_text(const char *path)
{
    static const size_t size_max = 64 * 1024;
    char *text = calloc(1, size_max);
    FILE *file = fopen(path, "r");

    assert_non_null(text);
    assert_non_null(file);
    size_t size = fread(text, 1, size_max - 1, file);
    assert_true(size < size_max - 1);
    fclose(file);
    return text;
}

/* Load a text that must be right. */
static void good_load(const char *text, struct cfg *cfg)
{
    struct cfg_report report = {0};
    enum qn_status status = cfg_load_text(bytes_of_text(text), "sample", cfg, &report);

    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    cfg_report_fini(&report);
}

static char *values_print(const struct cfg *cfg)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    cfg_print(cfg, to);
    fclose(to);
    return text;
}

/* config/quoin.cfg is what the table says: run quoin-gen-config after a change of the table. */
static void committed_sample_is_up_to_date(void **state)
{
    char *wanted = sample_print();
    char *found = file_text(sample_path);

    (void)state;
    assert_string_equal(found, wanted);
    free(found);
    free(wanted);
}

/* As delivered, the sample changes nothing. */
static void sample_gives_the_defaults(void **state)
{
    struct cfg defaults, cfg;
    char *sample = sample_print();

    (void)state;
    good_load("", &defaults);
    good_load(sample, &cfg);
    char *wanted = values_print(&defaults), *found = values_print(&cfg);
    assert_string_equal(found, wanted);
    free(wanted);
    free(found);
    free(sample);
    cfg_fini(&cfg);
    cfg_fini(&defaults);
}

/* Make every commented-out setting of the sample count. */
static void settings_uncomment(char *sample)
{
    static const char mark[] = "    #";
    size_t size = sizeof mark - 1;

    for (size_t i = 0; sample[i]; i++) {
        if (strncmp(sample + i, mark, size) == 0 && sample[i + size] != ' ') {
            sample[i + size - 1] = ' ';
        }
    }
}

/* With the comment signs gone, each setting of the sample is valid and has its default. */
static void uncommented_sample_is_valid(void **state)
{
    struct cfg cfg;
    char *sample = sample_print();

    (void)state;
    settings_uncomment(sample);
    good_load(sample, &cfg);
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        if (strcmp(cfg_table[i].path, "node.advertise") != 0) {
            assert_non_null(strstr(cfg.origins[i], "sample:"));
        }
    }
    assert_int_equal(cfg.node_data_port, 7100);
    assert_int_equal(cfg.session_ttl_ms, 600000);
    assert_int_equal(cfg.caches_names.count, 1);
    free(sample);
    cfg_fini(&cfg);
}

/* Every default is a value its own setting accepts: they are read by the same code, so a load
 * without any layer reports a default that is out of range. */
static void defaults_are_within_their_ranges(void **state)
{
    struct cfg cfg;
    struct cfg_report report = {0};

    (void)state;
    assert_int_equal(cfg_load(&(struct cfg_sources){0}, &cfg, &report), QN_OK);
    assert_string_equal(cfg_report_text(&report), "");
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        bool follows = strcmp(cfg_table[i].path, "node.advertise") == 0;
        assert_string_equal(cfg.origins[i], follows ? "node.bind" : "default");
    }
    cfg_fini(&cfg);
    cfg_report_fini(&report);
}

/* The table is sound: paths unique, every section explained, texts there, no reloadable text. */
static void table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        const struct cfg_setting *setting = &cfg_table[i];
        assert_ptr_equal(cfg_table_find(setting->section, setting->key), setting);
        assert_true(cfg_table_has_section(setting->section));
        assert_true(strlen(setting->text) > 10);
        assert_int_equal(setting->kind == CFG_CHOICE, setting->words != NULL);
        assert_true(setting->min <= setting->max);
        assert_false(setting->reloadable && setting->kind == CFG_TEXT);
        assert_null(strstr(setting->section, "__"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_sample_is_up_to_date),
        cmocka_unit_test(sample_gives_the_defaults),
        cmocka_unit_test(uncommented_sample_is_valid),
        cmocka_unit_test(defaults_are_within_their_ranges),
        cmocka_unit_test(table_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

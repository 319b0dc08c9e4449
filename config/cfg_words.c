/* Settings given as words: environment variables and the arguments of --set. */
#define _GNU_SOURCE /* memmem */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/cfg_layers.h"

enum { NAME_MAX_OCTETS = 128 }; /* of a variable or path that can name a setting */

/* Report an unknown setting; `origin` is how it was written. */
static void unknown_report(struct cfg_builder *b, const char *origin, const char *section,
                           const char *key)
{
    const char *nearest = cfg_table_suggest(section, key);

    cfg_report_error(b->report, origin, 0, "unknown setting %s.%s%s%s%s", section, key,
                     nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* Copy `size` octets in small letters to `to`. */
static void lower_copy(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = (char)tolower((unsigned char)from[i]);
    }
    to[size] = '\0';
}

/* "QUOIN_SECTION__KEY" of a setting, with `between` in its middle. */
static void variable_name(const struct cfg_setting *setting, const char *between,
                          char name[NAME_MAX_OCTETS + 1])
{
    snprintf(name, NAME_MAX_OCTETS + 1, "QUOIN_%s%s%s", setting->section, between, setting->key);
    for (char *c = name; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
}

/* Take "QUOIN_SECTION__KEY" (`size` octets) apart; false when it is something else. */
static bool variable_split(const char *name, size_t size, char *section, char *key)
{
    static const char prefix[] = "QUOIN_";
    size_t skip = sizeof prefix - 1;

    if (size <= skip || size > NAME_MAX_OCTETS || strncmp(name, prefix, skip) != 0) {
        return false;
    }
    const char *between = memmem(name + skip, size - skip, "__", 2);
    if (!between) {
        return false;
    }
    lower_copy(section, name + skip, (size_t)(between - name) - skip);
    lower_copy(key, between + 2, size - (size_t)(between + 2 - name));
    return true;
}

/* A variable that nobody reads is a note when it is near to one of a setting: with one underscore
 * in place of two, or with a section that is misspelt. Others are not ours to judge. */
static void variable_note(struct cfg_builder *b, const char *origin, const char *section,
                          const char *key)
{
    const char *nearest = cfg_table_suggest_section(section);
    char meant[NAME_MAX_OCTETS + 1];

    if (nearest && cfg_table_find(nearest, key)) {
        variable_name(cfg_table_find(nearest, key), "__", meant);
        cfg_report_note(b->report, "the environment variable %s is not read: did you mean %s?",
                        origin, meant);
    }
}

static void single_note(struct cfg_builder *b, const char *variable, size_t size)
{
    char with_one[NAME_MAX_OCTETS + 1], with_two[NAME_MAX_OCTETS + 1];

    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        variable_name(&cfg_table[i], "_", with_one);
        if (strlen(with_one) == size && strncmp(with_one, variable, size) == 0) {
            variable_name(&cfg_table[i], "__", with_two);
            cfg_report_note(b->report, "the environment variable %s is not read: did you mean %s?",
                            with_one, with_two);
        }
    }
}

static void variable_apply(struct cfg_builder *b, const char *variable)
{
    char section[NAME_MAX_OCTETS + 1], key[NAME_MAX_OCTETS + 1], origin[NAME_MAX_OCTETS + 1];
    const char *equals = strchr(variable, '=');

    if (!equals) {
        return;
    }
    if (!variable_split(variable, (size_t)(equals - variable), section, key)) {
        single_note(b, variable, (size_t)(equals - variable));
        return;
    }
    snprintf(origin, sizeof origin, "%.*s", (int)(equals - variable), variable);
    if (!cfg_table_has_section(section)) {
        variable_note(b, origin, section, key);
        return;
    }
    const struct cfg_setting *setting = cfg_table_find(section, key);
    if (!setting) {
        unknown_report(b, origin, section, key);
        return;
    }
    struct cfg_raw raw = {.shape = CFG_SHAPE_PLAIN, .text = equals + 1, .origin = origin};
    cfg_set(b, setting, &raw);
}

void cfg_layer_environment(struct cfg_builder *b, const char *const *environ)
{
    for (; environ && *environ; environ++) {
        variable_apply(b, *environ);
    }
}

static void set_apply(struct cfg_builder *b, const char *text)
{
    char section[NAME_MAX_OCTETS + 1], key[NAME_MAX_OCTETS + 1], origin[NAME_MAX_OCTETS + 16];
    const char *equals = strchr(text, '=');
    const char *dot = strchr(text, '.');

    if (!equals || !dot || dot > equals || equals - text > NAME_MAX_OCTETS) {
        cfg_report_error(b->report, "--set", 0, "\"%.*s\" is not section.key=value",
                         NAME_MAX_OCTETS, text);
        return;
    }
    snprintf(section, sizeof section, "%.*s", (int)(dot - text), text);
    snprintf(key, sizeof key, "%.*s", (int)(equals - dot - 1), dot + 1);
    snprintf(origin, sizeof origin, "--set %.*s", (int)(equals - text), text);
    const struct cfg_setting *setting = cfg_table_find(section, key);
    if (!setting) {
        unknown_report(b, origin, section, key);
        return;
    }
    struct cfg_raw raw = {.shape = CFG_SHAPE_PLAIN, .text = equals + 1, .origin = origin};
    cfg_set(b, setting, &raw);
}

void cfg_layer_sets(struct cfg_builder *b, const char *const *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        set_apply(b, sets[i]);
    }
}

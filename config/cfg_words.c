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

static void variable_apply(struct cfg_builder *b, const char *variable)
{
    char section[NAME_MAX_OCTETS + 1], key[NAME_MAX_OCTETS + 1], origin[NAME_MAX_OCTETS + 1];
    const char *equals = strchr(variable, '=');

    if (!equals || !variable_split(variable, (size_t)(equals - variable), section, key) ||
        !cfg_table_has_section(section)) {
        return;
    }
    snprintf(origin, sizeof origin, "%.*s", (int)(equals - variable), variable);
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

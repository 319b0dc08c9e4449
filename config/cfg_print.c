#define _GNU_SOURCE /* open_memstream */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/cfg.h"
#include "config/cfg_list.h"
#include "config/cfg_table.h"
#include "config/value.h"
#include "wire/hash.h"

/* A text in quotes, as libconfig reads it. Control characters do not get into a configuration. */
static void quoted_print(const char *text, FILE *to)
{
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            putc('\\', to);
        }
        putc(*text, to);
    }
    putc('"', to);
}

static void list_print(const struct cfg *cfg, const struct cfg_setting *setting, FILE *to)
{
    const char *text;
    size_t i = 0;

    fputs("[ ", to);
    for (; (text = cfg_list_text(cfg, setting, i)); i++) {
        fputs(i ? ", " : "", to);
        quoted_print(text, to);
    }
    fputs(i ? " ]" : "]", to);
}

/* The word of a choice: an enum is as wide as an int (cfg_table.c). */
static const char *choice_word(const struct cfg_setting *setting, const void *field)
{
    int number;

    memcpy(&number, field, sizeof number);
    return setting->words[number];
}

static void value_print(const struct cfg *cfg, const struct cfg_setting *setting, FILE *to)
{
    const void *field = cfg_field(cfg, setting);
    char text[VALUE_TEXT_MAX];

    switch (setting->kind) {
    case CFG_BOOL:
        fputs(*(const bool *)field ? "true" : "false", to);
        return;
    case CFG_COUNT:
        fprintf(to, "%" PRIu32, *(const uint32_t *)field);
        return;
    case CFG_SIZE:
        quoted_print(value_size_print((int64_t) * (const uint64_t *)field, text), to);
        return;
    case CFG_DURATION:
        quoted_print(value_duration_print(*(const int64_t *)field, text), to);
        return;
    case CFG_TEXT:
        quoted_print(*(const char *const *)field, to);
        return;
    case CFG_CHOICE:
        quoted_print(choice_word(setting, field), to);
        return;
    case CFG_CACHES:
    case CFG_LEVELS:
        list_print(cfg, setting, to);
        return;
    }
}

void cfg_print(const struct cfg *cfg, FILE *to)
{
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        fprintf(to, "%s = ", cfg_table[i].path);
        value_print(cfg, &cfg_table[i], to);
        fprintf(to, "  # %s\n", cfg->origins[i]);
    }
}

/* The value as a text that the caller frees; NULL without memory. */
static char *value_text(const struct cfg *cfg, const struct cfg_setting *setting)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        return NULL;
    }
    value_print(cfg, setting, to);
    bool whole = !ferror(to);
    if (fclose(to) != 0 || !whole) {
        free(text);
        return NULL;
    }
    return text;
}

enum qn_status cfg_each(const struct cfg *cfg,
                        void (*visit)(void *arg, const char *path, const char *value,
                                      const char *origin),
                        void *arg)
{
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        char *text = value_text(cfg, &cfg_table[i]);
        if (!text) {
            return QN_MEMORY_FULL;
        }
        visit(arg, cfg_table[i].path, text, cfg->origins[i]);
        free(text);
    }
    return QN_OK;
}

/* Continue a hash with a text and its end. */
static uint64_t hash_more(uint64_t hash, const char *text)
{
    uint8_t both[16];

    put_u64(both, hash);
    put_u64(both + 8, hash_bytes(bytes_of_text(text)));
    return hash_bytes(bytes_of(both, sizeof both));
}

static void value_hash(void *arg, const char *path, const char *value, const char *origin)
{
    uint64_t *hash = arg;

    (void)origin;
    *hash = hash_more(hash_more(*hash, path), value);
}

uint64_t cfg_hash(const struct cfg *cfg)
{
    uint64_t hash = 0;

    return cfg_each(cfg, value_hash, &hash) == QN_OK ? hash : 0;
}

/* "    # " before each line of `text`. */
static void comment_print(const char *text, FILE *to)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        fprintf(to, "    # %.*s\n", (int)size, text);
        text += size + (text[size] == '\n' ? 1 : 0);
    }
}

/* What may stand there, in brackets behind the explanation. */
static void range_print(const struct cfg_setting *setting, FILE *to)
{
    char low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];

    switch (setting->kind) {
    case CFG_COUNT:
        fprintf(to, "    # (%" PRId64 "..%" PRId64 ")\n", setting->min, setting->max);
        return;
    case CFG_SIZE:
        fprintf(to, "    # (%s..%s)\n", value_size_print(setting->min, low),
                value_size_print(setting->max, high));
        return;
    case CFG_DURATION:
        fprintf(to, "    # (%s..%s)\n", value_duration_print(setting->min, low),
                value_duration_print(setting->max, high));
        return;
    case CFG_CHOICE:
        fputs("    # (", to);
        for (size_t i = 0; setting->words[i]; i++) {
            fprintf(to, "%s%s", i ? " | " : "", setting->words[i]);
        }
        fputs(")\n", to);
        return;
    case CFG_BOOL:
    case CFG_TEXT:
    case CFG_CACHES:
    case CFG_LEVELS:
        return;
    }
}

/* The default, in the syntax of a file. */
static void standard_print(const struct cfg_setting *setting, FILE *to)
{
    switch (setting->kind) {
    case CFG_BOOL:
    case CFG_COUNT:
        fputs(setting->standard, to);
        return;
    case CFG_SIZE:
    case CFG_DURATION:
    case CFG_TEXT:
    case CFG_CHOICE:
        quoted_print(setting->standard, to);
        return;
    case CFG_CACHES:
    case CFG_LEVELS:
        fputs("[ ", to);
        if (setting->standard[0]) {
            quoted_print(setting->standard, to);
            putc(' ', to);
        }
        putc(']', to);
        return;
    }
}

static void setting_sample(const struct cfg_setting *setting, FILE *to)
{
    comment_print(setting->text, to);
    range_print(setting, to);
    if (setting->reloadable) {
        fputs("    # Can change while the node runs.\n", to);
    }
    fprintf(to, "    #%s = ", setting->key);
    standard_print(setting, to);
    fputs(";\n", to);
}

static void section_sample(const struct cfg_section *section, FILE *to)
{
    bool first = true;

    fprintf(to, "\n# %s\n%s = {\n", section->text, section->name);
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        if (strcmp(cfg_table[i].section, section->name) == 0) {
            fputs(first ? "" : "\n", to);
            setting_sample(&cfg_table[i], to);
            first = false;
        }
    }
    fputs("};\n", to);
}

void cfg_sample_write(FILE *to)
{
    fputs(
        "# Settings of a Quoin node. Each stands here with its default, commented out.\n"
        "#\n"
        "# Stronger than this file are, in this order: conf.d/*.cfg beside it, the environment\n"
        "# (QUOIN_NODE__DATA_PORT=7100) and the command line (--set node.data_port=7100).\n"
        "# quoind --check-config names every mistake, quoind --print-config shows what is in force "
        "and "
        "why.\n"
        "#\n"
        "# Sizes (B, KiB, MiB, GiB, TiB) and durations (ms, s, m, h, d) stand in quotes, counts do "
        "not.\n"
        "# In the environment and with --set nothing is quoted, and a list has commas between its\n"
        "# entries: --set 'caches.names=accounts, sessions ttl=30m'.\n"
        "# @include \"other.cfg\" at the beginning of a line takes in another file.\n",
        to);
    for (size_t i = 0; i < CFG_SECTION_COUNT; i++) {
        section_sample(&cfg_sections[i], to);
    }
}

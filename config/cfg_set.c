#include "config/cfg_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/cfg_list.h"
#include "config/value.h"
#include "wire/suggest.h"

enum {
    MEMORY_MAX = 16 * 1024 * 1024, /* octets of all texts of a configuration */
    SHOWN_MAX = 60,                /* octets of a wrong value in a message */
};

const char *cfg_copy(struct arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(arena, size);

    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

void cfg_builder_fail(struct cfg_builder *builder, enum qn_status status)
{
    if (builder->status == QN_OK) {
        builder->status = status;
    }
}

static const char *number_print(enum cfg_kind kind, int64_t value, char *text)
{
    if (kind == CFG_SIZE) {
        return value_size_print(value, text);
    }
    if (kind == CFG_DURATION) {
        return value_duration_print(value, text);
    }
    snprintf(text, VALUE_TEXT_MAX, "%" PRId64, value);
    return text;
}

static bool number_parse(enum cfg_kind kind, const char *text, int64_t *value, const char **problem)
{
    if (kind == CFG_SIZE) {
        return value_size_parse(text, value, problem);
    }
    if (kind == CFG_DURATION) {
        return value_duration_parse(text, value, problem);
    }
    return value_count_parse(text, value, problem);
}

static void number_store(struct cfg *cfg, const struct cfg_setting *setting, int64_t value)
{
    void *field = cfg_field_mutable(cfg, setting);

    if (setting->kind == CFG_COUNT) {
        *(uint32_t *)field = (uint32_t)value;
    } else if (setting->kind == CFG_SIZE) {
        *(uint64_t *)field = (uint64_t)value;
    } else {
        *(int64_t *)field = value;
    }
}

static bool number_set(struct cfg_builder *b, const struct cfg_setting *setting,
                       const struct cfg_raw *raw)
{
    char low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    const char *problem;
    int64_t value;

    if (!number_parse(setting->kind, raw->text, &value, &problem)) {
        cfg_report_error(b->report, raw->origin, 0, "%s: \"%.*s\" %s", setting->path, SHOWN_MAX,
                         raw->text, problem);
        return false;
    }
    if (value < setting->min || value > setting->max) {
        cfg_report_error(b->report, raw->origin, 0, "%s: %.*s is not within %s..%s", setting->path,
                         SHOWN_MAX, raw->text, number_print(setting->kind, setting->min, low),
                         number_print(setting->kind, setting->max, high));
        return false;
    }
    number_store(&b->cfg, setting, value);
    return true;
}

static bool bool_set(struct cfg_builder *b, const struct cfg_setting *setting,
                     const struct cfg_raw *raw)
{
    const char *problem;

    if (!value_bool_parse(raw->text, cfg_field_mutable(&b->cfg, setting), &problem)) {
        cfg_report_error(b->report, raw->origin, 0, "%s: \"%.*s\" %s", setting->path, SHOWN_MAX,
                         raw->text, problem);
        return false;
    }
    return true;
}

/* "a, b or c" */
static void words_print(const char *const *words, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; words[i] && used < size; i++) {
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        int more = snprintf(text + used, size - used, "%s%s", between, words[i]);
        used += more > 0 ? (size_t)more : 0;
    }
}

static bool choice_set(struct cfg_builder *b, const struct cfg_setting *setting,
                       const struct cfg_raw *raw)
{
    struct suggest suggest = {.word = raw->text};
    char words[128];

    for (int i = 0; setting->words[i]; i++) {
        if (strcmp(setting->words[i], raw->text) == 0) {
            memcpy(cfg_field_mutable(&b->cfg, setting), &i, sizeof i);
            return true;
        }
        suggest_offer(&suggest, setting->words[i]);
    }
    words_print(setting->words, words, sizeof words);
    cfg_report_error(b->report, raw->origin, 0, "%s: \"%.*s\" is not %s%s%s%s", setting->path,
                     SHOWN_MAX, raw->text, words, suggest.nearest ? ": did you mean \"" : "",
                     suggest.nearest ? suggest.nearest : "", suggest.nearest ? "\"?" : "");
    return false;
}

bool cfg_text_check(struct cfg_builder *b, const struct cfg_setting *setting,
                    const struct cfg_raw *raw, const char *text)
{
    size_t size = strlen(text);

    if (size < (size_t)setting->min) {
        cfg_report_error(b->report, raw->origin, 0, "%s: must not be empty", setting->path);
        return false;
    }
    if (size > (size_t)setting->max) {
        cfg_report_error(b->report, raw->origin, 0, "%s: longer than %" PRId64 " octets",
                         setting->path, setting->max);
        return false;
    }
    for (; *text; text++) {
        if ((unsigned char)*text < 32 || *text == 127) {
            cfg_report_error(b->report, raw->origin, 0, "%s: contains a control character",
                             setting->path);
            return false;
        }
    }
    return true;
}

static bool text_set(struct cfg_builder *b, const struct cfg_setting *setting,
                     const struct cfg_raw *raw)
{
    if (!cfg_text_check(b, setting, raw, raw->text)) {
        return false;
    }
    const char *copy = cfg_copy(&b->cfg.memory, raw->text);
    if (!copy) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        return false;
    }
    *(const char **)cfg_field_mutable(&b->cfg, setting) = copy;
    return true;
}

static bool value_set(struct cfg_builder *b, const struct cfg_setting *setting,
                      const struct cfg_raw *raw)
{
    switch (setting->kind) {
    case CFG_BOOL:
        return bool_set(b, setting, raw);
    case CFG_COUNT:
    case CFG_SIZE:
    case CFG_DURATION:
        return number_set(b, setting, raw);
    case CFG_TEXT:
        return text_set(b, setting, raw);
    case CFG_CHOICE:
        return choice_set(b, setting, raw);
    case CFG_CACHES:
    case CFG_LEVELS:
        return cfg_list_set(b, setting, raw);
    }
    return false;
}

void cfg_set(struct cfg_builder *b, const struct cfg_setting *setting, const struct cfg_raw *raw)
{
    bool *wrong = &b->wrong[cfg_table_number(setting)];

    *wrong = true;
    if (!cfg_shape_fits(setting->kind, raw->shape)) {
        cfg_report_error(b->report, raw->origin, 0, "%s: wants %s, but is %s", setting->path,
                         cfg_shape_wanted(setting->kind), cfg_shape_name(raw));
        return;
    }
    if (!value_set(b, setting, raw)) {
        return;
    }
    const char *origin = cfg_copy(&b->cfg.memory, raw->origin);
    if (!origin) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        return;
    }
    b->origins[cfg_table_number(setting)] = origin;
    *wrong = false;
}

enum qn_status cfg_builder_init(struct cfg_builder *b, struct cfg_report *report)
{
    *b = (struct cfg_builder){.report = report};
    arena_init(&b->cfg.memory, MEMORY_MAX);
    b->origins = arena_calloc(&b->cfg.memory, CFG_SETTING_COUNT, sizeof *b->origins);
    if (!b->origins) {
        return QN_MEMORY_FULL;
    }
    b->cfg.origins = b->origins;
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        struct cfg_raw raw = {.text = cfg_table[i].standard, .origin = "default"};
        cfg_set(b, &cfg_table[i], &raw);
    }
    if (b->status != QN_OK) {
        cfg_builder_fini(b);
        return QN_MEMORY_FULL;
    }
    return QN_OK;
}

void cfg_builder_fini(struct cfg_builder *b)
{
    arena_fini(&b->cfg.memory);
}

#define _GNU_SOURCE /* strdup */

#include "config/cfg_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "wire/suggest.h"

enum {
    LIST_MAX = 1024, /* entries */
    SHOWN_MAX = 60,  /* octets of a wrong entry in a message */
    MODULE_MAX = 32, /* octets of the name of a module */
    CACHE_TEXT_MAX = 256,
    TTL_DAYS_MAX = 36500,
};

#define DAY_MS (INT64_C(24) * 3600 * 1000)

/* One entry on its way into the list. */
struct entry {
    struct cfg_builder *builder;
    const char *path;   /* of the setting */
    const char *origin; /* where it is written */
    const char *name;   /* of the cache, once it is known */
};

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* 1 to `size_max` letters, digits, '_', and what stands in `more`. */
static bool name_is_valid(const char *name, size_t size_max, const char *more)
{
    size_t size = strlen(name);

    for (size_t i = 0; i < size; i++) {
        if (!is_name_letter(name[i]) && !strchr(more, name[i])) {
            return false;
        }
    }
    return size > 0 && size <= size_max;
}

/* Keep a text; NULL without memory, which is noted. */
static const char *kept(const struct entry *entry, const char *text)
{
    const char *copy = cfg_copy(&entry->builder->cfg.memory, text);

    if (!copy) {
        cfg_builder_fail(entry->builder, QN_MEMORY_FULL);
    }
    return copy;
}

/* ---- the attributes of a cache ---- */

static bool attribute_wrong(const struct entry *entry, const char *key, const char *value,
                            const char *problem)
{
    cfg_report_error(entry->builder->report, entry->origin, 0, "%s: %s: %s: \"%.*s\" %s",
                     entry->path, entry->name, key, SHOWN_MAX, value, problem);
    return false;
}

static bool ttl_take(const struct entry *entry, const char *value, struct cfg_cache *cache)
{
    const char *problem;

    if (!value_duration_parse(value, &cache->ttl_ms, &problem)) {
        return attribute_wrong(entry, "ttl", value, problem);
    }
    if (cache->ttl_ms > TTL_DAYS_MAX * DAY_MS) {
        return attribute_wrong(entry, "ttl", value, "is more than 36500d: leave it out for ever");
    }
    return true;
}

static bool size_max_take(const struct entry *entry, const char *value, struct cfg_cache *cache)
{
    const char *problem;
    int64_t size;

    if (!value_size_parse(value, &size, &problem)) {
        return attribute_wrong(entry, "size_max", value, problem);
    }
    cache->size_max_bytes = (uint64_t)size;
    return true;
}

static bool durability_take(const struct entry *entry, const char *value, struct cfg_cache *cache)
{
    if (strcmp(value, "disk") == 0) {
        cache->durability = CFG_DURABILITY_DISK;
        return true;
    }
    if (strcmp(value, "memory") == 0) {
        cache->durability = CFG_DURABILITY_MEMORY;
        return true;
    }
    struct suggest suggest = {.word = value};
    suggest_offer(&suggest, "disk");
    suggest_offer(&suggest, "memory");
    char problem[64];
    (void)snprintf(problem, sizeof problem, "is not disk or memory%s%s%s",
                   suggest.nearest ? ": did you mean " : "", suggest.nearest ? suggest.nearest : "",
                   suggest.nearest ? "?" : "");
    return attribute_wrong(entry, "durability", value, problem);
}

static const struct attribute {
    const char *key;
    bool (*take)(const struct entry *entry, const char *value, struct cfg_cache *cache);
} attributes[] = {{"ttl", ttl_take}, {"durability", durability_take}, {"size_max", size_max_take}};

enum { ATTRIBUTE_COUNT = sizeof attributes / sizeof *attributes };

static bool attribute_unknown(const struct entry *entry, const char *key)
{
    struct suggest suggest = {.word = key};

    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        suggest_offer(&suggest, attributes[i].key);
    }
    cfg_report_error(entry->builder->report, entry->origin, 0,
                     "%s: %s: unknown attribute \"%.*s\"%s%s%s: write NAME [ttl=DURATION] "
                     "[durability=disk|memory] [size_max=SIZE]",
                     entry->path, entry->name, SHOWN_MAX, key,
                     suggest.nearest ? ": did you mean " : "",
                     suggest.nearest ? suggest.nearest : "", suggest.nearest ? "?" : "");
    return false;
}

/* "key=value"; `seen` has a bit for each attribute that was there before. */
static bool attribute_take(const struct entry *entry, char *word, unsigned *seen,
                           struct cfg_cache *cache)
{
    char *equals = strchr(word, '=');

    if (equals) {
        *equals = '\0';
    }
    for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++) {
        if (strcmp(attributes[i].key, word) != 0) {
            continue;
        }
        if (!equals) {
            return attribute_wrong(entry, word, "", "has no value");
        }
        if (*seen & 1u << i) {
            return attribute_wrong(entry, word, equals + 1, "stands there twice");
        }
        *seen |= 1u << i;
        return attributes[i].take(entry, equals + 1, cache);
    }
    return attribute_unknown(entry, word);
}

/* The one spelling of a cache: attributes in this order, those without effect left out. */
static void cache_print(const struct cfg_cache *cache, char *text)
{
    char number[VALUE_TEXT_MAX];
    int used = snprintf(text, CACHE_TEXT_MAX, "%s", cache->name);

    if (cache->ttl_ms > 0) {
        used += snprintf(text + used, CACHE_TEXT_MAX - (size_t)used, " ttl=%s",
                         value_duration_print(cache->ttl_ms, number));
    }
    if (cache->durability == CFG_DURABILITY_MEMORY) {
        used += snprintf(text + used, CACHE_TEXT_MAX - (size_t)used, " durability=memory");
    }
    if (cache->size_max_bytes > 0) {
        (void)snprintf(text + used, CACHE_TEXT_MAX - (size_t)used, " size_max=%s",
                       value_size_print((int64_t)cache->size_max_bytes, number));
    }
}

/* "NAME [key=value ...]"; `text` is changed. Reports every mistake. */
static bool cache_take(struct entry *entry, char *text, struct cfg_cache *cache)
{
    char spelled[CACHE_TEXT_MAX];
    char *rest, *name = strtok_r(text, " ", &rest);
    unsigned seen = 0;
    bool good = true;

    if (!name || !name_is_valid(name, CFG_CACHE_NAME_MAX, ".-")) {
        cfg_report_error(entry->builder->report, entry->origin, 0,
                         "%s: \"%.*s\" is not a name: 1 to %d letters, digits, '.', '_' or '-'",
                         entry->path, SHOWN_MAX, name ? name : "", CFG_CACHE_NAME_MAX);
        return false;
    }
    entry->name = name;
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        good = attribute_take(entry, word, &seen, cache) && good;
    }
    if (!good) {
        return false;
    }
    cache->name = name;
    cache_print(cache, spelled);
    cache->text = kept(entry, spelled);
    cache->name = kept(entry, name);
    return cache->text && cache->name;
}

/* ---- levels of modules ---- */

static bool level_unknown(const struct entry *entry, const struct cfg_setting *levels,
                          const char *word)
{
    struct suggest suggest = {.word = word};

    for (size_t i = 0; levels->words[i]; i++) {
        suggest_offer(&suggest, levels->words[i]);
    }
    cfg_report_error(entry->builder->report, entry->origin, 0,
                     "%s: %s: \"%.*s\" is not a level%s%s%s: write error, warn, info or debug",
                     entry->path, entry->name, SHOWN_MAX, word,
                     suggest.nearest ? ": did you mean " : "",
                     suggest.nearest ? suggest.nearest : "", suggest.nearest ? "?" : "");
    return false;
}

/* The level whose word this is. */
static bool level_parse(const struct entry *entry, const char *word, enum cfg_level *level)
{
    const struct cfg_setting *levels = cfg_table_find("logging", "level");

    for (int i = 0; levels->words[i]; i++) {
        if (strcmp(levels->words[i], word) == 0) {
            *level = (enum cfg_level)i;
            return true;
        }
    }
    return level_unknown(entry, levels, word);
}

/* "module=level"; `text` is changed. */
static bool level_take(struct entry *entry, char *text, struct cfg_module_level *level)
{
    const char *whole = kept(entry, text);
    char *equals = strchr(text, '=');

    if (!whole) {
        return false;
    }
    if (equals) {
        *equals = '\0';
    }
    if (!equals || !name_is_valid(text, MODULE_MAX, "")) {
        cfg_report_error(entry->builder->report, entry->origin, 0,
                         "%s: \"%.*s\" is not module=level, such as \"log=debug\"", entry->path,
                         SHOWN_MAX, whole);
        return false;
    }
    entry->name = text;
    level->text = whole;
    level->module = kept(entry, text);
    return level->module && level_parse(entry, equals + 1, &level->level);
}

/* ---- lists ---- */

static size_t item_size(const struct cfg_setting *setting)
{
    return setting->kind == CFG_CACHES ? sizeof(struct cfg_cache) : sizeof(struct cfg_module_level);
}

static void list_put(struct cfg *cfg, const struct cfg_setting *setting, const void *list,
                     size_t count)
{
    void *field = cfg_field_mutable(cfg, setting);

    if (setting->kind == CFG_CACHES) {
        *(struct cfg_caches *)field = (struct cfg_caches){.list = list, .count = count};
    } else {
        *(struct cfg_module_levels *)field =
            (struct cfg_module_levels){.list = list, .count = count};
    }
}

static bool item_take(struct cfg_builder *b, const struct cfg_setting *setting,
                      const struct cfg_raw *raw, const char *text, void *item)
{
    struct entry entry = {.builder = b, .path = setting->path, .origin = raw->origin};

    if (!cfg_text_check(b, setting, raw, text)) {
        return false;
    }
    char *copy = strdup(text);
    if (!copy) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        return false;
    }
    bool good = setting->kind == CFG_CACHES ? cache_take(&entry, copy, item)
                                            : level_take(&entry, copy, item);
    free(copy);
    return good;
}

/* The entries of `raw->list`. */
static bool items_set(struct cfg_builder *b, const struct cfg_setting *setting,
                      const struct cfg_raw *raw)
{
    size_t size = item_size(setting);
    bool good = true;

    if (raw->count > LIST_MAX) {
        cfg_report_error(b->report, raw->origin, 0, "%s: more than %d entries", setting->path,
                         LIST_MAX);
        return false;
    }
    unsigned char *list = arena_calloc(&b->cfg.memory, raw->count + 1, size);
    if (!list) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        return false;
    }
    for (size_t i = 0; i < raw->count; i++) {
        good = item_take(b, setting, raw, raw->list[i], list + i * size) && good;
    }
    if (good) {
        list_put(&b->cfg, setting, list, raw->count);
    }
    return good;
}

/* Cut `part` (changed) to what stands between blanks. */
static char *trimmed(char *part)
{
    char *end = part + strlen(part);

    while (*part == ' ') {
        part++;
    }
    while (end > part && end[-1] == ' ') {
        end--;
    }
    *end = '\0';
    return part;
}

bool cfg_list_set(struct cfg_builder *b, const struct cfg_setting *setting,
                  const struct cfg_raw *raw)
{
    if (raw->shape == CFG_SHAPE_LIST) {
        return items_set(b, setting, raw);
    }
    char *copy = strdup(raw->text);
    const char **list = calloc(LIST_MAX + 1, sizeof *list);
    struct cfg_raw parts = *raw;
    bool done = false;

    if (!copy || !list) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        goto fail;
    }
    char *part = copy;
    while (part && *copy && parts.count <= LIST_MAX) {
        char *comma = strchr(part, ',');
        if (comma) {
            *comma = '\0';
        }
        list[parts.count++] = trimmed(part);
        part = comma ? comma + 1 : NULL;
    }
    parts.list = list;
    done = items_set(b, setting, &parts);
fail:
    free(list);
    free(copy);
    return done;
}

const char *cfg_list_text(const struct cfg *cfg, const struct cfg_setting *setting, size_t i)
{
    const void *field = cfg_field(cfg, setting);

    if (setting->kind == CFG_CACHES) {
        const struct cfg_caches *caches = field;
        return i < caches->count ? caches->list[i].text : NULL;
    }
    const struct cfg_module_levels *levels = field;
    return i < levels->count ? levels->list[i].text : NULL;
}

bool cfg_list_copy(struct cfg *to, const struct cfg *from, const struct cfg_setting *setting)
{
    /* Only the memory and this field of `to` are touched: others read the rest meanwhile. */
    struct cfg_builder builder = {.cfg.memory = to->memory};
    const char **list;
    size_t count = 0;
    bool done = false;

    while (cfg_list_text(from, setting, count)) {
        count++;
    }
    list = arena_calloc(&builder.cfg.memory, count + 1, sizeof *list);
    if (list) {
        for (size_t i = 0; i < count; i++) {
            list[i] = cfg_list_text(from, setting, i);
        }
        struct cfg_raw raw = {.shape = CFG_SHAPE_LIST, .list = list, .count = count};
        done = items_set(&builder, setting, &raw);
    }
    to->memory = builder.cfg.memory;
    if (done) {
        memcpy(cfg_field_mutable(to, setting), cfg_field(&builder.cfg, setting),
               setting->kind == CFG_CACHES ? sizeof(struct cfg_caches)
                                           : sizeof(struct cfg_module_levels));
    }
    return done;
}

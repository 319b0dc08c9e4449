#include "config/cfg.h"

#include <string.h>

#include "config/cfg_layers.h"
#include "config/cfg_list.h"
#include "config/cfg_set.h"
#include "config/cfg_table.h"
#include "wire/assert.h"

/* Check what the layers gave and hand it out; give it back on any mistake. */
static enum qn_status finish(struct cfg_builder *b, size_t errors, struct cfg *out)
{
    /* Where a file could not be read, its values are missing and relations would be wrong. */
    if (b->status == QN_OK) {
        cfg_check(b);
    }
    enum qn_status status = b->status;
    if (status == QN_OK && b->report->error_count > errors) {
        status = QN_INVALID;
    }
    if (status != QN_OK) {
        cfg_builder_fini(b);
        return status;
    }
    *out = b->cfg;
    return QN_OK;
}

enum qn_status cfg_load(const struct cfg_sources *sources, struct cfg *out,
                        struct cfg_report *report)
{
    struct cfg_builder builder;
    size_t errors = report->error_count;
    enum qn_status status = cfg_builder_init(&builder, report);

    if (status != QN_OK) {
        return status;
    }
    if (sources->file) {
        cfg_layer_file(&builder, sources->file);
    }
    cfg_layer_environment(&builder, sources->environ);
    cfg_layer_sets(&builder, sources->sets, sources->set_count);
    return finish(&builder, errors, out);
}

enum qn_status cfg_load_text(struct bytes text, const char *name, struct cfg *out,
                             struct cfg_report *report)
{
    struct cfg_builder builder;
    size_t errors = report->error_count;
    enum qn_status status = cfg_builder_init(&builder, report);

    if (status != QN_OK) {
        return status;
    }
    cfg_layer_text(&builder, text, name);
    return finish(&builder, errors, out);
}

void cfg_fini(struct cfg *cfg)
{
    if (cfg) {
        arena_fini(&cfg->memory);
        *cfg = (struct cfg){0};
    }
}

const char *cfg_origin(const struct cfg *cfg, const char *section, const char *key)
{
    const struct cfg_setting *setting = cfg_table_find(section, key);

    qn_assert(setting);
    return cfg->origins[cfg_table_number(setting)];
}

bool cfg_is_default(const struct cfg *cfg)
{
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        const char *origin = cfg->origins[i];
        bool follows = strcmp(origin, "node.bind") == 0; /* node.advertise of that */
        if (strcmp(origin, "default") != 0 && !follows) {
            return false;
        }
    }
    return true;
}

uint32_t cfg_shard_count(const struct cfg *cfg, uint32_t cpu_count)
{
    if (cfg->node_shards > 0) {
        return cfg->node_shards;
    }
    return cpu_count >= 2 ? 2 : 1;
}

static bool lists_equal(const struct cfg *a, const struct cfg *b, const struct cfg_setting *setting)
{
    for (size_t i = 0;; i++) {
        const char *left = cfg_list_text(a, setting, i), *right = cfg_list_text(b, setting, i);
        if (!left || !right) {
            return left == right;
        }
        if (strcmp(left, right) != 0) {
            return false;
        }
    }
}

static bool is_list(const struct cfg_setting *setting)
{
    return setting->kind == CFG_CACHES || setting->kind == CFG_LEVELS;
}

/* Octets of a field whose value is not behind a pointer. */
static size_t plain_size(enum cfg_kind kind)
{
    switch (kind) {
    case CFG_BOOL:
        return sizeof(bool);
    case CFG_COUNT:
        return sizeof(uint32_t);
    case CFG_SIZE:
        return sizeof(uint64_t);
    case CFG_DURATION:
        return sizeof(int64_t);
    case CFG_CHOICE:
        return sizeof(int);
    case CFG_TEXT:
    case CFG_CACHES:
    case CFG_LEVELS:
        return 0;
    }
    return 0;
}

static bool value_equal(const struct cfg *a, const struct cfg *b, const struct cfg_setting *setting)
{
    const void *left = cfg_field(a, setting), *right = cfg_field(b, setting);

    if (setting->kind == CFG_TEXT) {
        return strcmp(*(const char *const *)left, *(const char *const *)right) == 0;
    }
    if (is_list(setting)) {
        return lists_equal(a, b, setting);
    }
    return memcmp(left, right, plain_size(setting->kind)) == 0;
}

/* Take one value over. False: no memory for it. */
static bool value_take(struct cfg *running, const struct cfg *fresh,
                       const struct cfg_setting *setting)
{
    if (is_list(setting)) {
        return cfg_list_copy(running, fresh, setting);
    }
    memcpy(cfg_field_mutable(running, setting), cfg_field(fresh, setting),
           plain_size(setting->kind));
    return true;
}

size_t cfg_reload(struct cfg *running, const struct cfg *fresh, struct cfg_report *report)
{
    size_t count = 0;

    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        const struct cfg_setting *setting = &cfg_table[i];
        if (value_equal(running, fresh, setting)) {
            continue;
        }
        if (!setting->reloadable) {
            cfg_report_note(report, "%s has changed (%s): takes effect after a restart",
                            setting->path, fresh->origins[i]);
            continue;
        }
        if (value_take(running, fresh, setting)) {
            count++;
        } else {
            cfg_report_error(report, NULL, 0,
                             "%s has changed (%s), but there is no memory to take it over: "
                             "restart the node",
                             setting->path, fresh->origins[i]);
        }
    }
    return count;
}

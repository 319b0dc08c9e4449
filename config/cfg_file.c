#define _GNU_SOURCE /* scandir, asprintf */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/cfg_layers.h"
#include "config/document.h"
#include "config/value.h"

enum { ORIGIN_MAX = 4200 }; /* octets of a path and a line number */

static const char *origin_print(struct document_place place, char *text)
{
    snprintf(text, ORIGIN_MAX, "%s:%u", place.file, place.line);
    return text;
}

/* The texts of a list; false when something else is in it. The caller frees `*list`. */
static bool list_read(const config_setting_t *from, const char ***list, size_t *count)
{
    int length = config_setting_length(from);

    *count = 0;
    *list = calloc((size_t)length + 1, sizeof **list);
    for (int i = 0; *list && i < length; i++) {
        const char *text = config_setting_get_string_elem(from, i);
        if (!text) {
            return false;
        }
        (*list)[(*count)++] = text;
    }
    return true;
}

static void list_apply(struct cfg_builder *b, const struct cfg_setting *setting,
                       const config_setting_t *from, struct cfg_raw *raw)
{
    const char **list;

    raw->shape = CFG_SHAPE_LIST;
    if (!list_read(from, &list, &raw->count)) {
        raw->shape = CFG_SHAPE_OTHER;
        raw->shape_text = "a list with something else in it";
    }
    raw->list = list;
    if (list) {
        cfg_set(b, setting, raw);
    } else {
        cfg_builder_fail(b, QN_MEMORY_FULL);
    }
    free(list);
}

static void setting_apply(struct cfg_builder *b, const struct document *document,
                          const struct cfg_setting *setting, const config_setting_t *from)
{
    char origin[ORIGIN_MAX], number[VALUE_TEXT_MAX];
    struct cfg_raw raw = {.origin = origin_print(document_place(document, from), origin)};

    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        raw.shape = CFG_SHAPE_NUMBER;
        snprintf(number, sizeof number, "%lld", config_setting_get_int64(from));
        raw.text = number;
        break;
    case CONFIG_TYPE_BOOL:
        raw.shape = CFG_SHAPE_BOOL;
        raw.text = config_setting_get_bool(from) ? "true" : "false";
        break;
    case CONFIG_TYPE_STRING:
        raw.shape = CFG_SHAPE_STRING;
        raw.text = config_setting_get_string(from);
        break;
    case CONFIG_TYPE_ARRAY:
    case CONFIG_TYPE_LIST:
        list_apply(b, setting, from, &raw);
        return;
    default:
        raw.shape = CFG_SHAPE_OTHER;
        raw.shape_text = document_kind(from);
        break;
    }
    cfg_set(b, setting, &raw);
}

static void unknown_report(struct cfg_builder *b, struct document_place place, const char *what,
                           const char *name, const char *nearest)
{
    cfg_report_error(b->report, place.file, place.line, "unknown %s %s%s%s%s", what, name,
                     nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static void section_apply(struct cfg_builder *b, const struct document *document,
                          const config_setting_t *section)
{
    const char *name = config_setting_name(section);

    for (unsigned i = 0; i < (unsigned)config_setting_length(section); i++) {
        const config_setting_t *from = config_setting_get_elem(section, i);
        const char *key = config_setting_name(from);
        const struct cfg_setting *setting = cfg_table_find(name, key);
        if (setting) {
            setting_apply(b, document, setting, from);
        } else {
            unknown_report(b, document_place(document, from), "setting", key,
                           cfg_table_suggest(name, key));
        }
    }
}

static void document_apply(struct cfg_builder *b, const struct document *document)
{
    const config_setting_t *root = config_root_setting(&document->config);

    for (unsigned i = 0; i < (unsigned)config_setting_length(root); i++) {
        const config_setting_t *section = config_setting_get_elem(root, i);
        const char *name = config_setting_name(section);
        struct document_place place = document_place(document, section);
        if (!cfg_table_has_section(name)) {
            const char *nearest = cfg_table_suggest_section(name);
            unknown_report(b, place, "section", name,
                           nearest ? nearest : cfg_table_suggest("", name));
        } else if (!config_setting_is_group(section)) {
            cfg_report_error(b->report, place.file, place.line,
                             "%s is a section: write %s = { ... };, not %s", name, name,
                             document_kind(section));
        } else {
            section_apply(b, document, section);
        }
    }
}

void cfg_layer_text(struct cfg_builder *b, struct bytes text, const char *name)
{
    struct document document;
    enum qn_status status = document_read_text(&document, text, name, b->report);

    if (status != QN_OK) {
        cfg_builder_fail(b, status);
        return;
    }
    document_apply(b, &document);
    document_fini(&document);
}

static void file_apply(struct cfg_builder *b, const char *path)
{
    struct document document;
    enum qn_status status = document_read(&document, path, b->report);

    if (status != QN_OK) {
        cfg_builder_fail(b, status);
        return;
    }
    document_apply(b, &document);
    document_fini(&document);
}

static int name_is_cfg(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);

    return entry->d_name[0] != '.' && size > 4 && strcmp(entry->d_name + size - 4, ".cfg") == 0;
}

/* By octets: the order must not depend on the language of whoever starts the node. */
static int name_order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void named_apply(struct cfg_builder *b, const char *folder, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        return;
    }
    file_apply(b, path);
    free(path);
}

static void folder_apply(struct cfg_builder *b, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, name_is_cfg, name_order);

    if (count < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return;
    }
    if (count < 0) {
        cfg_report_error(b->report, folder, 0, "cannot be read: %s", strerror(errno));
        cfg_builder_fail(b, QN_IO);
        return;
    }
    for (int i = 0; i < count; i++) {
        named_apply(b, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

void cfg_layer_file(struct cfg_builder *b, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder_size = slash ? (int)(slash - path) + 1 : 0;
    char *folder;

    file_apply(b, path);
    if (asprintf(&folder, "%.*sconf.d", folder_size, path) < 0) {
        cfg_builder_fail(b, QN_MEMORY_FULL);
        return;
    }
    folder_apply(b, folder);
    free(folder);
}

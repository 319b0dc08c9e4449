#include <stdlib.h>
#include <string.h>

#include "config/group.h"
#include "config/types.h"
#include "config/types_owner.h"

enum { MEMORY_MAX = 64 * 1024 * 1024 }; /* octets of all types of a file */

/* A file being read. `types` and `caches` grow up to the length of their lists. */
struct loader {
    struct document document;
    struct arena memory;
    struct group_context context;
    enum qn_status status; /* QN_OK or QN_MEMORY_FULL */
    struct types_type *types;
    size_t type_count;
    struct types_cache *caches;
    size_t cache_count;
};

static const struct group_attribute root_attributes[] = {
    {"types", GROUP_LIST, true},
    {"caches", GROUP_LIST, false},
    {NULL, GROUP_LIST, false},
};
static const struct group_attribute type_attributes[] = {
    {"id", GROUP_NUMBER, true},   {"name", GROUP_TEXT, true}, {"version", GROUP_NUMBER, false},
    {"fields", GROUP_LIST, true}, {"key", GROUP_TEXT, false}, {NULL, GROUP_TEXT, false},
};
static const struct group_attribute field_attributes[] = {
    {"index", GROUP_NUMBER, true},
    {"name", GROUP_TEXT, true},
    {"type", GROUP_TEXT, true},
    {NULL, GROUP_TEXT, false},
};
static const struct group_attribute cache_attributes[] = {
    {"name", GROUP_TEXT, true},
    {"type", GROUP_TEXT, true},
    {"key", GROUP_TEXT, false},
    {NULL, GROUP_TEXT, false},
};

static int32_t number_get(const config_setting_t *group, const char *name)
{
    int value = 0;

    (void)config_setting_lookup_int(group, name, &value);
    return value;
}

/* A copy that outlives the document; NULL when the attribute is absent or memory is lacking
 * (noted). */
static const char *text_get(struct loader *l, const config_setting_t *group, const char *name)
{
    const char *text = NULL;

    (void)config_setting_lookup_string(group, name, &text);
    if (!text) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(&l->memory, size);
    if (!copy) {
        l->status = QN_MEMORY_FULL;
        return NULL;
    }
    memcpy(copy, text, size);
    return copy;
}

static bool kind_read(struct loader *l, const config_setting_t *group, enum types_kind *kind)
{
    static const char *const words[] = {
#define TYPES_KIND_WORD(name, word) word,
        TYPES_KIND_MAP(TYPES_KIND_WORD)
#undef TYPES_KIND_WORD
    };
    const config_setting_t *setting = config_setting_get_member(group, "type");
    struct suggest suggest = {.word = config_setting_get_string(setting)};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], suggest.word) == 0) {
            *kind = (enum types_kind)i;
            return true;
        }
        suggest_offer(&suggest, words[i]);
    }
    group_unknown(&l->context, setting, "field type", &suggest);
    return false;
}

/* Read one field into `*field`; `type` has those before it. */
static bool field_read(struct loader *l, const config_setting_t *group,
                       const struct types_type *type, struct types_field *field)
{
    struct types_field read = {.index = number_get(group, "index"),
                               .name = text_get(l, group, "name")};

    if (!read.name || !kind_read(l, group, &read.kind)) {
        return false;
    }
    if (types_field_find_index(type, read.index)) {
        group_error(&l->context, group, "index %d is already that of field %s", read.index,
                    types_field_find_index(type, read.index)->name);
        return false;
    }
    if (types_field_find(type, read.name)) {
        group_error(&l->context, group, "there is already a field %s in type %s", read.name,
                    type->name);
        return false;
    }
    *field = read;
    return true;
}

static int field_order(const void *a, const void *b)
{
    const struct types_field *left = a, *right = b;

    return (left->index > right->index) - (left->index < right->index);
}

static void fields_read(struct loader *l, const config_setting_t *list, struct types_type *type)
{
    size_t length = (size_t)config_setting_length(list);
    struct types_field *fields = arena_calloc(&l->memory, length + 1, sizeof *fields);

    if (!fields) {
        l->status = QN_MEMORY_FULL;
        return;
    }
    type->fields = fields;
    for (unsigned i = 0; i < length; i++) {
        const config_setting_t *group =
            group_element(&l->context, list, i, "a field", field_attributes);
        if (group && field_read(l, group, type, &fields[type->field_count])) {
            type->field_count++;
        }
    }
    qsort(fields, type->field_count, sizeof *fields, field_order);
}

/* The field of `type` that the attribute `key` of a group names; NULL without one. */
static const struct types_field *key_read(struct loader *l, const config_setting_t *group,
                                          const struct types_type *type)
{
    const config_setting_t *setting = config_setting_get_member(group, "key");

    if (!setting) {
        return NULL;
    }
    struct suggest suggest = {.word = config_setting_get_string(setting)};
    const struct types_field *field = types_field_find(type, suggest.word);
    for (size_t i = 0; !field && i < type->field_count; i++) {
        suggest_offer(&suggest, type->fields[i].name);
    }
    if (!field) {
        group_unknown(&l->context, setting, "field", &suggest);
    }
    return field;
}

static bool type_is_new(struct loader *l, const config_setting_t *group,
                        const struct types_type *type)
{
    const struct types known = {.types = l->types, .type_count = l->type_count};
    const struct types_type *same_id = types_find_id(&known, type->id);

    if (same_id) {
        group_error(&l->context, group, "id %d is already that of type %s", type->id,
                    same_id->name);
        return false;
    }
    if (types_find(&known, type->name)) {
        group_error(&l->context, group, "there is already a type %s", type->name);
        return false;
    }
    return true;
}

static void type_read(struct loader *l, const config_setting_t *group)
{
    struct types_type type = {.id = number_get(group, "id"),
                              .name = text_get(l, group, "name"),
                              .version = number_get(group, "version")};

    if (!type.name || !type_is_new(l, group, &type)) {
        return;
    }
    fields_read(l, config_setting_get_member(group, "fields"), &type);
    type.key = key_read(l, group, &type);
    l->types[l->type_count++] = type;
}

/* The type that a cache names; NULL when there is none (reported). */
static const struct types_type *cache_type(struct loader *l, const config_setting_t *group)
{
    const config_setting_t *setting = config_setting_get_member(group, "type");
    const struct types known = {.types = l->types, .type_count = l->type_count};
    struct suggest suggest = {.word = config_setting_get_string(setting)};
    const struct types_type *type = types_find(&known, suggest.word);

    for (size_t i = 0; !type && i < l->type_count; i++) {
        suggest_offer(&suggest, l->types[i].name);
    }
    if (!type) {
        group_unknown(&l->context, setting, "type", &suggest);
    }
    return type;
}

static void cache_read(struct loader *l, const config_setting_t *group)
{
    const struct types known = {.caches = l->caches, .cache_count = l->cache_count};
    struct types_cache cache = {.name = text_get(l, group, "name"), .type = cache_type(l, group)};

    if (!cache.name || !cache.type) {
        return;
    }
    if (types_cache_find(&known, cache.name)) {
        group_error(&l->context, group, "there is already a cache %s", cache.name);
        return;
    }
    cache.key = key_read(l, group, cache.type);
    if (!cache.key) {
        cache.key = cache.type->key;
    }
    l->caches[l->cache_count++] = cache;
}

static size_t list_length(const config_setting_t *list)
{
    return list ? (size_t)config_setting_length(list) : 0;
}

static void document_load(struct loader *l)
{
    const config_setting_t *root = config_root_setting(&l->document.config);

    if (!group_check(&l->context, root, "the file", root_attributes)) {
        return;
    }
    const config_setting_t *types = config_setting_get_member(root, "types");
    const config_setting_t *caches = config_setting_get_member(root, "caches");
    l->types = arena_calloc(&l->memory, list_length(types) + 1, sizeof *l->types);
    l->caches = arena_calloc(&l->memory, list_length(caches) + 1, sizeof *l->caches);
    if (!l->types || !l->caches) {
        l->status = QN_MEMORY_FULL;
        return;
    }
    for (unsigned i = 0; i < list_length(types); i++) {
        const config_setting_t *group =
            group_element(&l->context, types, i, "a type", type_attributes);
        if (group) {
            type_read(l, group);
        }
    }
    for (unsigned i = 0; i < list_length(caches); i++) {
        const config_setting_t *group =
            group_element(&l->context, caches, i, "a cache", cache_attributes);
        if (group) {
            cache_read(l, group);
        }
    }
}

/* Hand out what was read; the memory goes with it. */
static enum qn_status finish(struct loader *l, size_t errors, struct types **out)
{
    enum qn_status status = l->status;
    struct types_owner *owner = NULL;

    if (status == QN_OK && l->context.report->error_count > errors) {
        status = QN_INVALID;
    }
    if (status == QN_OK && !(owner = malloc(sizeof *owner))) {
        status = QN_MEMORY_FULL;
    }
    if (status != QN_OK) {
        arena_fini(&l->memory);
        return status;
    }
    *owner = (struct types_owner){.types = {.types = l->types,
                                            .type_count = l->type_count,
                                            .caches = l->caches,
                                            .cache_count = l->cache_count},
                                  .memory = l->memory};
    *out = &owner->types;
    return QN_OK;
}

static enum qn_status load(struct loader *l, struct types **out)
{
    size_t errors = l->context.report->error_count;

    arena_init(&l->memory, MEMORY_MAX);
    document_load(l);
    document_fini(&l->document);
    return finish(l, errors, out);
}

enum qn_status types_load(const char *path, struct types **out, struct cfg_report *report)
{
    struct loader loader = {.context = {.document = &loader.document, .report = report}};
    enum qn_status status = document_read(&loader.document, path, report);

    return status == QN_OK ? load(&loader, out) : status;
}

enum qn_status types_load_text(struct bytes text, const char *name, struct types **out,
                               struct cfg_report *report)
{
    struct loader loader = {.context = {.document = &loader.document, .report = report}};
    enum qn_status status = document_read_text(&loader.document, text, name, report);

    return status == QN_OK ? load(&loader, out) : status;
}

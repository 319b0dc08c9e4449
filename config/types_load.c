#include <stdlib.h>
#include <string.h>

#include "config/types_owner.h"
#include "config/types_read.h"

enum { MEMORY_MAX = 64 * 1024 * 1024 }; /* octets of all types of a file */

static const struct group_attribute type_attributes[] = {
    {"id", GROUP_NUMBER, true},    {"name", GROUP_TEXT, true}, {"version", GROUP_NUMBER, false},
    {"fields", GROUP_LIST, true},  {"key", GROUP_TEXT, false}, {"class", GROUP_TEXT, false},
    {"shared", GROUP_FLAG, false}, {NULL, GROUP_TEXT, false},
};
static const struct group_attribute cache_attributes[] = {
    {"name", GROUP_TEXT, true},  {"type", GROUP_TEXT, true}, {"key", GROUP_TEXT, false},
    {"view", GROUP_TEXT, false}, {NULL, GROUP_TEXT, false},
};

void *types_alloc(struct types_reader *r, size_t count, size_t size)
{
    void *memory = arena_calloc(&r->memory, count, size);

    if (!memory) {
        r->status = QN_MEMORY_FULL;
    }
    return memory;
}

const char *types_copy(struct types_reader *r, const char *text)
{
    char *copy = text ? types_alloc(r, strlen(text) + 1, 1) : NULL;

    if (copy) {
        memcpy(copy, text, strlen(text));
    }
    return copy;
}

int32_t types_number(const config_setting_t *group, const char *name)
{
    int value = 0;

    (void)config_setting_lookup_int(group, name, &value);
    return value;
}

bool types_flag(const config_setting_t *group, const char *name)
{
    int value = 0;

    (void)config_setting_lookup_bool(group, name, &value);
    return value != 0;
}

const char *types_text(const config_setting_t *group, const char *name)
{
    const char *text = NULL;

    (void)config_setting_lookup_string(group, name, &text);
    return text;
}

unsigned types_length(const config_setting_t *list)
{
    return list ? (unsigned)config_setting_length(list) : 0;
}

const struct pof_schema_type *types_named(struct types_reader *r, const struct group_context *c,
                                          const config_setting_t *at, const char *name)
{
    struct suggest suggest = {.word = name};

    for (size_t i = 0; i < r->type_count; i++) {
        if (strcmp(r->types[i].name, name) == 0) {
            return &r->types[i];
        }
        suggest_offer(&suggest, r->types[i].name);
    }
    group_unknown(c, at, "type", &suggest);
    return NULL;
}

const struct pof_schema_field *types_field_named(const struct group_context *c,
                                                 const config_setting_t *at,
                                                 const struct pof_schema_type *type,
                                                 const char *name)
{
    struct suggest suggest = {.word = name};
    const struct pof_schema_field *field = types_field_find(type, name);

    for (size_t i = 0; !field && i < type->field_count; i++) {
        suggest_offer(&suggest, type->fields[i].name);
    }
    if (!field) {
        group_unknown(c, at, "field", &suggest);
    }
    return field;
}

const struct pof_schema_field *types_key(const struct group_context *c,
                                         const config_setting_t *group,
                                         const struct pof_schema_type *type)
{
    const config_setting_t *at = config_setting_get_member(group, "key");

    return at ? types_field_named(c, at, type, config_setting_get_string(at)) : NULL;
}

/* ---- types and caches ---- */

/* A name that stands for a shape already would hide it, and one with signs could not be referred
 * to. */
static bool name_is_free(const struct group_context *c, const config_setting_t *group,
                         const char *name)
{
    if (name[strcspn(name, " \t<>[],")] != '\0') {
        group_error(c, group, "type %s: a name has no blanks, commas and brackets", name);
        return false;
    }
    if (!pof_schema_name_fits(bytes_of_text(name))) {
        group_error(c, group, "type %s: a name is UTF-8, no number, and does not begin with $",
                    name);
        return false;
    }
    for (unsigned i = 0; i <= POF_SHAPE_USER; i++) {
        if (strcmp(name, pof_shape_word((enum pof_shape_kind)i)) == 0 ||
            strcmp(name, "plain") == 0) {
            group_error(c, group, "%s has a meaning already: give the type another name", name);
            return false;
        }
    }
    return true;
}

static bool type_is_new(const struct types_reader *r, const struct group_context *c,
                        const config_setting_t *group, const struct pof_schema_type *type)
{
    for (size_t i = 0; i < r->type_count; i++) {
        const struct pof_schema_type *other = &r->types[i];
        if (other->id == type->id) {
            group_error(c, group, "id %d is already that of type %s", type->id, other->name);
            return false;
        }
        if (strcmp(other->name, type->name) == 0) {
            group_error(c, group, "there is already a type %s", type->name);
            return false;
        }
    }
    return name_is_free(c, group, type->name);
}

static void type_read(struct types_reader *r, const struct group_context *c,
                      const config_setting_t *list, unsigned i)
{
    const config_setting_t *group = group_element(c, list, i, "a type", type_attributes);

    if (!group) {
        return;
    }
    struct pof_schema_type type = {.id = types_number(group, "id"),
                                   .version = types_number(group, "version"),
                                   .name = types_copy(r, types_text(group, "name")),
                                   .shared = types_flag(group, "shared"),
                                   .class_name = types_copy(r, types_text(group, "class"))};
    if (type.name && type_is_new(r, c, group, &type)) {
        r->sources[r->type_count] = (struct types_source){.group = group, .context = c};
        r->types[r->type_count++] = type;
    }
}

static const struct pof_view *view_named(struct types_reader *r, const struct group_context *c,
                                         const config_setting_t *group)
{
    const config_setting_t *at = config_setting_get_member(group, "view");
    struct suggest suggest = {.word = at ? config_setting_get_string(at) : NULL};

    for (size_t i = 0; at && i < r->view_count; i++) {
        if (strcmp(r->views[i].name, suggest.word) == 0) {
            return &r->views[i];
        }
        suggest_offer(&suggest, r->views[i].name);
    }
    if (at) {
        group_unknown(c, at, "view", &suggest);
    }
    return NULL;
}

static void cache_read(struct types_reader *r, const struct group_context *c,
                       const config_setting_t *list, unsigned i)
{
    const config_setting_t *group = group_element(c, list, i, "a cache", cache_attributes);
    const struct types known = {.caches = r->caches, .cache_count = r->cache_count};

    if (!group) {
        return;
    }
    const config_setting_t *type = config_setting_get_member(group, "type");
    struct types_cache cache = {.name = types_copy(r, types_text(group, "name")),
                                .type = types_named(r, c, type, config_setting_get_string(type)),
                                .view = view_named(r, c, group)};
    if (!cache.name || !cache.type) {
        return;
    }
    if (types_cache_find(&known, cache.name)) {
        group_error(c, group, "there is already a cache %s", cache.name);
        return;
    }
    cache.key = types_key(c, group, cache.type);
    if (!cache.key) {
        cache.key = cache.type->key;
    }
    r->caches[r->cache_count++] = cache;
}

static void view_read(struct types_reader *r, const struct group_context *c,
                      const config_setting_t *list, unsigned i)
{
    const config_setting_t *group = config_setting_get_elem(list, i);

    if (config_setting_is_group(group)) {
        types_view_read(r, c, group);
    } else {
        group_error(c, group, "a view must be a group { }, not %s", document_kind(group));
    }
}

typedef void element_fn(struct types_reader *r, const struct group_context *c,
                        const config_setting_t *list, unsigned i);

/* Each element of the lists of one name in all files. */
static void lists_read(struct types_reader *r, const char *name, element_fn *read)
{
    for (size_t i = 0; i < r->document_count; i++) {
        const config_setting_t *list = types_root_member(&r->documents[i], name);
        for (unsigned k = 0; k < types_length(list) && r->status == QN_OK; k++) {
            read(r, &r->documents[i].context, list, k);
        }
    }
}

static size_t lists_length(const struct types_reader *r, const char *name)
{
    size_t length = 0;

    for (size_t i = 0; i < r->document_count; i++) {
        length += types_length(types_root_member(&r->documents[i], name));
    }
    return length + 1;
}

static void content_read(struct types_reader *r)
{
    r->types = types_alloc(r, lists_length(r, "types"), sizeof *r->types);
    r->sources = types_alloc(r, lists_length(r, "types"), sizeof *r->sources);
    r->views = types_alloc(r, lists_length(r, "views"), sizeof *r->views);
    r->caches = types_alloc(r, lists_length(r, "caches"), sizeof *r->caches);
    if (r->status != QN_OK) {
        return;
    }
    lists_read(r, "types", type_read);
    types_fields_read(r);
    lists_read(r, "views", view_read);
    lists_read(r, "caches", cache_read);
}

/* ---- the whole ---- */

static int id_order(const void *a, const void *b)
{
    const struct pof_schema_type *left = *(const struct pof_schema_type *const *)a;
    const struct pof_schema_type *right = *(const struct pof_schema_type *const *)b;

    return (left->id > right->id) - (left->id < right->id);
}

static const struct pof_schema_type *const *by_id(struct types_reader *r)
{
    const struct pof_schema_type **list = types_alloc(r, r->type_count + 1, sizeof(*list));

    for (size_t i = 0; list && i < r->type_count; i++) {
        list[i] = &r->types[i];
    }
    if (list) {
        qsort(list, r->type_count, sizeof(*list), id_order);
    }
    return list;
}

static enum qn_status owner_create(struct types_reader *r, struct types **out)
{
    const struct pof_schema_type *const *list = by_id(r);
    struct types_owner *owner = list ? malloc(sizeof *owner) : NULL;

    if (!owner) {
        return QN_MEMORY_FULL;
    }
    *owner = (struct types_owner){.types = {.schema = {.types = r->types,
                                                       .type_count = r->type_count,
                                                       .by_id = list,
                                                       .views = r->views,
                                                       .view_count = r->view_count},
                                            .caches = r->caches,
                                            .cache_count = r->cache_count},
                                  .memory = r->memory};
    *out = &owner->types;
    return QN_OK;
}

/* Lists that are not lists would make what follows stumble: their mistakes come first, alone. */
static enum qn_status finish(struct types_reader *r, size_t errors, enum qn_status status,
                             struct types **out)
{
    if (status == QN_OK) {
        types_includes_read(r);
    }
    if (status == QN_OK && r->status == QN_OK && r->report->error_count == errors) {
        content_read(r);
    }
    if (status == QN_OK) {
        status = r->status;
    }
    if (status == QN_OK && r->report->error_count > errors) {
        status = QN_INVALID;
    }
    for (size_t i = 0; i < r->document_count; i++) {
        document_fini(&r->documents[i].document);
    }
    free(r->documents);
    if (status == QN_OK) {
        status = owner_create(r, out);
    }
    if (status != QN_OK) {
        arena_fini(&r->memory);
    }
    return status;
}

static bool reader_init(struct types_reader *r, struct cfg_report *report)
{
    *r = (struct types_reader){.report = report,
                               .documents = calloc(TYPES_DOCUMENTS_MAX, sizeof *r->documents)};
    arena_init(&r->memory, MEMORY_MAX);
    return r->documents != NULL;
}

enum qn_status types_load(const char *path, struct types **out, struct cfg_report *report)
{
    size_t errors = report->error_count;
    struct types_reader reader;

    if (!reader_init(&reader, report)) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = types_document_load(&reader, path, NULL);
    return finish(&reader, errors, status, out);
}

enum qn_status types_load_text(struct bytes text, const char *name, struct types **out,
                               struct cfg_report *report)
{
    size_t errors = report->error_count;
    struct types_reader reader;

    if (!reader_init(&reader, report)) {
        return QN_MEMORY_FULL;
    }
    struct types_document *document = &reader.documents[0];
    document->path = name;
    enum qn_status status = document_read_text(&document->document, text, name, report);
    if (status == QN_OK) {
        types_document_enter(&reader, document);
    }
    return finish(&reader, errors, status, out);
}

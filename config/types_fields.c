/* The fields of types. */
#include <stdlib.h>
#include <string.h>

#include "config/types_read.h"

static const struct group_attribute field_attributes[] = {
    {"index", GROUP_NUMBER, true},  {"name", GROUP_TEXT, true},      {"type", GROUP_TEXT, true},
    {"since", GROUP_NUMBER, false}, {"optional", GROUP_FLAG, false}, {"default", GROUP_ANY, false},
    {NULL, GROUP_TEXT, false},
};

/* A field with the place it was read from. */
struct field_source {
    struct pof_schema_field field;
    const config_setting_t *group;
};

static bool index_is_new(const struct group_context *c, const struct pof_schema_type *type,
                         const struct field_source *known, size_t count,
                         const struct field_source *read)
{
    for (size_t i = 0; i < count; i++) {
        const struct pof_schema_field *other = &known[i].field;
        if (other->index == read->field.index) {
            group_error(c, read->group, "index %d is already that of field %s", other->index,
                        other->name);
            return false;
        }
        if (strcmp(other->name, read->field.name) == 0) {
            group_error(c, read->group, "there is already a field %s in type %s", other->name,
                        type->name);
            return false;
        }
    }
    return true;
}

static bool since_fits(const struct group_context *c, const config_setting_t *group,
                       const struct pof_schema_type *type, const struct pof_schema_field *field)
{
    if (field->since <= type->version) {
        return true;
    }
    group_error(c, config_setting_get_member(group, "since"),
                "field %s is there since version %d, but type %s has version %d: give the type "
                "version = %d",
                field->name, field->since, type->name, type->version, field->since);
    return false;
}

/* In JSON a number is a property without a name, and a $ begins a mark. */
static bool name_fits(const struct group_context *c, const config_setting_t *group,
                      const char *name)
{
    if (!pof_schema_name_fits(bytes_of_text(name))) {
        group_error(c, config_setting_get_member(group, "name"),
                    "field %s: a name is UTF-8, no number, and does not begin with $", name);
        return false;
    }
    return true;
}

static bool field_read(struct types_reader *r, const struct group_context *c,
                       const config_setting_t *group, const struct pof_schema_type *type,
                       struct field_source *source)
{
    const config_setting_t *shape = config_setting_get_member(group, "type");
    struct pof_schema_field *field = &source->field;

    source->group = group;
    *field = (struct pof_schema_field){
        .index = types_number(group, "index"),
        .since = types_number(group, "since"),
        .name = types_copy(r, types_text(group, "name")),
        .shape = types_shape_read(r, c, shape, config_setting_get_string(shape)),
        .optional = types_flag(group, "optional"),
    };
    if (!field->name || !field->shape || !name_fits(c, group, field->name) ||
        !since_fits(c, group, type, field)) {
        return false;
    }
    field->default_text = types_default_read(r, c, group, field);
    return true;
}

static int source_order(const void *a, const void *b)
{
    const struct field_source *left = a, *right = b;

    return (left->field.index > right->field.index) - (left->field.index < right->field.index);
}

/* A reader of an older version keeps what stands behind the last property it knows, so that new
 * fields have to stand there. */
static void order_check(const struct group_context *c, const struct field_source *sources,
                        size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct pof_schema_field *below = &sources[i - 1].field, *field = &sources[i].field;
        if (field->since < below->since) {
            group_error(c, sources[i - 1].group,
                        "field %s (since version %d) has a lower index than the older field %s: "
                        "programs of version %d would lose it; give it an index above all older "
                        "ones",
                        below->name, below->since, field->name, field->since);
        }
    }
}

static size_t sources_read(struct types_reader *r, const struct group_context *c,
                           const config_setting_t *list, const struct pof_schema_type *type,
                           struct field_source *sources)
{
    size_t count = 0;

    for (unsigned i = 0; i < types_length(list); i++) {
        const config_setting_t *group = group_element(c, list, i, "a field", field_attributes);
        struct field_source *source = &sources[count];
        if (group && field_read(r, c, group, type, source) &&
            index_is_new(c, type, sources, count, source)) {
            count++;
        }
    }
    qsort(sources, count, sizeof *sources, source_order);
    order_check(c, sources, count);
    return count;
}

static void type_fields_read(struct types_reader *r, struct pof_schema_type *type,
                             const struct types_source *from)
{
    const config_setting_t *list = config_setting_get_member(from->group, "fields");
    struct field_source *sources = calloc(types_length(list) + 1, sizeof *sources);
    struct pof_schema_field *fields =
        types_alloc(r, (size_t)types_length(list) + 1, sizeof *fields);

    if (!sources || !fields) {
        r->status = QN_MEMORY_FULL;
        free(sources);
        return;
    }
    type->field_count = sources_read(r, from->context, list, type, sources);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = sources[i].field;
    }
    free(sources);
    type->fields = fields;
    type->key = types_key(from->context, from->group, type);
}

void types_fields_read(struct types_reader *r)
{
    for (size_t i = 0; i < r->type_count && r->status == QN_OK; i++) {
        type_fields_read(r, &r->types[i], &r->sources[i]);
    }
}

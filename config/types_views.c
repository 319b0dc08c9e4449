/* Views: how the objects of some types are shown. */
#include <stdlib.h>
#include <string.h>

#include "config/types_read.h"

static const struct group_attribute view_attributes[] = {
    {"name", GROUP_TEXT, true},
    {"types", GROUP_LIST, true},
    {NULL, GROUP_TEXT, false},
};
static const struct group_attribute view_type_attributes[] = {
    {"type", GROUP_TEXT, true},     {"only", GROUP_TEXTS, false},    {"omit", GROUP_TEXTS, false},
    {"rename", GROUP_TEXTS, false}, {"flatten", GROUP_TEXTS, false}, {NULL, GROUP_TEXT, false},
};

/* A type of a view on its way. `fields` has room for one of each field of the type. */
struct view_reader {
    struct types_reader *types;
    const struct group_context *context;
    const struct pof_schema_type *type;
    struct pof_view_field *fields;
    size_t count;
};

static struct pof_view_field *listed(const struct view_reader *v, int32_t index)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->fields[i].index == index) {
            return &v->fields[i];
        }
    }
    return NULL;
}

/* "price as cost" is a field and a name; "price" is a field and NULL. */
static const struct pof_schema_field *entry_read(const struct view_reader *v,
                                                 const config_setting_t *at, const char **name)
{
    static const char between[] = " as ";
    const char *text = config_setting_get_string(at);
    const char *as = strstr(text, between);
    char *field_name = NULL;

    *name = as ? types_copy(v->types, as + strlen(between)) : NULL;
    field_name = types_alloc(v->types, strlen(text) + 1, 1);
    if (!field_name || (as && !*name)) {
        return NULL;
    }
    memcpy(field_name, text, as ? (size_t)(as - text) : strlen(text));
    return types_field_named(v->context, at, v->type, field_name);
}

static bool entry_fits(const struct view_reader *v, const config_setting_t *at,
                       const char *list_name, enum pof_view_action action,
                       const struct pof_schema_field *field, const char *name)
{
    if (strcmp(list_name, "rename") == 0 && (!name || *name == '\0')) {
        group_error(v->context, at, "say what %s is called: \"%s as NAME\"", field->name,
                    field->name);
        return false;
    }
    if (action == POF_VIEW_OMIT && name) {
        group_error(v->context, at, "%s is not shown, so it needs no other name", field->name);
        return false;
    }
    if (action == POF_VIEW_FLATTEN && field->shape->kind != POF_SHAPE_USER) {
        group_error(v->context, at,
                    "%s is no object of a known type, so it has no fields to take its place",
                    field->name);
        return false;
    }
    if (listed(v, field->index)) {
        group_error(v->context, at, "%s is listed twice for type %s: remove one", field->name,
                    v->type->name);
        return false;
    }
    return true;
}

static void list_read(struct view_reader *v, const config_setting_t *group, const char *list_name,
                      enum pof_view_action action)
{
    const config_setting_t *list = config_setting_get_member(group, list_name);

    for (unsigned i = 0; i < types_length(list); i++) {
        const config_setting_t *at = config_setting_get_elem(list, i);
        const char *name = NULL;
        const struct pof_schema_field *field = entry_read(v, at, &name);
        if (field && entry_fits(v, at, list_name, action, field, name)) {
            v->fields[v->count++] =
                (struct pof_view_field){.index = field->index, .action = action, .name = name};
        }
    }
}

static int field_order(const void *a, const void *b)
{
    const struct pof_view_field *left = a, *right = b;

    return (left->index > right->index) - (left->index < right->index);
}

static int type_order(const void *a, const void *b)
{
    const struct pof_view_type *left = a, *right = b;

    return (left->type > right->type) - (left->type < right->type);
}

static bool view_type_read(struct types_reader *r, const struct group_context *c,
                           const config_setting_t *group, const struct pof_view *view,
                           struct pof_view_type *out)
{
    const config_setting_t *at = config_setting_get_member(group, "type");
    struct view_reader v = {.types = r, .context = c};

    v.type = types_named(r, c, at, config_setting_get_string(at));
    v.fields = v.type ? types_alloc(r, v.type->field_count + 1, sizeof *v.fields) : NULL;
    if (!v.fields) {
        return false;
    }
    for (size_t i = 0; i < view->type_count; i++) {
        if (view->types[i].type == v.type->id) {
            group_error(c, at, "type %s is already in view %s", v.type->name, view->name);
            return false;
        }
    }
    bool only_listed = config_setting_get_member(group, "only") != NULL;
    list_read(&v, group, "only", POF_VIEW_SHOW);
    list_read(&v, group, "rename", POF_VIEW_SHOW);
    list_read(&v, group, "omit", POF_VIEW_OMIT);
    list_read(&v, group, "flatten", POF_VIEW_FLATTEN);
    qsort(v.fields, v.count, sizeof *v.fields, field_order);
    *out = (struct pof_view_type){
        .type = v.type->id, .only_listed = only_listed, .fields = v.fields, .field_count = v.count};
    return true;
}

static void view_check(struct types_reader *r, const struct group_context *c,
                       const config_setting_t *group, const struct pof_view *view)
{
    struct pof_view_problem problem;

    for (size_t i = 0; i < r->type_count && r->status == QN_OK; i++) {
        const struct pof_schema_type *type = &r->types[i];
        if (!pof_view_type(view, type->id)) {
            continue;
        }
        enum qn_status status = pof_view_check_type(view, type, &problem);
        if (status == QN_INVALID) {
            group_error(c, group, "%s", problem.text);
        } else if (status != QN_OK) {
            r->status = status;
        }
    }
}

static bool view_is_new(const struct types_reader *r, const struct group_context *c,
                        const config_setting_t *group, const char *name)
{
    for (size_t i = 0; i < r->view_count; i++) {
        if (strcmp(r->views[i].name, name) == 0) {
            group_error(c, group, "there is already a view %s", name);
            return false;
        }
    }
    return true;
}

void types_view_read(struct types_reader *r, const struct group_context *c,
                     const config_setting_t *group)
{
    if (!group_check(c, group, "a view", view_attributes)) {
        return;
    }
    const config_setting_t *list = config_setting_get_member(group, "types");
    struct pof_view_type *types = types_alloc(r, (size_t)types_length(list) + 1, sizeof *types);
    struct pof_view view = {.name = types_copy(r, types_text(group, "name")), .types = types};

    if (!types || !view.name || !view_is_new(r, c, group, view.name)) {
        return;
    }
    for (unsigned i = 0; i < types_length(list); i++) {
        const config_setting_t *element =
            group_element(c, list, i, "a type of a view", view_type_attributes);
        if (element && view_type_read(r, c, element, &view, &types[view.type_count])) {
            view.type_count++;
        }
    }
    qsort(types, view.type_count, sizeof *types, type_order);
    view_check(r, c, group, &view);
    r->views[r->view_count++] = view;
}

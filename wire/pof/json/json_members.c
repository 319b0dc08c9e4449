/* The members of an object: names by the schema, and what a view makes of them. */
#include <stdio.h>

#include "wire/pof/json/json_parts.h"

enum { NAME_SIZE_MAX = 16 };

static const struct pof_view_type *view_of(const struct pof_view *view, int32_t type)
{
    for (size_t i = 0; view && i < view->type_count; i++) {
        if (view->types[i].type == type) {
            return &view->types[i];
        }
    }
    return NULL;
}

/* What a view does with a property: show it under its own name, when it says nothing. */
static struct pof_view_field rule_of(const struct pof_view_type *view, int32_t index)
{
    struct pof_view_field rule = {.index = index, .action = POF_VIEW_SHOW};

    for (size_t i = 0; view && i < view->field_count; i++) {
        if (view->fields[i].index == index) {
            return view->fields[i];
        }
    }
    if (view && view->only_listed) {
        rule.action = POF_VIEW_OMIT;
    }
    return rule;
}

/* The members of an object in place of the property that holds it. */
static void flatten(struct pjson_writer *w, struct pjson_list *list, const struct pof_value *value,
                    struct bytes prefix, const char *more)
{
    struct buf both = {0};

    enum qn_status status = buf_append(&both, prefix.data, prefix.size);
    if (status == QN_OK && more) {
        status = buf_append(&both, more, strlen(more));
    }
    if (status == QN_OK) {
        pjson_members(w, list, value->type, pof_schema_find_id(w->options->schema, value->type),
                      buf_bytes(&both));
    } else if (w->out.status == QN_OK) {
        w->out.status = status;
    }
    buf_fini(&both);
}

static void member(struct pjson_writer *w, struct pjson_list *list, const struct pof_value *value,
                   const struct pof_schema_field *field, const struct pof_view_field *rule,
                   struct bytes prefix)
{
    char number[NAME_SIZE_MAX];
    const char *name = rule->name;

    if (rule->action == POF_VIEW_OMIT) {
        return;
    }
    if (rule->action == POF_VIEW_FLATTEN && value->kind == POF_KIND_USER) {
        flatten(w, list, value, prefix, rule->name);
        return;
    }
    if (!name || rule->action == POF_VIEW_FLATTEN) {
        snprintf(number, sizeof number, "%d", (int)value->index);
        name = field ? field->name : number;
    }
    pjson_member(list, prefix, bytes_of_text(name));
    pjson_value(w, value, field ? field->shape : &pjson_any);
}

void pjson_members(struct pjson_writer *w, struct pjson_list *list, int32_t id,
                   const struct pof_schema_type *type, struct bytes prefix)
{
    const struct pof_view_type *view = view_of(w->options->view, id);
    struct pof_value value;
    enum qn_status status = pof_reader_enter(&w->r);

    while (status == QN_OK && w->out.status == QN_OK &&
           (status = pof_reader_next(&w->r, &value)) == QN_OK) {
        const struct pof_view_field rule = rule_of(view, value.index);
        member(w, list, &value, type ? pof_schema_field_at(type, value.index) : NULL, &rule,
               prefix);
    }
    if (status == QN_ABSENT) {
        status = pof_reader_leave(&w->r);
    }
    if (w->out.status == QN_OK) {
        w->out.status = status;
    }
}

/* -- checking a view -- */

/* The name under which a field is shown, NULL when it is not, or its parts are. */
static const char *shown_name(const struct pof_view_type *view,
                              const struct pof_schema_field *field)
{
    const struct pof_view_field rule = rule_of(view, field->index);

    if (rule.action != POF_VIEW_SHOW) {
        return NULL;
    }
    return rule.name ? rule.name : field->name;
}

static const char *check_names(const struct pof_view_type *view, const struct pof_schema_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const char *name = shown_name(view, &type->fields[i]);
        for (size_t k = 0; name && k < i; k++) {
            const char *other = shown_name(view, &type->fields[k]);
            if (other && strcmp(name, other) == 0) {
                return "two fields of a type get the same name";
            }
        }
    }
    return NULL;
}

/* Does a name of the flattened type, behind `prefix`, stand in the type already? */
static bool collides(const struct pof_view_type *view, const struct pof_schema_type *type,
                     const char *prefix, const struct pof_view_type *inner_view,
                     const struct pof_schema_type *inner)
{
    size_t prefix_size = prefix ? strlen(prefix) : 0;

    for (size_t i = 0; i < type->field_count; i++) {
        const char *name = shown_name(view, &type->fields[i]);
        if (!name || strncmp(name, prefix ? prefix : "", prefix_size) != 0) {
            continue;
        }
        for (size_t k = 0; k < inner->field_count; k++) {
            const char *other = shown_name(inner_view, &inner->fields[k]);
            if (other && strcmp(name + prefix_size, other) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const char *check_rule(const struct pof_view *view, const struct pof_view_type *rules,
                              const struct pof_schema_type *type, const struct pof_view_field *rule)
{
    const struct pof_schema_field *field = pof_schema_field_at(type, rule->index);

    if (!field) {
        return "a rule for a field that its type does not have";
    }
    if (rule->action != POF_VIEW_FLATTEN) {
        return NULL;
    }
    if (field->shape->kind != POF_SHAPE_USER) {
        return "only a field that holds an object of a named type can be flattened";
    }
    const struct pof_schema_type *inner = field->shape->user;
    if (inner == type) {
        return "an object cannot be flattened into an object of its own type";
    }
    return collides(rules, type, rule->name, view_of(view, inner->id), inner)
               ? "a flattened field gets the name of another one: give it a prefix"
               : NULL;
}

const char *pof_view_check(const struct pof_view *view, const struct pof_schema *schema)
{
    for (size_t i = 0; i < view->type_count; i++) {
        const struct pof_view_type *rules = &view->types[i];
        const struct pof_schema_type *type = pof_schema_find_id(schema, rules->type);
        if (!type) {
            return "a rule for a type that does not exist";
        }
        const char *wrong = check_names(rules, type);
        for (size_t k = 0; !wrong && k < rules->field_count; k++) {
            wrong = check_rule(view, rules, type, &rules->fields[k]);
        }
        if (wrong) {
            return wrong;
        }
    }
    return NULL;
}

/* The members of an object: names by the schema, and what a view makes of them. */
#include <stdio.h>

#include "wire/pof/json/json_parts.h"

enum { NAME_SIZE_MAX = 16 };

/* Does the object just given show properties that its type does not have? Their numbers would not
 * tell whose they are, once its members stand among those of another object. */
static bool shows_unknown(struct pjson_writer *w, const struct pof_schema_type *type)
{
    const struct pof_view_type *rules = pof_view_type(w->options->view, type->id);
    struct pof_value value;

    pjson_look_ahead(w);
    enum qn_status status = pof_reader_enter(&w->ahead);
    while (status == QN_OK && (status = pof_reader_next(&w->ahead, &value)) == QN_OK) {
        if (!pof_schema_field_at(type, value.index) &&
            pof_view_rule(rules, value.index).action != POF_VIEW_OMIT) {
            return true;
        }
    }
    return status != QN_ABSENT; /* what cannot be looked at may */
}

/* The type whose fields stand in the place of a property; NULL: it stands there itself. What a
 * member of its own would have to say of the object must not get lost. */
static const struct pof_schema_type *flattened(struct pjson_writer *w,
                                               const struct pof_value *value,
                                               const struct pof_schema_field *field,
                                               const struct pof_view_field *rule)
{
    const struct pof_schema_type *inner = field ? pof_view_flattened(rule, field) : NULL;

    if (!inner || value->kind != POF_KIND_USER || value->type != inner->id) {
        return NULL;
    }
    bool plain = value->identity < 0 && value->as.items.version == inner->version &&
                 !shows_unknown(w, inner);
    return plain || w->options->lossy ? inner : NULL;
}

/* The members of an object in place of the property that holds it. False: there are none. */
static bool flatten(struct pjson_writer *w, struct pjson_list *list,
                    const struct pof_schema_type *type, struct bytes prefix, const char *more)
{
    const size_t before = list->count;
    struct buf both = {0};

    enum qn_status status = buf_append(&both, prefix.data, prefix.size);
    if (status == QN_OK && more) {
        status = buf_append(&both, more, strlen(more));
    }
    if (status == QN_OK) {
        pjson_members(w, list, type->id, type, buf_bytes(&both));
    } else if (w->out.status == QN_OK) {
        w->out.status = status;
    }
    buf_fini(&both);
    return list->count > before;
}

static void member(struct pjson_writer *w, struct pjson_list *list, const struct pof_value *value,
                   const struct pof_schema_field *field, const struct pof_view_field *rule,
                   struct bytes prefix)
{
    const struct pof_schema_type *inner = flattened(w, value, field, rule);
    char number[NAME_SIZE_MAX];
    const char *name = rule->action == POF_VIEW_SHOW ? rule->name : NULL;

    if (inner && flatten(w, list, inner, prefix, rule->name)) {
        return;
    }
    if (!name) {
        snprintf(number, sizeof number, "%d", (int)value->index);
        name = field ? field->name : number;
    }
    pjson_member(list, prefix, bytes_of_text(name));
    if (inner) { /* an object is there, with nothing to show */
        pjson_put_text(&w->out, "{}");
    } else {
        pjson_value(w, value, field ? field->shape : &pjson_any);
    }
}

void pjson_members(struct pjson_writer *w, struct pjson_list *list, int32_t id,
                   const struct pof_schema_type *type, struct bytes prefix)
{
    const struct pof_view_type *rules = pof_view_type(w->options->view, id);
    struct pof_value value;
    enum qn_status status = pof_reader_enter(&w->r);

    while (status == QN_OK && w->out.status == QN_OK &&
           (status = pof_reader_next(&w->r, &value)) == QN_OK) {
        const struct pof_view_field rule = pof_view_rule(rules, value.index);
        const struct pof_schema_field *field = type ? pof_schema_field_at(type, value.index) : NULL;
        if (rule.action != POF_VIEW_OMIT) {
            member(w, list, &value, field, &rule, prefix);
        }
    }
    if (status == QN_ABSENT) {
        status = pof_reader_leave(&w->r);
    }
    if (w->out.status == QN_OK) {
        w->out.status = status;
    }
}

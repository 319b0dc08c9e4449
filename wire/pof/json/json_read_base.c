/* The value that a text is a change of: what a view hides of it is kept. */
#include <stdio.h>

#include "wire/pof/json/json_read_parts.h"
#include "wire/pof/packed.h"
#include "wire/pof/reader.h"

/* Step over a value, and note the identities in it. What is hidden in it is copied, not looked at.
 */
static enum qn_status step_over(struct bytes pof, struct buf *identities)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, pof);
    pof_reader_track_identities(&r, identities);
    enum qn_status status = pof_reader_next(&r, &value);
    if (status == QN_OK && pof_kind_is_container(value.kind)) {
        status = pof_reader_enter(&r);
        status = status == QN_OK ? pof_reader_leave(&r) : status;
    }
    return status;
}

bool pjson_base_look(struct pjson_reader *j)
{
    const struct bytes base = j->options->base;
    struct buf identities = {0};

    if (!base.data || !j->options->view) {
        return true;
    }
    enum qn_status status = step_over(base, &identities);
    j->base_shares = identities.size > 0;
    buf_fini(&identities);
    if (status != QN_OK) {
        pjson_wrong(j, status, 0, "the object that is to be changed cannot be read");
    }
    return status == QN_OK;
}

bool pjson_base_has_elements(struct bytes value)
{
    struct pof_reader r;
    struct pof_value head;

    if (!value.data) {
        return false;
    }
    pof_reader_init(&r, value);
    return pof_reader_next(&r, &head) == QN_OK && pof_kind_is_container(head.kind) &&
           head.kind != POF_KIND_USER && head.as.items.count > 0;
}

bool pjson_base_next(struct bytes *properties, int32_t *index, struct bytes *value)
{
    struct bytes rest = *properties;

    if (rest.size == 0 || packed_take_index(&rest, index) != QN_OK || *index < 0) {
        return false;
    }
    struct bytes begin = rest;
    if (pof_skip(&rest) != QN_OK) {
        return false;
    }
    *value = bytes_of(begin.data, begin.size - rest.size);
    *properties = rest;
    return true;
}

/* The properties of the object in `value`, when it is one of the type `id`. */
static bool enter(struct bytes value, int32_t id, struct pjson_object *object)
{
    struct pof_reader r;
    struct pof_value head;

    pof_reader_init(&r, value);
    if (!value.data || pof_reader_next(&r, &head) != QN_OK || head.kind != POF_KIND_USER ||
        head.type != id || pof_reader_enter(&r) != QN_OK ||
        pof_read_remainder(&r, &object->base) != QN_OK) {
        return false;
    }
    if (object->version < head.as.items.version) {
        object->version = head.as.items.version;
    }
    return true;
}

/* The first field of the type that the rules hide. */
static const struct pof_schema_field *first_hidden(const struct pjson_object *object)
{
    for (size_t i = 0; object->type && i < object->type->field_count; i++) {
        const struct pof_schema_field *field = &object->type->fields[i];
        if (pof_view_rule(object->rules, field->index).action == POF_VIEW_OMIT) {
            return field;
        }
    }
    return NULL;
}

static void would_lose(struct pjson_reader *j, const struct pjson_object *object, size_t at,
                       const char *field, const char *why)
{
    const char *view = j->options->view->name;
    char text[240];

    snprintf(text, sizeof text, "view %.40s does not show %.40s of %.40s, which would be lost: %s",
             view ? view : "without a name", field,
             object->type ? object->type->name : "the object", why);
    pjson_wrong(j, QN_UNSUPPORTED, at, text);
}

/* Is nothing lost that the view hides? */
static bool keeps_hidden(struct pjson_reader *j, const struct pjson_object *object, size_t at)
{
    const struct pof_schema_field *unlisted =
        object->type ? pof_view_hidden(object->rules, object->type) : NULL;
    const struct pof_schema_field *hidden = first_hidden(object);
    const bool only = object->rules && object->rules->only_listed;
    const char *name = hidden ? hidden->name : "what is not listed";

    if (!hidden && !only) {
        return true;
    }
    if (!object->changes && only && (unlisted || !object->type)) {
        would_lose(j, object, at, unlisted ? unlisted->name : name, "write it without the view");
    } else if (!object->changes && j->unmatched > 0) {
        would_lose(j, object, at, name, "objects in a list have no names to find them by");
    } else if (j->base_shares) {
        would_lose(j, object, at, name, "the object that is changed shares objects");
    }
    return j->status == QN_OK;
}

bool pjson_object_init(struct pjson_reader *j, struct pjson_object *object, size_t at, int32_t id,
                       const struct pof_schema_type *type, struct bytes base)
{
    *object = (struct pjson_object){.type = type,
                                    .rules = pof_view_type(j->options->view, id),
                                    .version = type ? type->version : 0,
                                    .begin = j->members.size};
    object->changes = enter(base, id, object);
    return keeps_hidden(j, object, at);
}

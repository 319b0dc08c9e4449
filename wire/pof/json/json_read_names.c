/* Names in a text: which field or type they mean, and what they might mean when they mean none. */
#include <stdio.h>

#include "wire/pof/json/json_read_parts.h"
#include "wire/suggest.h"

enum { WORD_MAX = 64, TEXT_MAX = 200 };

bool pjson_is_named(struct bytes name, const char *text)
{
    return bytes_equal(name, bytes_of_text(text));
}

bool pjson_is_index(struct bytes name, int32_t *index)
{
    int64_t value = 0;

    if (name.size == 0 || name.size > 10) {
        return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] < '0' || name.data[i] > '9') {
            return false;
        }
        value = value * 10 + (name.data[i] - '0');
    }
    *index = (int32_t)value;
    return value <= INT32_MAX;
}

bool pjson_index_at(struct pjson_reader *j, struct pjson_place place, int32_t *number)
{
    if (pjson_is_string(j, place.at) || !pjson_is_index(pjson_token(j, place.at), number)) {
        pjson_wrong_value(j, place.at, "is not a number from 0 to 2147483647");
        return false;
    }
    return true;
}

/* -- which field a name means -- */

static bool resolve(const struct pof_view *view, const struct pof_schema_type *type,
                    struct bytes name, unsigned depth, struct pjson_field *field);

/* Is it the name of a field, as the view shows it? */
static bool is_shown_as(const struct pof_view_field *rule, const struct pof_schema_field *field,
                        struct bytes name)
{
    bool renamed = rule->action == POF_VIEW_SHOW && rule->name;

    return rule->action != POF_VIEW_OMIT &&
           pjson_is_named(name, renamed ? rule->name : field->name);
}

/* Is it the name of a field of the object that is flattened? */
static bool is_part(const struct pof_view *view, const struct pof_view_field *rule,
                    const struct pof_schema_field *field, struct bytes name, unsigned depth)
{
    const struct pof_schema_type *inner = pof_view_flattened(rule, field);
    const size_t skip = rule->name ? strlen(rule->name) : 0;
    struct pjson_field ignored = {0};

    if (!inner || depth == POF_FLATTEN_DEPTH_MAX || name.size < skip ||
        (skip > 0 && memcmp(name.data, rule->name, skip) != 0)) {
        return false;
    }
    return resolve(view, inner, bytes_of(name.data + skip, name.size - skip), depth + 1, &ignored);
}

static bool resolve(const struct pof_view *view, const struct pof_schema_type *type,
                    struct bytes name, unsigned depth, struct pjson_field *field)
{
    const struct pof_view_type *rules = pof_view_type(view, type->id);

    if (!rules) { /* mostly */
        const struct pof_schema_field *known = pof_schema_field(type, name);
        field->index = known ? known->index : 0;
        field->shape = known ? known->shape : NULL;
        return known != NULL;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        const struct pof_schema_field *known = &type->fields[i];
        const struct pof_view_field rule = pof_view_rule(rules, known->index);
        bool part = false;
        if (!is_shown_as(&rule, known, name) &&
            !(part = is_part(view, &rule, known, name, depth))) {
            continue;
        }
        field->index = known->index;
        field->shape = known->shape;
        field->flattened = part;
        field->skip = part && rule.name ? strlen(rule.name) : 0;
        return true;
    }
    return false;
}

/* The same where nothing is known of the type, but that the view gives the property this name. */
static bool resolve_unknown(const struct pof_view_type *rules, struct bytes name,
                            struct pjson_field *field)
{
    for (size_t i = 0; rules && i < rules->field_count; i++) {
        const struct pof_view_field *rule = &rules->fields[i];
        if (rule->action == POF_VIEW_SHOW && rule->name && pjson_is_named(name, rule->name)) {
            field->index = rule->index;
            field->shape = &pjson_any;
            return true;
        }
    }
    return false;
}

/* -- what a name might mean -- */

/* The search for the nearest name, and a list of all in case that none is near. */
struct search {
    struct suggest suggest;
    char word[WORD_MAX + 2];
    char nearest[WORD_MAX + 2];
    char list[TEXT_MAX];
    size_t size; /* of `list` */
};

/* As C string; what is longer than WORD_MAX is near to nothing. */
static void copy_word(char word[WORD_MAX + 2], struct bytes name)
{
    size_t size = name.size <= WORD_MAX ? name.size : WORD_MAX + 1;

    if (size > 0) {
        memcpy(word, name.data, size);
    }
    word[size] = 0;
}

static void search_init(struct search *search, struct bytes name)
{
    copy_word(search->word, name);
    search->suggest = (struct suggest){.word = search->word};
    search->list[0] = 0;
    search->size = 0;
}

static enum qn_status offer(void *context, const char *name)
{
    struct search *search = context;
    const size_t room = sizeof search->list - search->size;

    suggest_offer(&search->suggest, name);
    if (search->suggest.nearest == name) { /* which is gone soon */
        copy_word(search->nearest, bytes_of_text(name));
        search->suggest.nearest = search->nearest;
    }
    int size = snprintf(search->list + search->size, room, " %s", name);
    search->size += size > 0 && (size_t)size < room ? (size_t)size : 0;
    search->list[search->size] = 0;
    return QN_OK;
}

/* `what` with the nearest name behind it, or all of them behind `all`. */
static void tell_search(struct pjson_reader *j, size_t at, const struct search *search,
                        const char *what, const char *all)
{
    char text[TEXT_MAX + WORD_MAX];

    if (search->suggest.nearest) {
        snprintf(text, sizeof text, "%s: did you mean \"%s\"?", what, search->suggest.nearest);
    } else {
        snprintf(text, sizeof text, "%s%s%s", what, all, *all ? search->list : "");
    }
    pjson_wrong_value(j, at, text);
}

static const char *view_name(const struct pjson_reader *j)
{
    return j->options->view->name ? j->options->view->name : "without a name";
}

/* The name of a field in the type, which the view hides or shows under another one. */
static bool tell_view(struct pjson_reader *j, const struct pjson_object *object, struct bytes name,
                      size_t at)
{
    const struct pof_schema_field *field = pof_schema_field(object->type, name);
    char text[TEXT_MAX];
    int32_t index;

    if (!field && pjson_is_index(name, &index)) {
        field = pof_schema_field_at(object->type, index);
    }
    if (!field || !object->rules) {
        return false;
    }
    const struct pof_view_field rule = pof_view_rule(object->rules, field->index);
    if (rule.action == POF_VIEW_SHOW && rule.name) {
        snprintf(text, sizeof text, "is called \"%.60s\" in view %.60s", rule.name, view_name(j));
    } else {
        snprintf(text, sizeof text, "is not shown by view %.60s, so it cannot be set through it",
                 view_name(j));
    }
    pjson_wrong_value(j, at, text);
    return true;
}

static void unknown_field(struct pjson_reader *j, const struct pjson_object *object,
                          struct bytes name, size_t at)
{
    struct search search;
    char what[TEXT_MAX];

    if (!object->type) {
        pjson_wrong_value(j, at,
                          "is not a number, and nothing is known of the fields of this type");
        return;
    }
    if (tell_view(j, object, name, at)) {
        return;
    }
    search_init(&search, name);
    enum qn_status status = pof_view_names(j->options->view, object->type, offer, &search);
    (void)status; /* a shorter list does no harm */
    snprintf(what, sizeof what, "is no field of %.40s", object->type->name);
    tell_search(j, at, &search, what, ", which has:");
}

bool pjson_find_field(struct pjson_reader *j, const struct pjson_object *object, struct bytes name,
                      size_t at, struct pjson_field *field)
{
    const struct pof_schema_type *type = object->type;

    field->flattened = false;
    field->skip = 0;
    if (type ? resolve(j->options->view, type, name, 0, field)
             : resolve_unknown(object->rules, name, field)) {
        return true;
    }
    if (pjson_is_index(name, &field->index) &&
        pof_view_rule(object->rules, field->index).action != POF_VIEW_OMIT) {
        const struct pof_schema_field *known =
            type ? pof_schema_field_at(type, field->index) : NULL;
        field->shape = known ? known->shape : &pjson_any;
        return true;
    }
    unknown_field(j, object, name, at);
    return false;
}

/* -- types and marks -- */

void pjson_unknown_type(struct pjson_reader *j, size_t at, struct bytes name, bool kinds)
{
    const struct pof_schema *schema = j->options->schema;
    struct search search;
    char text[TEXT_MAX];

    search_init(&search, name);
    for (size_t i = 0; schema && i < schema->type_count; i++) {
        const struct pof_schema_type *type = &schema->types[i];
        if (type->class_name && pjson_is_named(name, type->class_name)) {
            snprintf(text, sizeof text, "is the class of a type: write its name, \"%.60s\"",
                     type->name);
            pjson_wrong_value(j, at, text);
            return;
        }
        (void)offer(&search, type->name);
    }
    for (int kind = POF_SHAPE_BOOL; kinds && kind < POF_SHAPE_ARRAY; kind++) {
        (void)offer(&search, pof_shape_word((enum pof_shape_kind)kind));
    }
    tell_search(j, at, &search, "is no type that the schema knows", "");
}

void pjson_unknown_mark(struct pjson_reader *j, size_t at, struct bytes name)
{
    static const char *const marks[] = {"$type", "$version", "$id", "$ref"};
    struct search search;
    char mark[WORD_MAX];

    search_init(&search, name);
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        (void)offer(&search, marks[i]);
    }
    for (int kind = POF_SHAPE_BOOL; kind < POF_SHAPE_USER; kind++) {
        snprintf(mark, sizeof mark, "$%s", pof_shape_word((enum pof_shape_kind)kind));
        (void)offer(&search, mark);
    }
    tell_search(j, at, &search, "is no mark of an object ($type, $version, $id)", "");
}

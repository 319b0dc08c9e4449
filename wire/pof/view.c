/* Views: what they do with a field, and whether they make sense. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/pof/schema.h"

enum { NAMES_SIZE_MAX = 16 * 1024 * 1024 }; /* octets of all names of a type */

const struct pof_view_type *pof_view_type(const struct pof_view *view, int32_t type)
{
    size_t low = 0, high = view ? view->type_count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (view->types[middle].type < type) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = view && low < view->type_count && view->types[low].type == type;
    return found ? &view->types[low] : NULL;
}

struct pof_view_field pof_view_rule(const struct pof_view_type *rules, int32_t index)
{
    size_t low = 0, high = rules ? rules->field_count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rules->fields[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (rules && low < rules->field_count && rules->fields[low].index == index) {
        return rules->fields[low];
    }
    bool omitted = rules && rules->only_listed;
    return (struct pof_view_field){.index = index,
                                   .action = omitted ? POF_VIEW_OMIT : POF_VIEW_SHOW};
}

const struct pof_schema_type *pof_view_flattened(const struct pof_view_field *rule,
                                                 const struct pof_schema_field *field)
{
    bool flattened = rule->action == POF_VIEW_FLATTEN && field->shape->kind == POF_SHAPE_USER;

    return flattened ? field->shape->user : NULL;
}

/* -- names -- */

/* A walk through all names of a type. `prefix` is what stands before them where we are. */
struct walk {
    const struct pof_view *view;
    pof_name_fn *take;
    void *context;
    struct buf prefix;
    size_t count;
    unsigned depth;
};

static enum qn_status give(struct walk *walk, const char *name)
{
    size_t before = walk->prefix.size;

    if (++walk->count > POF_VIEW_NAMES_MAX) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = buf_append(&walk->prefix, name, strlen(name) + 1);
    if (status == QN_OK) {
        status = walk->take(walk->context, (const char *)walk->prefix.data);
    }
    walk->prefix.size = before;
    return status;
}

static enum qn_status walk_type(struct walk *walk, const struct pof_schema_type *type);

static enum qn_status walk_flattened(struct walk *walk, const struct pof_schema_type *inner,
                                     const char *prefix)
{
    size_t before = walk->prefix.size;
    enum qn_status status = walk->depth == POF_FLATTEN_DEPTH_MAX ? QN_TOO_LARGE : QN_OK;

    if (status == QN_OK && prefix) {
        status = buf_append(&walk->prefix, prefix, strlen(prefix));
    }
    if (status == QN_OK) {
        walk->depth++;
        status = walk_type(walk, inner);
        walk->depth--;
    }
    walk->prefix.size = before;
    return status;
}

static enum qn_status walk_type(struct walk *walk, const struct pof_schema_type *type)
{
    const struct pof_view_type *rules = pof_view_type(walk->view, type->id);
    enum qn_status status = QN_OK;

    for (size_t i = 0; i < type->field_count && status == QN_OK; i++) {
        const struct pof_schema_field *field = &type->fields[i];
        const struct pof_view_field rule = pof_view_rule(rules, field->index);
        const struct pof_schema_type *inner = pof_view_flattened(&rule, field);
        bool renamed = rule.action == POF_VIEW_SHOW && rule.name;
        if (rule.action == POF_VIEW_OMIT) {
            continue;
        }
        status = give(walk, renamed ? rule.name : field->name);
        if (status == QN_OK && inner) {
            status = walk_flattened(walk, inner, rule.name);
        }
    }
    return status;
}

enum qn_status pof_view_names(const struct pof_view *view, const struct pof_schema_type *type,
                              pof_name_fn *take, void *context)
{
    struct walk walk = {.view = view, .take = take, .context = context};
    enum qn_status status = walk_type(&walk, type);

    buf_fini(&walk.prefix);
    return status;
}

/* -- checking a view -- */

/* The view, the type that is looked at with its rules, and who wants to know. */
struct check {
    const struct pof_view *view;
    const struct pof_schema_type *type;
    const struct pof_view_type *rules; /* NULL: there are none */
    struct pof_view_problem *problem;
};

__attribute__((format(printf, 2, 3))) static enum qn_status wrong(struct pof_view_problem *problem,
                                                                  const char *format, ...)
{
    va_list list;

    if (problem) {
        va_start(list, format);
        (void)vsnprintf(problem->text, sizeof problem->text, format, list);
        va_end(list);
    }
    return QN_INVALID;
}

static const char *name_of(const struct pof_view *view)
{
    return view->name ? view->name : "without a name";
}

/* All names of a type, one behind the other. */
struct names {
    struct buf text;
    struct buf starts; /* of each, in `text`: size_t */
};

static enum qn_status names_add(void *context, const char *name)
{
    struct names *names = context;
    size_t start = names->text.size;

    if (start > NAMES_SIZE_MAX) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = buf_append(&names->text, name, strlen(name) + 1);
    return status == QN_OK ? buf_append(&names->starts, &start, sizeof start) : status;
}

static int name_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `list`: room for all of them. */
static enum qn_status check_list(const struct check *check, const struct names *names,
                                 const char **list)
{
    const size_t count = names->starts.size / sizeof(size_t);

    for (size_t i = 0; i < count; i++) {
        size_t start;
        memcpy(&start, names->starts.data + i * sizeof start, sizeof start);
        list[i] = (const char *)names->text.data + start;
        if (!pof_schema_name_fits(bytes_of_text(list[i]))) {
            return wrong(check->problem,
                         "view %.60s shows a field of type %.60s as \"%.60s\": give it a name in "
                         "UTF-8 that is no number and does not begin with $",
                         name_of(check->view), check->type->name, list[i]);
        }
    }
    qsort(list, count, sizeof *list, name_order);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(list[i - 1], list[i]) == 0) {
            return wrong(check->problem,
                         "two fields of type %.60s are shown as %.60s: rename or omit one in view "
                         "%.60s",
                         check->type->name, list[i], name_of(check->view));
        }
    }
    return QN_OK;
}

static enum qn_status check_names(const struct check *check)
{
    struct names names = {.text = {0}};
    enum qn_status status = pof_view_names(check->view, check->type, names_add, &names);

    if (status == QN_OK && names.starts.size > 0) {
        const char **list = malloc(names.starts.size / sizeof(size_t) * sizeof *list);
        status = list ? check_list(check, &names, list) : QN_MEMORY_FULL;
        free(list);
    } else if (status == QN_TOO_LARGE) {
        status = wrong(check->problem,
                       "type %.60s: view %.60s flattens objects in objects more than %d deep, or "
                       "into themselves, or shows more than %d fields",
                       check->type->name, name_of(check->view), POF_FLATTEN_DEPTH_MAX,
                       POF_VIEW_NAMES_MAX);
    }
    buf_fini(&names.text);
    buf_fini(&names.starts);
    return status;
}

static enum qn_status check_rule(const struct check *check, size_t number)
{
    const struct pof_view_field *rule = &check->rules->fields[number];
    const struct pof_schema_field *field = pof_schema_field_at(check->type, rule->index);

    if (number > 0 && rule[-1].index >= rule->index) {
        return wrong(check->problem,
                     "view %.60s: the rules of type %.60s are not by ascending index",
                     name_of(check->view), check->type->name);
    }
    if (!field) {
        return wrong(check->problem,
                     "view %.60s has a rule for property %d, but type %.60s has none",
                     name_of(check->view), (int)rule->index, check->type->name);
    }
    if (rule->action == POF_VIEW_FLATTEN && !pof_view_flattened(rule, field)) {
        return wrong(check->problem,
                     "view %.60s flattens %.60s of type %.60s, which is no object of a known type",
                     name_of(check->view), field->name, check->type->name);
    }
    return QN_OK;
}

enum qn_status pof_view_check_type(const struct pof_view *view, const struct pof_schema_type *type,
                                   struct pof_view_problem *problem)
{
    const struct check check = {
        .view = view, .type = type, .rules = pof_view_type(view, type->id), .problem = problem};
    enum qn_status status = QN_OK;

    for (size_t i = 0; check.rules && i < check.rules->field_count && status == QN_OK; i++) {
        status = check_rule(&check, i);
    }
    return status == QN_OK ? check_names(&check) : status;
}

enum qn_status pof_view_check(const struct pof_view *view, const struct pof_schema *schema,
                              struct pof_view_problem *problem)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; i < view->type_count && status == QN_OK; i++) {
        int32_t id = view->types[i].type;
        const struct pof_schema_type *type = pof_schema_find_id(schema, id);
        if (i > 0 && view->types[i - 1].type >= id) {
            return wrong(problem, "view %.60s: types are not by ascending id", name_of(view));
        }
        if (!type) {
            return wrong(problem, "view %.60s has rules for type %d, which does not exist",
                         name_of(view), (int)id);
        }
        status = pof_view_check_type(view, type, problem);
    }
    return status;
}

const struct pof_schema_field *pof_view_hidden(const struct pof_view_type *rules,
                                               const struct pof_schema_type *type)
{
    for (size_t i = 0, k = 0; rules && rules->only_listed && i < type->field_count; i++) {
        while (k < rules->field_count && rules->fields[k].index < type->fields[i].index) {
            k++;
        }
        if (k == rules->field_count || rules->fields[k].index != type->fields[i].index) {
            return &type->fields[i];
        }
    }
    return NULL;
}

enum qn_status pof_view_check_reading(const struct pof_view *view, const struct pof_schema *schema,
                                      struct pof_view_problem *problem)
{
    enum qn_status status = pof_view_check(view, schema, problem);

    for (size_t i = 0; i < view->type_count && status == QN_OK; i++) {
        const struct pof_schema_type *type = pof_schema_find_id(schema, view->types[i].type);
        const struct pof_schema_field *hidden = pof_view_hidden(&view->types[i], type);
        if (hidden) {
            (void)wrong(problem,
                        "view %.60s shows only some fields of type %.60s: %.60s would be lost, so "
                        "it reads changes of an object, but no new one",
                        name_of(view), type->name, hidden->name);
            status = QN_UNSUPPORTED;
        }
    }
    return status;
}

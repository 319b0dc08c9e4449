#include "client/cli/generate_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* X(shape, C type, word of the table) */
#define MODEL_ONE_MAP(X)                                                                           \
    X(POF_SHAPE_BOOL, "bool", "BOOL")                                                              \
    X(POF_SHAPE_OCTET, "uint8_t", "OCTET")                                                         \
    X(POF_SHAPE_CHAR, "uint16_t", "CHAR")                                                          \
    X(POF_SHAPE_INT16, "int16_t", "INT16")                                                         \
    X(POF_SHAPE_INT32, "int32_t", "INT32")                                                         \
    X(POF_SHAPE_INT64, "int64_t", "INT64")                                                         \
    X(POF_SHAPE_INT128, "struct pof_int128", "INT128")                                             \
    X(POF_SHAPE_FLOAT32, "float", "FLOAT32")                                                       \
    X(POF_SHAPE_FLOAT64, "double", "FLOAT64")                                                      \
    X(POF_SHAPE_FLOAT128, "struct pof_float128", "FLOAT128")                                       \
    X(POF_SHAPE_DECIMAL, "struct pof_decimal", "DECIMAL")                                          \
    X(POF_SHAPE_STRING, "struct bytes", "STRING")                                                  \
    X(POF_SHAPE_OCTETS, "struct bytes", "OCTETS")                                                  \
    X(POF_SHAPE_DATE, "struct pof_date", "DATE")                                                   \
    X(POF_SHAPE_TIME, "struct pof_time", "TIME")                                                   \
    X(POF_SHAPE_DATETIME, "struct pof_datetime", "DATETIME")                                       \
    X(POF_SHAPE_YEAR_MONTH, "struct pof_year_month", "YEAR_MONTH")                                 \
    X(POF_SHAPE_TIME_INTERVAL, "struct pof_day_time", "TIME_INTERVAL")                             \
    X(POF_SHAPE_DAY_TIME, "struct pof_day_time", "DAY_TIME")

struct model_one {
    const char *c_type;
    const char *word;
};

static const struct model_one ones[POF_SHAPE_USER + 1] = {
#define MODEL_ONE_ROW(shape, c_type, word) [shape] = {c_type, word},
    MODEL_ONE_MAP(MODEL_ONE_ROW)
#undef MODEL_ONE_ROW
};

const char *model_c_type(enum pof_shape_kind kind)
{
    return ones[kind].c_type;
}

const char *model_word(enum pof_shape_kind kind)
{
    return ones[kind].word;
}

/* Without a member a struct would be none. */
bool model_is_shared(const struct pof_schema_type *type)
{
    return type->shared && type->field_count > 0;
}

bool model_points(const struct pof_shape *element)
{
    return element->kind == POF_SHAPE_USER && model_is_shared(element->user);
}

static bool is_single(const struct pof_shape *shape)
{
    return shape->kind == POF_SHAPE_USER || ones[shape->kind].word != NULL;
}

static bool is_many(const struct pof_shape *shape)
{
    return (shape->kind == POF_SHAPE_ARRAY || shape->kind == POF_SHAPE_LIST) &&
           is_single(shape->element);
}

enum model_form model_form_of(const struct pof_shape *shape)
{
    if (shape->kind == POF_SHAPE_USER) {
        return MODEL_OBJECT;
    }
    if (is_single(shape)) {
        return MODEL_ONE;
    }
    if (is_many(shape)) {
        return MODEL_MANY;
    }
    bool map = shape->kind == POF_SHAPE_MAP_OF && !shape->plain && is_single(shape->key) &&
               (is_single(shape->element) || is_many(shape->element));
    return map ? MODEL_MAP : MODEL_CUSTOM;
}

const char *model_struct(const struct model *model, const struct pof_schema_type *type)
{
    return model->types[type - model->schema->types].name;
}

void model_print(struct model_out *out, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (buf_append(out->text, line, strlen(line)) != QN_OK) {
        out->failed = true;
    }
}

/* ---- building ---- */

static const char *copy(struct model *model, const char *text)
{
    char *memory = arena_alloc(&model->memory, strlen(text) + 1);

    return memory ? memcpy(memory, text, strlen(text) + 1) : NULL;
}

/* Take the name of a struct, which may not be taken twice. */
static enum qn_status struct_name(struct model *model, const char *name, const char **kept,
                                  char *problem)
{
    if (generate_is_taken(name)) {
        snprintf(problem, GENERATE_PROBLEM_MAX,
                 "struct %s is a name of the library: choose a --prefix", name);
        return QN_INVALID;
    }
    for (size_t i = 0; i < model->taken_count; i++) {
        if (strcmp(model->taken[i], name) == 0) {
            snprintf(problem, GENERATE_PROBLEM_MAX,
                     "two types would be struct %s: rename one of them", name);
            return QN_INVALID;
        }
    }
    *kept = copy(model, name);
    if (!*kept) {
        return QN_MEMORY_FULL;
    }
    model->taken[model->taken_count++] = *kept;
    return QN_OK;
}

/* The members that come with a field: its value, how many there are, whether it is there. */
enum member { MEMBER_VALUE, MEMBER_COUNT, MEMBER_HAS, MEMBERS };

static bool has_member(const struct model_field *field, size_t form)
{
    bool many = field->form == MODEL_MANY || field->form == MODEL_MAP;

    return form == MEMBER_VALUE || (form == MEMBER_COUNT && many) ||
           (form == MEMBER_HAS && field->field->optional && field->form == MODEL_ONE);
}

static void member_name(const struct model_field *field, size_t form,
                        char name[GENERATE_NAME_MAX + 8])
{
    switch (form) {
    case MEMBER_COUNT:
        snprintf(name, GENERATE_NAME_MAX + 8, "%s_count", field->name);
        break;
    case MEMBER_HAS:
        snprintf(name, GENERATE_NAME_MAX + 8, "has_%s", field->name);
        break;
    default:
        snprintf(name, GENERATE_NAME_MAX + 8, "%s", field->name);
        break;
    }
}

/* Do two fields need members of one name? */
static bool members_clash(const struct model_field *a, const struct model_field *b)
{
    char left[GENERATE_NAME_MAX + 8], right[GENERATE_NAME_MAX + 8];

    for (size_t i = 0; i < (size_t)MEMBERS * MEMBERS; i++) {
        if (has_member(a, i / MEMBERS) && has_member(b, i % MEMBERS)) {
            member_name(a, i / MEMBERS, left);
            member_name(b, i % MEMBERS, right);
            if (strcmp(left, right) == 0) {
                return true;
            }
        }
    }
    return false;
}

static enum qn_status members_check(const struct model_type *type, size_t number, char *problem)
{
    for (size_t i = 0; i < number; i++) {
        if (members_clash(&type->fields[i], &type->fields[number])) {
            snprintf(problem, GENERATE_PROBLEM_MAX,
                     "type %.60s: fields %.60s and %.60s need members of the same name in C: "
                     "rename one",
                     type->type->name, type->fields[i].field->name,
                     type->fields[number].field->name);
            return QN_INVALID;
        }
    }
    return QN_OK;
}

static enum qn_status field_init(struct model *model, const struct model_type *type,
                                 struct model_field *field, char *problem)
{
    char name[GENERATE_NAME_MAX], pair[2 * GENERATE_NAME_MAX + 8];

    field->form = model_form_of(field->field->shape);
    if (!generate_name("", field->field->name, name, problem)) {
        return QN_INVALID;
    }
    if (strcmp(name, "pof_rest") == 0 || strcmp(name, "pof_version") == 0) {
        snprintf(problem, GENERATE_PROBLEM_MAX,
                 "type %.60s: %s is a member of every struct: rename the field", type->type->name,
                 name);
        return QN_INVALID;
    }
    field->name = copy(model, name);
    if (!field->name) {
        return QN_MEMORY_FULL;
    }
    if (field->form != MODEL_MAP) {
        return QN_OK;
    }
    snprintf(pair, sizeof pair, "%s_%s_pair", type->name, name);
    return struct_name(model, pair, &field->pair_name, problem);
}

static enum qn_status type_init(struct model *model, const struct pof_schema_type *from,
                                struct model_type *type, char *problem)
{
    enum qn_status status = QN_OK;

    type->fields = arena_calloc(&model->memory, from->field_count + 1, sizeof *type->fields);
    if (!type->fields) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < from->field_count && status == QN_OK; i++) {
        type->fields[i].field = &from->fields[i];
        status = field_init(model, type, &type->fields[i], problem);
        if (status == QN_OK) {
            status = members_check(type, i, problem);
        }
    }
    return status;
}

static size_t names_max(const struct pof_schema *schema)
{
    size_t count = schema->type_count + 1;

    for (size_t i = 0; i < schema->type_count; i++) {
        count += schema->types[i].field_count;
    }
    return count;
}

static enum qn_status names_init(struct model *model, char *problem)
{
    enum qn_status status = QN_OK;
    char name[GENERATE_NAME_MAX];

    for (size_t i = 0; i < model->schema->type_count && status == QN_OK; i++) {
        struct model_type *type = &model->types[i];
        type->type = &model->schema->types[i];
        status = generate_name(model->options->prefix, type->type->name, name, problem)
                     ? struct_name(model, name, &type->name, problem)
                     : QN_INVALID;
    }
    return status;
}

enum qn_status model_init(struct model *model, const struct pof_schema *schema,
                          const struct generate_options *options, char *problem)
{
    *model = (struct model){.options = options, .schema = schema};
    arena_init(&model->memory, 0);
    model->types = arena_calloc(&model->memory, schema->type_count + 1, sizeof *model->types);
    model->taken = arena_calloc(&model->memory, names_max(schema), sizeof(*model->taken));
    if (!model->types || !model->taken) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = names_init(model, problem);
    for (size_t i = 0; i < schema->type_count && status == QN_OK; i++) {
        status = type_init(model, &schema->types[i], &model->types[i], problem);
    }
    return status;
}

void model_fini(struct model *model)
{
    arena_fini(&model->memory);
}

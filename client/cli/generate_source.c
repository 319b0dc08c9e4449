#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/generate_model.h"

/* A row of a table, as it is about to be written. */
struct row {
    const char *owner; /* the struct that the member is in */
    const char *member;
    int32_t index;
    int32_t since;
    const struct pof_shape *shape;
    enum model_form form;
    const char *pair;    /* MODEL_MAP */
    const char *initial; /* the constant with its default, or NULL */
    bool optional;
};

/* Each octet that C or the eye could mistake as an octal number. */
static void literal_print(struct model_out *out, const char *text)
{
    model_print(out, "\"");
    for (size_t i = 0; text[i] != '\0'; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80 && (isalnum(c) != 0 || strchr(" _-+.,:;/()<>=!#", c) != NULL)) {
            model_print(out, "%c", c);
        } else {
            model_print(out, "\\%03o", c);
        }
    }
    model_print(out, "\"");
}

/* The default of a field as an expression of C. */
static void default_print(struct model_out *out, const struct pof_schema_field *field)
{
    const char *text = field->default_text;
    enum pof_shape_kind kind = field->shape->kind;

    if (kind == POF_SHAPE_STRING) {
        model_print(out, "{(const uint8_t *)");
        literal_print(out, text);
        model_print(out, ", %zu}", strlen(text));
    } else if (kind == POF_SHAPE_BOOL) {
        model_print(out, "%s", text);
    } else if (kind == POF_SHAPE_FLOAT64) {
        model_print(out, "%.17e", strtod(text, NULL));
    } else if (kind == POF_SHAPE_FLOAT32) {
        model_print(out, "(float)%.17e", strtod(text, NULL));
    } else if (strtoll(text, NULL, 10) == INT64_MIN) {
        model_print(out, "INT64_MIN");
    } else if (kind == POF_SHAPE_INT64) {
        model_print(out, "INT64_C(%lld)", strtoll(text, NULL, 10));
    } else {
        model_print(out, "%lld", strtoll(text, NULL, 10));
    }
}

static void initials_print(struct model_out *out, const struct model_type *type)
{
    for (size_t i = 0; i < type->type->field_count; i++) {
        const struct pof_schema_field *field = &type->type->fields[i];
        if (field->default_text) {
            model_print(out, "\nstatic const %s %s_%s_initial = ", model_c_type(field->shape->kind),
                        type->name, type->fields[i].name);
            default_print(out, field);
            model_print(out, ";\n");
        }
    }
}

/* What stands behind `.kind =` for one value of a shape, and its table. */
static void kind_print(const struct model *model, struct model_out *out,
                       const struct pof_shape *shape, const char *struct_word)
{
    if (shape->kind == POF_SHAPE_USER) {
        model_print(out, " .kind = POF_FIELD_%s, .nested = &%s_struct,\n", struct_word,
                    model_struct(model, shape->user));
    } else {
        model_print(out, " .kind = POF_FIELD_%s,\n", model_word(shape->kind));
    }
}

static const char *many_word(const struct pof_shape *shape)
{
    if (shape->kind == POF_SHAPE_ARRAY) {
        return shape->plain ? "PLAIN_ARRAY" : "ARRAY";
    }
    return shape->plain ? "PLAIN_LIST" : "LIST";
}

static void elements_print(struct model_out *out, const struct row *row, const char *many)
{
    model_print(out,
                "     .many = POF_MANY_%s, .size = sizeof(*((struct %s *)0)->%s),\n"
                "     .count_place = 1 + offsetof(struct %s, %s_count),\n",
                many, row->owner, row->member, row->owner, row->member);
}

static void form_print(const struct model *model, struct model_out *out, const struct row *row)
{
    bool many = row->form == MODEL_MANY || row->form == MODEL_MAP;

    switch (row->form) {
    case MODEL_ONE:
    case MODEL_OBJECT:
        kind_print(model, out, row->shape, "STRUCT_PTR");
        break;
    case MODEL_MANY:
        kind_print(model, out, row->shape->element,
                   model_points(row->shape->element) ? "STRUCT_PTR" : "STRUCT");
        elements_print(out, row, many_word(row->shape));
        break;
    case MODEL_MAP:
        model_print(out, " .kind = POF_FIELD_STRUCT, .nested = &%s_struct,\n", row->pair);
        elements_print(out, row, "MAP");
        break;
    case MODEL_CUSTOM:
        model_print(out, " .kind = POF_FIELD_CUSTOM, .codec = &%s_%s_codec,\n", row->owner,
                    row->member);
        break;
    }
    if (!many) {
        model_print(out, "     .size = sizeof(((struct %s *)0)->%s),\n", row->owner, row->member);
    }
}

static void row_print(const struct model *model, struct model_out *out, const struct row *row)
{
    model_print(out, "    {.index = %" PRId32 ",", row->index);
    if (row->since > 0) {
        model_print(out, " .since = %" PRId32 ",", row->since);
    }
    form_print(model, out, row);
    if (row->optional) {
        model_print(out, "     .present_place = 1 + offsetof(struct %s, has_%s),\n", row->owner,
                    row->member);
    }
    if (row->initial) {
        model_print(out, "     .initial = &%s,\n", row->initial);
    }
    model_print(out, "     .offset = offsetof(struct %s, %s)},\n", row->owner, row->member);
}

static void pair_row_print(const struct model *model, struct model_out *out, const char *pair,
                           int32_t index, const struct pof_shape *shape)
{
    row_print(model, out,
              &(struct row){.owner = pair,
                            .member = index == 0 ? "key" : "value",
                            .index = index,
                            .shape = shape,
                            .form = model_form_of(shape)});
}

static void pairs_print(const struct model *model, struct model_out *out,
                        const struct model_type *type)
{
    for (size_t i = 0; i < type->type->field_count; i++) {
        const char *pair = type->fields[i].pair_name;
        const struct pof_shape *shape = type->fields[i].field->shape;
        if (type->fields[i].form == MODEL_MAP) {
            model_print(out, "\nstatic const struct pof_field %s_fields[] = {\n", pair);
            pair_row_print(model, out, pair, 0, shape->key);
            pair_row_print(model, out, pair, 1, shape->element);
            model_print(out,
                        "};\nstatic const struct pof_struct %s_struct = POF_STRUCT_PAIR(struct "
                        "%s, %s_fields);\n",
                        pair, pair, pair);
        }
    }
}

static void fields_print(const struct model *model, struct model_out *out,
                         const struct model_type *type)
{
    char initial[2 * GENERATE_NAME_MAX + 16];

    if (type->type->field_count == 0) {
        return;
    }
    model_print(out, "\nstatic const struct pof_field %s_fields[] = {\n", type->name);
    for (size_t i = 0; i < type->type->field_count; i++) {
        const struct model_field *field = &type->fields[i];
        const struct pof_schema_field *from = field->field;
        snprintf(initial, sizeof initial, "%s_%s_initial", type->name, field->name);
        row_print(model, out,
                  &(struct row){.owner = type->name,
                                .member = field->name,
                                .index = from->index,
                                .since = from->since,
                                .shape = from->shape,
                                .form = field->form,
                                .pair = field->pair_name,
                                .initial = from->default_text ? initial : NULL,
                                .optional = from->optional && field->form == MODEL_ONE});
    }
    model_print(out, "};\n");
}

static void table_print(struct model_out *out, const struct model_type *type)
{
    const struct pof_schema_type *from = type->type;

    model_print(out,
                "\nconst struct pof_struct %s_struct = {\n"
                "    .type = %" PRId32 ", .version = %" PRId32 ", .size = sizeof(struct %s),\n",
                type->name, from->id, from->version, type->name);
    if (from->field_count > 0) {
        model_print(out, "    .fields = %s_fields, .field_count = %zu,\n", type->name,
                    from->field_count);
    }
    if (model_is_shared(from)) {
        model_print(out, "    .shared = true,\n};\n");
        return;
    }
    model_print(out,
                "    .remainder_place = 1 + offsetof(struct %s, pof_rest),\n"
                "    .version_place = 1 + offsetof(struct %s, pof_version),\n};\n",
                type->name, type->name);
}

static void init_print(struct model_out *out, const struct model_type *type)
{
    const char *name = type->name;

    model_print(out, "\nvoid %s_init(struct %s *object)\n{\n", name, name);
    model_print(out, "    *object = (struct %s){0};\n", name);
    for (size_t i = 0; i < type->type->field_count; i++) {
        const char *member = type->fields[i].name;
        if (type->type->fields[i].default_text) {
            model_print(out, "    object->%s = %s_%s_initial;\n", member, name, member);
        }
    }
    model_print(out, "}\n");
}

static void functions_print(struct model_out *out, const struct model_type *type)
{
    const char *name = type->name;

    init_print(out, type);
    model_print(out,
                "\nvoid %s_write(struct pof_writer *w, int32_t index, const struct %s *object)\n"
                "{\n    pof_struct_write(w, index, &%s_struct, object);\n}\n",
                name, name, name);
    model_print(out,
                "\nenum qn_status %s_read(struct pof_reader *r, struct %s *object,\n"
                "    struct pof_struct_memory *memory)\n"
                "{\n    return pof_struct_read(r, &%s_struct, object, memory);\n}\n",
                name, name, name);
    model_print(out,
                "\nenum qn_status %s_to_binary(struct buf *out, const struct %s *object)\n"
                "{\n    return pof_struct_to_binary(out, &%s_struct, object);\n}\n",
                name, name, name);
    model_print(out,
                "\nenum qn_status %s_from_binary(struct bytes binary, struct %s *object,\n"
                "    struct pof_struct_memory *memory)\n"
                "{\n    return pof_struct_from_binary(binary, &%s_struct, object, memory);\n}\n",
                name, name, name);
}

void generate_source(const struct model *model, struct model_out *out)
{
    model_print(out, "/* Written by `quoin generate`, as the header. */\n#include \"%.255s.h\"\n",
                model->options->base);
    for (size_t i = 0; i < model->schema->type_count; i++) {
        const struct model_type *type = &model->types[i];
        initials_print(out, type);
        pairs_print(model, out, type);
        fields_print(model, out, type);
        table_print(out, type);
        functions_print(out, type);
    }
}

enum qn_status generate_code(const struct pof_schema *schema,
                             const struct generate_options *options, struct buf *header,
                             struct buf *source, char *problem)
{
    struct model model;
    struct model_out head = {.text = header}, body = {.text = source};
    enum qn_status status = model_init(&model, schema, options, problem);

    if (status == QN_OK) {
        generate_header(&model, &head);
        generate_source(&model, &body);
        status = head.failed || body.failed ? QN_MEMORY_FULL : QN_OK;
    }
    model_fini(&model);
    return status;
}

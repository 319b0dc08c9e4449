#include <ctype.h>
#include <inttypes.h>

#include "client/cli/generate_model.h"

/* Text of others in a comment must not end it. */
static void comment_print(struct model_out *out, const char *text)
{
    for (size_t i = 0; text[i] != '\0' && i < GENERATE_NAME_MAX; i++) {
        bool shown = isprint((unsigned char)text[i]) != 0 && text[i] != '*' && text[i] != '\\';
        model_print(out, "%c", shown ? text[i] : '?');
    }
}

/* Letters that are good in names of macros and constants. */
static void upper_print(struct model_out *out, const char *name)
{
    for (size_t i = 0; name[i] != '\0'; i++) {
        unsigned char c = (unsigned char)name[i];
        model_print(out, "%c", c < 0x80 && isalnum(c) != 0 ? toupper(c) : '_');
    }
}

static void guard_print(const struct model *model, struct model_out *out)
{
    model_print(out, "QUOIN_GENERATED_");
    upper_print(out, model->options->prefix);
    upper_print(out, model->options->base);
    model_print(out, "_H");
}

static void begin_print(const struct model *model, struct model_out *out)
{
    model_print(out, "/* Written by `quoin generate` from ");
    comment_print(out, model->options->file);
    model_print(out, ": change that file, and not this one. */\n#ifndef ");
    guard_print(model, out);
    model_print(out, "\n#define ");
    guard_print(model, out);
    model_print(out, "\n\n#include <quoin/pof.h>\n"
                     "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
}

static void ids_print(const struct model *model, struct model_out *out)
{
    model_print(out, model->schema->type_count > 0 ? "\n/* Ids of types. */\nenum {\n" : "");
    for (size_t i = 0; i < model->schema->type_count; i++) {
        model_print(out, "    ");
        upper_print(out, model->types[i].name);
        model_print(out, "_TYPE = %" PRId32 ",\n", model->types[i].type->id);
    }
    model_print(out, model->schema->type_count > 0 ? "};\n\n" : "\n");
    for (size_t i = 0; i < model->schema->type_count; i++) {
        model_print(out, "struct %s;\n", model->types[i].name);
    }
}

/* "int32_t " or "struct owner ", the type of an element. */
static void element_print(const struct model *model, struct model_out *out,
                          const struct pof_shape *shape)
{
    if (shape->kind == POF_SHAPE_USER) {
        model_print(out, "struct %s ", model_struct(model, shape->user));
    } else {
        model_print(out, "%s ", model_c_type(shape->kind));
    }
}

/* The members for a shape. */
static void members_print(const struct model *model, struct model_out *out, enum model_form form,
                          const struct pof_shape *shape, const char *name, const char *pair)
{
    model_print(out, "    ");
    switch (form) {
    case MODEL_ONE:
        model_print(out, "%s %s;", model_c_type(shape->kind), name);
        break;
    case MODEL_OBJECT:
        element_print(model, out, shape);
        model_print(out, "*%s;", name);
        break;
    case MODEL_MANY:
        element_print(model, out, shape->element);
        model_print(out, model_points(shape->element) ? "**%s;" : "*%s;", name);
        model_print(out, "\n    uint32_t %s_count;", name);
        break;
    case MODEL_MAP:
        model_print(out, "struct %s *%s;\n    uint32_t %s_count;", pair, name, name);
        break;
    case MODEL_CUSTOM:
        model_print(out, "void *%s;", name);
        break;
    }
}

static void pair_print(const struct model *model, struct model_out *out,
                       const struct model_field *field)
{
    const struct pof_shape *shape = field->field->shape;

    model_print(out, "\nstruct %s {\n", field->pair_name);
    members_print(model, out, model_form_of(shape->key), shape->key, "key", NULL);
    model_print(out, "\n");
    members_print(model, out, model_form_of(shape->element), shape->element, "value", NULL);
    model_print(out, "\n};\n");
}

static void field_print(const struct model *model, struct model_out *out,
                        const struct model_field *field)
{
    const struct pof_schema_field *from = field->field;

    if (from->optional && field->form == MODEL_ONE) {
        model_print(out, "    bool has_%s;\n", field->name);
    }
    members_print(model, out, field->form, from->shape, field->name, field->pair_name);
    model_print(out, " /* %" PRId32, from->index);
    if (from->since > 0) {
        model_print(out, ", since version %" PRId32, from->since);
    }
    model_print(out, field->form == MODEL_CUSTOM ? ", by own functions */\n" : " */\n");
}

static void struct_print(const struct model *model, struct model_out *out,
                         const struct model_type *type)
{
    const struct pof_schema_type *from = type->type;

    for (size_t i = 0; i < from->field_count; i++) {
        if (type->fields[i].form == MODEL_MAP) {
            pair_print(model, out, &type->fields[i]);
        }
    }
    model_print(out, "\n/* ");
    comment_print(out, from->class_name ? from->class_name : from->name);
    model_print(out, ", version %" PRId32 ". */\nstruct %s {\n", from->version, type->name);
    for (size_t i = 0; i < from->field_count; i++) {
        field_print(model, out, &type->fields[i]);
    }
    if (!model_is_shared(from)) {
        model_print(out,
                    "    struct bytes pof_rest; /* properties that only newer programs know */\n"
                    "    int32_t pof_version;   /* that was read, when it is a newer one */\n");
    }
    model_print(out, "};\n");
}

static void functions_print(struct model_out *out, const struct model_type *type)
{
    const char *name = type->name;

    model_print(out, "\nextern const struct pof_struct %s_struct;\n", name);
    for (size_t i = 0; i < type->type->field_count; i++) {
        if (type->fields[i].form == MODEL_CUSTOM) {
            model_print(out, "extern const struct pof_codec %s_%s_codec; /* yours to define */\n",
                        name, type->fields[i].name);
        }
    }
    model_print(out, "void %s_init(struct %s *object);\n", name, name);
    model_print(out,
                "void %s_write(struct pof_writer *w, int32_t index, const struct %s *object);\n",
                name, name);
    model_print(out,
                "QN_MUST_USE enum qn_status %s_read(struct pof_reader *r, struct %s *object,\n"
                "    struct pof_struct_memory *memory);\n",
                name, name);
    model_print(out,
                "QN_MUST_USE enum qn_status %s_to_binary(struct buf *out, const struct %s "
                "*object);\n",
                name, name);
    model_print(out,
                "QN_MUST_USE enum qn_status %s_from_binary(struct bytes binary, struct %s "
                "*object,\n    struct pof_struct_memory *memory);\n",
                name, name);
}

void generate_header(const struct model *model, struct model_out *out)
{
    begin_print(model, out);
    ids_print(model, out);
    for (size_t i = 0; i < model->schema->type_count; i++) {
        struct_print(model, out, &model->types[i]);
    }
    model_print(out, "\n/* Of each struct: its table; with the defaults of the types file; as the\n"
                     " * next value of a writer, a reader; as a whole Binary. Statuses and memory\n"
                     " * are those of pof_struct_read. */\n");
    for (size_t i = 0; i < model->schema->type_count; i++) {
        functions_print(out, &model->types[i]);
    }
    model_print(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

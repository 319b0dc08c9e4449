/* What the generator knows of each type and field before it writes. For generate_*.c only. */
#ifndef QUOIN_CLIENT_CLI_GENERATE_MODEL_H
#define QUOIN_CLIENT_CLI_GENERATE_MODEL_H

#include "client/cli/generate.h"
#include "wire/arena.h"

/* How a field stands in the struct. */
enum model_form {
    MODEL_ONE,    /* a number, a text, a date: the value itself */
    MODEL_OBJECT, /* a pointer to a struct */
    MODEL_MANY,   /* a pointer to elements, and their number */
    MODEL_MAP,    /* a pointer to pairs, and their number */
    MODEL_CUSTOM, /* a pointer that functions of the program make sense of */
};

struct model_field {
    const struct pof_schema_field *field;
    enum model_form form;
    const char *name;      /* of the member */
    const char *pair_name; /* of the struct of a pair: MODEL_MAP */
};

struct model_type {
    const struct pof_schema_type *type;
    const char *name; /* of the struct */
    struct model_field *fields;
};

struct model {
    const struct generate_options *options;
    const struct pof_schema *schema;
    struct arena memory;
    struct model_type *types; /* in the order of the schema */
    const char **taken;       /* names of structs and pairs so far */
    size_t taken_count;
};

/* Statuses as generate_code; model_fini in any case. */
QN_MUST_USE enum qn_status model_init(struct model *model, const struct pof_schema *schema,
                                      const struct generate_options *options, char *problem);
void model_fini(struct model *model);

/* The struct of a type. */
const char *model_struct(const struct model *model, const struct pof_schema_type *type);

/* May several pointers lead to one object of the type? Then it does not keep what newer programs
 * know. */
bool model_is_shared(const struct pof_schema_type *type);

/* Are these elements pointers to structs, rather than structs? */
bool model_points(const struct pof_shape *element);

/* How a shape would stand in a struct. */
enum model_form model_form_of(const struct pof_shape *shape);

/* The C type of a shape that is a MODEL_ONE ("int32_t"), and its word in tables ("INT32"). */
const char *model_c_type(enum pof_shape_kind kind);
const char *model_word(enum pof_shape_kind kind);

/* Text that is being written; `failed`: memory was lacking. */
struct model_out {
    struct buf *text;
    bool failed;
};

/* Append; one call is at most 1023 octets, the rest is cut. */
__attribute__((format(printf, 2, 3))) void model_print(struct model_out *out, const char *format,
                                                       ...);

/* The two files. */
void generate_header(const struct model *model, struct model_out *out);
void generate_source(const struct model *model, struct model_out *out);

#endif

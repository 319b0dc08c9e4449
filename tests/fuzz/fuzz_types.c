/* The types file: what loads is written as code, compared with itself, and its shapes read again.
 */
#include <stdlib.h>
#include <string.h>

#include "client/cli/generate.h"
#include "client/cli/types_check.h"
#include "wire/assert.h"

/* libconfig and our lists of includes open files, which a fuzzer should not. */
static bool includes(struct bytes text)
{
    static const char word[] = "include";

    for (size_t i = 0; i + sizeof word - 1 <= text.size; i++) {
        if (memcmp(text.data + i, word, sizeof word - 1) == 0) {
            return true;
        }
    }
    return false;
}

static void no_change(void *context, const struct types_change *change)
{
    (void)change;
    qn_assert(context != NULL); /* a file does not differ from itself */
}

static void code_write(const struct pof_schema *schema)
{
    const struct generate_options options = {.file = "f", .base = "f", .prefix = "p"};
    char problem[GENERATE_PROBLEM_MAX] = "";
    struct buf header = {0}, source = {0};
    enum qn_status status = generate_code(schema, &options, &header, &source, problem);

    qn_assert(status == QN_OK || (status == QN_INVALID && problem[0] != '\0'));
    buf_fini(&header);
    buf_fini(&source);
}

/* A view of a file that loads can be shown; whether it can be read, too, is known. */
static void views_look(const struct pof_schema *schema)
{
    for (size_t i = 0; i < schema->view_count; i++) {
        const struct pof_view *view = &schema->views[i];
        struct pof_view_problem problem = {.text = ""};
        qn_assert(pof_schema_view(schema, view->name) == view);
        qn_assert(pof_view_check(view, schema, NULL) == QN_OK);
        enum qn_status status = pof_view_check_reading(view, schema, &problem);
        qn_assert(status == QN_OK || (status == QN_UNSUPPORTED && problem.text[0] != '\0'));
    }
}

static void types_look(const struct types *types)
{
    const struct pof_schema *schema = &types->schema;

    for (size_t i = 0; i < schema->type_count; i++) {
        const struct pof_schema_type *type = &schema->types[i];
        qn_assert(pof_schema_find_id(schema, type->id) == type);
        qn_assert(pof_schema_find(schema, type->name) == type);
        for (size_t k = 0; k < type->field_count; k++) {
            const struct pof_schema_field *field = &type->fields[k];
            qn_assert(pof_schema_field_at(type, field->index) == field);
            qn_assert(field->since <= type->version && field->shape);
            qn_assert(pof_schema_name_fits(bytes_of_text(field->name)));
        }
    }
    qn_assert(types_compare(schema, schema, no_change, NULL) == 0);
    views_look(schema);
    code_write(schema);
}

/* libconfig 1.5 leaks the text it was reading when it meets a syntax error. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct types *types = NULL;
    struct cfg_report report = {0};

    if (includes(bytes_of(data, size))) {
        return 0;
    }
    enum qn_status status = types_load_text(bytes_of(data, size), "fuzz", &types, &report);
    qn_assert((status == QN_OK) == (report.error_count == 0));
    if (status == QN_OK) {
        types_look(types);
    }
    types_free(types);
    cfg_report_fini(&report);
    return 0;
}

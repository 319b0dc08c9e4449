/* Memory refused at every request: a status, and nothing changed. The linker sends what wire/ asks
 * malloc and realloc for through here. */
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *place, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *place, size_t size);

/* Requests until one is refused; negative = none will be. The linker's hook has no context to pass,
 * hence this variable. */
static int refuse_after = -1;

static bool refused(void)
{
    return refuse_after >= 0 && refuse_after-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *place, size_t size)
{
    return refused() ? NULL : __real_realloc(place, size);
}

/* The owner is flattened, the price hidden. */
static const struct pof_view_field car_rules[] = {
    {.index = 5, .action = POF_VIEW_OMIT},
    {.index = 6, .action = POF_VIEW_FLATTEN, .name = "owner_"},
};
static const struct pof_view_type rules[] = {{.type = 1000, .fields = car_rules, .field_count = 2}};
static const struct pof_view view = {.name = "v", .types = rules, .type_count = 1};

static const char text[] = "{\"owner_\\u006eame\": \"A\", \"options\": [\"a\\n\"], \"counts\": "
                           "{\"x\": 1}, \"more\": {\"$octets\": \"AP8=\"}}";

struct trial {
    struct pof_json_options options;
    struct buf base; /* the car that is changed, or shown */
};

typedef enum qn_status trial_fn(struct trial *trial, struct buf *out);

static enum qn_status read_change(struct trial *trial, struct buf *out)
{
    struct pof_json_problem problem;

    return pof_json_read(out, bytes_of_text(text), &trial->options, &problem);
}

static enum qn_status read_mistake(struct trial *trial, struct buf *out)
{
    struct pof_json_problem problem;
    enum qn_status status =
        pof_json_read(out, bytes_of_text("{\"owner_nmae\": \"A\"}"), &trial->options, &problem);

    return status == QN_INVALID ? QN_OK : status;
}

static enum qn_status write_car(struct trial *trial, struct buf *out)
{
    return pof_json_write(out, buf_bytes(&trial->base), &trial->options);
}

static enum qn_status check_view(struct trial *trial, struct buf *out)
{
    (void)out;
    return pof_view_check_reading(trial->options.view, &schema, NULL);
}

/* Refuse the first request, then the second, and so on until all are granted. */
static void try_all(struct trial *trial, trial_fn *act)
{
    int failed = 0;
    bool granted = false;

    for (int n = 0; !granted; n++) {
        struct buf out = {0};
        refuse_after = n;
        enum qn_status status = act(trial, &out);
        granted = refuse_after >= 0;
        refuse_after = -1;
        assert_true(status == QN_OK || status == QN_MEMORY_FULL);
        assert_true(status == QN_OK || out.size == 0);
        failed += status == QN_OK ? 0 : 1;
        buf_fini(&out);
    }
    assert_true(failed > 0);
}

static void a_refused_request_changes_nothing(void **state)
{
    static trial_fn *const acts[] = {read_change, read_mistake, write_car, check_view};
    struct trial trial = {.options = {.schema = &schema, .shape = &shape_car}};

    (void)state;
    assert_int_equal(
        pof_json_read(&trial.base,
                      bytes_of_text("{\"price\": 9.5, \"owner\": {\"$id\": 1, \"age\": 36}, "
                                    "\"more\": {\"$ref\": 1}}"),
                      &trial.options, NULL),
        QN_OK);
    try_all(&trial, write_car);
    buf_clear(&trial.base);
    assert_int_equal(pof_json_read(&trial.base,
                                   bytes_of_text("{\"price\": 9.5, \"owner\": {\"age\": 36}}"),
                                   &trial.options, NULL),
                     QN_OK);
    trial.options.view = &view;
    trial.options.base = buf_bytes(&trial.base);
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        try_all(&trial, acts[i]);
    }
    buf_fini(&trial.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_request_changes_nothing),
    };

    return RUN_TESTS(tests);
}

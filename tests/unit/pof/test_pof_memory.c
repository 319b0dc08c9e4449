/* Memory refused at every request: a status, the buffer as it was. The linker sends what wire/ asks
 * malloc and realloc for through here. */
#include <stdlib.h>

#include "tests/lib/check.h"
#include "wire/pof/array.h"
#include "wire/pof/evolvable.h"
#include "wire/pof/raw.h"
#include "wire/pof/uniform.h"

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

typedef enum qn_status trial_fn(struct buf *out);

enum { MANY = 300 };

/* A map of lists, all of which turn out uniform. */
static enum qn_status write_uniform(struct buf *out)
{
    struct pof_container map = {POF_UNIFORM_MAP, POF_ANY_TYPE, POF_ANY_TYPE, MANY};
    struct pof_container list = {POF_UNIFORM_COLLECTION, 0, POF_ANY_TYPE, 2};
    struct pof_uniform outer, inner;
    struct pof_writer w;

    pof_writer_init(&w, out);
    pof_uniform_begin(&outer, &w, POF_NEXT, map);
    for (int32_t i = 0; i < MANY; i++) {
        pof_write_int32(&w, POF_NEXT, i);
        pof_uniform_begin(&inner, &w, POF_NEXT, list);
        pof_write_string(&w, POF_NEXT, bytes_of_text("one"));
        pof_write_string(&w, POF_NEXT, bytes_of_text("two"));
        pof_uniform_end(&inner);
    }
    pof_uniform_end(&outer);
    return pof_writer_finish(&w);
}

static enum qn_status write_arrays(struct buf *out)
{
    static const int64_t numbers[MANY] = {INT64_MAX};
    static const double reals[MANY] = {0.1};
    struct pof_writer w;

    pof_writer_init(&w, out);
    pof_begin_array(&w, POF_NEXT, 2);
    pof_write_int64_array(&w, POF_NEXT, numbers, MANY);
    pof_write_float64_array(&w, POF_NEXT, reals, MANY);
    pof_end(&w);
    return pof_writer_finish(&w);
}

/* Objects with identities, of which the writer has a table, and as many references. */
static enum qn_status write_references(struct buf *out)
{
    struct pof_writer w;
    struct buf types = {0};

    pof_writer_init(&w, out);
    pof_writer_enable_references(&w);
    pof_writer_track_identities(&w, &types);
    pof_begin_uniform_array(&w, POF_NEXT, 7, 2 * MANY);
    for (int32_t i = 0; i < 2 * MANY; i++) {
        if (i < MANY) {
            pof_begin_user(&w, POF_NEXT, 7, 0);
            pof_end(&w);
        } else {
            pof_write_reference(&w, POF_NEXT, i - MANY + 1);
        }
    }
    pof_end(&w);
    enum qn_status status = pof_writer_finish(&w);
    buf_fini(&types);
    return status;
}

/* Read all of that, with a table. The memory for writing it is not refused. */
static enum qn_status read_references(struct buf *out)
{
    struct buf pof = {0}, table = {0};
    struct pof_reader r;
    struct pof_value value;
    int turn = refuse_after;

    (void)out;
    refuse_after = -1;
    enum qn_status status = write_references(&pof);
    refuse_after = turn;
    pof_reader_init(&r, buf_bytes(&pof));
    pof_reader_track_identities(&r, &table);
    if (status == QN_OK) {
        status = pof_reader_next(&r, &value);
    }
    if (status == QN_OK) {
        status = pof_reader_enter(&r);
    }
    while (status == QN_OK) {
        status = pof_reader_next(&r, &value);
    }
    assert_int_equal(r.status, status == QN_ABSENT ? QN_OK : status);
    buf_fini(&pof);
    buf_fini(&table);
    return status == QN_ABSENT ? QN_OK : status;
}

/* Three levels, none of them known. */
static enum qn_status keep_levels(struct buf *out)
{
    static const char object[] = "\x03\x00\x01\x01\x00\x40\x02\x02\x00\x40\x03\x03\x00\x40\x40";
    struct pof_evolvable kept;
    struct pof_reader r;
    struct pof_value value;
    struct buf unknown = {0};

    (void)out;
    pof_reader_init(&r, bytes_of(object, sizeof object - 1));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    enum qn_status status = pof_enter_level(&r, 3, &unknown, &kept);
    if (status == QN_OK) {
        status = pof_leave_evolvable(&r, &kept);
    }
    if (status == QN_OK) {
        status = pof_leave_levels(&r, &unknown);
    }
    buf_fini(&unknown);
    return status;
}

/* To find out about identities, the check of a raw value may need memory of its own. */
static enum qn_status write_raw(struct buf *out)
{
    struct pof_writer w;

    pof_writer_init(&w, out);
    pof_write_raw(&w, POF_NEXT, bytes_of("\x5e\x01\x01\x00\x40", 5));
    enum qn_status status = pof_writer_finish(&w);
    return status == QN_INVALID ? QN_OK : status; /* with memory the identity is found */
}

/* Refuse the first request, then the second, until the call gets all that it asks for. */
static void expect_refusals(trial_fn *trial)
{
    struct buf out = {0};
    int refusals = 0;
    enum qn_status status;

    assert_int_equal(buf_append(&out, "before", 6), QN_OK);
    do {
        refuse_after = refusals++;
        status = trial(&out);
        refuse_after = -1;
        if (status != QN_OK) {
            assert_int_equal(status, QN_MEMORY_FULL);
            assert_bytes_equal(buf_bytes(&out), bytes_of_text("before"));
        }
    } while (status != QN_OK);
    assert_true(refusals > 1);
    buf_fini(&out);
}

static void a_refusal_is_a_status_wherever_it_comes(void **state)
{
    static trial_fn *const trials[] = {write_uniform,   write_arrays, write_references,
                                       read_references, keep_levels,  write_raw};

    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        expect_refusals(trials[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_is_a_status_wherever_it_comes),
    };

    return RUN_TESTS(tests);
}

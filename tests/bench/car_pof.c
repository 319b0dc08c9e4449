/* The codec by hand-written calls, and one field by path. */
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/assert.h"
#include "wire/pof/path.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

enum { MAKE, MODEL, YEAR, COLOR, OPTIONS, PRICE, OWNER, TEXT };
enum { NAME, AGE };

static void *pof_open(void)
{
    return calloc(1, sizeof(struct buf));
}

static void pof_close(void *side)
{
    buf_fini(side);
    free(side);
}

static struct bytes pof_encode(void *side, const struct car *car)
{
    struct buf *out = side;
    struct pof_writer w;

    buf_clear(out);
    pof_writer_init(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 0);
    pof_write_string(&w, MAKE, car->make);
    pof_write_string(&w, MODEL, car->model);
    pof_write_int32(&w, YEAR, car->year);
    pof_write_string(&w, COLOR, car->color);
    pof_begin_uniform_collection(&w, OPTIONS, POF_STRING, (int32_t)car->option_count);
    for (uint32_t i = 0; i < car->option_count; i++) {
        pof_write_string(&w, POF_NEXT, car->options[i]);
    }
    pof_end(&w);
    pof_write_float64(&w, PRICE, car->price);
    pof_begin_user(&w, OWNER, 1001, 0);
    pof_write_string(&w, NAME, car->owner.name);
    pof_writer_full(&w);
    pof_write_int32(&w, AGE, car->owner.age);
    pof_end(&w);
    if (car->text.size > 0) {
        pof_write_string(&w, TEXT, car->text);
    }
    pof_end(&w);
    enum qn_status status = pof_writer_finish(&w);
    qn_assert(status == QN_OK);
    return buf_bytes(out);
}

static enum qn_status read_options(struct pof_reader *r, struct car *car)
{
    struct pof_value value;
    enum qn_status status = pof_reader_find(r, OPTIONS, &value);

    if (status == QN_OK) {
        status = pof_reader_enter(r);
    }
    while (status == QN_OK && car->option_count < CAR_OPTIONS &&
           (status = pof_reader_next(r, &value)) == QN_OK) {
        car->options[car->option_count++] = value.as.text;
    }
    return status == QN_OK ? pof_reader_leave(r) : status;
}

static enum qn_status read_owner(struct pof_reader *r, struct owner *owner)
{
    struct pof_value value;
    enum qn_status status = pof_reader_find(r, OWNER, &value);

    if (status == QN_OK) {
        status = pof_reader_enter(r);
    }
    if (status == QN_OK) {
        status = pof_read_string(r, NAME, &owner->name);
    }
    if (status == QN_OK) {
        status = pof_read_int32(r, AGE, &owner->age);
    }
    return status == QN_OK ? pof_reader_leave(r) : status;
}

static uint64_t pof_decode(void *side, struct bytes octets)
{
    struct pof_reader r;
    struct pof_value value;
    struct car car;

    (void)side;
    car.option_count = 0;
    pof_reader_init(&r, octets);
    enum qn_status status = pof_reader_next(&r, &value);
    status = status == QN_OK ? pof_reader_enter(&r) : status;
    status = status == QN_OK ? pof_read_string(&r, MAKE, &car.make) : status;
    status = status == QN_OK ? pof_read_string(&r, MODEL, &car.model) : status;
    status = status == QN_OK ? pof_read_int32(&r, YEAR, &car.year) : status;
    status = status == QN_OK ? pof_read_string(&r, COLOR, &car.color) : status;
    status = status == QN_OK ? read_options(&r, &car) : status;
    status = status == QN_OK ? pof_read_float64(&r, PRICE, &car.price) : status;
    status = status == QN_OK ? read_owner(&r, &car.owner) : status;
    status = status == QN_OK ? pof_read_string(&r, TEXT, &car.text) : status;
    qn_assert(status == QN_OK);
    return car_sum(&car);
}

const struct contender contender_pof = {"hand-written calls", pof_open, pof_close, pof_encode,
                                        pof_decode};

/* The last field of the object in it. */
static uint64_t path_decode(void *side, struct bytes octets)
{
    static const int32_t steps[] = {OWNER, AGE};
    struct pof_target target;
    enum qn_status status = pof_path_find(octets, (struct pof_path){steps, 2}, &target);

    (void)side;
    qn_assert(status == QN_OK && target.found);
    return (uint64_t)target.value.as.integer;
}

const struct contender contender_path = {"one field by path", pof_open, pof_close, pof_encode,
                                         path_decode};

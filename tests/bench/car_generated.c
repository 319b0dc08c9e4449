/* The code that `quoin generate` writes from measured.cfg. */
#include <stdlib.h>

#include "measured.h"
#include "tests/bench/car.h"
#include "wire/assert.h"

struct side {
    struct buf out;
    struct arena arena;
};

static void *side_open(void)
{
    struct side *side = calloc(1, sizeof *side);

    qn_assert(side);
    arena_init(&side->arena, 0);
    return side;
}

static void side_close(void *opened)
{
    struct side *side = opened;

    buf_fini(&side->out);
    arena_fini(&side->arena);
    free(side);
}

/* The generated struct with the car's texts: what a program that uses it has anyway. */
static void borrow(const struct car *car, struct bytes options[CAR_OPTIONS],
                   struct measured_owner *owner, struct measured_car *made)
{
    memcpy(options, car->options, sizeof car->options);
    *owner = (struct measured_owner){.name = car->owner.name, .age = car->owner.age};
    *made = (struct measured_car){
        .make = car->make,
        .model = car->model,
        .year = car->year,
        .color = car->color,
        .options = options,
        .options_count = car->option_count,
        .price = car->price,
        .owner = owner,
        .text = car->text,
    };
}

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;
    struct bytes options[CAR_OPTIONS];
    struct measured_owner owner;
    struct measured_car made;
    struct pof_writer w;

    borrow(car, options, &owner, &made);
    buf_clear(&side->out);
    pof_writer_init(&w, &side->out);
    measured_car_write(&w, POF_NEXT, &made);
    enum qn_status status = pof_writer_finish(&w);
    qn_assert(status == QN_OK);
    return buf_bytes(&side->out);
}

static uint64_t decode(void *opened, struct bytes octets)
{
    struct side *side = opened;
    struct pof_struct_memory memory = {.arena = &side->arena};
    struct measured_car read;
    struct pof_reader r;

    pof_reader_init(&r, octets);
    enum qn_status status = measured_car_read(&r, &read, &memory);
    qn_assert(status == QN_OK && read.owner && read.options_count == CAR_OPTIONS);
    struct car car = {
        .make = read.make,
        .model = read.model,
        .year = read.year,
        .color = read.color,
        .option_count = CAR_OPTIONS,
        .price = read.price,
        .owner = {.name = read.owner->name, .age = read.owner->age},
        .text = read.text,
    };
    memcpy(car.options, read.options, sizeof car.options);
    arena_reset(&side->arena);
    return car_sum(&car);
}

const struct contender contender_generated = {"generated code", side_open, side_close, encode,
                                              decode};

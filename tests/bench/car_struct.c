/* The codec by a table beside the struct. */
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/assert.h"
#include "wire/pof/struct.h"

static const struct pof_field owner_fields[] = {
    POF_FIELD(struct owner, name, 0, STRING),
    POF_FIELD_FULL(struct owner, age, 1, INT32), /* written with the generic method */
};
static const struct pof_struct owner_struct = POF_STRUCT(struct owner, 1001, 0, owner_fields);

static const struct pof_field car_fields[] = {
    POF_FIELD(struct car, make, 0, STRING),
    POF_FIELD(struct car, model, 1, STRING),
    POF_FIELD(struct car, year, 2, INT32),
    POF_FIELD(struct car, color, 3, STRING),
    POF_FIELD_MANY_IN_PLACE(struct car, options, option_count, 4, STRING, LIST),
    POF_FIELD(struct car, price, 5, FLOAT64),
    POF_FIELD_STRUCT(struct car, owner, 6, &owner_struct),
    POF_FIELD(struct car, text, 7, STRING),
};
static const struct pof_struct car_struct = POF_STRUCT(struct car, 1000, 0, car_fields);

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

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;
    struct pof_writer w;

    buf_clear(&side->out);
    pof_writer_init(&w, &side->out);
    pof_struct_write(&w, POF_NEXT, &car_struct, car);
    enum qn_status status = pof_writer_finish(&w);
    qn_assert(status == QN_OK);
    return buf_bytes(&side->out);
}

static uint64_t decode(void *opened, struct bytes octets)
{
    struct side *side = opened;
    struct pof_struct_memory memory = {.arena = &side->arena};
    struct pof_reader r;
    struct car car;

    pof_reader_init(&r, octets);
    enum qn_status status = pof_struct_read(&r, &car_struct, &car, &memory);
    qn_assert(status == QN_OK);
    arena_reset(&side->arena);
    return car_sum(&car);
}

const struct contender contender_struct = {"struct table", side_open, side_close, encode, decode};

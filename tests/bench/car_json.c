/* The JSON view: the text of a car by names, and the octets of such a text. */
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/assert.h"
#include "wire/pof/json/json.h"

static const struct pof_shape shape_string = {.kind = POF_SHAPE_STRING};
static const struct pof_shape shape_int32 = {.kind = POF_SHAPE_INT32};
static const struct pof_shape shape_float64 = {.kind = POF_SHAPE_FLOAT64};
static const struct pof_shape shape_strings = {.kind = POF_SHAPE_LIST, .element = &shape_string};

static const struct pof_schema_field owner_fields[] = {
    {.index = 0, .name = "name", .shape = &shape_string},
    {.index = 1, .name = "age", .shape = &shape_int32},
};
static const struct pof_schema_type owner_type = {
    .id = 1001, .name = "Owner", .fields = owner_fields, .field_count = 2};
static const struct pof_shape shape_owner = {.kind = POF_SHAPE_USER, .user = &owner_type};

static const struct pof_schema_field car_fields[] = {
    {.index = 0, .name = "make", .shape = &shape_string},
    {.index = 1, .name = "model", .shape = &shape_string},
    {.index = 2, .name = "year", .shape = &shape_int32},
    {.index = 3, .name = "color", .shape = &shape_string},
    {.index = 4, .name = "options", .shape = &shape_strings},
    {.index = 5, .name = "price", .shape = &shape_float64},
    {.index = 6, .name = "owner", .shape = &shape_owner},
    {.index = 7, .name = "text", .shape = &shape_string},
};
static const struct pof_schema_type car_type = {
    .id = 1000, .name = "Car", .fields = car_fields, .field_count = 8};
static const struct pof_shape shape_car = {.kind = POF_SHAPE_USER, .user = &car_type};
static const struct pof_schema_type *const by_id[] = {&car_type, &owner_type};
static const struct pof_schema schema = {.type_count = 2, .by_id = by_id};
static const struct pof_json_options options = {.schema = &schema, .shape = &shape_car};

struct side {
    struct buf text;
    struct buf octets;
    void *pof;
};

static void *side_open(void)
{
    struct side *side = calloc(1, sizeof *side);

    qn_assert(side);
    side->pof = contender_pof.open();
    return side;
}

static void side_close(void *opened)
{
    struct side *side = opened;

    contender_pof.close(side->pof);
    buf_fini(&side->text);
    buf_fini(&side->octets);
    free(side);
}

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;
    struct bytes octets = contender_pof.encode(side->pof, car);

    buf_clear(&side->text);
    enum qn_status status = pof_json_write(&side->text, octets, &options);
    qn_assert(status == QN_OK);
    return buf_bytes(&side->text);
}

static uint64_t decode(void *opened, struct bytes text)
{
    struct side *side = opened;

    buf_clear(&side->octets);
    enum qn_status status = pof_json_read(&side->octets, text, &options, NULL);
    qn_assert(status == QN_OK);
    return contender_pof.decode(side->pof, buf_bytes(&side->octets));
}

const struct contender contender_json = {"JSON view", side_open, side_close, encode, decode};

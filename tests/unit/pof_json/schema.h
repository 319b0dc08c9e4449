/* Types for the tests: a car with an owner, and a point. */
#ifndef QUOIN_TESTS_UNIT_POF_JSON_SCHEMA_H
#define QUOIN_TESTS_UNIT_POF_JSON_SCHEMA_H

#include "wire/pof/schema.h"

static const struct pof_shape shape_any = {.kind = POF_SHAPE_ANY};
static const struct pof_shape shape_string = {.kind = POF_SHAPE_STRING};
static const struct pof_shape shape_int32 = {.kind = POF_SHAPE_INT32};
static const struct pof_shape shape_int64 = {.kind = POF_SHAPE_INT64};
static const struct pof_shape shape_float64 = {.kind = POF_SHAPE_FLOAT64};
static const struct pof_shape shape_date = {.kind = POF_SHAPE_DATE};
static const struct pof_shape shape_strings = {.kind = POF_SHAPE_LIST, .element = &shape_string};
static const struct pof_shape shape_counts = {
    .kind = POF_SHAPE_MAP_OF, .key = &shape_string, .element = &shape_int64};

static const struct pof_schema_field owner_fields[] = {
    {.index = 0, .name = "name", .shape = &shape_string},
    {.index = 1, .name = "age", .shape = &shape_int32},
};
static const struct pof_schema_type owner_type = {.id = 1001,
                                                  .name = "Owner",
                                                  .class_name = "com.example.Owner",
                                                  .fields = owner_fields,
                                                  .field_count = 2};
static const struct pof_shape shape_owner = {.kind = POF_SHAPE_USER, .user = &owner_type};

static const struct pof_schema_field car_fields[] = {
    {.index = 0, .name = "make", .shape = &shape_string},
    {.index = 2, .name = "year", .shape = &shape_int64},
    {.index = 4, .name = "options", .shape = &shape_strings},
    {.index = 5, .name = "price", .shape = &shape_float64},
    {.index = 6, .name = "owner", .shape = &shape_owner},
    {.index = 7, .name = "counts", .shape = &shape_counts},
    {.index = 8, .name = "built", .shape = &shape_date},
    {.index = 9, .name = "more", .shape = &shape_any},
};
static const struct pof_schema_type car_type = {
    .id = 1000, .version = 1, .name = "Car", .fields = car_fields, .field_count = 8};
static const struct pof_shape shape_car = {.kind = POF_SHAPE_USER, .user = &car_type};

static const struct pof_schema_type all_types[] = {
    {.id = 1000, .version = 1, .name = "Car", .fields = car_fields, .field_count = 8},
    {.id = 1001,
     .name = "Owner",
     .class_name = "com.example.Owner",
     .fields = owner_fields,
     .field_count = 2},
};
static const struct pof_schema_type *const types_by_id[] = {&car_type, &owner_type};
static const struct pof_schema schema = {.types = all_types, .type_count = 2, .by_id = types_by_id};

#endif

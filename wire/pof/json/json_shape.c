/* Types of the octets, and what values of them are declared to be. */
#include "wire/pof/json/json_shape.h"

#include "wire/pof/types.h"

const struct pof_shape pjson_any = {.kind = POF_SHAPE_ANY};

struct pof_shape pjson_shape_of(const struct pof_schema *schema, int32_t type)
{
    static const enum pof_shape_kind shapes[] = {
        POF_SHAPE_INT16,      POF_SHAPE_INT32,   POF_SHAPE_INT64,         POF_SHAPE_INT128,
        POF_SHAPE_FLOAT32,    POF_SHAPE_FLOAT64, POF_SHAPE_FLOAT128,      POF_SHAPE_DECIMAL,
        POF_SHAPE_DECIMAL,    POF_SHAPE_DECIMAL, POF_SHAPE_BOOL,          POF_SHAPE_OCTET,
        POF_SHAPE_OCTETS,     POF_SHAPE_CHAR,    POF_SHAPE_STRING,        POF_SHAPE_DATE,
        POF_SHAPE_YEAR_MONTH, POF_SHAPE_TIME,    POF_SHAPE_TIME_INTERVAL, POF_SHAPE_DATETIME,
        POF_SHAPE_DAY_TIME,
    };
    const struct pof_schema_type *user = type >= 0 ? pof_schema_find_id(schema, type) : NULL;

    if (user) {
        return (struct pof_shape){.kind = POF_SHAPE_USER, .user = user};
    }
    return type < 0 && type >= POF_DAY_TIME_INTERVAL ? (struct pof_shape){.kind = shapes[-1 - type]}
                                                     : pjson_any;
}

bool pjson_type_of(const struct pof_shape *shape, int32_t *type)
{
    static const int32_t types[] = {
        [POF_SHAPE_BOOL] = POF_BOOL,
        [POF_SHAPE_OCTET] = POF_OCTET,
        [POF_SHAPE_CHAR] = POF_CHAR,
        [POF_SHAPE_INT16] = POF_INT16,
        [POF_SHAPE_INT32] = POF_INT32,
        [POF_SHAPE_INT64] = POF_INT64,
        [POF_SHAPE_INT128] = POF_INT128,
        [POF_SHAPE_FLOAT32] = POF_FLOAT32,
        [POF_SHAPE_FLOAT64] = POF_FLOAT64,
        [POF_SHAPE_FLOAT128] = POF_FLOAT128,
        [POF_SHAPE_DECIMAL] = POF_DECIMAL128,
        [POF_SHAPE_STRING] = POF_STRING,
        [POF_SHAPE_OCTETS] = POF_OCTETS,
        [POF_SHAPE_DATE] = POF_DATE,
        [POF_SHAPE_TIME] = POF_TIME,
        [POF_SHAPE_DATETIME] = POF_DATETIME,
        [POF_SHAPE_YEAR_MONTH] = POF_YEAR_MONTH_INTERVAL,
        [POF_SHAPE_TIME_INTERVAL] = POF_TIME_INTERVAL,
        [POF_SHAPE_DAY_TIME] = POF_DAY_TIME_INTERVAL,
    };

    if (shape->user) {
        *type = shape->user->id;
        return true;
    }
    if (shape->kind == POF_SHAPE_ANY || shape->kind > POF_SHAPE_DAY_TIME) {
        return false;
    }
    *type = types[shape->kind];
    return true;
}

/* The default of a field: any simple value that fits its kind. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/types_read.h"

enum { NUMBER_TEXT_MAX = 40 };

/* The value of `default` as text; NULL: it is a group or a list. */
static const char *value_text(const config_setting_t *setting, char *number)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        snprintf(number, NUMBER_TEXT_MAX, "%lld", config_setting_get_int64(setting));
        return number;
    case CONFIG_TYPE_FLOAT:
        snprintf(number, NUMBER_TEXT_MAX, "%.17g", config_setting_get_float(setting));
        return number;
    case CONFIG_TYPE_BOOL:
        return config_setting_get_bool(setting) ? "true" : "false";
    case CONFIG_TYPE_STRING:
        return config_setting_get_string(setting);
    default:
        return NULL;
    }
}

static bool whole_fits(const char *text, long long min, long long max)
{
    char *end = NULL;

    errno = 0;
    long long value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && text[strspn(text, "-0123456789")] == '\0' && errno == 0 &&
           value >= min && value <= max;
}

static bool real_fits(const char *text, double max)
{
    char *end = NULL;
    double value = strtod(text, &end);

    return end != text && *end == '\0' && text[strspn(text, "+-.0123456789eE")] == '\0' &&
           fabs(value) <= max;
}

/* What a default of a kind may be, for messages; NULL: anything goes that `fits` lets through. */
static const char *default_wanted(enum pof_shape_kind kind, const char *text)
{
    switch (kind) {
    case POF_SHAPE_BOOL:
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? NULL : "true or false";
    case POF_SHAPE_OCTET:
        return whole_fits(text, 0, UINT8_MAX) ? NULL : "a whole number from 0 to 255";
    case POF_SHAPE_CHAR:
        return whole_fits(text, 0, UINT16_MAX) ? NULL : "the number of a character, 0 to 65535";
    case POF_SHAPE_INT16:
        return whole_fits(text, INT16_MIN, INT16_MAX) ? NULL : "a whole number of 16 bits";
    case POF_SHAPE_INT32:
        return whole_fits(text, INT32_MIN, INT32_MAX) ? NULL : "a whole number of 32 bits";
    case POF_SHAPE_INT64:
        return whole_fits(text, INT64_MIN, INT64_MAX) ? NULL : "a whole number of 64 bits";
    case POF_SHAPE_FLOAT32:
        return real_fits(text, 3.4028234e38) ? NULL : "a number that a float32 holds";
    case POF_SHAPE_FLOAT64:
        return real_fits(text, 1.7976931348623157e308) ? NULL : "a number";
    case POF_SHAPE_STRING:
        return NULL;
    case POF_SHAPE_ANY:
    case POF_SHAPE_INT128:
    case POF_SHAPE_FLOAT128:
    case POF_SHAPE_DECIMAL:
    case POF_SHAPE_OCTETS:
    case POF_SHAPE_DATE:
    case POF_SHAPE_TIME:
    case POF_SHAPE_DATETIME:
    case POF_SHAPE_YEAR_MONTH:
    case POF_SHAPE_TIME_INTERVAL:
    case POF_SHAPE_DAY_TIME:
    case POF_SHAPE_ARRAY:
    case POF_SHAPE_LIST:
    case POF_SHAPE_SPARSE:
    case POF_SHAPE_MAP_OF:
    case POF_SHAPE_USER:
        break;
    }
    return "left out: only bools, numbers, chars and strings can have one";
}

const char *types_default_read(struct types_reader *r, const struct group_context *c,
                               const config_setting_t *group, const struct pof_schema_field *field)
{
    const config_setting_t *setting = config_setting_get_member(group, "default");
    char number[NUMBER_TEXT_MAX];

    if (!setting) {
        return NULL;
    }
    const char *text = value_text(setting, number);
    const char *wanted = text ? default_wanted(field->shape->kind, text) : "a single value";
    if (wanted) {
        group_error(c, setting, "the default of %s, a field of type %s, must be %s", field->name,
                    pof_shape_word(field->shape->kind), wanted);
        return NULL;
    }
    if (field->optional) {
        group_error(c, setting, "%s is optional, so it is null by default: remove one of the two",
                    field->name);
        return NULL;
    }
    return types_copy(r, text);
}

#include "client/cli/field.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/cli/clock_text.h"
#include "client/cli/json_value.h"
#include "client/cli/text.h"
#include "config/value.h"
#include "wire/pof/text.h"

enum { FIELD_NUMBER_MAX = 64, FIELD_SHOWN_MAX = 40 };

/* What is read, where what it needs comes from, and where a complaint goes. */
struct field_reader {
    const struct cell *cell;
    enum types_kind kind;
    struct arena *arena;
    struct field_value *value;
    char *problem;
};

__attribute__((format(printf, 2, 3))) static bool complain(const struct field_reader *reader,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->problem, FIELD_PROBLEM_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static const char *json_kind(const json_t *json)
{
    if (json == NULL) {
        return "nothing";
    }
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

/* Complain that the JSON cell has another type than `wanted`. */
static bool wrong_type(const struct field_reader *reader, const char *wanted)
{
    return complain(reader, "wrong type: %s where %s was expected (%s)",
                    json_kind(reader->cell->json), wanted, types_kind_name(reader->kind));
}

/* Complain about the content of a text. */
static bool wrong_text(const struct field_reader *reader, struct bytes text, const char *wanted)
{
    int shown = text.size < FIELD_SHOWN_MAX ? (int)text.size : FIELD_SHOWN_MAX;
    return complain(reader, "wrong type: '%.*s' is not %s (%s)", shown, (const char *)text.data,
                    wanted, types_kind_name(reader->kind));
}

/* The cell as text: that of a CSV, or a JSON string. */
static bool cell_text(const struct field_reader *reader, const char *wanted, struct bytes *text)
{
    if (reader->cell->json == NULL) {
        *text = reader->cell->text;
        return true;
    }
    if (!json_is_string(reader->cell->json)) {
        return wrong_type(reader, wanted);
    }
    *text = bytes_of(json_string_value(reader->cell->json), json_string_length(reader->cell->json));
    return true;
}

/* A copy that ends with NUL, for the functions that want one. False: too long, or a NUL inside. */
static bool text_copy(struct bytes text, char *copy)
{
    if (text.size == 0 || text.size >= FIELD_NUMBER_MAX || memchr(text.data, 0, text.size)) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return true;
}

static bool read_bool(const struct field_reader *reader)
{
    const json_t *json = reader->cell->json;
    if (json != NULL) {
        reader->value->number = json_is_true(json);
        return json_is_boolean(json) || wrong_type(reader, "true or false");
    }
    char text[FIELD_NUMBER_MAX];
    bool truth = false;
    const char *problem = NULL;
    if (!text_copy(reader->cell->text, text) || !value_bool_parse(text, &truth, &problem)) {
        return wrong_text(reader, reader->cell->text, "true or false");
    }
    reader->value->number = truth;
    return true;
}

static bool read_whole(const struct field_reader *reader, int64_t min, int64_t max)
{
    int64_t number = 0;
    const json_t *json = reader->cell->json;
    if (json != NULL) {
        if (!json_is_integer(json)) {
            return wrong_type(reader, "a whole number");
        }
        number = json_integer_value(json);
    } else if (!text_to_int(reader->cell->text, &number)) {
        return wrong_text(reader, reader->cell->text, "a whole number of 64 bits");
    }
    if (number < min || number > max) {
        return complain(reader, "out of range: %lld is not from %lld to %lld (%s)",
                        (long long)number, (long long)min, (long long)max,
                        types_kind_name(reader->kind));
    }
    reader->value->number = number;
    return true;
}

/* A number as it is written in decimal; no hexadecimal, no spaces. */
static bool text_to_real(struct bytes text, double *real)
{
    char copy[FIELD_NUMBER_MAX];
    if (!text_copy(text, copy) || strspn(copy, "+-.0123456789eE") != text.size) {
        return false;
    }
    char *end = NULL;
    *real = strtod(copy, &end);
    return *end == '\0';
}

/* The words for what no decimal number says; JSON has none of its own. */
static bool text_to_special(struct bytes text, double *real)
{
    if (bytes_equal(text, bytes_of_text("NaN"))) {
        *real = (double)NAN;
        return true;
    }
    bool negative = bytes_equal(text, bytes_of_text("-Infinity"));
    *real = negative ? -(double)INFINITY : (double)INFINITY;
    return negative || bytes_equal(text, bytes_of_text("Infinity"));
}

static bool read_special(const struct field_reader *reader)
{
    const json_t *json = reader->cell->json;
    struct bytes text = reader->cell->text;
    if (json_is_string(json)) {
        text = bytes_of(json_string_value(json), json_string_length(json));
    }
    return (json == NULL || json_is_string(json)) && text_to_special(text, &reader->value->real);
}

static bool read_real(const struct field_reader *reader, double max)
{
    double real = 0;
    const json_t *json = reader->cell->json;
    if (read_special(reader)) {
        return true;
    }
    if (json != NULL) {
        if (!json_is_number(json)) {
            return wrong_type(reader, "a number");
        }
        real = json_number_value(json);
    } else if (!text_to_real(reader->cell->text, &real)) {
        return wrong_text(reader, reader->cell->text, "a number");
    }
    if (fabs(real) > max) {
        return complain(reader, "out of range: %g is too large (%s)", real,
                        types_kind_name(reader->kind));
    }
    reader->value->real = reader->kind == TYPES_FLOAT32 ? (double)(float)real : real;
    return true;
}

static bool read_string(const struct field_reader *reader)
{
    struct bytes text;
    if (!cell_text(reader, "a string", &text)) {
        return false;
    }
    if (pof_text_check(text) != POF_TEXT_STANDARD) {
        return complain(reader, "invalid UTF-8: convert the file first, for instance with iconv");
    }
    reader->value->text = text;
    return true;
}

static bool read_octets(const struct field_reader *reader)
{
    struct bytes text;
    if (!cell_text(reader, "a string of the form 0x00ff", &text)) {
        return false;
    }
    struct buf octets = {.size = 0};
    if (text_unhex(text, &octets) != QN_OK) {
        buf_fini(&octets);
        return wrong_text(reader, text, "of the form 0x00ff");
    }
    uint8_t *copy = arena_alloc(reader->arena, octets.size + 1);
    if (copy != NULL && octets.size > 0) {
        memcpy(copy, octets.data, octets.size);
    }
    reader->value->text = bytes_of(copy, octets.size);
    buf_fini(&octets);
    return copy != NULL || complain(reader, "out of memory");
}

/* One UTF-16 code unit: a character up to U+FFFF. */
static bool read_char(const struct field_reader *reader)
{
    struct bytes text;
    if (!cell_text(reader, "a string of one character", &text)) {
        return false;
    }
    uint16_t unit = 0;
    struct bytes rest = text;
    if (pof_text_check(text) != POF_TEXT_STANDARD || pof_text_take_unit(&rest, &unit) != QN_OK ||
        rest.size > 0) {
        return wrong_text(reader, text, "one character up to U+FFFF");
    }
    reader->value->number = unit;
    return true;
}

static bool read_clock(const struct field_reader *reader)
{
    struct bytes text;
    if (!cell_text(reader, "a string", &text)) {
        return false;
    }
    struct field_value *value = reader->value;
    if (reader->kind == TYPES_DATE) {
        return clock_date_parse(text, &value->date) ||
               wrong_text(reader, text, "a date such as 2024-02-29");
    }
    if (reader->kind == TYPES_TIME) {
        return clock_time_parse(text, &value->time) ||
               wrong_text(reader, text, "a time such as 23:59:59.5Z");
    }
    return clock_datetime_parse(text, &value->datetime) ||
           wrong_text(reader, text, "a date and time such as 2024-02-29T23:59:59+01:00");
}

static bool copy_items(const struct field_reader *reader, const json_t *array)
{
    size_t count = json_array_size(array);
    struct bytes *items = arena_calloc(reader->arena, count + 1, sizeof *items);
    for (size_t i = 0; i < count && items != NULL; i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_string(item)) {
            return complain(reader, "wrong type: element %zu of the array is %s, not a string", i,
                            json_kind(item));
        }
        size_t size = json_string_length(item);
        char *copy = arena_alloc(reader->arena, size + 1);
        if (copy == NULL) {
            return complain(reader, "out of memory");
        }
        memcpy(copy, json_string_value(item), size);
        items[i] = bytes_of(copy, size);
    }
    reader->value->items = items;
    reader->value->item_count = count;
    return items != NULL || complain(reader, "out of memory");
}

/* In a CSV cell the list is written as a JSON array. */
static bool read_strings(const struct field_reader *reader)
{
    const json_t *json = reader->cell->json;
    if (json != NULL) {
        return json_is_array(json) ? copy_items(reader, json)
                                   : wrong_type(reader, "an array of strings");
    }
    struct bytes text = reader->cell->text;
    json_t *array = json_loadb((const char *)text.data, text.size, JSON_ALLOW_NUL, NULL);
    bool read = json_is_array(array) ? copy_items(reader, array)
                                     : wrong_text(reader, text, "an array such as [\"a\",\"b\"]");
    json_decref(array);
    return read;
}

static bool read_by_kind(const struct field_reader *reader)
{
    switch (reader->kind) {
    case TYPES_BOOL:
        return read_bool(reader);
    case TYPES_OCTET:
        return read_whole(reader, 0, UINT8_MAX);
    case TYPES_CHAR:
        return read_char(reader);
    case TYPES_INT16:
        return read_whole(reader, INT16_MIN, INT16_MAX);
    case TYPES_INT32:
        return read_whole(reader, INT32_MIN, INT32_MAX);
    case TYPES_INT64:
        return read_whole(reader, INT64_MIN, INT64_MAX);
    case TYPES_FLOAT32:
        return read_real(reader, FLT_MAX);
    case TYPES_FLOAT64:
        return read_real(reader, DBL_MAX);
    case TYPES_STRING:
        return read_string(reader);
    case TYPES_OCTETS:
        return read_octets(reader);
    case TYPES_DATE:
    case TYPES_TIME:
    case TYPES_DATETIME:
        return read_clock(reader);
    case TYPES_STRINGS:
        return read_strings(reader);
    case TYPES_OTHER:
        break;
    }
    return complain(
        reader,
        "the types file gives the field a kind that is not read here: leave the cell empty");
}

bool field_read(const struct cell *cell, enum types_kind kind, struct arena *arena,
                struct field_value *value, char *problem)
{
    *value = (struct field_value){.kind = kind};
    bool empty_string = cell->quoted && kind == TYPES_STRING;
    bool absent =
        cell->json != NULL ? json_is_null(cell->json) : cell->text.size == 0 && !empty_string;
    if (absent) {
        return true;
    }
    value->present = true;
    const struct field_reader reader = {
        .cell = cell, .kind = kind, .arena = arena, .value = value, .problem = problem};
    return read_by_kind(&reader);
}

/* ---- comparing ---- */

static bool reals_equal(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool items_equal(const struct field_value *a, const struct field_value *b)
{
    bool equal = a->item_count == b->item_count;
    for (size_t i = 0; i < a->item_count && equal; i++) {
        equal = bytes_equal(a->items[i], b->items[i]);
    }
    return equal;
}

static bool dates_equal(const struct pof_date *a, const struct pof_date *b)
{
    return a->year == b->year && a->month == b->month && a->day == b->day;
}

static bool times_equal(const struct pof_time *a, const struct pof_time *b)
{
    return a->hour == b->hour && a->minute == b->minute && a->second == b->second &&
           a->nano == b->nano && a->zone == b->zone && a->zone_hour == b->zone_hour &&
           a->zone_minute == b->zone_minute;
}

bool field_equal(const struct field_value *a, const struct field_value *b)
{
    if (!a->present || !b->present || a->kind != b->kind) {
        return !a->present && !b->present;
    }
    switch (a->kind) {
    case TYPES_BOOL:
    case TYPES_OCTET:
    case TYPES_CHAR:
    case TYPES_INT16:
    case TYPES_INT32:
    case TYPES_INT64:
        return a->number == b->number;
    case TYPES_FLOAT32:
    case TYPES_FLOAT64:
        return reals_equal(a->real, b->real);
    case TYPES_STRING:
    case TYPES_OCTETS:
        return bytes_equal(a->text, b->text);
    case TYPES_DATE:
        return dates_equal(&a->date, &b->date);
    case TYPES_TIME:
        return times_equal(&a->time, &b->time);
    case TYPES_DATETIME:
        return dates_equal(&a->datetime.date, &b->datetime.date) &&
               times_equal(&a->datetime.time, &b->datetime.time);
    case TYPES_STRINGS:
        return items_equal(a, b);
    case TYPES_OTHER:
        break;
    }
    return false;
}

/* ---- showing ---- */

static json_t *clock_json(const struct field_value *value)
{
    char text[CLOCK_TEXT_MAX];
    if (value->kind == TYPES_DATE) {
        return json_string(clock_date_print(&value->date, text));
    }
    if (value->kind == TYPES_TIME) {
        return json_string(clock_time_print(&value->time, text));
    }
    return json_string(clock_datetime_print(&value->datetime, text));
}

static json_t *items_json(const struct field_value *value)
{
    json_t *array = json_array();
    for (size_t i = 0; i < value->item_count; i++) {
        json_array_append_new(array, json_value_text(value->items[i]));
    }
    return array;
}

json_t *field_json(const struct field_value *value)
{
    if (!value->present) {
        return json_null();
    }
    switch (value->kind) {
    case TYPES_BOOL:
        return json_boolean(value->number != 0);
    case TYPES_CHAR:
        return json_value_char((uint16_t)value->number);
    case TYPES_OCTET:
    case TYPES_INT16:
    case TYPES_INT32:
    case TYPES_INT64:
        return json_integer(value->number);
    case TYPES_FLOAT32:
        return json_value_float32((float)value->real);
    case TYPES_FLOAT64:
        return json_value_real(value->real);
    case TYPES_STRING:
        return json_value_text(value->text);
    case TYPES_OCTETS:
        return json_value_octets(value->text);
    case TYPES_DATE:
    case TYPES_TIME:
    case TYPES_DATETIME:
        return clock_json(value);
    case TYPES_STRINGS:
        return items_json(value);
    case TYPES_OTHER:
        break;
    }
    return json_null();
}

#define _GNU_SOURCE
#include "client/cli/cell.h"

#include "client/cli/render.h"
#include "config/value.h"
#include "wire/pof/binary.h"
#include "wire/pof/json/json.h"
#include "wire/pof/text.h"

enum { CELL_WORD_MAX = 16 };

/* What stands in the cell. */
enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_BOOL, CELL_JSON };

static enum cell_kind kind_of(const struct pof_shape *shape)
{
    switch (shape->kind) {
    case POF_SHAPE_CHAR:
    case POF_SHAPE_FLOAT128:
    case POF_SHAPE_STRING:
    case POF_SHAPE_OCTETS:
    case POF_SHAPE_DATE:
    case POF_SHAPE_TIME:
    case POF_SHAPE_DATETIME:
    case POF_SHAPE_YEAR_MONTH:
    case POF_SHAPE_TIME_INTERVAL:
    case POF_SHAPE_DAY_TIME:
        return CELL_TEXT;
    case POF_SHAPE_OCTET:
    case POF_SHAPE_INT16:
    case POF_SHAPE_INT32:
    case POF_SHAPE_INT64:
    case POF_SHAPE_INT128:
    case POF_SHAPE_FLOAT32:
    case POF_SHAPE_FLOAT64:
    case POF_SHAPE_DECIMAL:
        return CELL_NUMBER;
    case POF_SHAPE_BOOL:
        return CELL_BOOL;
    case POF_SHAPE_ANY:
    case POF_SHAPE_ARRAY:
    case POF_SHAPE_LIST:
    case POF_SHAPE_SPARSE:
    case POF_SHAPE_MAP_OF:
    case POF_SHAPE_USER:
        break;
    }
    return CELL_JSON;
}

bool cell_is_absent(struct bytes text, bool quoted, const struct pof_shape *shape)
{
    bool may_be_empty = shape->kind == POF_SHAPE_STRING || shape->kind == POF_SHAPE_OCTETS;
    return text.size == 0 && !(quoted && may_be_empty);
}

/* ---- to JSON ---- */

static enum qn_status string_json(struct bytes text, struct buf *json)
{
    return pof_text_check(text) == POF_TEXT_STANDARD ? render_string(json, text) : QN_MALFORMED;
}

/* "2024-02-29 12:00" is what most programs write. */
static enum qn_status datetime_json(struct bytes text, struct buf *json)
{
    enum { DATE_SIZE = 10 };
    size_t before = json->size;
    enum qn_status status = string_json(text, json);
    if (status == QN_OK && text.size > DATE_SIZE && text.data[DATE_SIZE] == ' ') {
        json->data[before + 1 + DATE_SIZE] = 'T';
    }
    return status;
}

static size_t digits(struct bytes text, size_t from)
{
    size_t to = from;
    while (to < text.size && text.data[to] >= '0' && text.data[to] <= '9') {
        to++;
    }
    return to - from;
}

static bool is_at(struct bytes text, size_t at, const char *letters)
{
    return at < text.size && text.data[at] != 0 && strchr(letters, text.data[at]) != NULL;
}

/* The parts of a decimal number. */
struct number {
    bool negative;
    struct bytes whole;    /* without leading zeros; may be empty */
    struct bytes fraction; /* behind the point; may be empty */
    struct bytes exponent; /* with its letter; may be empty */
};

static bool number_parse(struct bytes text, struct number *number)
{
    size_t at = is_at(text, 0, "+-");
    size_t whole = digits(text, at);
    *number =
        (struct number){.negative = is_at(text, 0, "-"), .whole = bytes_of(text.data + at, whole)};
    at += whole;
    if (is_at(text, at, ".")) {
        at++;
        number->fraction = bytes_of(text.data + at, digits(text, at));
        at += number->fraction.size;
    }
    if (whole + number->fraction.size == 0) {
        return false;
    }
    if (is_at(text, at, "eE")) {
        size_t sign = is_at(text, at + 1, "+-");
        size_t more = digits(text, at + 1 + sign);
        number->exponent = bytes_of(text.data + at, 1 + sign + more);
        at += more > 0 ? 1 + sign + more : 0;
    }
    while (number->whole.size > 1 && number->whole.data[0] == '0') {
        number->whole = bytes_of(number->whole.data + 1, number->whole.size - 1);
    }
    return at == text.size;
}

/* JSON has one way to write a number. */
static enum qn_status number_json(struct bytes text, struct buf *json)
{
    struct number number;
    size_t before = json->size;
    if (!number_parse(text, &number)) {
        return string_json(text, json); /* NaN and Infinity, or a mistake */
    }
    enum qn_status status = buf_append(json, "-", number.negative);
    struct bytes whole = number.whole.size > 0 ? number.whole : bytes_of_text("0");
    status = status == QN_OK ? buf_append(json, whole.data, whole.size) : status;
    status = status == QN_OK ? buf_append(json, ".", number.fraction.size > 0) : status;
    status =
        status == QN_OK ? buf_append(json, number.fraction.data, number.fraction.size) : status;
    status =
        status == QN_OK ? buf_append(json, number.exponent.data, number.exponent.size) : status;
    if (status != QN_OK) {
        json->size = before;
    }
    return status;
}

static enum qn_status bool_json(struct bytes text, struct buf *json)
{
    char word[CELL_WORD_MAX];
    bool truth = false;
    const char *problem = NULL;
    if (text.size >= sizeof word || memchr(text.data, 0, text.size) != NULL) {
        return string_json(text, json);
    }
    memcpy(word, text.data, text.size);
    word[text.size] = '\0';
    if (!value_bool_parse(word, &truth, &problem)) {
        return string_json(text, json);
    }
    return truth ? buf_append(json, "true", 4) : buf_append(json, "false", 5);
}

/* One JSON value and nothing behind it: a cell must not add members to the record. */
static enum qn_status whole_json(struct bytes text, struct buf *json)
{
    struct buf pof = {.size = 0};
    const struct pof_json_options anything = {.schema = NULL};
    enum qn_status status = pof_json_read(&pof, text, &anything, NULL);
    buf_fini(&pof);
    if (status == QN_MALFORMED) {
        return string_json(text, json);
    }
    return status == QN_MEMORY_FULL ? status : buf_append(json, text.data, text.size);
}

enum qn_status cell_to_json(struct bytes text, const struct pof_shape *shape, struct buf *json)
{
    switch (kind_of(shape)) {
    case CELL_TEXT:
        break;
    case CELL_NUMBER:
        return number_json(text, json);
    case CELL_BOOL:
        return bool_json(text, json);
    case CELL_JSON:
        return whole_json(text, json);
    }
    return shape->kind == POF_SHAPE_DATETIME ? datetime_json(text, json) : string_json(text, json);
}

/* ---- of JSON ---- */

/* A JSON string without its quotes and escapes. */
static enum qn_status append_content(struct bytes json, struct buf *text)
{
    static const struct pof_shape string = {.kind = POF_SHAPE_STRING};
    const struct pof_json_options options = {.shape = &string};
    static const uint8_t format = POF_BINARY_FORMAT;
    struct buf binary = {.size = 0};
    struct bytes content;
    enum qn_status status = buf_append(&binary, &format, 1);
    status = status == QN_OK ? pof_json_read(&binary, json, &options, NULL) : status;
    status = status == QN_OK ? pof_binary_as_string(buf_bytes(&binary), &content) : status;
    status = status == QN_OK ? buf_append(text, content.data, content.size) : status;
    buf_fini(&binary);
    return status;
}

static bool says_all(struct bytes json, const struct pof_shape *shape)
{
    switch (kind_of(shape)) {
    case CELL_TEXT:
        return is_at(json, 0, "\"");
    case CELL_NUMBER:
        return is_at(json, 0, "-0123456789\""); /* "NaN" */
    case CELL_BOOL:
        return is_at(json, 0, "tf");
    case CELL_JSON:
        break;
    }
    return true;
}

enum qn_status cell_of_json(struct bytes json, const struct pof_shape *shape, struct buf *text,
                            bool *exact)
{
    if (is_at(json, 0, "n")) {
        *exact = false;
        return QN_OK;
    }
    *exact = *exact && says_all(json, shape);
    bool content = kind_of(shape) != CELL_JSON && is_at(json, 0, "\"");
    return content ? append_content(json, text) : buf_append(text, json.data, json.size);
}

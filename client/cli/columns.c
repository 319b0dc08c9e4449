#define _GNU_SOURCE
#include "client/cli/columns.h"

#include <stdio.h>

#include "client/cli/cell.h"
#include "client/cli/csv.h"
#include "client/cli/json_split.h"
#include "client/cli/record.h"
#include "client/cli/render.h"
#include "wire/suggest.h"

/* ---- which there are ---- */

/* The walk through the fields of a type and of those that are flattened. `list` NULL: they are only
 * counted. */
struct walk {
    struct columns *columns;
    const struct form *form;
    struct buf name; /* what stands before the names where we are */
};

static bool keep(struct columns *columns, struct bytes name, struct bytes *kept)
{
    uint8_t *copy = arena_alloc(&columns->memory, name.size + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, name.data, name.size);
    copy[name.size] = '\0';
    *kept = bytes_of(copy, name.size);
    return true;
}

static bool add(struct columns *columns, struct bytes name, const struct pof_shape *shape)
{
    struct buf json = {.size = 0};
    struct column *column = columns->list != NULL ? &columns->list[columns->count] : NULL;
    columns->count++;
    if (column == NULL) {
        return true;
    }
    column->shape = shape;
    bool added = keep(columns, name, &column->name) && render_string(&json, name) == QN_OK &&
                 keep(columns, bytes_of(json.data + 1, json.size - 2), &column->json);
    buf_fini(&json);
    return added;
}

static bool add_fields(struct walk *walk, const struct pof_schema_type *type);

/* A field under its name, or the fields of the object in it. */
static bool add_field(struct walk *walk, const struct pof_schema_field *field,
                      const struct pof_view_field *rule)
{
    const struct pof_schema_type *inner = pof_view_flattened(rule, field);
    const char *more = rule->name != NULL ? rule->name : inner != NULL ? "" : field->name;
    size_t before = walk->name.size;
    bool added = buf_append(&walk->name, more, strlen(more)) == QN_OK;
    if (added && inner != NULL) {
        added = add_fields(walk, inner);
    } else if (added) {
        added = add(walk->columns, buf_bytes(&walk->name), field->shape);
    }
    walk->name.size = before;
    return added;
}

/* As deep as the check of the view, when the types file was read, allows. */
static bool add_fields(struct walk *walk, const struct pof_schema_type *type)
{
    const struct pof_view_type *rules = pof_view_type(walk->form->view, type->id);
    bool added = true;
    for (size_t i = 0; i < type->field_count && added; i++) {
        const struct pof_schema_field *field = &type->fields[i];
        const struct pof_view_field rule = pof_view_rule(rules, field->index);
        added = rule.action == POF_VIEW_OMIT || add_field(walk, field, &rule);
    }
    return added;
}

static bool add_all(struct columns *columns, const struct form *form, bool key_alone)
{
    struct walk walk = {.columns = columns, .form = form};
    columns->count = 0;
    bool added = key_alone
                     ? add(columns, bytes_of_text(record_name(form, form->key)), form->key->shape)
                     : add_fields(&walk, form->type);
    buf_fini(&walk.name);
    return added;
}

bool columns_init(struct columns *columns, const struct form *form, bool key_alone)
{
    *columns = (struct columns){.list = NULL};
    arena_init(&columns->memory, 0);
    if (!add_all(columns, form, key_alone)) {
        return false;
    }
    columns->list = arena_calloc(&columns->memory, columns->count + 1, sizeof *columns->list);
    return columns->list != NULL && add_all(columns, form, key_alone);
}

void columns_fini(struct columns *columns)
{
    arena_fini(&columns->memory);
    buf_fini(&columns->cell);
    buf_fini(&columns->cells);
    buf_fini(&columns->places);
    columns->list = NULL;
    columns->count = 0;
}

size_t columns_find(const struct columns *columns, struct bytes name, size_t hint)
{
    for (size_t i = 0; i < columns->count; i++) {
        size_t at = (hint + i) % columns->count;
        if (bytes_equal(name, columns->list[at].name)) {
            return at;
        }
    }
    return columns->count;
}

const char *columns_suggest(const struct columns *columns, struct bytes name)
{
    enum { WORD_MAX = 64 };
    char word[WORD_MAX + 1];
    struct suggest suggest = {.word = word};
    if (name.size > WORD_MAX) {
        return NULL;
    }
    snprintf(word, sizeof word, "%.*s", (int)name.size, (const char *)name.data);
    for (size_t i = 0; i < columns->count; i++) {
        suggest_offer(&suggest, (const char *)columns->list[i].name.data);
    }
    return suggest.nearest;
}

/* ---- a record as cells ---- */

enum qn_status columns_head(const struct columns *columns, char delimiter, struct buf *out)
{
    enum qn_status status = QN_OK;
    for (size_t i = 0; i < columns->count && status == QN_OK; i++) {
        status = buf_append(out, &delimiter, i > 0);
        status = status == QN_OK ? csv_quote(columns->list[i].name, delimiter, out) : status;
    }
    return status;
}

static size_t find_json(const struct columns *columns, struct bytes name, size_t hint)
{
    for (size_t i = 0; i < columns->count; i++) {
        size_t at = (hint + i) % columns->count;
        if (bytes_equal(name, columns->list[at].json)) {
            return at;
        }
    }
    return columns->count;
}

/* Where the cell of a column is in `cells`. */
struct place {
    size_t begin;
    size_t size;
};

static enum qn_status places_clear(struct columns *columns)
{
    uint8_t *place = NULL;
    size_t size = columns->count * sizeof(struct place);
    buf_clear(&columns->cells);
    buf_clear(&columns->places);
    enum qn_status status = buf_extend(&columns->places, size, &place);
    if (status == QN_OK && size > 0) {
        memset(place, 0, size);
    }
    return status;
}

/* Put a member where its column is looked for later. */
static enum qn_status take_member(struct columns *columns, size_t number, struct bytes value,
                                  char delimiter, bool *exact)
{
    struct place *place = (struct place *)(void *)columns->places.data + number;
    size_t begin = columns->cells.size;
    bool null = value.size > 0 && value.data[0] == 'n';
    buf_clear(&columns->cell);
    enum qn_status status = cell_of_json(value, columns->list[number].shape, &columns->cell, exact);
    if (status == QN_OK && !null) {
        status = csv_quote(buf_bytes(&columns->cell), delimiter, &columns->cells);
    }
    *place = (struct place){.begin = begin, .size = columns->cells.size - begin};
    return status;
}

static enum qn_status put_places(const struct columns *columns, char delimiter, struct buf *out)
{
    const struct place *places = (const struct place *)(const void *)columns->places.data;
    enum qn_status status = QN_OK;
    for (size_t i = 0; i < columns->count && status == QN_OK; i++) {
        status = buf_append(out, &delimiter, i > 0);
        status = status == QN_OK && places[i].size > 0
                     ? buf_append(out, columns->cells.data + places[i].begin, places[i].size)
                     : status;
    }
    return status;
}

enum qn_status columns_cells(struct columns *columns, struct bytes json, char delimiter,
                             struct buf *out, bool *exact)
{
    struct json_split split;
    struct bytes name;
    struct bytes value;
    size_t hint = 0;
    enum qn_status status = places_clear(columns);
    json_split_init(&split, json);
    while (status == QN_OK && json_split_member(&split, &name, &value)) {
        size_t number = find_json(columns, name, hint);
        if (number < columns->count) {
            status = take_member(columns, number, value, delimiter, exact);
            hint = number + 1;
        } else {
            *exact = false; /* what the type does not know, or says something about the object */
        }
    }
    return status == QN_OK ? put_places(columns, delimiter, out) : status;
}

/* ---- cells as a record ---- */

static bool refuse(char *problem, const struct cell *cell, const char *why)
{
    snprintf(problem, COLUMNS_PROBLEM_MAX, "%.*s: %s",
             (int)(cell->name.size < 100 ? cell->name.size : 100), (const char *)cell->name.data,
             why);
    return false;
}

static bool add_member(const struct column *column, const struct cell *cell, struct buf *json,
                       char *problem)
{
    enum qn_status status =
        json->size > 1 ? buf_append(json, ", \"", 3) : buf_append(json, "\"", 1);
    status = status == QN_OK ? buf_append(json, column->json.data, column->json.size) : status;
    status = status == QN_OK ? buf_append(json, "\": ", 3) : status;
    status = status == QN_OK ? cell_to_json(cell->text, column->shape, json) : status;
    if (status == QN_MALFORMED) {
        return refuse(problem, cell,
                      "invalid UTF-8: convert the file first, for instance with iconv");
    }
    return status == QN_OK || refuse(problem, cell, qn_status_text(status));
}

static bool take_cell(const struct columns *columns, const struct cell *cell, size_t hint,
                      struct buf *json, char *problem)
{
    if (cell->name.size == 0) {
        return true; /* a column to be skipped */
    }
    size_t number = columns_find(columns, cell->name, hint);
    if (number == columns->count) {
        return refuse(problem, cell, "no column of this name");
    }
    const struct column *column = &columns->list[number];
    return cell_is_absent(cell->text, cell->quoted, column->shape) ||
           add_member(column, cell, json, problem);
}

bool columns_record(const struct columns *columns, const struct row *row, struct buf *json,
                    char *problem)
{
    buf_clear(json);
    snprintf(problem, COLUMNS_PROBLEM_MAX, "out of memory");
    bool taken = buf_append(json, "{", 1) == QN_OK;
    for (size_t i = 0; i < row->cell_count && taken; i++) {
        taken = take_cell(columns, &row->cells[i], i, json, problem);
    }
    return taken && buf_append(json, "}", 1) == QN_OK;
}

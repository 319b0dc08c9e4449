#define _GNU_SOURCE
#include "client/cli/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/text.h"
#include "wire/assert.h"

void table_cell(struct table *table, json_t *value, const char *shown)
{
    char *text = NULL;
    if (table->values == NULL) {
        table->values = json_array();
        table->shown = json_array();
    }
    if (shown == NULL && value != NULL) {
        text = json_is_string(value) ? strdup(json_string_value(value))
                                     : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        shown = text;
    }
    bool failed = json_array_append_new(table->values, value) != 0 || shown == NULL ||
                  json_array_append_new(table->shown, json_string(shown)) != 0;
    table->no_memory = table->no_memory || failed;
    free(text);
}

void table_text(struct table *table, const char *text)
{
    table_cell(table, json_string(text), text);
}

void table_number(struct table *table, uint64_t number)
{
    char text[TEXT_NUMBER_MAX];
    table_cell(table, json_integer((json_int_t)number), text_grouped(number, text));
}

static size_t row_count(const struct table *table)
{
    return json_array_size(table->values) / table->column_count;
}

static const char *shown_at(const struct table *table, size_t row, size_t column)
{
    return json_string_value(json_array_get(table->shown, row * table->column_count + column));
}

static json_t *value_at(const struct table *table, size_t row, size_t column)
{
    return json_array_get(table->values, row * table->column_count + column);
}

/* ---- for people ---- */

static bool column_is_number(const struct table *table, size_t column)
{
    return row_count(table) > 0 && json_is_number(value_at(table, 0, column));
}

static void cell_print(const struct table *table, size_t column, int width, const char *text,
                       FILE *to)
{
    bool last = column + 1 == table->column_count;
    if (column_is_number(table, column)) {
        fprintf(to, "%*s", width, text);
    } else {
        fprintf(to, "%-*s", last ? 0 : width, text);
    }
    fputs(last ? "\n" : "  ", to);
}

static void print_columns(const struct table *table, FILE *to)
{
    int widths[TABLE_COLUMNS_MAX];
    for (size_t c = 0; c < table->column_count; c++) {
        size_t width = strlen(table->columns[c]);
        for (size_t r = 0; r < row_count(table); r++) {
            size_t length = strlen(shown_at(table, r, c));
            width = length > width ? length : width;
        }
        widths[c] = (int)width;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        cell_print(table, c, widths[c], table->columns[c], to);
    }
    for (size_t r = 0; r < row_count(table); r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            cell_print(table, c, widths[c], shown_at(table, r, c), to);
        }
    }
}

/* ---- for programs ---- */

static bool print_document(const struct table *table, FILE *to)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < row_count(table); r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < table->column_count; c++) {
            json_object_set(row, table->columns[c], value_at(table, r, c));
        }
        json_array_append_new(rows, row);
    }
    json_t *document = json_pack("{s:o}", table->name, rows);
    bool printed = document != NULL && json_dumpf(document, to, JSON_COMPACT) == 0;
    json_decref(document);
    fputc('\n', to);
    return printed;
}

static void csv_line_end(const struct table *table, size_t column, FILE *to)
{
    fputc(column + 1 == table->column_count ? '\n' : ',', to);
}

static void csv_value(const json_t *value, FILE *to)
{
    if (json_is_string(value)) {
        output_csv_cell(bytes_of(json_string_value(value), json_string_length(value)), to);
    } else if (json_is_integer(value)) {
        fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
}

static void print_csv(const struct table *table, FILE *to)
{
    for (size_t c = 0; c < table->column_count; c++) {
        output_csv_cell(bytes_of_text(table->columns[c]), to);
        csv_line_end(table, c, to);
    }
    for (size_t r = 0; r < row_count(table); r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            csv_value(value_at(table, r, c), to);
            csv_line_end(table, c, to);
        }
    }
}

static void print_raw(const struct table *table, FILE *to)
{
    for (size_t r = 0; r < row_count(table); r++) {
        fprintf(to, "%s\n", shown_at(table, r, 0));
    }
}

bool table_print(const struct table *table, enum output_form form, FILE *to)
{
    qn_assert(table->column_count > 0 && table->column_count <= TABLE_COLUMNS_MAX);
    if (table->no_memory) {
        return false;
    }
    qn_assert(json_array_size(table->values) % table->column_count == 0);
    switch (form) {
    case OUTPUT_JSON:
        return print_document(table, to);
    case OUTPUT_CSV:
        print_csv(table, to);
        break;
    case OUTPUT_RAW:
        print_raw(table, to);
        break;
    case OUTPUT_TEXT:
        print_columns(table, to);
        break;
    }
    return true;
}

void table_fini(struct table *table)
{
    json_decref(table->values);
    json_decref(table->shown);
    table->values = NULL;
    table->shown = NULL;
}

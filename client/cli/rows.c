#define _GNU_SOURCE
#include "client/cli/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "client/cli/csv.h"
#include "client/cli/json_split.h"
#include "wire/arena.h"
#include "wire/assert.h"

struct rows {
    struct rows_options options;
    struct bytes text;
    struct json_split split;
    struct csv csv;
    size_t csv_begin; /* where the row that is read next begins in `text` */
    struct bytes *columns;
    size_t column_count;
    struct arena names;              /* the columns live here */
    struct buf cells;                /* of the row handed out */
    char problem[QN_ERROR_TEXT_MAX]; /* of a row, or why the rest cannot be read */
};

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t size = strlen(end);
    return length >= size && strcasecmp(path + length - size, end) == 0;
}

/* The first octet that is neither white nor part of a byte order mark. */
static char first_letter(struct bytes text)
{
    size_t i = text.size >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < text.size && memchr(" \t\r\n", text.data[i], 4) != NULL) {
        i++;
    }
    return i < text.size ? (char)text.data[i] : '\0';
}

bool rows_format_parse(const char *text, enum rows_format *format)
{
    static const char *const names[] = {
        [ROWS_JSON] = "json", [ROWS_JSON_LINES] = "jsonl", [ROWS_CSV] = "csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *format = (enum rows_format)i;
            return true;
        }
    }
    return false;
}

bool rows_delimiter_parse(const char *text, char *delimiter)
{
    if (strcmp(text, "\\t") == 0 || strcmp(text, "tab") == 0) {
        *delimiter = '\t';
        return true;
    }
    *delimiter = *text;
    return strlen(text) == 1 && strchr("\"\r\n", *text) == NULL;
}

bool rows_format_of_name(const char *path, enum rows_format *format)
{
    if (ends_with(path, ".jsonl") || ends_with(path, ".ndjson")) {
        *format = ROWS_JSON_LINES;
        return true;
    }
    if (ends_with(path, ".json")) {
        *format = ROWS_JSON;
        return true;
    }
    *format = ROWS_CSV;
    return ends_with(path, ".csv") || ends_with(path, ".tsv");
}

enum rows_format rows_guess(const char *path, struct bytes text, bool at_given)
{
    enum rows_format format;
    if (rows_format_of_name(path, &format)) {
        return format;
    }
    char first = first_letter(text);
    if (first == '[' || (first == '{' && at_given)) {
        return ROWS_JSON;
    }
    return first == '{' ? ROWS_JSON_LINES : ROWS_CSV;
}

/* ---- columns of a CSV ---- */

static bool columns_add(struct rows *rows, size_t at, struct bytes name)
{
    uint8_t *copy = arena_alloc(&rows->names, name.size + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, name.size > 0 ? name.data : copy, name.size);
    rows->columns[at] = bytes_of(copy, name.size);
    return true;
}

static bool columns_reserve(struct rows *rows, size_t count)
{
    rows->columns = arena_calloc(&rows->names, count, sizeof *rows->columns);
    rows->column_count = count;
    return rows->columns != NULL;
}

static bool columns_from_list(struct rows *rows, const char *list)
{
    size_t count = 1;
    for (const char *c = list; *c != '\0'; c++) {
        count += *c == ',';
    }
    bool done = columns_reserve(rows, count);
    for (size_t i = 0; i < count && done; i++) {
        size_t length = strcspn(list, ",");
        done = columns_add(rows, i, bytes_of(list, length));
        list += length + 1;
    }
    return done;
}

static struct bytes trimmed(struct bytes name)
{
    while (name.size > 0 && (name.data[0] == ' ' || name.data[0] == '\t')) {
        name = bytes_of(name.data + 1, name.size - 1);
    }
    while (name.size > 0 && (name.data[name.size - 1] == ' ' || name.data[name.size - 1] == '\t')) {
        name.size--;
    }
    return name;
}

static bool columns_from_record(struct rows *rows)
{
    size_t count = csv_field_count(&rows->csv);
    bool done = columns_reserve(rows, count);
    for (size_t i = 0; i < count && done; i++) {
        done = columns_add(rows, i, trimmed(csv_field(&rows->csv, i)));
    }
    return done;
}

static bool columns_problem(char *problem, const char *text)
{
    snprintf(problem, QN_ERROR_TEXT_MAX, "%s", text);
    return false;
}

/* A name that stands twice would give a field two values, of which one is lost. */
static bool columns_differ(const struct rows *rows, char *problem)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        struct bytes name = rows->columns[i];
        for (size_t j = 0; j < i && name.size > 0; j++) {
            if (bytes_equal(name, rows->columns[j])) {
                snprintf(problem, QN_ERROR_TEXT_MAX,
                         "columns %zu and %zu are both called '%.*s'; name the columns with "
                         "--fields A,B,... (an empty name skips one)",
                         j + 1, i + 1, (int)(name.size < 100 ? name.size : 100),
                         (const char *)name.data);
                return false;
            }
        }
    }
    return true;
}

/* The names of the columns: those given, else those of the first line, which is read in any case
 * unless the file has no header. */
static bool rows_open_csv(struct rows *rows, char *problem)
{
    csv_init(&rows->csv, rows->options.delimiter);
    csv_push(&rows->csv, rows->text);
    if (!rows->options.no_header) {
        enum csv_event event = csv_next(&rows->csv, true);
        rows->csv_begin = rows_offset(rows);
        if (event == CSV_BAD) {
            return columns_problem(problem, rows->csv.problem);
        }
        if (event != CSV_RECORD) {
            return columns_problem(problem, "the file is empty: a line with the columns' names is "
                                            "missing");
        }
    }
    bool done = rows->options.fields != NULL ? columns_from_list(rows, rows->options.fields)
                                             : columns_from_record(rows);
    return done ? columns_differ(rows, problem) : columns_problem(problem, "out of memory");
}

struct rows *rows_open(struct bytes text, const struct rows_options *options, char *problem)
{
    qn_assert(options->format != ROWS_CSV || !options->no_header || options->fields != NULL);
    struct rows *rows = calloc(1, sizeof *rows);
    if (rows == NULL) {
        columns_problem(problem, "out of memory");
        return NULL;
    }
    rows->options = *options;
    rows->text = text;
    arena_init(&rows->names, 0);
    json_split_init(&rows->split, text);
    bool opened = true;
    if (options->format == ROWS_CSV) {
        opened = rows_open_csv(rows, problem);
    } else if (options->format == ROWS_JSON && !json_split_enter(&rows->split, options->at)) {
        opened = columns_problem(problem, rows->split.problem);
    }
    if (!opened) {
        rows_close(rows);
        return NULL;
    }
    return rows;
}

void rows_close(struct rows *rows)
{
    if (rows == NULL) {
        return;
    }
    csv_fini(&rows->csv);
    arena_fini(&rows->names);
    buf_fini(&rows->cells);
    free(rows);
}

/* ---- rows ---- */

static enum rows_event rows_broken(struct rows *rows, const char *problem)
{
    snprintf(rows->problem, sizeof rows->problem, "%s", problem);
    return ROWS_BROKEN;
}

static enum rows_event csv_row(struct rows *rows, struct row *row)
{
    size_t count = csv_field_count(&rows->csv);
    if (count != rows->column_count) {
        snprintf(rows->problem, sizeof rows->problem, "%zu columns where %zu were expected", count,
                 rows->column_count);
        row->problem = rows->problem;
        return ROWS_ROW;
    }
    buf_clear(&rows->cells);
    for (size_t i = 0; i < count; i++) {
        struct cell cell = {.name = rows->columns[i],
                            .text = csv_field(&rows->csv, i),
                            .quoted = csv_field_quoted(&rows->csv, i)};
        if (buf_append(&rows->cells, &cell, sizeof cell) != QN_OK) {
            return rows_broken(rows, "out of memory");
        }
    }
    row->cells = (const void *)rows->cells.data;
    row->cell_count = count;
    return ROWS_ROW;
}

static enum rows_event rows_next_csv(struct rows *rows, struct row *row)
{
    enum csv_event event = csv_next(&rows->csv, true);
    size_t end = rows_offset(rows);
    *row = (struct row){.line = csv_line(&rows->csv),
                        .raw = bytes_of(rows->text.data + rows->csv_begin, end - rows->csv_begin)};
    rows->csv_begin = end;
    switch (event) {
    case CSV_RECORD:
        return csv_row(rows, row);
    case CSV_BAD:
        row->problem = rows->csv.problem;
        return ROWS_ROW;
    case CSV_MORE:
        return ROWS_END;
    case CSV_NO_MEMORY:
        break;
    }
    return rows_broken(rows, "out of memory");
}

enum rows_event rows_next(struct rows *rows, struct row *row)
{
    if (rows->options.format == ROWS_CSV) {
        return rows_next_csv(rows, row);
    }
    *row = (struct row){.line = 0};
    enum json_split_event event = rows->options.format == ROWS_JSON
                                      ? json_split_next(&rows->split, &row->raw, &row->line)
                                      : json_split_next_line(&rows->split, &row->raw, &row->line);
    switch (event) {
    case JSON_SPLIT_ELEMENT:
        return ROWS_ROW;
    case JSON_SPLIT_END:
        return ROWS_END;
    case JSON_SPLIT_BROKEN:
        break;
    }
    return rows_broken(rows, rows->split.problem);
}

size_t rows_column_count(const struct rows *rows)
{
    return rows->column_count;
}

struct bytes rows_column(const struct rows *rows, size_t number)
{
    qn_assert(number < rows->column_count);
    return rows->columns[number];
}

size_t rows_offset(const struct rows *rows)
{
    return rows->options.format == ROWS_CSV ? rows->text.size - rows->csv.rest.size
                                            : rows->split.at;
}

struct rows_position rows_tell(const struct rows *rows)
{
    return (struct rows_position){.offset = rows_offset(rows),
                                  .line = rows->options.format == ROWS_CSV ? rows->csv.line
                                                                           : rows->split.line};
}

bool rows_seek(struct rows *rows, struct rows_position position)
{
    if (position.offset > rows->text.size) {
        return false;
    }
    size_t offset = (size_t)position.offset;
    if (rows->options.format == ROWS_CSV) {
        csv_go_on(&rows->csv, position.line);
        csv_push(&rows->csv, bytes_of(rows->text.data + offset, rows->text.size - offset));
        rows->csv_begin = offset;
    } else {
        json_split_go_on(&rows->split, offset, position.line);
    }
    return true;
}

const char *rows_problem(const struct rows *rows)
{
    return rows->problem;
}

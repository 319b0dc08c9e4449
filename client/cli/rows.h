/* The records of an input file, one by one, whatever its format: CSV, JSON lines, a JSON array.
 *
 * A record of a CSV is a list of cells with names, one of JSON its text. One owner. */
#ifndef QUOIN_CLIENT_CLI_ROWS_H
#define QUOIN_CLIENT_CLI_ROWS_H

#include "wire/bytes.h"

enum rows_format { ROWS_JSON, ROWS_JSON_LINES, ROWS_CSV };

struct cell {
    struct bytes name; /* of the column; empty = one to be skipped */
    struct bytes text;
    bool quoted; /* it stood in quotes */
};

/* Borrowed from the rows until the next call. */
struct row {
    uint64_t line;            /* on which it begins, from 1 */
    struct bytes raw;         /* as it stands in the file */
    const char *problem;      /* why it cannot be read, or NULL */
    const struct cell *cells; /* CSV */
    size_t cell_count;
};

enum rows_event {
    ROWS_ROW, /* look at `problem` first */
    ROWS_END,
    ROWS_BROKEN, /* the rest cannot be read: rows_problem says why */
};

struct rows_options {
    enum rows_format format;
    const char *at; /* JSON: the array's name in the object around it, or NULL */
    char delimiter; /* CSV */
    bool no_header; /* CSV: the first line is a record, too */
    const char
        *fields; /* CSV: names of the columns, with commas between; NULL = those of the header */
};

struct rows;

/* "json", "jsonl", "csv". False: another word. */
bool rows_format_parse(const char *text, enum rows_format *format);

/* One character, "\\t" or "tab". False: not that, or one that cannot separate. */
bool rows_delimiter_parse(const char *text, char *delimiter);

/* The format that the end of a file's name tells. False: it tells none. */
bool rows_format_of_name(const char *path, enum rows_format *format);

/* The format of a file by the end of its name, else by how `text` begins. */
enum rows_format rows_guess(const char *path, struct bytes text, bool at_given);

/* Begin to read `text`, which is borrowed until rows_close. NULL: `problem` (QN_ERROR_TEXT_MAX
 * octets) says what is wrong with its beginning or with the options. */
struct rows *rows_open(struct bytes text, const struct rows_options *options, char *problem);
void rows_close(struct rows *rows); /* NULL is fine */

enum rows_event rows_next(struct rows *rows, struct row *row);

/* Names of the columns of a CSV; none for JSON. Borrowed until rows_close. */
size_t rows_column_count(const struct rows *rows);
struct bytes rows_column(const struct rows *rows, size_t number);

/* How many octets of the text are used up. */
size_t rows_offset(const struct rows *rows);

/* Between two rows. */
struct rows_position {
    uint64_t offset; /* in the text */
    uint64_t line;   /* of that octet, from 1 */
};

/* Where the next row will be looked for. */
struct rows_position rows_tell(const struct rows *rows);

/* Go on at a position that rows_tell gave for the same text and options. False: it lies beyond the
 * text. */
bool rows_seek(struct rows *rows, struct rows_position position);

/* After ROWS_BROKEN. */
const char *rows_problem(const struct rows *rows);

#endif

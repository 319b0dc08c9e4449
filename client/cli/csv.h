/* Separated values (RFC 4180), record by record, from text that arrives in pieces.
 *
 * A field may stand in quotes and then hold delimiters, line ends and doubled quotes. Lines end
 * with LF or CRLF; a byte order mark and empty lines are skipped. A quote inside a field that does
 * not begin with one is taken as it is: real files have them. Pure: no I/O, one owner. */
#ifndef QUOIN_CLIENT_CLI_CSV_H
#define QUOIN_CLIENT_CLI_CSV_H

#include "wire/bytes.h"

enum {
    CSV_RECORD_MAX = 32 * 1024 * 1024, /* octets of one record */
    CSV_FIELDS_MAX = 4096,             /* fields of one record */
};

/* Where a field of the record ends in its text; internal. */
struct csv_end {
    size_t at;
    bool quoted;
};

enum csv_event {
    CSV_RECORD, /* a record is complete */
    CSV_MORE,   /* the text is used up: push more, or say that it ended */
    CSV_BAD,    /* a record that cannot be read; `problem` says why; the next one follows */
    CSV_NO_MEMORY,
};

enum csv_state {
    CSV_AT_START, /* before the first octet of a record */
    CSV_AT_FIELD, /* before the first octet of a field */
    CSV_PLAIN,    /* in a field without quotes */
    CSV_QUOTED,   /* inside quotes */
    CSV_QUOTE,    /* after a quote inside quotes: its end, or the first of two */
    CSV_SKIPPING, /* a bad record, up to its line end */
};

struct csv {
    char delimiter;
    enum csv_state state;
    unsigned bom_seen;    /* octets of a byte order mark met so far */
    uint64_t line;        /* of the next octet, from 1 */
    uint64_t record_line; /* on which the current record begins */
    const char *problem;  /* of a bad record, else NULL */
    struct bytes rest;    /* not read yet; the caller's */
    struct buf text;      /* the fields of the record back to back */
    struct buf ends;      /* of each field, as struct csv_end */
    bool quoted;          /* the field at hand began with a quote */
    bool done;            /* the record was handed out: begin a new one */
};

/* Begin. `delimiter` is any octet but a quote, CR or LF. */
void csv_init(struct csv *csv, char delimiter);
void csv_fini(struct csv *csv);

/* Go on in the middle of a text, between two records: what was pushed is dropped, and the next
 * octet is the first of `line`. */
void csv_go_on(struct csv *csv, uint64_t line);

/* Hand over the next piece, borrowed until csv_next answers CSV_MORE. */
void csv_push(struct csv *csv, struct bytes piece);

/* Read on. `last` = nothing follows what was pushed: a record without a line end is complete, too,
 * and CSV_MORE then means the end. */
enum csv_event csv_next(struct csv *csv, bool last);

/* Of the record handed out: its fields, valid until the next call, and the line on which it begins.
 */
size_t csv_field_count(const struct csv *csv);
struct bytes csv_field(const struct csv *csv, size_t number);

/* Did it stand in quotes? */
bool csv_field_quoted(const struct csv *csv, size_t number);
static inline uint64_t csv_line(const struct csv *csv)
{
    return csv->record_line;
}

/* Append `field` to `out` as it is written in a file: in quotes where it must be, and when it is
 * empty, so that it differs from a field that says nothing.
 * QN_MEMORY_FULL: `out` may hold a part. */
QN_MUST_USE enum qn_status csv_quote(struct bytes field, char delimiter, struct buf *out);

#endif

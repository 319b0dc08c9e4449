#include "node/admin/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "wire/assert.h"

enum { PIECE_SIZE = 1024 }; /* one text_add; what is longer goes through text_add_quoted */

static void append(struct text *text, const void *data, size_t size)
{
    if (!text->failed && buf_append(&text->buf, data, size) != QN_OK) {
        text->failed = true;
    }
}

void text_add(struct text *text, const char *format, ...)
{
    char piece[PIECE_SIZE];
    va_list list;

    va_start(list, format);
    int size = vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    qn_assert(size >= 0 && (size_t)size < sizeof piece);
    append(text, piece, (size_t)size);
}

void text_add_quoted(struct text *text, const char *value, enum escape_style style)
{
    struct bytes rest = bytes_of_text(value);
    char out[ESCAPE_MAX];

    append(text, "\"", 1);
    while (rest.size > 0) {
        append(text, out, escape_next(&rest, style, out));
    }
    append(text, "\"", 1);
}

void text_object_begin(struct text *text)
{
    append(text, "{", 1);
    text->has_member = false;
}

static void member(struct text *text, const char *name)
{
    text_add(text, "%s\n  \"%s\": ", text->has_member ? "," : "", name);
    text->has_member = true;
}

void text_member_text(struct text *text, const char *name, const char *value)
{
    member(text, name);
    text_add_quoted(text, value, ESCAPE_JSON);
}

void text_member_bool(struct text *text, const char *name, bool value)
{
    member(text, name);
    text_add(text, "%s", value ? "true" : "false");
}

void text_member_number(struct text *text, const char *name, uint64_t value)
{
    member(text, name);
    text_add(text, "%" PRIu64, value);
}

void text_object_end(struct text *text)
{
    append(text, "\n}\n", 3);
}

/* Text that grows: the bodies of answers are written with it.
 *
 * Sticky: after an allocation has failed the other calls do nothing, and `failed` is asked once at
 * the end. */
#ifndef QUOIN_NODE_ADMIN_TEXT_H
#define QUOIN_NODE_ADMIN_TEXT_H

#include "node/admin/escape.h"
#include "wire/bytes.h"

/* All zero is a valid empty text; buf_fini gives the memory back. */
struct text {
    struct buf buf;
    bool failed;
    bool has_member; /* a member of the open JSON object has been written */
};

__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);

/* `value` in quotes, escaped. */
void text_add_quoted(struct text *text, const char *value, enum escape_style style);

/* A JSON object without nesting: begin, members, end. `name` needs no escaping. */
void text_object_begin(struct text *text);
void text_member_text(struct text *text, const char *name, const char *value);
void text_member_bool(struct text *text, const char *name, bool value);
void text_member_number(struct text *text, const char *name, uint64_t value);
void text_object_end(struct text *text);

#endif

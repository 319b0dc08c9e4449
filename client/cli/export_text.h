/* Entries of a cache as the text of a file: what import reads, this writes. Pure; one owner.
 *
 * With a type, a record has the fields of its objects. Without, it has "key" and "value": in JSON
 * as any_record.h has them, in CSV as render_json shows them, which is for reading only. */
#ifndef QUOIN_CLIENT_CLI_EXPORT_TEXT_H
#define QUOIN_CLIENT_CLI_EXPORT_TEXT_H

#include "client/cli/any_record.h"
#include "client/cli/object.h"
#include "client/cli/rows.h"

struct export_layout {
    enum rows_format format;
    char delimiter;                     /* CSV */
    const struct types *types;          /* NULL = no names are known */
    const struct pof_schema_type *type; /* of the values; NULL = any */
    const struct pof_schema_field *key; /* of `type`, or NULL */
    bool keys_only;
};

struct export_text {
    struct export_layout layout;
    struct object object;  /* of the entry at hand */
    struct buf again;      /* what import would make of it */
    struct any_record any; /* the same for an entry of any type */
    uint64_t record_count;
    uint64_t inexact_count;   /* of them: import would not make the same octets of it */
    uint64_t other_key_count; /* of them: the key is not the field that import takes for it */
};

/* An entry of a cache: two Binaries. `value` says nothing with keys_only. */
struct export_entry {
    struct bytes key;
    struct bytes value;
};

enum export_outcome {
    EXPORT_WRITTEN,
    EXPORT_REJECTED, /* it does not fit the type; nothing was appended */
    EXPORT_NO_MEMORY,
};

/* `record_count` records are there already. False: no memory. */
bool export_text_init(struct export_text *text, const struct export_layout *layout,
                      uint64_t record_count);
void export_text_fini(struct export_text *text);

/* Append what stands before the first record, an entry, and what stands behind the last.
 * QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status export_text_head(const struct export_text *text, struct buf *out);
QN_MUST_USE enum export_outcome export_text_entry(struct export_text *text,
                                                  const struct export_entry *entry, struct buf *out,
                                                  char problem[OBJECT_PROBLEM_MAX]);
QN_MUST_USE enum qn_status export_text_tail(const struct export_text *text, struct buf *out);

#endif

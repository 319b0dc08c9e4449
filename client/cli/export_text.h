/* Entries of a cache as the text of a file: what import reads, this writes. Pure; one owner.
 *
 * Records are those of record.h; in CSV, those of a form without a type are key and value as people
 * see them, which is for reading only. */
#ifndef QUOIN_CLIENT_CLI_EXPORT_TEXT_H
#define QUOIN_CLIENT_CLI_EXPORT_TEXT_H

#include "client/cli/columns.h"
#include "client/cli/record.h"
#include "client/cli/rows.h"

struct export_layout {
    enum rows_format format;
    char delimiter; /* CSV */
    struct form form;
    bool keys_only;
};

struct export_text {
    struct export_layout layout;
    struct columns columns; /* of a CSV with a type */
    struct buf record;      /* the one at hand, before it is taken apart */
    uint64_t record_count;
    uint64_t inexact_count;   /* of them: import would not make the same entry of it */
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

/* `record_count` records are there already. The layout is copied. False: no memory. */
bool export_text_init(struct export_text *text, const struct export_layout *layout,
                      uint64_t record_count);
void export_text_fini(struct export_text *text);

/* Append what stands before the first record, an entry, and what stands behind the last. `problem`
 * (RECORD_PROBLEM_MAX octets) says why an entry was rejected. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status export_text_head(const struct export_text *text, struct buf *out);
QN_MUST_USE enum export_outcome export_text_entry(struct export_text *text,
                                                  const struct export_entry *entry, struct buf *out,
                                                  char *problem);
QN_MUST_USE enum qn_status export_text_tail(const struct export_text *text, struct buf *out);

#endif

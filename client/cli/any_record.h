/* Records of caches whose values have no type of the types file: {"key": ..., "value": ...}.
 *
 * Keys and values stand as wire/pof/json/json.h shows them, with marks, so that import makes the
 * same octets of them. Pure. */
#ifndef QUOIN_CLIENT_CLI_ANY_RECORD_H
#define QUOIN_CLIENT_CLI_ANY_RECORD_H

#include "wire/bytes.h"
#include "wire/pof/schema.h"

enum { ANY_RECORD_PROBLEM_MAX = 320 };

/* Two Binaries. */
struct any_record {
    struct buf key;
    struct buf value;
};

void any_record_fini(struct any_record *record);

/* Append the record of an entry; `value` NULL: its key alone. What is no object of the format is
 * shown in hex. `schema` may be NULL. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status any_record_write(struct buf *out, struct bytes key,
                                            const struct bytes *value,
                                            const struct pof_schema *schema);

/* Read a record into `record`, whose memory is used again. False: `problem` (ANY_RECORD_PROBLEM_MAX
 * octets) says why it is none. */
bool any_record_read(struct bytes json, const struct pof_schema *schema, struct any_record *record,
                     char *problem);

#endif

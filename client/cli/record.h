/* Entries of a cache as records of a file, and back: JSON by wire/pof/json/json.h.
 *
 * Where the form has a type, a record is the value's object, and one of its fields is the key:
 * {"alpha_3": "deu", "name": "German"}. Else it is {"key": ..., "value": ...}, with marks where
 * JSON has no kind of its own. What is written is read back to the same key and value. Pure. */
#ifndef QUOIN_CLIENT_CLI_RECORD_H
#define QUOIN_CLIENT_CLI_RECORD_H

#include "client/cli/form.h"

enum { RECORD_PROBLEM_MAX = 320 };

/* An entry of a cache: two Binaries. */
struct record {
    struct buf key;
    struct buf value;
};

void record_fini(struct record *record);

/* Append the record of an entry. `*exact` becomes false where reading it would not give the same
 * entry.
 *
 * QN_INVALID      its value is no object of the type, or one that is damaged: `problem`
 *                 (RECORD_PROBLEM_MAX octets) says which
 * QN_MEMORY_FULL  on failure `out` is as before */
QN_MUST_USE enum qn_status record_write(struct buf *out, const struct form *form, struct bytes key,
                                        struct bytes value, bool *exact, char *problem);

/* Append the record of a key alone: as its field where the form has one, else as "key". */
QN_MUST_USE enum qn_status record_write_key(struct buf *out, const struct form *form,
                                            struct bytes key, bool *exact);

/* The name that a field is shown with, where it is not flattened. */
const char *record_name(const struct form *form, const struct pof_schema_field *field);

/* Read a record into `record`, whose memory is used again. False: `problem` (RECORD_PROBLEM_MAX
 * octets) names the field and says what is wrong with it. */
bool record_read(struct record *record, const struct form *form, struct bytes json, char *problem);

/* The parts of that where there is a type: the value of a record, and the key of a value. */
bool record_read_value(struct buf *value, const struct form *form, struct bytes json,
                       char *problem);
bool record_read_key(struct buf *key, const struct form *form, struct bytes value, char *problem);

#endif

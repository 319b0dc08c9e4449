/* How an import can go on after it was stopped: what it keeps about where it stands.
 *
 * Once a second the records under way are waited for, so that everything up to one place is
 * settled, and that place is written down. The file of rejected records is cut back to it when the
 * import goes on, so that it has each record once. */
#ifndef QUOIN_CLIENT_CLI_IMPORT_STATE_H
#define QUOIN_CLIENT_CLI_IMPORT_STATE_H

#include "client/cli/import.h"

/* What makes an input the same one: size, time of change, hash of its beginning; and what it is
 * imported as. `target` names cache, type, key and format. */
struct import_identity {
    uint64_t size;
    int64_t modified_ns;
    uint64_t head_hash;
    const char *target;
};

struct import_identity import_identity_of(const struct input *input, const char *target);

/* The document of a state, and back. The caller owns it. */
json_t *import_state_json(const struct import_identity *identity, struct rows_position position,
                          uint64_t done_count, const struct rejects *rejects,
                          uint64_t rejects_size);

/* What a document says. False: `problem` (QN_ERROR_TEXT_MAX octets) says why it does not belong to
 * the input. Texts are borrowed from `state`. */
struct import_start {
    struct rows_position position;
    uint64_t done_count;
    uint64_t rejected_count;
    uint64_t rejects_size;
    const char *rejects_path; /* NULL = there is none */
};

bool import_state_read(const json_t *state, const struct import_identity *identity,
                       struct import_start *start, char *problem);

/* Before the first row: look for a state, go on by it with --resume, and open the file of rejected
 * records. Complains and returns its exit code when the import must not begin. */
enum cli_exit import_state_begin(struct import *import);

/* After each row: once a second, settle and write down. False: a record has failed. */
bool import_state_tick(struct import *import, const struct import_sink *sink, void *sink_state);

/* At the end, everything being settled: written down when the import was interrupted, removed when
 * it is through. `through` = no row is left to import. */
void import_state_end(struct import *import, bool through);

#endif

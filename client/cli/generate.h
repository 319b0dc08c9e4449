/* C code from a types file: structs, their tables for wire/pof/struct.h, and functions that write
 * and read them. Pure: text in memory; the command stands in commands_types.c. */
#ifndef QUOIN_CLIENT_CLI_GENERATE_H
#define QUOIN_CLIENT_CLI_GENERATE_H

#include "client/cli/generate_names.h"
#include "wire/pof/schema.h"

struct generate_options {
    const char *file;   /* the types file, as comments call it */
    const char *base;   /* the header is BASE.h */
    const char *prefix; /* of all names; "" = none */
};

/* Append the header and the source for all types of a schema. The same schema gives the same text.
 *
 * QN_INVALID      the names do not work in C; `problem` (GENERATE_PROBLEM_MAX octets) says which
 * QN_MEMORY_FULL  no memory; the buffers hold a part */
QN_MUST_USE enum qn_status generate_code(const struct pof_schema *schema,
                                         const struct generate_options *options, struct buf *header,
                                         struct buf *source, char *problem);

#endif

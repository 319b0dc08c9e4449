/* Between the values of the golden vectors (NODE, see tests/vectors/README.md) and octets. */
#ifndef QUOIN_TESTS_LIB_POF_NODES_H
#define QUOIN_TESTS_LIB_POF_NODES_H

#include <jansson.h>

#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

/* Writes nodes. */
struct node_writer {
    struct pof_writer w;
    json_t *labels;     /* label -> user node */
    json_t *identities; /* label -> identity */
    struct buf types;   /* of the identities */
};

/* Start at the end of `out`; `references`: identities are on. */
void node_writer_init(struct node_writer *nw, struct buf *out, bool references);

/* Write a value as `mode` says: "typed", "object" or "nested". */
void node_write(struct node_writer *nw, int32_t index, const char *mode, json_t *node);

enum qn_status node_writer_finish(struct node_writer *nw);

/* The node of a value that is no container. QN_UNSUPPORTED: a reference. */
QN_MUST_USE enum qn_status node_of(const struct pof_value *value, json_t **node);

/* Read one value and what stands behind it, into `*rest`; otherwise as node_read. */
QN_MUST_USE enum qn_status node_take(struct bytes pof, json_t **node, struct bytes *rest);

/* Read one value without knowing its type, into a node as the vectors' `decoded` has it. References
 * are resolved. Statuses as pof_reader_next; QN_MALFORMED also for identities that are unknown or
 * given twice. */
QN_MUST_USE enum qn_status node_read(struct bytes pof, json_t **node);

/* Are two nodes the same value? Leaves aside how they are to be written, how labels are called, the
 * order of entries in maps, and text for people. */
bool node_equal(json_t *a, json_t *b);

#endif

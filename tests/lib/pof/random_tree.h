/* A random value of the object format as a list of what a reader should give, and its octets. */
#ifndef QUOIN_TESTS_LIB_POF_RANDOM_TREE_H
#define QUOIN_TESTS_LIB_POF_RANDOM_TREE_H

#include "tests/lib/pof/random_value.h"

enum { TREE_NODES_MAX = 2000 };

/* A value in preorder: its parts follow it. */
struct tree_node {
    struct pof_value value; /* as a reader gives it when it was written in full */
    int32_t parts;          /* properties, entries, elements, or keys and values, that follow */
    int32_t end;            /* the node behind all that is in this one */
};

struct tree {
    struct tree_node nodes[TREE_NODES_MAX];
    int32_t count;
};

/* Make a value of `type`: any type id but those of small values, identities and references.
 * Containers are at most `depth` in each other. */
void tree_grow(struct tree *tree, struct dice *dice, int32_t type, unsigned depth);

/* A type id for tree_grow; a scalar when `depth` is 0. */
int32_t tree_type(struct dice *dice, unsigned depth);

/* Write it, all values in full or typed. */
void tree_write(const struct tree *tree, struct pof_writer *w, bool full);

/* Are these two values, leaving aside what is in containers, the same? NaN is. */
bool value_equal(const struct pof_value *a, const struct pof_value *b);

#endif

/* What nodes say about themselves, collected and laid out. No I/O but the asking. */
#ifndef QUOIN_CLIENT_CLI_FACTS_H
#define QUOIN_CLIENT_CLI_FACTS_H

#include <stdio.h>

#include <jansson.h>

#include "client/quoin.h"

enum { FACTS_NAME_MAX = 48, FACTS_TEXT_MAX = 200 };

struct fact {
    uint32_t node;
    char name[FACTS_NAME_MAX];
    bool is_text;
    char text[FACTS_TEXT_MAX];
    int64_t number;
};

/* All zero is a valid empty list. */
struct facts {
    struct fact *list;
    size_t count;
    size_t capacity;
    bool no_memory; /* some are missing */
};

void facts_fini(struct facts *facts);

/* To be given to qn_node_facts, with a struct facts as `arg`. */
void facts_add(void *arg, uint32_t node, const char *name, const char *text, int64_t number);

/* Number or text of a node's fact; `otherwise` when it does not say. Texts are borrowed. */
int64_t facts_number(const struct facts *facts, uint32_t node, const char *name, int64_t otherwise);
const char *facts_text(const struct facts *facts, uint32_t node, const char *name,
                       const char *otherwise);

/* The nodes that said something, in the order they did: the one after `node`, the first for 0. 0 =
 * no more. */
uint32_t facts_next_node(const struct facts *facts, uint32_t node);

/* Does every node say that it is ready, and is there one at all? */
bool facts_all_ready(const struct facts *facts);

/* What one node says: a few lines of what is known, then one line for each fact that is not. */
void facts_print(const struct facts *facts, uint32_t node, bool color, FILE *to);

/* {"node": 1, "version": "0.1.0", ...}. The caller owns it. */
json_t *facts_json(const struct facts *facts, uint32_t node);

#endif

/* What judge.c and judge_navigate.c share. */
#ifndef QUOIN_TESTS_LIB_POF_JUDGE_PARTS_H
#define QUOIN_TESTS_LIB_POF_JUDGE_PARTS_H

#include "tests/lib/pof/judge.h"
#include "wire/bytes.h"

/* Keep the first failure: "expected `expected`, got `got`", each cut where it is long. */
void judge_fail(struct judgement *j, const char *what, const char *expected, const char *got);

/* `octets` must be those of `hex`. */
void judge_hex(struct judgement *j, const char *what, const char *hex, struct bytes octets);

/* The node must be that of `expected`. */
void judge_node(struct judgement *j, const char *what, json_t *expected, json_t *node);

/* Lines of kind extract and update. */
void judge_extract(struct judgement *j, json_t *line);
void judge_update(struct judgement *j, json_t *line);

/* The `source_hex` of a line: what was read of it, and what was kept. */
void judge_source(struct judgement *j, json_t *line);

#endif

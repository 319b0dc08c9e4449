/* Judges the codec by one line of a vector file (tests/vectors/README.md).
 *
 * Knows the schemas of the files and nothing of particular lines. A line that is broken, or of a
 * kind that is unknown, fails. */
#ifndef QUOIN_TESTS_LIB_POF_JUDGE_H
#define QUOIN_TESTS_LIB_POF_JUDGE_H

#include <jansson.h>
#include <stdbool.h>

struct judgement {
    bool passed;
    char text[1200]; /* one line: what was expected, and what came; "" when passed */
};

/* Judge a line. `deviation` (NULL: none) is the line of deviations.jsonl with the same name: what
 * we do instead, on purpose. The line then fails when we do what the deviation says no longer. */
struct judgement judge_line(json_t *line, json_t *deviation);

/* Is this line a deviation, not a vector? */
bool judge_is_deviation(const json_t *line);

#endif

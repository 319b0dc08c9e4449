/* The values of the vectors of kind "large", which are given as a rule in words. */
#ifndef QUOIN_TESTS_LIB_POF_LARGE_H
#define QUOIN_TESTS_LIB_POF_LARGE_H

#include "wire/pof/writer.h"

/* Write the value that `rule` describes. False: the rule is not one of ours. */
bool large_write(struct pof_writer *w, const char *rule);

#endif

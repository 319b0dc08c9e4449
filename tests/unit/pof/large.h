/* The values of the vectors of kind "large", which are given as a rule in words. */
#ifndef QUOIN_TESTS_UNIT_POF_LARGE_H
#define QUOIN_TESTS_UNIT_POF_LARGE_H

#include "wire/pof/writer.h"

/* Write the value of the line with this name. False: no such rule here. */
bool large_write(struct pof_writer *w, const char *name);

#endif

/* Do skipping and reading find the same end? For unit tests and fuzzers. */
#ifndef QUOIN_TESTS_LIB_POF_AGREE_H
#define QUOIN_TESTS_LIB_POF_AGREE_H

#include "wire/bytes.h"

/* The octets that skipping takes, 0 when it refuses. */
size_t skipped_size(struct bytes pof);

/* Does reading everything take as many, or refuse as well? It may also refuse a text, a date or the
 * like, into which skipping does not look. */
bool reading_agrees_with_skipping(struct bytes pof);

#endif

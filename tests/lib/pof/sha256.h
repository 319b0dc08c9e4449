/* SHA-256 (FIPS 180-4), for vectors that are too long to be listed. */
#ifndef QUOIN_TESTS_LIB_POF_SHA256_H
#define QUOIN_TESTS_LIB_POF_SHA256_H

#include "wire/bytes.h"

void sha256(struct bytes message, uint8_t digest[32]);

#endif

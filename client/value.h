/* Values: a part of a received frame and a reference to it. */
#ifndef QUOIN_CLIENT_VALUE_H
#define QUOIN_CLIENT_VALUE_H

#include "client/quoin.h"
#include "wire/bytes.h"
#include "wire/transport/transport.h"

/* What is known about a value. */
struct value_content {
    struct bytes binary;
    uint32_t flags; /* enum value_flags */
    uint64_t version;
    int64_t ttl_ms; /* left; 0 = never expires */
};

/* A value with one reference, which the caller gets; `content` points into `frame` (NULL:
 * into what outlives it). NULL: no memory. */
qn_value *value_create(struct transport_frame *frame, const struct value_content *content);

/* The same for a part of the frame that `whole` points into. */
qn_value *value_part(const qn_value *whole, const struct value_content *content);

/* Unpack it when it came compressed. To be called before anybody else sees it.
 *
 * QN_CORRUPT      it can not be unpacked, or is larger than any value may be
 * QN_MEMORY_FULL  it is as before */
QN_MUST_USE enum qn_status value_unpack(qn_value *value); /* NULL allowed: nothing to do */

/* The content as octets. */
struct bytes value_octets(const qn_value *value);

#endif

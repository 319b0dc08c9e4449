/* Values: a part of a received frame and a reference to it. */
#ifndef QUOIN_CLIENT_VALUE_H
#define QUOIN_CLIENT_VALUE_H

#include "client/quoin.h"
#include "wire/bytes.h"
#include "wire/transport/transport.h"

/* A value with one reference, which the caller gets; `content` points into `frame`. NULL: no
 * memory. */
qn_value *value_create(struct transport_frame *frame, struct bytes content, uint64_t version);

/* The content as octets. */
struct bytes value_content(const qn_value *value);

#endif

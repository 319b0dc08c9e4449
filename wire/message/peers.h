/* Operations between nodes, in and out of the protobuf header. For message.c and encode.c only. */
#ifndef QUOIN_WIRE_MESSAGE_PEERS_H
#define QUOIN_WIRE_MESSAGE_PEERS_H

#include "quoin.pb-c.h"
#include "wire/message/message.h"

/* Take the operations of a header, with their bodies off the front of `payload`. QN_MALFORMED,
 * QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status peers_read(const Quoin__Header *header, struct arena *arena,
                                      struct bytes *payload, struct wire_message *message);

/* Put them into a header. QN_MEMORY_FULL, QN_TOO_LARGE. */
QN_MUST_USE enum qn_status peers_fill(const struct wire_message *message, struct arena *arena,
                                      Quoin__Header *header);

#endif

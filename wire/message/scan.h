/* A look at a protobuf header before anything is allocated for it. */
#ifndef QUOIN_WIRE_MESSAGE_SCAN_H
#define QUOIN_WIRE_MESSAGE_SCAN_H

#include "wire/bytes.h"

/* Walk the top-level fields and count the repeated ones against the limits of message.h.
 *
 * QN_MALFORMED  a field runs past the end, has no legal wire type, or occurs more often than its
 *               limit allows */
QN_MUST_USE enum qn_status header_scan(struct bytes header);

#endif

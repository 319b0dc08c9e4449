/* The name of a change: which client made it, in which session, as printable text with a checksum.
 * Pure functions. */
#ifndef QUOIN_CLIENT_CHANGE_H
#define QUOIN_CLIENT_CHANGE_H

#include "client/quoin.h"
#include "client/session.h"

struct change_id {
    struct client_id client;
    struct session_change change;
};

void change_print(const struct change_id *id, char text[QN_CHANGE_ID_MAX]);

/* QN_INVALID: it is none, or damaged. */
QN_MUST_USE enum qn_status change_parse(const char *text, struct change_id *id);

#endif

/* One operation of a client on its way through a replica, for the request_*.c files only. */
#ifndef QUOIN_GRID_REPLICA_REQUEST_H
#define QUOIN_GRID_REPLICA_REQUEST_H

#include "grid/replica/state.h"

struct request {
    const struct replica_event *event;
    const struct wire_op *op;
    struct table_key key;
    struct session *session;
};

/* Answer that it was not executed, why, and what to do. */
void request_refuse(struct replica *replica, const struct request *request, enum qn_status status,
                    const char *text);

/* The log has no room (B.7.3): definite, since nothing was appended. */
void request_refuse_space(struct replica *replica, const struct request *request);

/* Whom to answer, and when at the latest. */
struct asker request_asker(const struct request *request);

/* Stage the record, with whom to answer (NULL: nobody yet), and hand it out. False: something
 * stands in the way, and the request has been told. */
bool request_append(struct replica *replica, const struct request *request,
                    const struct record *record, const struct asker *asker);

/* Does the session keep as many results as it may? The oldest change that its client waits for
 * always passes: only its answer makes room. */
bool request_table_full(struct replica *replica, const struct request *request, size_t value_size);

/* -- the operations -- */

void request_change(struct replica *replica, struct request *request);
void request_outcome(struct replica *replica, struct request *request);
void request_scan(struct replica *replica, const struct request *request);

#endif

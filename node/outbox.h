/* Answers that wait to leave: all that go to one client in one round of a shard become one message.
 *
 * Values are copied in, since they live only until the grid's next step. Belongs to a shard's
 * thread. */
#ifndef QUOIN_NODE_OUTBOX_H
#define QUOIN_NODE_OUTBOX_H

#include "wire/message/message.h"

struct outbox;

struct outbox_sender {
    void *arg;
    /* Send this message to `route`. The outbox does not care whether it arrived: a client that
     * misses an answer asks again under the same sequence. */
    void (*send)(void *arg, uint64_t route, const struct wire_message *message);
};

/* QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status outbox_create(const struct outbox_sender *sender,
                                         struct outbox **outbox);
void outbox_destroy(struct outbox *outbox); /* NULL allowed */

/* Add a result for `route`; its value and text are copied. Sends what waits for that route when a
 * message is full. QN_MEMORY_FULL: the result is dropped. */
QN_MUST_USE enum qn_status outbox_add(struct outbox *outbox, uint64_t route,
                                      const struct wire_result *result);

/* Send everything that waits. */
void outbox_flush(struct outbox *outbox);

#endif

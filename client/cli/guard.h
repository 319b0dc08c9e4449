/* Ctrl-C in the shell: ends the call that a command waits for, never the shell.
 *
 * SIGINT sets the flag of interrupt.h. Commands that called interrupt_watch() ask for it between
 * their steps and end by themselves. Any other command that has not ended a moment later waits for
 * an answer of the grid: then a thread of the guard closes its connection, which ends every call
 * with its certainty. The next command connects again. */
#ifndef QUOIN_CLIENT_CLI_GUARD_H
#define QUOIN_CLIENT_CLI_GUARD_H

#include <stdbool.h>

#include "client/quoin.h"

struct guard;

/* From now on SIGINT ends nothing but calls. NULL: no memory or no thread. */
struct guard *guard_start(void);
void guard_stop(struct guard *guard); /* NULL allowed; closes nothing */

/* The connection that may be closed from now on. */
void guard_hold(struct guard *guard, qn_client *client);

/* Take it back. False: it was closed and is gone. */
bool guard_release(struct guard *guard);

/* A command begins. Forgets an interrupt of before. */
void guard_begin(struct guard *guard);

/* It has ended. True: the guard has closed the connection, which is gone. */
bool guard_end(struct guard *guard);

#endif

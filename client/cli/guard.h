/* Ctrl-C in the shell and in scripts: ends the call that a command waits for, never the process.
 *
 * SIGINT sets the flag of interrupt.h. Commands that called interrupt_watch() ask for it between
 * their steps and end by themselves. Any other command that has not ended a moment later waits for
 * an answer of the grid: then a thread of the guard ends its calls (qn_interrupt), each with its
 * certainty. The connection stays. */
#ifndef QUOIN_CLIENT_CLI_GUARD_H
#define QUOIN_CLIENT_CLI_GUARD_H

#include <stdbool.h>

#include "client/quoin.h"

struct guard;

/* From now on SIGINT ends nothing but calls. NULL: no memory or no thread. */
struct guard *guard_start(void);
void guard_stop(struct guard *guard); /* NULL allowed; closes nothing */

/* The connection whose calls may be ended from now on; it must not be closed before guard_release.
 */
void guard_hold(struct guard *guard, qn_client *client);
void guard_release(struct guard *guard);

/* A command begins. Forgets an interrupt of before. */
void guard_begin(struct guard *guard);

/* It has ended. */
void guard_end(struct guard *guard);

#endif

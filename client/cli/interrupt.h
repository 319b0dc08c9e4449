/* SIGINT: stop, say what was done, end with 130.
 *
 * The one place with a file-scope variable: a signal handler has no other way to say something. */
#ifndef QUOIN_CLIENT_CLI_INTERRUPT_H
#define QUOIN_CLIENT_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM only set a flag, for a command that asks interrupted() between its
 * steps. Another one, half a second later, ends the process at once. Before this call a signal ends
 * it at once, too. */
void interrupt_watch(void);

/* Any thread. */
bool interrupted(void);

#endif

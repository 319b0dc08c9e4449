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

/* In the shell: SIGINT sets the flag and wakes whoever reads `wake_fd`, an eventfd, and ends no
 * process; SIGTERM does what it does by default. -1 = this is over. */
void interrupt_session(int wake_fd);

/* In the shell: has the command called interrupt_watch()? Then it ends by itself. */
bool interrupt_is_watched(void);

/* That command has ended. */
void interrupt_unwatch(void);

/* Another command begins: forget the signal that came and who watched for it. */
void interrupt_clear(void);

/* Any thread. */
bool interrupted(void);

#endif

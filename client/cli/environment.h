/* Variables of the environment that look as if they were for the tool, and are not read. */
#ifndef QUOIN_CLIENT_CLI_ENVIRONMENT_H
#define QUOIN_CLIENT_CLI_ENVIRONMENT_H

#include <stdio.h>

/* Say of each variable QUOIN_* that is none, but near to one, which may be meant. Those of nodes
 * (QUOIN_SECTION__KEY) and those that are near to nothing are not the tool's to judge. `environ`:
 * "NAME=value", NULL at the end. */
void environment_check(const char *const *environ, FILE *to);

#endif

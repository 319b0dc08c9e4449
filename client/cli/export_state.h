/* What an export keeps about where it stands. */
#ifndef QUOIN_CLIENT_CLI_EXPORT_STATE_H
#define QUOIN_CLIENT_CLI_EXPORT_STATE_H

#include "client/cli/export.h"

/* Bring the file to disk and write down how far it goes; `out` must be empty. Says once when that
 * cannot be done, and the export goes on. */
void export_state_save(struct export *export);

/* The file is complete: the state is no longer needed. */
void export_state_remove(const struct export *export);

#endif

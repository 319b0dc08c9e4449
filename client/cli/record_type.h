/* Which type the records of a cache have, by the options and the types file. */
#ifndef QUOIN_CLIENT_CLI_RECORD_TYPE_H
#define QUOIN_CLIENT_CLI_RECORD_TYPE_H

#include "client/cli/cli.h"

/* Look up the type of the cache of --cache: that of --type, else that of the types file, which
 * cli_types has read; and its key: that of --key-field, else that of the cache, else that of the
 * type. Each is NULL where nothing says which. Complains and returns CLI_USAGE when a name that was
 * given does not exist. */
enum cli_exit record_type_find(const struct cli *cli, const struct pof_schema_type **type,
                               const struct pof_schema_field **key);

#endif

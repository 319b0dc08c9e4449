/* What a change of a types file means for the objects that are stored and the programs that run.
 *
 * Two directions count: new programs that read old objects, and old programs that read new ones. */
#ifndef QUOIN_CLIENT_CLI_TYPES_CHECK_H
#define QUOIN_CLIENT_CLI_TYPES_CHECK_H

#include <stdbool.h>

#include "config/types.h"

enum { TYPES_CHANGE_MAX = 400 };

/* One change, valid for the call. */
struct types_change {
    const char *type;
    const char *field; /* NULL = of the type as a whole */
    bool new_reads_old;
    bool old_reads_new;
    const char *text; /* what it is, and what to do where it does not work */
};

typedef void types_change_fn(void *context, const struct types_change *change);

/* Report every change from `old` to `new`, in the order of the files. The number of changes that
 * break one direction or both. */
size_t types_compare(const struct pof_schema *old, const struct pof_schema *new,
                     types_change_fn *report, void *context);

#endif

/* What stands behind a `struct types` that was handed out. Private to types*.c. */
#ifndef QUOIN_CONFIG_TYPES_OWNER_H
#define QUOIN_CONFIG_TYPES_OWNER_H

#include "config/types.h"
#include "wire/arena.h"

struct types_owner {
    struct types types; /* first: the caller's pointer is ours, too */
    struct arena memory;
};

#endif

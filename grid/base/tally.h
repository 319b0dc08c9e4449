/* A sub-account of an allocator: passes every request on and counts its own share.
 *
 * Gives one part of a replica (its entries, its client table) a figure of its own without a second
 * bookkeeping beside the allocator's. Must not move while memory is out. */
#ifndef QUOIN_GRID_BASE_TALLY_H
#define QUOIN_GRID_BASE_TALLY_H

#include "grid/base/alloc.h"

struct tally {
    struct alloc alloc;   /* hand out `&tally->alloc`; first, so that it leads back to the tally */
    struct alloc *parent; /* borrowed */
};

void tally_init(struct tally *tally, struct alloc *parent);

#endif

/* Inside of a grid, for the files grid*.c only. */
#ifndef QUOIN_GRID_GRID_INTERNAL_H
#define QUOIN_GRID_GRID_INTERNAL_H

#include "grid/base/slab.h"
#include "grid/base/tally.h"
#include "grid/grid.h"

struct grid {
    struct alloc heap;  /* the pages come from here, unless they are given */
    struct tally pages; /* those of this grid */
    struct slab *slab;
    struct alloc *alloc; /* of the slab: for everything below */
    struct grid_options options;
    struct replica **replicas; /* partition lane + i * lane_count at i */
    size_t replica_count;
    size_t sweep_at;               /* the replica whose turn it is */
    struct replica *stepped;       /* last; its answer may still hold much memory */
    struct replica_action refusal; /* answer to a request that no replica here can take */
};

#endif

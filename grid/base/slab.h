/* Small blocks of memory, packed: an allocator in front of another one.
 *
 * Blocks up to SLAB_BLOCK_MAX come from pages of SLAB_PAGE_SIZE that hold blocks of one size class;
 * larger ones go to the parent. A block costs nothing beyond its class: eight octets steps up to
 * 512, then steps of an eighth at most. A page with no block in use goes back to the parent (a few
 * are kept, so that a block that comes and goes does not move pages). So the parent sees whole
 * pages: what it has handed out is what the process uses. Blocks are aligned to eight octets.
 *
 * The parent must return blocks of SLAB_PAGE_SIZE aligned to that size (alloc_init's does). One
 * owner, no locks. Under the address sanitizer blocks not in use are poisoned. */
#ifndef QUOIN_GRID_BASE_SLAB_H
#define QUOIN_GRID_BASE_SLAB_H

#include "grid/base/alloc.h"

enum {
    SLAB_PAGE_SIZE = 64 * 1024,
    SLAB_BLOCK_MAX = 4 * 1024,
};

struct slab;

/* `parent` is borrowed and outlives the slab. NULL: no memory. */
struct slab *slab_create(struct alloc *parent);

/* Every block must have been released. NULL allowed. */
void slab_destroy(struct slab *slab);

/* Hand this out. Its `bytes` counts blocks as they were asked for; the parent's counts pages. */
struct alloc *slab_alloc(struct slab *slab);

#endif

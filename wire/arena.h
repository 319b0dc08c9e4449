/* Memory that is given back all at once.
 *
 * Grows by blocks up to `size_max`; a reset keeps the first block, so a loop that resets it per
 * message stops allocating. One owner, no locks. */
#ifndef QUOIN_WIRE_ARENA_H
#define QUOIN_WIRE_ARENA_H

#include <stddef.h>

#include "wire/bytes.h"

#define arena_init   qn_arena_init
#define arena_fini   qn_arena_fini
#define arena_reset  qn_arena_reset
#define arena_alloc  qn_arena_alloc
#define arena_calloc qn_arena_calloc

QN_PUBLIC_BEGIN

struct arena_block;

struct arena {
    struct arena_block *first; /* kept by reset */
    struct arena_block *last;  /* in use */
    size_t size;               /* octets handed out since the last reset */
    size_t size_max;
};

/* `size_max` bounds what can be handed out between two resets, in octets; 0 = 256 MiB. */
void arena_init(struct arena *arena, size_t size_max);

/* Give everything back. */
void arena_fini(struct arena *arena);

/* Forget everything handed out; keep the first block. */
void arena_reset(struct arena *arena);

/* `size` octets, aligned for any type, not cleared; NULL when memory or the bound is exhausted. */
void *arena_alloc(struct arena *arena, size_t size);

/* `count` zeroed elements; NULL also when `count * size` overflows. */
void *arena_calloc(struct arena *arena, size_t count, size_t size);

QN_PUBLIC_END

#endif

/* When entries are due: a heap of (time, tag), tidied up lazily.
 *
 * An element stands for all entries with that tag that expire at that time. Nothing is taken out
 * when an entry is replaced: an element no entry answers to any more is *stale*, is recognised as
 * such when it comes to the front, and goes before the heap would grow for it. */
#ifndef QUOIN_GRID_STORE_EXPIRY_H
#define QUOIN_GRID_STORE_EXPIRY_H

#include "grid/base/alloc.h"
#include "wire/bytes.h"

struct due {
    int64_t at_ms;
    uint32_t tag;
};

struct expiry {
    struct alloc *alloc;
    struct due *heap; /* the earliest first */
    size_t count;
    size_t capacity;
    size_t owed;    /* elements that a roll-back may have to put back: room is kept for them */
    size_t entries; /* newest versions that expire, so about as many elements are not stale */
};

/* Is there an entry this element stands for? */
typedef bool expiry_alive(const void *context, const struct due *due);

void expiry_init(struct expiry *expiry, struct alloc *alloc);
void expiry_fini(struct expiry *expiry);

/* Make room for `more` elements, by throwing stale ones out if they are the most. QN_MEMORY_FULL:
 * nothing changed. */
QN_MUST_USE enum qn_status expiry_reserve(struct expiry *expiry, size_t more, expiry_alive *alive,
                                          const void *context);

/* Throw the stale ones out if they are by far the most, and give back memory that is not used. */
void expiry_tidy(struct expiry *expiry, expiry_alive *alive, const void *context);

/* Put one in; room must have been reserved. */
void expiry_push(struct expiry *expiry, struct due due);

/* The earliest, NULL when there is none. */
const struct due *expiry_first(const struct expiry *expiry);

void expiry_pop(struct expiry *expiry);

#endif

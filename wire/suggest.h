/* "Did you mean ...?": the known word nearest to one that is not known. */
#ifndef QUOIN_WIRE_SUGGEST_H
#define QUOIN_WIRE_SUGGEST_H

#include <stddef.h>

/* The search for the nearest word; all zero but `word` to begin with. */
struct suggest {
    const char *word;    /* the unknown one; borrowed until the end of the search */
    const char *nearest; /* NULL = none near enough yet */
    size_t distance;     /* of `nearest`, in edits */
};

/* How many letters must be changed, added, removed or swapped with their neighbour to get from `a`
 * to `b`, letter case aside. Words longer than 64 octets are infinitely far (SIZE_MAX). */
size_t suggest_distance(const char *a, const char *b);

/* Consider `candidate` (borrowed). It counts as near up to a third of its letters, at least one. */
void suggest_offer(struct suggest *suggest, const char *candidate);

#endif

/* What the files of the coordination share; nobody else includes it. */
#ifndef QUOIN_NODE_COORD_COORD_INTERNAL_H
#define QUOIN_NODE_COORD_COORD_INTERNAL_H

#include "node/coord/coord.h"

#define COORD_FILE_NAME "coord"

struct coord {
    char *dir;
    uint64_t incarnation;
    uint64_t epoch;   /* the highest that partitions were opened in */
    uint64_t next_id; /* of the next cache */
    bool clean;       /* as it stands in the file */
    bool was_clean;   /* as it stood there before this run */
    struct coord_cache *caches;
    size_t count;
    size_t capacity;
};

/* Is this a definition that a cache can have? */
bool coord_definition_valid(const struct coord_definition *definition);

/* Append a cache. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status coord_cache_add(struct coord *coord, uint32_t id,
                                           const struct coord_definition *definition);

/* coord_text.c: the text of the file, sealed. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status coord_encode(const struct coord *coord, struct buf *text);

/* coord_text.c: take the text of the file over into a `coord` without caches. QN_CORRUPT (damaged,
 * or of a newer format), QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status coord_decode(struct coord *coord, struct bytes text, qn_error *err);

/* Say that the file is damaged. */
enum qn_status coord_damaged(const struct coord *coord, const char *why, qn_error *err);

#endif

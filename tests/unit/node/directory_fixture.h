/* A directory over a coord file in a folder of its own. */
#ifndef QUOIN_TESTS_UNIT_NODE_DIRECTORY_FIXTURE_H
#define QUOIN_TESTS_UNIT_NODE_DIRECTORY_FIXTURE_H

#include "node/directory.h"
#include "tests/unit/node/log_fixture.h"

struct place {
    struct folder folder;
    struct coord *coord;
    struct directory directory;
};

enum { PLACE_PARTITIONS = 31, PLACE_SHARDS = 3 };

void place_make(struct place *place);
/* As at the next start. */
void place_reopen(struct place *place);
void place_remove(struct place *place);

/* Make the folder unwritable for the node, and writable again: it is moved away. */
void place_break(struct place *place);
void place_mend(struct place *place);

struct wire_cache cache_named(const char *name);

#endif

/* Random values and all places in them, for tests of paths. */
#ifndef QUOIN_TESTS_UNIT_POF_PATH_PLACES_H
#define QUOIN_TESTS_UNIT_POF_PATH_PLACES_H

#include "tests/lib/pof/random_tree.h"
#include "wire/pof/path.h"

enum { PLACE_DEPTH_MAX = 8, PLACES_MAX = 4 * TREE_NODES_MAX, TREE_DEPTH = 4 };

/* What a path is about to meet, as reading everything shows. */
enum place_kind {
    PLACE_VALUE,   /* a value */
    PLACE_GAP,     /* no property or entry, but the place for it */
    PLACE_BELOW,   /* something below what is null or absent */
    PLACE_BEYOND,  /* an element behind the last one */
    PLACE_NO_PART, /* something below a value without parts */
};

struct place {
    int32_t steps[PLACE_DEPTH_MAX];
    size_t count;
    enum place_kind kind;
    const uint8_t *at;              /* of a value the octet behind its head, of a gap its place */
    struct pof_value value;         /* of a value */
    const struct pof_reader *after; /* of a value the reader that has just given it; for the call */
};

/* A random value: the same for the same seed. `full`: as pof_writer_full. */
void write_random(uint64_t seed, bool full, struct tree *tree, struct buf *binary);

/* The value in a Binary without decorations. */
struct bytes value_of(const struct buf *binary);

/* Call `each` for each place in `pof`, read from its beginning to its end. */
void for_each_place(struct bytes pof, void (*each)(const struct place *place, void *context),
                    void *context);

struct pof_path path_of(const struct place *place);

/* The seeds of a test: each round has its own. */
struct rounds {
    uint64_t seed; /* of this round */
    uint64_t end;
};

/* For setup and teardown; the latter tells the seed at which a test failed. The first one is 1, or
 * that of the environment's QUOIN_SEED. */
int rounds_create(void **state);
int rounds_destroy(void **state);

/* Begin `count` rounds; the next one, false after the last. */
void rounds_begin(struct rounds *rounds, uint64_t count);
bool rounds_next(struct rounds *rounds);

/* The values that the two readers give from here on, to the end of the container that they stand
 * in, are the same; `sizes`: those of sparse arrays, too. */
void expect_same_values(struct pof_reader *a, struct pof_reader *b, bool sizes);

/* These two values are the same, apart from what is in them, and where they stand. */
void expect_same(const struct pof_value *a, const struct pof_value *b, bool sizes);

#endif

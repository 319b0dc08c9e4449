/* Random tables, made at run time, and structs by them: the same for the same seed. */
#ifndef QUOIN_TESTS_UNIT_POF_STRUCT_RANDOM_STRUCT_H
#define QUOIN_TESTS_UNIT_POF_STRUCT_RANDOM_STRUCT_H

#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/struct.h"

enum { TABLES = 4, FIELDS_MAX = 8, OBJECTS_MAX = 40, INITIAL_MAX = 16 };

/* Tables that name each other; not to be copied. */
struct random_tables {
    bool shared; /* some of them may be */
    struct pof_struct tables[TABLES];
    struct pof_field fields[TABLES][FIELDS_MAX];
    struct pof_struct pairs[TABLES][FIELDS_MAX]; /* of maps */
    struct pof_field pair_fields[TABLES][FIELDS_MAX][2];
    uint8_t initials[TABLES][FIELDS_MAX][INITIAL_MAX];
};

/* Sound ones, with rows of all kinds and forms. */
void random_tables(struct random_tables *random, struct dice *dice, bool shared);

/* Objects that pointers may lead to. */
struct random_objects {
    void *objects[OBJECTS_MAX];
    const struct pof_struct *tables[OBJECTS_MAX];
    uint32_t count;
};

/* A struct of the table, in the arena, with structs at most `depth` in each other; a null now and
 * then. `objects` is empty at first. */
void *random_object(struct dice *dice, struct arena *arena, const struct pof_struct *table,
                    struct random_objects *objects, unsigned depth);

/* Which objects of two structs have been found to be the same. Empty at first. */
struct same_objects {
    const void *left[OBJECTS_MAX];
    const void *right[OBJECTS_MAX];
    uint32_t count;
};

/* Are two structs of the table the same, with the same pointers to what is shared? */
bool same_struct(const struct pof_struct *table, const void *left, const void *right,
                 struct same_objects *objects);

/* Write a struct by calls of the writer alone, as a program without tables would: the simplest code
 * that can be right. For tables of which none is shared. */
void write_by_hand(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                   const uint8_t *object, bool part);

#endif

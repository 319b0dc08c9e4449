/* Objects that several pointers lead to: which identity an object was given, and which object an
 * identity names. For the struct tables only. */
#ifndef QUOIN_WIRE_POF_STRUCT_SHARED_H
#define QUOIN_WIRE_POF_STRUCT_SHARED_H

#include "wire/pof/struct.h"

/* An object that was written, or is being written. */
struct shared_written {
    const void *object; /* NULL: a free row */
    const struct pof_struct *table;
    int32_t identity;
    bool done;
};

/* All of them: a hash table by object and table, since a struct and its first member are in one
 * place. All zero is an empty one. */
struct shared_writing {
    struct shared_written *rows;
    size_t capacity; /* a power of 2 */
    size_t count;
};

/* NULL: not yet. Valid until the next one is added. */
struct shared_written *shared_find(const struct shared_writing *shared,
                                   const struct pof_struct *table, const void *object);

/* One that is not there yet. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status shared_add(struct shared_writing *shared, const struct pof_struct *table,
                                      const void *object, int32_t identity);
void shared_fini(struct shared_writing *shared);

/* An object that was read, or is being read. */
struct shared_read {
    void *object; /* NULL: none */
    const struct pof_struct *table;
    bool done;
};

/* All of them, by identity, in an arena. All zero is an empty one. */
struct shared_reading {
    struct shared_read *rows;
    uint32_t capacity;
};

/* NULL: none has this identity, as far as it was read here. Valid until the next one is added. */
struct shared_read *shared_named(const struct shared_reading *shared, int32_t identity);

/* Name an object; `most` is the highest identity that the octets can have reason for.
 *
 * QN_MALFORMED    the identity is another object's
 * QN_TOO_LARGE    it is above `most`
 * QN_MEMORY_FULL  the arena refused */
QN_MUST_USE enum qn_status shared_name(struct shared_reading *shared, struct arena *arena,
                                       const struct pof_struct *table, void *object,
                                       int32_t identity, size_t most);

#endif

/* Where tests of struct tables read to. */
#ifndef QUOIN_TESTS_UNIT_POF_STRUCT_MEMORY_H
#define QUOIN_TESTS_UNIT_POF_STRUCT_MEMORY_H

#include "tests/lib/check.h"
#include "wire/pof/struct.h"

#define OCTETS(text) bytes_of(text, sizeof text - 1)

struct memory {
    struct arena arena;
    struct pof_struct_memory memory;
};

static inline struct pof_struct_memory *memory_init(struct memory *m, bool copy)
{
    arena_init(&m->arena, 0);
    m->memory = (struct pof_struct_memory){.arena = &m->arena, .copy = copy};
    return &m->memory;
}

static inline void memory_fini(struct memory *m)
{
    arena_fini(&m->arena);
}

/* Write it, and read it back into `back`. The octets stay in `out`. */
static inline void there_and_back(const struct pof_struct *table, const void *object, void *back,
                                  struct buf *out, struct memory *m)
{
    buf_clear(out);
    assert_null(pof_struct_check(table));
    assert_int_equal(pof_struct_to_binary(out, table, object), QN_OK);
    assert_int_equal(pof_struct_from_binary(buf_bytes(out), table, back, &m->memory), QN_OK);
}

#endif

#include "wire/pof/struct_shared.h"

#include <stdlib.h>

enum { ROWS_AT_FIRST = 32 };

/* -- writing -- */

/* Addresses differ in their middle bits. */
static size_t place_of(const struct shared_writing *shared, const struct pof_struct *table,
                       const void *object)
{
    uint64_t mixed = ((uint64_t)(uintptr_t)object ^ (uint64_t)(uintptr_t)table << 20) *
                     UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(mixed >> 32) & (shared->capacity - 1);
}

/* The row of the object, or the free one where it belongs. */
static struct shared_written *row_of(const struct shared_writing *shared,
                                     const struct pof_struct *table, const void *object)
{
    size_t at = place_of(shared, table, object);

    while (shared->rows[at].object &&
           (shared->rows[at].object != object || shared->rows[at].table != table)) {
        at = (at + 1) & (shared->capacity - 1);
    }
    return &shared->rows[at];
}

struct shared_written *shared_find(const struct shared_writing *shared,
                                   const struct pof_struct *table, const void *object)
{
    if (shared->count == 0) {
        return NULL;
    }
    struct shared_written *row = row_of(shared, table, object);
    return row->object ? row : NULL;
}

/* Twice the rows, so that at most half of them are taken. */
static enum qn_status grow(struct shared_writing *shared)
{
    struct shared_writing larger = {.count = shared->count};

    larger.capacity = shared->capacity > 0 ? 2 * shared->capacity : ROWS_AT_FIRST;
    larger.rows = calloc(larger.capacity, sizeof *larger.rows);
    if (!larger.rows) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < shared->capacity; i++) {
        const struct shared_written *row = &shared->rows[i];
        if (row->object) {
            *row_of(&larger, row->table, row->object) = *row;
        }
    }
    free(shared->rows);
    *shared = larger;
    return QN_OK;
}

enum qn_status shared_add(struct shared_writing *shared, const struct pof_struct *table,
                          const void *object, int32_t identity)
{
    enum qn_status status = 2 * shared->count >= shared->capacity ? grow(shared) : QN_OK;

    if (status == QN_OK) {
        *row_of(shared, table, object) =
            (struct shared_written){.object = object, .table = table, .identity = identity};
        shared->count++;
    }
    return status;
}

void shared_fini(struct shared_writing *shared)
{
    free(shared->rows);
    *shared = (struct shared_writing){0};
}

/* -- reading -- */

struct shared_read *shared_named(const struct shared_reading *shared, int32_t identity)
{
    if (identity < 0 || (uint32_t)identity >= shared->capacity) {
        return NULL;
    }
    struct shared_read *row = &shared->rows[identity];
    return row->object ? row : NULL;
}

/* Make a row for `identity`. Old rows stay in the arena; together they are fewer than the new. */
static enum qn_status make_row(struct shared_reading *shared, struct arena *arena,
                               uint32_t identity)
{
    uint32_t capacity = shared->capacity > 0 ? shared->capacity : ROWS_AT_FIRST;

    if (identity < shared->capacity) {
        return QN_OK;
    }
    while (capacity <= identity) {
        capacity *= 2;
    }
    struct shared_read *rows = arena_calloc(arena, capacity, sizeof *rows);
    if (!rows) {
        return QN_MEMORY_FULL;
    }
    if (shared->capacity > 0) {
        memcpy(rows, shared->rows, shared->capacity * sizeof *rows);
    }
    *shared = (struct shared_reading){rows, capacity};
    return QN_OK;
}

enum qn_status shared_name(struct shared_reading *shared, struct arena *arena,
                           const struct pof_struct *table, void *object, int32_t identity,
                           size_t most)
{
    most = most > POF_IDENTITY_FREE_MAX ? most : POF_IDENTITY_FREE_MAX;
    most = most < POF_IDENTITY_MAX ? most : POF_IDENTITY_MAX;
    if ((size_t)identity > most) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = make_row(shared, arena, (uint32_t)identity);
    if (status == QN_OK && shared->rows[identity].object) {
        status = QN_MALFORMED;
    }
    if (status == QN_OK) {
        shared->rows[identity] = (struct shared_read){.object = object, .table = table};
    }
    return status;
}

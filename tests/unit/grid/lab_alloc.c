#include "tests/unit/grid/lab_alloc.h"

static struct lab_alloc *lab_of(struct alloc *alloc)
{
    return (struct lab_alloc *)(void *)alloc;
}

static void *allocate(struct alloc *alloc, size_t size)
{
    struct lab_alloc *lab = lab_of(alloc);

    if (lab->grants == 0) {
        lab->refused++;
        return NULL;
    }
    lab->grants -= lab->grants != SIZE_MAX;
    void *memory = alloc_get(&lab->heap, size);
    alloc->bytes = lab->heap.bytes;
    return memory;
}

static void release(struct alloc *alloc, void *memory, size_t size)
{
    struct lab_alloc *lab = lab_of(alloc);

    alloc_put(&lab->heap, memory, size);
    alloc->bytes = lab->heap.bytes;
}

void lab_alloc_init(struct lab_alloc *lab)
{
    *lab =
        (struct lab_alloc){.alloc = {.allocate = allocate, .release = release}, .grants = SIZE_MAX};
    alloc_init(&lab->heap);
}

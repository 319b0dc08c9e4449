#include "grid/base/tally.h"

#include "wire/assert.h"

static struct tally *tally_of(struct alloc *alloc)
{
    return (struct tally *)(void *)alloc;
}

static void *allocate(struct alloc *alloc, size_t size)
{
    void *memory = alloc_get(tally_of(alloc)->parent, size);

    if (memory) {
        alloc->bytes += size;
        if (alloc->bytes > alloc->bytes_peak) {
            alloc->bytes_peak = alloc->bytes;
        }
    }
    return memory;
}

static void release(struct alloc *alloc, void *memory, size_t size)
{
    qn_assert(alloc->bytes >= size);
    alloc->bytes -= size;
    alloc_put(tally_of(alloc)->parent, memory, size);
}

void tally_init(struct tally *tally, struct alloc *parent)
{
    *tally = (struct tally){.alloc = {.allocate = allocate, .release = release}, .parent = parent};
}

#include "grid/base/alloc.h"

#include <stdlib.h>
#include <string.h>

#include "grid/base/slab.h"
#include "wire/assert.h"

static void *heap_get(size_t size)
{
    if (size == SLAB_PAGE_SIZE) {
        return aligned_alloc(SLAB_PAGE_SIZE, SLAB_PAGE_SIZE);
    }
    return malloc(size > 0 ? size : 1);
}

static void *allocate(struct alloc *alloc, size_t size)
{
    void *memory = heap_get(size);

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
    free(memory);
}

void alloc_init(struct alloc *alloc)
{
    *alloc = (struct alloc){.allocate = allocate, .release = release};
}

void *alloc_get_zeroed(struct alloc *alloc, size_t size)
{
    void *memory = alloc_get(alloc, size);

    if (memory) {
        memset(memory, 0, size);
    }
    return memory;
}

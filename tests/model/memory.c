#include "tests/model/memory.h"

#include <stdlib.h>

void *memory_take(struct memory *memory, size_t bytes)
{
    if (bytes > memory->max_bytes - memory->used_bytes) {
        return NULL;
    }
    void *taken = calloc(1, bytes);
    if (taken != NULL) {
        memory->used_bytes += bytes;
    }
    return taken;
}

void memory_give(struct memory *memory, void *taken, size_t bytes)
{
    if (taken != NULL) {
        memory->used_bytes -= bytes;
        free(taken);
    }
}

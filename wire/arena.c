#include "wire/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_SIZE = 16 * 1024,
    SIZE_MAX_DEFAULT = 256 * 1024 * 1024,
};

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *arena, size_t size_max)
{
    *arena = (struct arena){.size_max = size_max ? size_max : SIZE_MAX_DEFAULT};
}

static void blocks_free(struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void arena_fini(struct arena *arena)
{
    if (arena) {
        blocks_free(arena->first);
        arena->first = arena->last = NULL;
        arena->size = 0;
    }
}

void arena_reset(struct arena *arena)
{
    arena->size = 0;
    if (arena->first) {
        blocks_free(arena->first->next);
        arena->first->next = NULL;
        arena->first->used = 0;
        arena->last = arena->first;
    }
}

static struct arena_block *block_add(struct arena *arena, size_t size)
{
    size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct arena_block *block = malloc(sizeof *block + capacity);

    if (!block) {
        return NULL;
    }
    *block = (struct arena_block){.capacity = capacity};
    if (arena->last) {
        arena->last->next = block;
    } else {
        arena->first = block;
    }
    arena->last = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size_t align = alignof(max_align_t);

    if (size > arena->size_max || arena->size > arena->size_max - size) {
        return NULL;
    }
    size_t rounded = (size + align - 1) / align * align;
    struct arena_block *block = arena->last;
    if (!block || rounded > block->capacity - block->used) {
        block = block_add(arena, rounded);
        if (!block) {
            return NULL;
        }
    }
    void *place = block->data + block->used;
    block->used += rounded;
    arena->size += rounded;
    return place;
}

void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    void *place = arena_alloc(arena, count * size);
    if (place) {
        memset(place, 0, count * size);
    }
    return place;
}

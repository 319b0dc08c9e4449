#include "grid/base/slab.h"

#include <stdbool.h>

#include "wire/assert.h"

#if defined(__SANITIZE_ADDRESS__)
#define POISONING 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONING 1
#endif
#endif

#ifdef POISONING
void __asan_poison_memory_region(void const volatile *memory, size_t size);
void __asan_unpoison_memory_region(void const volatile *memory, size_t size);
#define poison(memory, size)   __asan_poison_memory_region((memory), (size))
#define unpoison(memory, size) __asan_unpoison_memory_region((memory), (size))
#else
#define poison(memory, size)   ((void)(memory), (void)(size))
#define unpoison(memory, size) ((void)(memory), (void)(size))
#endif

enum {
    STEP = 8,       /* between the small classes */
    STEP_MAX = 512, /* the last class of this step */
    STEP_CLASSES = STEP_MAX / STEP,
    DOUBLINGS = 3, /* from there to SLAB_BLOCK_MAX */
    CLASS_COUNT = STEP_CLASSES + DOUBLINGS * STEP,
    SPARES_MAX = 8, /* empty pages kept */
};

_Static_assert(STEP_MAX << DOUBLINGS == SLAB_BLOCK_MAX, "the classes end at the largest block");

/* A free block: the next one of its page. */
struct block {
    struct block *next;
};

/* The front of a page. */
struct page {
    struct page *next; /* pages of this class with room, or spare ones */
    struct page *prev;
    struct block *free;
    uint32_t used;      /* blocks handed out */
    uint32_t untouched; /* offset of what has never been handed out */
    uint32_t class;
    uint32_t block_size;
};

struct slab {
    struct alloc alloc; /* first: leads back to the slab */
    struct alloc *parent;
    struct page *partial[CLASS_COUNT]; /* pages with room */
    struct page *spares;
    size_t spare_count;
    size_t page_count; /* spare ones included */
};

/* Class of the blocks that hold `size` octets. */
static uint32_t class_of(size_t size)
{
    uint32_t step = STEP_MAX / STEP;
    uint32_t class = STEP_CLASSES;

    if (size <= STEP_MAX) {
        return size > 0 ? (uint32_t)(size + STEP - 1) / STEP - 1 : 0;
    }
    size_t base = STEP_MAX;
    for (; size > 2 * base; base *= 2) {
        class += STEP;
        step *= 2;
    }
    return class + (uint32_t)(size - base + step - 1) / step - 1;
}

static uint32_t class_size(uint32_t class)
{
    if (class < STEP_CLASSES) {
        return (class + 1) * STEP;
    }
    uint32_t doublings = (class - STEP_CLASSES) / STEP;
    uint32_t steps = (class - STEP_CLASSES) % STEP + 1;
    return ((uint32_t)STEP_MAX << doublings) / STEP * (STEP + steps);
}

static struct page *page_of(void *memory)
{
    uint8_t *octets = memory;

    return (struct page *)(void *)(octets - (uintptr_t)octets % SLAB_PAGE_SIZE);
}

static void link_page(struct slab *slab, struct page *page)
{
    page->prev = NULL;
    page->next = slab->partial[page->class];
    if (page->next) {
        page->next->prev = page;
    }
    slab->partial[page->class] = page;
}

static void unlink_page(struct slab *slab, struct page *page)
{
    if (page->prev) {
        page->prev->next = page->next;
    } else {
        slab->partial[page->class] = page->next;
    }
    if (page->next) {
        page->next->prev = page->prev;
    }
}

static bool has_room(const struct page *page)
{
    return page->free || page->untouched + page->block_size <= SLAB_PAGE_SIZE;
}

/* An empty page, spare or new; NULL: no memory. */
static struct page *page_get(struct slab *slab)
{
    struct page *page = slab->spares;

    if (page) {
        slab->spares = page->next;
        slab->spare_count--;
        return page;
    }
    page = alloc_get(slab->parent, SLAB_PAGE_SIZE);
    if (page) {
        qn_assert(page_of(page) == page);
        poison(page + 1, SLAB_PAGE_SIZE - sizeof *page);
        slab->page_count++;
    }
    return page;
}

static void page_release(struct slab *slab, struct page *page)
{
    unpoison(page, SLAB_PAGE_SIZE);
    alloc_put(slab->parent, page, SLAB_PAGE_SIZE);
    slab->page_count--;
}

static void page_put(struct slab *slab, struct page *page)
{
    if (slab->spare_count == SPARES_MAX) {
        page_release(slab, page);
        return;
    }
    page->next = slab->spares;
    slab->spares = page;
    slab->spare_count++;
}

static struct page *page_with_room(struct slab *slab, uint32_t class)
{
    struct page *page = slab->partial[class];

    if (!page) {
        page = page_get(slab);
        if (!page) {
            return NULL;
        }
        *page = (struct page){
            .class = class, .block_size = class_size(class), .untouched = sizeof *page};
        link_page(slab, page);
    }
    return page;
}

static void *block_get(struct slab *slab, size_t size)
{
    struct page *page = page_with_room(slab, class_of(size));

    if (!page) {
        return NULL;
    }
    struct block *block = page->free;
    if (block) {
        unpoison(block, sizeof *block);
        page->free = block->next;
        poison(block, sizeof *block);
    } else {
        block = (struct block *)(void *)((uint8_t *)page + page->untouched);
        page->untouched += page->block_size;
    }
    page->used++;
    if (!has_room(page)) {
        unlink_page(slab, page);
    }
    unpoison(block, size);
    return block;
}

static void block_put(struct slab *slab, void *memory, size_t size)
{
    struct page *page = page_of(memory);
    struct block *block = memory;
    bool had_room = has_room(page);

    qn_assert(page->class == class_of(size));
    qn_assert(page->used > 0);
    unpoison(block, sizeof *block);
    block->next = page->free;
    page->free = block;
    poison(block, page->block_size);
    if (!had_room) {
        link_page(slab, page);
    }
    if (--page->used == 0) {
        unlink_page(slab, page);
        page_put(slab, page);
    }
}

static struct slab *slab_of(struct alloc *alloc)
{
    return (struct slab *)(void *)alloc;
}

static void *allocate(struct alloc *alloc, size_t size)
{
    struct slab *slab = slab_of(alloc);
    void *memory = size <= SLAB_BLOCK_MAX ? block_get(slab, size) : alloc_get(slab->parent, size);

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
    if (size <= SLAB_BLOCK_MAX) {
        block_put(slab_of(alloc), memory, size);
    } else {
        alloc_put(slab_of(alloc)->parent, memory, size);
    }
}

struct slab *slab_create(struct alloc *parent)
{
    struct slab *slab = alloc_get_zeroed(parent, sizeof *slab);

    if (slab) {
        slab->alloc = (struct alloc){.allocate = allocate, .release = release};
        slab->parent = parent;
    }
    return slab;
}

void slab_destroy(struct slab *slab)
{
    if (!slab) {
        return;
    }
    qn_assert(slab->alloc.bytes == 0);
    while (slab->spares) {
        struct page *page = slab->spares;
        slab->spares = page->next;
        page_release(slab, page);
    }
    qn_assert(slab->page_count == 0);
    alloc_put(slab->parent, slab, sizeof *slab);
}

struct alloc *slab_alloc(struct slab *slab)
{
    return &slab->alloc;
}

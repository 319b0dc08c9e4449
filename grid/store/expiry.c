#include "grid/store/expiry.h"

#include "wire/assert.h"

enum {
    CAPACITY_MIN = 16,
    STALE_ALLOWED = 64, /* not worth a look at all */
};

void expiry_init(struct expiry *expiry, struct alloc *alloc)
{
    *expiry = (struct expiry){.alloc = alloc};
}

void expiry_fini(struct expiry *expiry)
{
    alloc_put(expiry->alloc, expiry->heap, expiry->capacity * sizeof *expiry->heap);
    expiry_init(expiry, expiry->alloc);
}

static bool before(struct due a, struct due b)
{
    return a.at_ms < b.at_ms || (a.at_ms == b.at_ms && a.tag < b.tag);
}

/* Let element `at` of the first `count` sink to its place. */
static void sink(struct due *heap, size_t at, size_t count)
{
    struct due due = heap[at];

    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(heap[child + 1], heap[child]);
        if (!before(heap[child], due)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = due;
}

static void heapify(struct expiry *expiry)
{
    for (size_t i = expiry->count / 2; i > 0; i--) {
        sink(expiry->heap, i - 1, expiry->count);
    }
}

/* Sort the heap, the latest first. */
static void sort_down(struct expiry *expiry)
{
    for (size_t left = expiry->count; left > 1; left--) {
        struct due first = expiry->heap[0];
        expiry->heap[0] = expiry->heap[left - 1];
        expiry->heap[left - 1] = first;
        sink(expiry->heap, 0, left - 1);
    }
}

/* Leave one of each element that is not stale. */
static void purge(struct expiry *expiry, expiry_alive *alive, const void *context)
{
    size_t kept = 0;

    sort_down(expiry);
    for (size_t i = 0; i < expiry->count; i++) {
        struct due due = expiry->heap[i];
        if ((kept == 0 || before(due, expiry->heap[kept - 1])) && alive(context, &due)) {
            expiry->heap[kept++] = due;
        }
    }
    expiry->count = kept;
    heapify(expiry);
}

static enum qn_status resize(struct expiry *expiry, size_t capacity)
{
    struct due *heap = alloc_get(expiry->alloc, capacity * sizeof *heap);

    if (!heap) {
        return QN_MEMORY_FULL;
    }
    if (expiry->count > 0) {
        memcpy(heap, expiry->heap, expiry->count * sizeof *heap);
    }
    alloc_put(expiry->alloc, expiry->heap, expiry->capacity * sizeof *heap);
    expiry->heap = heap;
    expiry->capacity = capacity;
    return QN_OK;
}

enum qn_status expiry_reserve(struct expiry *expiry, size_t more, expiry_alive *alive,
                              const void *context)
{
    size_t wanted = expiry->count + expiry->owed + more;

    if (wanted <= expiry->capacity) {
        return QN_OK;
    }
    if (expiry->count > 2 * expiry->entries + STALE_ALLOWED) {
        purge(expiry, alive, context);
        wanted = expiry->count + expiry->owed + more;
        if (wanted <= expiry->capacity) {
            return QN_OK;
        }
    }
    size_t capacity = expiry->capacity + expiry->capacity / 2;
    capacity = capacity > CAPACITY_MIN ? capacity : CAPACITY_MIN;
    return resize(expiry, capacity > wanted ? capacity : wanted);
}

void expiry_tidy(struct expiry *expiry, expiry_alive *alive, const void *context)
{
    if (expiry->count > 4 * expiry->entries + STALE_ALLOWED) {
        purge(expiry, alive, context);
    }
    size_t used = expiry->count + expiry->owed;
    if (expiry->capacity > CAPACITY_MIN && used < expiry->capacity / 4) {
        size_t capacity = used * 2 > CAPACITY_MIN ? used * 2 : (size_t)CAPACITY_MIN;
        (void)resize(expiry, capacity); /* only an economy: may fail */
    }
}

void expiry_push(struct expiry *expiry, struct due due)
{
    qn_assert(expiry->count + expiry->owed < expiry->capacity);
    size_t at = expiry->count++;
    while (at > 0 && before(due, expiry->heap[(at - 1) / 2])) {
        expiry->heap[at] = expiry->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    expiry->heap[at] = due;
}

const struct due *expiry_first(const struct expiry *expiry)
{
    return expiry->count > 0 ? &expiry->heap[0] : NULL;
}

void expiry_pop(struct expiry *expiry)
{
    qn_assert(expiry->count > 0);
    expiry->heap[0] = expiry->heap[--expiry->count];
    if (expiry->count > 0) {
        sink(expiry->heap, 0, expiry->count);
    }
}

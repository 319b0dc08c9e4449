#define _GNU_SOURCE
#include "node/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "wire/assert.h"

enum {
    STATM_SIZE = 128,
    RESERVE_PERCENT = 3,
    ARENAS_MAX = 8,
    MMAP_THRESHOLD = 256 * 1024,
    MMAP_COUNT_MAX = 16 * 1024,
    TRIM_THRESHOLD = 1024 * 1024,
};

void memory_tune(void)
{
    /* malloc serves buffers and tables here, values do not come from it (memory_pages.c). By
     * default it has 8 arenas for each CPU, and each keeps what it once needed. */
    (void)mallopt(M_ARENA_MAX, ARENAS_MAX);
    /* By default the threshold follows the largest block freed, up to 32 MiB: from then on large
     * buffers come from the heap and leave holes there. Setting it keeps it where it is. */
    (void)mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
    /* A process may have 65,530 mappings in all; the rest is for values and threads. */
    (void)mallopt(M_MMAP_MAX, MMAP_COUNT_MAX);
    (void)mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD);
}

void memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes)
{
    memset(budget, 0, sizeof *budget);
    budget->limit_bytes = limit_bytes > 0 ? limit_bytes : memory_limit_default();
    budget->reserve_bytes = budget->limit_bytes / 100 * RESERVE_PERCENT;
    budget->baseline_bytes = memory_resident();
    atomic_store(&budget->resident_bytes, budget->baseline_bytes);
}

uint64_t memory_used(const struct memory_budget *budget, enum memory_kind kind)
{
    int64_t used = atomic_load_explicit(&budget->used[kind], memory_order_relaxed);

    /* What one thread charges and another gives back may be seen in the wrong order. */
    return used > 0 ? (uint64_t)used : 0;
}

static uint64_t charged(const struct memory_budget *budget)
{
    uint64_t sum = 0;

    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        sum += memory_used(budget, (enum memory_kind)kind);
    }
    return sum;
}

uint64_t memory_total(const struct memory_budget *budget)
{
    return charged(budget) + atomic_load_explicit(&budget->overhead_bytes, memory_order_relaxed);
}

enum qn_status memory_status(const struct memory_budget *budget)
{
    return memory_total(budget) >= budget->limit_bytes - budget->reserve_bytes ? QN_MEMORY_FULL
                                                                               : QN_OK;
}

/* Without the overhead: it stops what adds, and must not stop what takes away. */
bool memory_allows(const struct memory_budget *budget, uint64_t more)
{
    return charged(budget) + more <= budget->limit_bytes + budget->reserve_bytes;
}

enum qn_status memory_sample(struct memory_budget *budget)
{
    uint64_t resident = memory_resident();
    uint64_t known = budget->baseline_bytes + charged(budget);

    if (resident == 0) {
        return QN_IO;
    }
    atomic_store_explicit(&budget->resident_bytes, resident, memory_order_relaxed);
    atomic_store_explicit(&budget->overhead_bytes, resident > known ? resident - known : 0,
                          memory_order_relaxed);
    return QN_OK;
}

uint64_t memory_resident(void)
{
    char text[STATM_SIZE] = "";
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    long page = sysconf(_SC_PAGESIZE);
    char *at;

    if (fd >= 0) {
        (void)close(fd);
    }
    if (size <= 0 || page <= 0) {
        return 0;
    }
    (void)strtoull(text, &at, 10); /* the whole size; the second number is what is resident */
    return strtoull(at, NULL, 10) * (uint64_t)page;
}

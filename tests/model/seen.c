#include "tests/model/seen.h"

#include <string.h>

enum { CAPACITY_FIRST = 1 << 16 };

/* Two lanes over the words, each a bijection of its state for a given word, mixed at the end
 * (constants and finishers are odd numbers with well spread bits; nothing depends on which). */
struct fingerprint fingerprint_of(const void *octets, size_t size)
{
    const unsigned char *at = octets;
    uint64_t a = 0x9e3779b97f4a7c15U;
    uint64_t b = 0xc2b2ae3d27d4eb4fU;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        a = (a ^ word) * 0xff51afd7ed558ccdU;
        a ^= a >> 32;
        b = (b + word) * 0xc4ceb9fe1a85ec53U;
        b ^= b >> 29;
    }
    a ^= b >> 31;
    a *= 0x9fb21c651e98df25U;
    a ^= a >> 28;
    return (struct fingerprint){.low = a ? a : 1, .high = b};
}

static bool take_slots(struct seen *seen, struct memory *memory, size_t capacity)
{
    seen->memory = memory;
    seen->capacity = capacity;
    seen->slots = memory_take(memory, capacity * sizeof *seen->slots);
    return seen->slots != NULL;
}

bool seen_init(struct seen *seen, struct memory *memory)
{
    *seen = (struct seen){0};
    return take_slots(seen, memory, CAPACITY_FIRST);
}

void seen_fini(struct seen *seen)
{
    memory_give(seen->memory, seen->slots, seen->capacity * sizeof *seen->slots);
    *seen = (struct seen){0};
}

/* The slot that holds the fingerprint, or the free one where it belongs. */
static struct fingerprint *find(const struct seen *seen, struct fingerprint fingerprint)
{
    size_t mask = seen->capacity - 1;
    size_t i = (size_t)fingerprint.low & mask;
    while (seen->slots[i].low &&
           (seen->slots[i].low != fingerprint.low || seen->slots[i].high != fingerprint.high)) {
        i = (i + 1) & mask;
    }
    return &seen->slots[i];
}

static bool grow(struct seen *seen)
{
    struct seen larger = {.count = seen->count};
    if (!take_slots(&larger, seen->memory, seen->capacity * 2)) {
        return false;
    }
    for (size_t i = 0; i < seen->capacity; i++) {
        if (seen->slots[i].low) {
            *find(&larger, seen->slots[i]) = seen->slots[i];
        }
    }
    seen_fini(seen);
    *seen = larger;
    return true;
}

enum seen_result seen_add(struct seen *seen, struct fingerprint fingerprint)
{
    if (seen->count >= seen->capacity / 4 * 3 && !grow(seen)) {
        return SEEN_NO_MEMORY;
    }
    struct fingerprint *slot = find(seen, fingerprint);
    if (slot->low) {
        return SEEN_BEFORE;
    }
    *slot = fingerprint;
    seen->count++;
    return SEEN_NEW;
}

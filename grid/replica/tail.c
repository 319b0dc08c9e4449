#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    TAIL_FIRST_BYTES = 4096,
    TAIL_KEPT_BYTES = 64 * 1024, /* of committed records, for those that are a little behind */
};

void tail_init(struct tail *tail, struct alloc *alloc, uint64_t next)
{
    *tail = (struct tail){.alloc = alloc, .first = next};
    ring_init(&tail->ends, alloc, sizeof(uint64_t));
}

void tail_fini(struct tail *tail)
{
    ring_fini(&tail->ends);
    alloc_put(tail->alloc, tail->data, tail->capacity);
    *tail = (struct tail){.alloc = tail->alloc};
}

static uint64_t next_of(const struct tail *tail)
{
    return tail->first + tail->ends.count;
}

/* Room for `size` more octets in one piece. */
static bool make_room(struct tail *tail, size_t size)
{
    size_t used = tail->end - tail->begin;
    size_t capacity = tail->capacity > 0 ? tail->capacity : (size_t)TAIL_FIRST_BYTES;

    if (tail->capacity - tail->end >= size) {
        return true;
    }
    while (capacity < 2 * used || capacity - used < size) { /* at most half is moved at a time */
        capacity *= 2;
    }
    uint8_t *data = tail->data;
    if (capacity != tail->capacity) {
        data = alloc_get(tail->alloc, capacity);
        if (!data) {
            return false;
        }
    }
    if (used > 0) {
        memmove(data, tail->data + tail->begin, used);
    }
    if (data != tail->data) {
        alloc_put(tail->alloc, tail->data, tail->capacity);
    }
    tail->data = data;
    tail->capacity = capacity;
    tail->begin = 0;
    tail->end = used;
    return true;
}

/* What is sent in this step points into the block: nothing is moved between `tail_add`s of one step
 * and the end of it, since octets are only asked for when the step sends. */
bool tail_add(struct tail *tail, const struct record *record, struct bytes *octets)
{
    size_t size = record_size(record);

    qn_assert(record->index == next_of(tail));
    *octets = bytes_of(NULL, 0);
    if (ring_reserve(&tail->ends, 1) != QN_OK || !make_room(tail, size)) {
        struct alloc *alloc = tail->alloc;
        tail_fini(tail);
        tail_init(tail, alloc, record->index + 1);
        return false;
    }
    struct buf room = {.data = tail->data + tail->end, .capacity = tail->capacity - tail->end};
    const uint8_t *at = room.data;
    enum qn_status status = record_encode(record, &room);
    qn_assert(status == QN_OK && room.data == at && room.size == size);
    uint64_t *end = ring_push(&tail->ends);
    *end = tail->base + (tail->end - tail->begin) + size;
    tail->end += size;
    *octets = bytes_of(at, size);
    return true;
}

static uint64_t end_at(const struct tail *tail, uint64_t index)
{
    const uint64_t *end = ring_at(&tail->ends, (size_t)(index - tail->first));

    return *end;
}

struct bytes tail_records(const struct tail *tail, uint64_t index, size_t size_max, uint64_t *last)
{
    if (index < tail->first || index >= next_of(tail)) {
        return bytes_of(NULL, 0);
    }
    uint64_t begin = index == tail->first ? tail->base : end_at(tail, index - 1);
    uint64_t low = index;
    uint64_t high = next_of(tail) - 1;
    while (low < high) { /* the last one that ends within the limit */
        uint64_t middle = low + (high - low + 1) / 2;
        if (end_at(tail, middle) - begin <= size_max) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *last = low;
    return bytes_of(tail->data + tail->begin + (begin - tail->base),
                    (size_t)(end_at(tail, low) - begin));
}

void tail_trim(struct tail *tail, uint64_t index)
{
    while (tail->ends.count > 0 && tail->first <= index &&
           tail->end - tail->begin > TAIL_KEPT_BYTES) {
        uint64_t end = end_at(tail, tail->first);
        tail->begin += (size_t)(end - tail->base);
        tail->base = end;
        tail->first++;
        ring_pop_front(&tail->ends);
    }
}

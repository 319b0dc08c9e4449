#include "tests/model/history.h"

#include "wire/assert.h"

static const size_t chunk_bytes = HISTORY_CHUNK_LINKS * sizeof(struct link);

bool history_add(struct history *history, struct link link)
{
    size_t chunk = history->count / HISTORY_CHUNK_LINKS;
    qn_assert(chunk < HISTORY_CHUNKS_MAX);
    if (history->chunks[chunk] == NULL) {
        history->chunks[chunk] = memory_take(history->memory, chunk_bytes);
    }
    if (history->chunks[chunk] == NULL) {
        return false;
    }
    history->chunks[chunk][history->count++ % HISTORY_CHUNK_LINKS] = link;
    return true;
}

static const struct link *link_of(const struct history *history, uint32_t number)
{
    return &history->chunks[number / HISTORY_CHUNK_LINKS][number % HISTORY_CHUNK_LINKS];
}

void history_trace(const struct history *history, uint32_t number, struct step last,
                   struct trace *trace)
{
    size_t count = 1;
    for (uint32_t i = number; i > 0; i = link_of(history, i)->parent) {
        count++;
    }
    qn_assert(count <= STEPS_MAX);
    trace->count = count;
    trace->steps[--count] = last;
    for (uint32_t i = number; i > 0; i = link_of(history, i)->parent) {
        trace->steps[--count] = link_of(history, i)->step;
    }
}

void history_fini(struct history *history)
{
    for (size_t i = 0; i < HISTORY_CHUNKS_MAX && history->chunks[i] != NULL; i++) {
        memory_give(history->memory, history->chunks[i], chunk_bytes);
    }
}

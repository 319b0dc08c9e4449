#define _GNU_SOURCE
#include "node/outbox.h"

#include <stdlib.h>

#include "wire/assert.h"

enum {
    RESULTS_FIRST = 16,
    BUCKET_COUNT = 1024,       /* power of two */
    PAYLOAD_MAX = 1024 * 1024, /* beyond it a message leaves before the round ends */
    PAYLOAD_KEPT = 64 * 1024,  /* a row that grew larger gives its memory back */
};

/* What waits for one route. Rows are reused round after round. */
struct row {
    uint64_t route;
    size_t next; /* in the same bucket: number of a row + 1, 0 = none */
    size_t count;
    size_t capacity;
    struct wire_result *results; /* `value`, `text`, `token` hold no pointers yet */
    struct buf payload;          /* value, text, token of each result, back to back */
};

struct outbox {
    struct outbox_sender sender;
    size_t buckets[BUCKET_COUNT]; /* number of a row + 1 */
    struct row *rows;
    size_t row_count;    /* in use this round */
    size_t row_capacity; /* made so far */
};

enum qn_status outbox_create(const struct outbox_sender *sender, struct outbox **outbox)
{
    struct outbox *made = calloc(1, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->sender = *sender;
    *outbox = made;
    return QN_OK;
}

void outbox_destroy(struct outbox *outbox)
{
    if (outbox) {
        for (size_t i = 0; i < outbox->row_capacity; i++) {
            free(outbox->rows[i].results);
            buf_fini(&outbox->rows[i].payload);
        }
        free(outbox->rows);
        free(outbox);
    }
}

static size_t bucket_of(uint64_t route)
{
    return (size_t)(route * 0x9e3779b97f4a7c15u >> 54) & (BUCKET_COUNT - 1);
}

/* Make room for one more row. */
static bool rows_grow(struct outbox *outbox)
{
    struct row *rows = realloc(outbox->rows, (outbox->row_capacity + 1) * sizeof *rows);

    if (!rows) {
        return false;
    }
    outbox->rows = rows;
    rows[outbox->row_capacity++] = (struct row){0};
    return true;
}

/* Make room for one more result. */
static bool results_grow(struct row *row)
{
    if (row->count < row->capacity) {
        return true;
    }
    size_t capacity = row->capacity ? row->capacity * 2 : RESULTS_FIRST;
    struct wire_result *results = realloc(row->results, capacity * sizeof *results);
    if (!results) {
        return false;
    }
    row->results = results;
    row->capacity = capacity;
    return true;
}

/* The row of a route, new when it has none this round; NULL without memory. */
static struct row *row_get(struct outbox *outbox, uint64_t route)
{
    size_t bucket = bucket_of(route);

    for (size_t at = outbox->buckets[bucket]; at != 0; at = outbox->rows[at - 1].next) {
        if (outbox->rows[at - 1].route == route) {
            return &outbox->rows[at - 1];
        }
    }
    if (outbox->row_count == outbox->row_capacity && !rows_grow(outbox)) {
        return NULL;
    }
    struct row *row = &outbox->rows[outbox->row_count++];
    row->route = route;
    row->next = outbox->buckets[bucket];
    outbox->buckets[bucket] = outbox->row_count;
    return row;
}

/* Point the results at the payload, which does not move any more. */
static void pointers_set(struct row *row)
{
    const uint8_t *at = row->payload.data;

    for (size_t i = 0; i < row->count; i++) {
        struct wire_result *result = &row->results[i];
        result->value.data = at;
        at += result->value.size;
        result->text.data = at;
        at += result->text.size;
        result->token.data = at;
        at += result->token.size;
    }
    qn_assert(row->count == 0 || at == row->payload.data + row->payload.size);
}

static void row_send(struct outbox *outbox, struct row *row)
{
    if (row->count > 0) {
        pointers_set(row);
        struct wire_message message = {
            .kind = WIRE_REPLY, .results = row->results, .result_count = row->count};
        outbox->sender.send(outbox->sender.arg, row->route, &message);
    }
    row->count = 0;
    buf_clear(&row->payload);
    if (row->payload.capacity > PAYLOAD_KEPT) {
        buf_fini(&row->payload);
    }
}

enum qn_status outbox_add(struct outbox *outbox, uint64_t route, const struct wire_result *result)
{
    struct row *row = row_get(outbox, route);
    size_t size = result->value.size + result->text.size + result->token.size;

    if (!row) {
        return QN_MEMORY_FULL;
    }
    if (row->count == WIRE_BATCH_MAX ||
        (row->count > 0 && row->payload.size + size > PAYLOAD_MAX)) {
        row_send(outbox, row);
    }
    if (!results_grow(row)) {
        return QN_MEMORY_FULL;
    }
    /* One more, so that there is a payload to point into even when all parts are empty. */
    enum qn_status status = buf_reserve(&row->payload, size + 1);
    if (status != QN_OK) {
        return status;
    }
    (void)!buf_append(&row->payload, result->value.data, result->value.size);
    (void)!buf_append(&row->payload, result->text.data, result->text.size);
    (void)!buf_append(&row->payload, result->token.data, result->token.size);
    row->results[row->count++] = *result;
    return QN_OK;
}

void outbox_flush(struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->row_count; i++) {
        row_send(outbox, &outbox->rows[i]);
        outbox->buckets[bucket_of(outbox->rows[i].route)] = 0;
    }
    outbox->row_count = 0;
}

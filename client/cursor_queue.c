/* The chunks of a cursor: asked for in advance, handed out one after the other. */
#include "client/cursor_parts.h"
#include "wire/assert.h"
#include "wire/rows.h"

/* ---- the queue ---- */

struct chunk *chunk_insert(qn_cursor *cursor, size_t at, uint32_t partition)
{
    struct chunk *chunk = cursor->slots;

    qn_assert(cursor->count < CHUNKS_MAX && at <= cursor->count);
    while (chunk->is_used) {
        chunk++;
    }
    for (size_t i = cursor->count++; i > at; i--) {
        cursor->queue[i] = cursor->queue[i - 1];
    }
    cursor->queue[at] = chunk;
    buf_clear(&chunk->token);
    chunk->is_used = true;
    chunk->is_asked = false;
    chunk->partition = partition;
    chunk->skip = 0;
    chunk->view = 0;
    return chunk;
}

/* Take it out; nothing of it is under way. */
static void chunk_remove(qn_cursor *cursor, size_t at)
{
    struct chunk *chunk = cursor->queue[at];

    qn_assert(!chunk->is_asked || chunk->call.is_done);
    if (chunk->is_asked) {
        call_fini(&chunk->call);
    }
    chunk->is_used = false;
    cursor->count--;
    for (size_t i = at; i < cursor->count; i++) {
        cursor->queue[i] = cursor->queue[i + 1];
    }
}

/* Forget the answer, so that it is asked for again. */
static void chunk_reset(struct chunk *chunk)
{
    if (chunk->is_asked) {
        call_fini(&chunk->call);
        chunk->is_asked = false;
    }
}

static void chunk_ask(qn_cursor *cursor, struct chunk *chunk)
{
    qn_client *client = cursor->client;
    bool is_first = chunk->view == 0;

    chunk->call = (struct call){
        .core = {
            .kind = WIRE_OP_SCAN,
            .flags = cursor->options.keys_only ? WIRE_KEYS_ONLY : 0,
            .cache = cursor->cache_id,
            .partition = cursor->base + chunk->partition,
            .view = chunk->view,
            .view_min = is_first && cursor->options.fresh ? UINT64_MAX : 0,
            .size_max = (uint64_t)setting_number(&client->settings, PROPERTY_SCAN_BYTES),
            .value = buf_bytes(&chunk->token),
        }};
    chunk->is_asked = true;
    chunk->is_fresh_attempt = true;
    cursor->must_send = true;
    call_begin(&chunk->call, clock_now_ms(), client_timeout_ms(client, cursor->options.timeout_ms));
    driver_submit(client, &chunk->call);
}

static bool is_answered(const struct chunk *chunk)
{
    return chunk->is_asked && chunk->call.is_done && chunk->call.core.status == QN_OK;
}

static bool is_continued(const qn_cursor *cursor)
{
    return cursor->count > 1 && cursor->queue[1]->partition == cursor->queue[0]->partition;
}

/* Put what follows the first chunk in line, once its place is known. QN_MEMORY_FULL. */
static enum qn_status queue_continue(qn_cursor *cursor)
{
    const struct chunk *first = cursor->count > 0 ? cursor->queue[0] : NULL;

    if (!first || !is_answered(first) || !first->call.core.more || is_continued(cursor)) {
        return QN_OK;
    }
    const struct session_op *answer = &first->call.core;
    struct chunk *next = chunk_insert(cursor, 1, first->partition);
    next->view = answer->result_view;
    enum qn_status status = buf_append(&next->token, answer->token.data, answer->token.size);
    if (status != QN_OK) {
        chunk_remove(cursor, 1);
    }
    return status;
}

/* Put in line what is to be asked now, and ask. */
static enum qn_status queue_fill(qn_cursor *cursor)
{
    enum qn_status status = queue_continue(cursor);
    size_t room = 1 + (size_t)cursor->ahead + is_continued(cursor);

    while (cursor->count < room && cursor->next_partition < cursor->partition_count) {
        (void)chunk_insert(cursor, cursor->count, cursor->next_partition++);
    }
    for (size_t i = 0; i < cursor->count; i++) {
        if (!cursor->queue[i]->is_asked) {
            chunk_ask(cursor, cursor->queue[i]);
        }
    }
    return status;
}

/* ---- steps ---- */

static void chunk_await(qn_cursor *cursor, struct chunk *chunk)
{
    struct waiter waiter;

    if (chunk->call.is_done) {
        return;
    }
    waiter_init(cursor->client, &waiter, 1);
    chunk->call.waiter = &waiter;
    (void)driver_wait(cursor->client, &waiter, INT64_MAX);
    waiter_fini(&waiter);
    cursor->must_send = false;
}

/* The view is gone: the next call goes on at the same place in a newer one. */
static enum qn_status view_lost(qn_cursor *cursor, qn_error *err)
{
    struct chunk *first = cursor->queue[0];

    chunk_reset(first);
    first->view = 0;
    first->skip = 0;
    log_add(&cursor->client->log, QN_LOG_WARN,
            "a cursor has lost its view and goes on in a newer one", "cache=%s partition=%u",
            cursor->name, cursor->base + first->partition);
    return qn_error_set(err, QN_CURSOR_EXPIRED,
                        "scan %s: the cursor rested too long and its view of "
                        "partition %u is gone; "
                        "the next call goes on in a newer one",
                        cursor->name, cursor->base + first->partition);
}

/* The first chunk has failed. QN_OK: try again. */
static enum qn_status chunk_failed(qn_cursor *cursor, qn_error *err)
{
    struct chunk *first = cursor->queue[0];
    enum qn_status status = first->call.core.status;

    if (status == QN_CURSOR_EXPIRED) {
        return view_lost(cursor, err);
    }
    if (!first->is_fresh_attempt) {
        chunk_reset(first); /* it was asked in advance, and has failed long ago */
        return QN_OK;
    }
    status = call_explain(&first->call, cursor->client, cursor->name, err);
    chunk_reset(first);
    return status;
}

/* The first chunk is there: its rows, but for those that were taken before. */
static enum qn_status rows_open(qn_cursor *cursor)
{
    struct chunk *first = cursor->queue[0];
    struct row ignored;
    enum qn_status status = QN_OK;

    cursor->rows = first->call.core.has_value ? first->call.core.result : bytes_of(NULL, 0);
    cursor->taken = 0;
    while (status == QN_OK && cursor->taken < first->skip) {
        status = row_next(&cursor->rows, &ignored);
        cursor->taken += status == QN_OK;
    }
    cursor->has_rows = true;
    return status == QN_ABSENT ? QN_OK : status;
}

enum qn_status chunk_next(qn_cursor *cursor, qn_error *err)
{
    enum qn_status status = queue_fill(cursor);

    while (status == QN_OK && cursor->rows.size == 0) {
        if (cursor->has_rows) {
            chunk_remove(cursor, 0);
            cursor->has_rows = false;
        }
        status = queue_fill(cursor);
        if (status == QN_OK && cursor->count == 0) {
            return QN_ABSENT;
        }
        if (status != QN_OK) {
            break;
        }
        struct chunk *first = cursor->queue[0];
        chunk_await(cursor, first);
        if (first->call.core.status != QN_OK) {
            status = chunk_failed(cursor, err);
        } else {
            status = rows_open(cursor);
            status = status == QN_OK ? queue_fill(cursor) : status;
        }
    }
    return status < 0 && !qn_error_failed(err)
               ? qn_error_set(err, status, "scan %s: %s", cursor->name, qn_status_text(status))
               : status;
}

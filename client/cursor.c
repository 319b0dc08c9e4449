/* Scans: a cursor goes through the partitions of a cache one after the other, and asks in advance.
 *
 * What comes next in a partition is asked for as soon as its place is known, and the beginnings of
 * the next partitions with it: so a scan rarely waits for a round trip. Rows are handed out of the
 * frame that brought them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "client/call.h"
#include "client/position.h"
#include "client/value.h"
#include "wire/assert.h"
#include "wire/rows.h"

enum { AHEAD_MAX = 8, CHUNKS_MAX = AHEAD_MAX + 2 };

/* One step: rows of a partition from a place on. */
struct chunk {
    bool is_used;
    bool is_asked;
    bool is_fresh_attempt; /* asked in this very qn_cursor_next */
    uint32_t partition;    /* of the service */
    uint32_t skip;         /* rows that were taken already, by whom the position is of */
    uint64_t view;         /* 0 = the newest */
    struct buf token;
    struct call call;
};

struct qn_cursor {
    qn_client *client; /* NULL: it was closed */
    pid_t pid;
    struct list place;
    uint32_t cache_id;
    uint32_t service;
    char name[WIRE_NAME_MAX + 1];
    uint32_t base; /* partition 0 of the service */
    uint32_t partition_count;
    uint32_t next_partition; /* the first that is not in the queue yet */
    uint32_t ahead;
    qn_scan_options options;
    struct chunk slots[CHUNKS_MAX];
    struct chunk *queue[CHUNKS_MAX]; /* in the order of handing out */
    size_t count;
    bool must_send; /* something was asked, and nobody has driven since */
    bool has_rows;  /* `rows` are what is left of the first chunk */
    struct bytes rows;
    uint32_t taken; /* of the first chunk */
    uint32_t seen_partition;
    uint64_t seen_view;
};

/* ---- the queue ---- */

static struct chunk *chunk_insert(qn_cursor *cursor, size_t at, uint32_t partition)
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

/* Mutex held. QN_OK: there are rows; QN_ABSENT: that was all. */
static enum qn_status chunk_next(qn_cursor *cursor, qn_error *err)
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

static enum qn_status cursor_step(qn_cursor *cursor, qn_error *err)
{
    if (!cursor->client) {
        return qn_error_set(err, QN_CLOSED, "scan %s: the client was closed", cursor->name);
    }
    enum qn_status status = driver_enter(cursor->client, err);
    if (status != QN_OK) {
        return status;
    }
    for (size_t i = 0; i < cursor->count; i++) {
        cursor->queue[i]->is_fresh_attempt = false;
    }
    qn_client *client = cursor->client;
    status = chunk_next(cursor, err);
    if (cursor->must_send) {
        driver_yield(client); /* what was asked in advance leaves now */
        cursor->must_send = false;
    }
    driver_leave(client);
    return status;
}

/* ---- rows ---- */

/* A part of the frame as a value of its own. */
static enum qn_status part_take(const qn_cursor *cursor, const struct value_content *content,
                                qn_value **value, qn_error *err)
{
    qn_value *part = value_part(cursor->queue[0]->call.value, content);
    enum qn_status status = part ? value_unpack(part) : QN_MEMORY_FULL;

    if (status != QN_OK) {
        qn_value_release(part);
        return qn_error_set(
            err, status, "scan %s, partition %u: %s", cursor->name, cursor->seen_partition,
            status == QN_CORRUPT ? "a value is damaged: it can not be unpacked" : "out of memory");
    }
    *value = part;
    return QN_OK;
}

static enum qn_status row_take(qn_cursor *cursor, qn_value **key, qn_value **value, qn_error *err)
{
    const struct chunk *first = cursor->queue[0];
    struct bytes rest = cursor->rows;
    struct row row;
    enum qn_status status = row_next(&rest, &row);

    if (status != QN_OK) {
        return qn_error_set(err, QN_MALFORMED, "scan %s: the answer of node %u makes no sense",
                            cursor->name, first->call.core.node);
    }
    cursor->seen_partition = cursor->base + first->partition;
    cursor->seen_view = first->call.core.result_view;
    struct value_content content = {
        .binary = row.key, .version = row.version, .ttl_ms = row.ttl_ms};
    status = part_take(cursor, &content, key, err);
    if (status == QN_OK && value && !cursor->options.keys_only) {
        content.binary = row.value;
        content.flags = row.flags;
        status = part_take(cursor, &content, value, err);
        if (status != QN_OK) {
            qn_value_release(*key);
            *key = NULL;
        }
    }
    /* One that is damaged is passed over by the next call: it would not get better. */
    if (status != QN_MEMORY_FULL) {
        cursor->rows = rest;
        cursor->taken++;
    }
    return status;
}

qn_status qn_cursor_next(qn_cursor *cursor, qn_value **key, qn_value **value, qn_error *err)
{
    if (key) {
        *key = NULL;
    }
    if (value) {
        *value = NULL;
    }
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!cursor || !key) {
        return qn_error_set(err, QN_INVALID, "scan: %s",
                            cursor ? "no place for the key"
                                   : "no cursor: check the error of qn_scan");
    }
    if (cursor->rows.size == 0 || cursor->pid != getpid()) {
        enum qn_status status = cursor_step(cursor, err);
        if (status != QN_OK) {
            return status;
        }
    }
    return row_take(cursor, key, value, err);
}

/* ---- beginning and end ---- */

static enum qn_status cursor_begin(qn_cursor *cursor, const char *from, qn_error *err)
{
    struct buf memory = {0};
    struct position position = {0};
    enum qn_status status = from ? position_parse(from, &memory, &position) : QN_OK;

    if (status == QN_INVALID) {
        (void)qn_error_set(err, status, "scan %s: that is no position, or it is damaged",
                           cursor->name);
    } else if (from && (position.cache != cursor->cache_id ||
                        position.partition_count != cursor->partition_count ||
                        position.partition > position.partition_count)) {
        status = qn_error_set(err, QN_INVALID, "scan %s: the position is of another cache or grid",
                              cursor->name);
    }
    cursor->next_partition = position.partition;
    if (status == QN_OK && position.partition < cursor->partition_count) {
        struct chunk *first = chunk_insert(cursor, 0, cursor->next_partition++);
        first->view = position.view;
        first->skip = position.skip;
        status = buf_append(&first->token, position.token.data, position.token.size);
    }
    buf_fini(&memory);
    return status;
}

static qn_scan_options options_of(const qn_scan_options *given)
{
    qn_scan_options known = QN_SCAN_OPTIONS_INIT;

    if (given) {
        size_t size = given->size == 0 ? sizeof known : given->size;
        memcpy(&known, given, size < sizeof known ? size : sizeof known);
    }
    return known;
}

static qn_cursor *cursor_create(qn_cache *cache, const qn_scan_options *options)
{
    qn_cursor *cursor = calloc(1, sizeof *cursor);

    if (cursor) {
        cursor->client = cache->client;
        cursor->pid = getpid();
        cursor->cache_id = cache->id;
        cursor->service = cache->service;
        cursor->options = *options;
        memcpy(cursor->name, cache->name, strlen(cache->name) + 1);
        cursor->ahead = (uint32_t)setting_number(&cache->client->settings, PROPERTY_SCAN_AHEAD);
        list_init(&cursor->place);
    }
    return cursor;
}

static void cursor_free(qn_cursor *cursor)
{
    for (size_t i = 0; i < CHUNKS_MAX; i++) {
        if (cursor->slots[i].is_used && cursor->slots[i].is_asked) {
            call_fini(&cursor->slots[i].call);
        }
        buf_fini(&cursor->slots[i].token);
    }
    free(cursor);
}

/* Mutex held. */
static enum qn_status cursor_open(qn_cursor *cursor, qn_error *err)
{
    qn_client *client = cursor->client;
    enum qn_status status =
        table_await(client, client_timeout_ms(client, cursor->options.timeout_ms), err);

    if (status == QN_OK) {
        cursor->partition_count = session_partition_count(client->session);
        cursor->base = cursor->service * cursor->partition_count;
        status = cursor_begin(cursor, cursor->options.from, err);
        cursor->options.from = NULL; /* it was the caller's */
    }
    if (status == QN_OK) {
        list_push_back(&client->cursors, &cursor->place);
    }
    return status;
}

static enum qn_status scan_check(const qn_cache *cache, const qn_scan_options *options,
                                 qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!cache) {
        return qn_error_set(err, QN_INVALID, "scan: no cache: open it first, and check its error");
    }
    if (options->timeout_ms < 0) {
        return qn_error_set(err, QN_INVALID, "scan %s: timeout_ms is negative", cache->name);
    }
    return QN_OK;
}

qn_cursor *qn_scan(qn_cache *cache, const qn_scan_options *options, qn_error *err)
{
    qn_scan_options known = options_of(options);

    if (scan_check(cache, &known, err) != QN_OK || driver_enter(cache->client, err) != QN_OK) {
        return NULL;
    }
    qn_cursor *cursor = cursor_create(cache, &known);
    enum qn_status status = cursor ? cursor_open(cursor, err) : QN_MEMORY_FULL;
    driver_leave(cache->client);
    if (status == QN_OK) {
        return cursor;
    }
    (void)qn_error_set(err, status, "scan %s: %s", cache->name, qn_status_text(status));
    if (cursor) {
        cursor_free(cursor);
    }
    return NULL;
}

/* Give up what is under way. Mutex held. */
static void cursor_stop(qn_cursor *cursor)
{
    for (size_t i = 0; i < cursor->count; i++) {
        struct chunk *chunk = cursor->queue[i];
        if (chunk->is_asked && !chunk->call.is_done) {
            session_give_up(cursor->client->session, &chunk->call.core, QN_CLOSED);
        }
    }
    driver_deliver(cursor->client);
    list_remove(&cursor->place);
}

void qn_cursor_close(qn_cursor *cursor)
{
    if (!cursor || cursor->pid != getpid()) {
        return; /* in a child: what is under way is the parent's */
    }
    qn_client *client = cursor->client;
    if (client && driver_enter(client, NULL) == QN_OK) {
        cursor_stop(cursor);
        driver_leave(client);
    }
    cursor_free(cursor);
}

void cursors_forget(qn_client *client)
{
    for (struct list *at = list_pop_front(&client->cursors); at;
         at = list_pop_front(&client->cursors)) {
        qn_cursor *cursor = LIST_OWNER(at, struct qn_cursor, place);
        cursor->client = NULL;
    }
}

/* ---- where it stands ---- */

static struct position position_of(const qn_cursor *cursor)
{
    struct position position = {.cache = cursor->cache_id,
                                .partition_count = cursor->partition_count,
                                .partition = cursor->next_partition};

    if (cursor->count == 0) {
        return position;
    }
    const struct chunk *first = cursor->queue[0];
    position.partition = first->partition;
    position.view = first->view;
    position.skip = first->skip;
    position.token = buf_bytes(&first->token);
    if (!cursor->has_rows) {
        return position;
    }
    const struct session_op *answer = &first->call.core;
    position.view = answer->result_view;
    position.skip = cursor->taken;
    if (cursor->rows.size == 0) {
        position.skip = 0;
        position.token = answer->more ? buf_bytes(&answer->token) : bytes_of(NULL, 0);
        position.view = answer->more ? answer->result_view : 0;
        position.partition += !answer->more;
    }
    return position;
}

size_t qn_cursor_position(const qn_cursor *cursor, char *text, size_t size)
{
    struct buf printed = {0};

    if (size > 0) {
        text[0] = '\0';
    }
    if (!cursor) {
        return 1;
    }
    struct position position = position_of(cursor);
    if (size > 0 && position_print(&position, &printed) == QN_OK) {
        size_t shown = printed.size < size ? printed.size : size;
        memcpy(text, printed.data, shown);
        text[shown - 1] = '\0';
    }
    buf_fini(&printed);
    return position_size(&position);
}

void qn_cursor_view(const qn_cursor *cursor, uint32_t *partition, uint64_t *view)
{
    if (partition) {
        *partition = cursor ? cursor->seen_partition : 0;
    }
    if (view) {
        *view = cursor ? cursor->seen_view : 0;
    }
}

/* Scans: a cursor goes through the partitions of a cache one after the other, and asks in advance,
 * so that it rarely waits for a round trip. Rows are handed out of the frame that brought them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "client/cursor_parts.h"
#include "client/position.h"
#include "client/value.h"
#include "wire/rows.h"

/* ---- rows ---- */

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

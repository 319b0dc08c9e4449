#include "tests/unit/client/fake_data.h"

#include <stdlib.h>

#include "wire/assert.h"
#include "wire/hash.h"
#include "wire/rows.h"

enum { MAP_SLOTS = 1 << 17 };

/* A copy of an entry, and the slot that it has. */
struct fake_row {
    size_t slot;
    struct fake_entry entry;
};

struct fake_view {
    uint64_t view;
    struct fake_row *rows;
    size_t count;
    struct fake_view *next;
};

void fake_data_init(struct fake_data *data)
{
    *data = (struct fake_data){.map = calloc(MAP_SLOTS, sizeof(struct fake_entry))};
    qn_assert(data->map);
}

static void entry_fini(struct fake_entry *entry)
{
    buf_fini(&entry->key);
    buf_fini(&entry->value);
}

static void view_free(struct fake_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        entry_fini(&view->rows[i].entry);
    }
    free(view->rows);
    free(view);
}

static void views_free(struct fake_view *view)
{
    while (view) {
        struct fake_view *next = view->next;
        view_free(view);
        view = next;
    }
}

void fake_data_fini(struct fake_data *data)
{
    views_free(data->views);
    for (size_t i = 0; i < MAP_SLOTS; i++) {
        entry_fini(&data->map[i]);
    }
    free(data->map);
}

struct fake_entry *fake_data_slot(struct fake_data *data, uint32_t cache, struct bytes key)
{
    size_t slot = (hash_key(key) + cache) % MAP_SLOTS;

    while (data->map[slot].key.size > 0 &&
           (data->map[slot].cache != cache || !bytes_equal(buf_bytes(&data->map[slot].key), key))) {
        slot = (slot + 1) % MAP_SLOTS;
    }
    return &data->map[slot];
}

static void bytes_store(struct buf *buf, struct bytes from)
{
    buf_clear(buf);
    enum qn_status status = buf_append(buf, from.data, from.size);
    qn_assert(status == QN_OK);
}

void fake_data_put(struct fake_data *data, struct fake_entry *entry, const struct wire_op *op,
                   uint64_t version)
{
    entry->cache = op->cache;
    bytes_store(&entry->key, op->key);
    bytes_store(&entry->value, op->value);
    entry->flags = op->value_flags;
    entry->ttl_ms = op->ttl_ms > 0 ? op->ttl_ms : 0;
    data->entry_count += !entry->is_there;
    entry->is_there = true;
    entry->version = version;
}

void fake_data_remove(struct fake_data *data, struct fake_entry *entry, uint64_t version)
{
    data->entry_count -= entry->is_there;
    entry->is_there = false;
    entry->version = version;
}

/* Is it one of this cache and, unless `partition_count` is 0, of this partition? */
static bool belongs(const struct fake_entry *entry, uint32_t cache, uint32_t partition,
                    uint32_t partition_count)
{
    return entry->is_there && entry->cache == cache &&
           (partition_count == 0 || hash_partition(hash_key(buf_bytes(&entry->key)),
                                                   partition_count) == partition % partition_count);
}

void fake_data_clear(struct fake_data *data, uint32_t cache, uint32_t partition,
                     uint32_t partition_count, uint64_t version)
{
    for (size_t i = 0; i < MAP_SLOTS; i++) {
        if (belongs(&data->map[i], cache, partition, partition_count)) {
            fake_data_remove(data, &data->map[i], version);
        }
    }
}

/* ---- views ---- */

static void row_copy(struct fake_row *row, const struct fake_entry *entry, size_t slot)
{
    *row = (struct fake_row){.slot = slot, .entry = *entry};
    row->entry.key = (struct buf){0};
    row->entry.value = (struct buf){0};
    bytes_store(&row->entry.key, buf_bytes(&entry->key));
    bytes_store(&row->entry.value, buf_bytes(&entry->value));
}

void fake_data_publish(struct fake_data *data, uint64_t index)
{
    struct fake_view *view = calloc(1, sizeof *view);

    qn_assert(view);
    view->rows = calloc(data->entry_count + 1, sizeof *view->rows);
    qn_assert(view->rows);
    for (size_t i = 0; i < MAP_SLOTS; i++) {
        if (data->map[i].is_there) {
            row_copy(&view->rows[view->count++], &data->map[i], i);
        }
    }
    view->view = index;
    view->next = data->views;
    data->views = view;
}

uint64_t fake_data_published(const struct fake_data *data)
{
    return data->views ? data->views->view : 0;
}

void fake_data_forget_views(struct fake_data *data)
{
    if (data->views) {
        views_free(data->views->next);
        data->views->next = NULL;
    }
}

uint64_t fake_data_count(const struct fake_data *data, uint32_t cache, uint32_t partition,
                         uint32_t partition_count)
{
    uint64_t count = 0;

    for (size_t i = 0; data->views && i < data->views->count; i++) {
        count += belongs(&data->views->rows[i].entry, cache, partition, partition_count);
    }
    return count;
}

static void row_add(const struct fake_entry *entry, bool keys_only, struct buf *rows)
{
    struct row row = {
        .flags = keys_only ? 0 : entry->flags,
        .version = entry->version,
        .ttl_ms = entry->ttl_ms,
        .key = buf_bytes(&entry->key),
        .value = keys_only ? bytes_of(NULL, 0) : buf_bytes(&entry->value),
    };
    enum qn_status status = row_encode(&row, rows);
    qn_assert(status == QN_OK);
}

enum qn_status fake_data_scan(const struct fake_data *data, const struct wire_op *op,
                              uint32_t partition_count, struct buf *rows, struct buf *token,
                              struct wire_result *result)
{
    const struct fake_view *view = data->views;
    size_t after = op->value.size == 8 ? (size_t)get_u64(op->value.data) : SIZE_MAX;
    size_t before = rows->size;
    uint8_t place[8];

    while (view && op->view != 0 && view->view != op->view) {
        view = view->next;
    }
    if (!view) {
        return op->view == 0 ? QN_OK : QN_CURSOR_EXPIRED;
    }
    result->view = view->view;
    for (size_t i = 0; i < view->count; i++) {
        const struct fake_row *row = &view->rows[i];
        if ((after != SIZE_MAX && row->slot <= after) ||
            !belongs(&row->entry, op->cache, op->partition, partition_count)) {
            continue;
        }
        if (result->count > 0 && rows->size - before >= op->size_max) {
            result->more = true;
            break;
        }
        row_add(&row->entry, (op->flags & WIRE_KEYS_ONLY) != 0, rows);
        result->count++;
        put_u64(place, row->slot);
        bytes_store(token, bytes_of(place, sizeof place));
    }
    return QN_OK;
}

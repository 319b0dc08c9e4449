#include "grid/replica/request.h"

#include "wire/assert.h"
#include "wire/rows.h"

enum {
    ROWS_DEFAULT = 1000,
    ROWS_MAX = 10000,
    SIZE_DEFAULT = 256 * 1024,
    SIZE_MAX_BYTES = 4 * 1024 * 1024,
    SLOTS_MAX = 20000, /* looked at in one step, so that others are not held up */
    TOKEN_HEADER_SIZE = 8,
    TOKEN_MAX = TOKEN_HEADER_SIZE + WIRE_KEY_MAX,
};

/* An answer being filled. */
struct scan {
    struct replica *replica;
    const struct wire_op *op;
    size_t size_max;
    uint32_t count_max;
    uint32_t count;
    const struct entry *last; /* in the answer */
    bool full;
    enum qn_status status;
};

static size_t choose(size_t asked, size_t otherwise, size_t max)
{
    size_t chosen = asked > 0 ? asked : otherwise;

    return chosen < max ? chosen : max;
}

/* The token is `u32 tag | u32 cache | key` of the place where the scan goes on. */
static enum qn_status token_decode(struct bytes token, struct store_place *place)
{
    *place = (struct store_place){0};
    if (token.size == 0) {
        return QN_OK;
    }
    if (token.size < TOKEN_HEADER_SIZE || token.size > TOKEN_MAX) {
        return QN_INVALID;
    }
    place->tag = get_u32(token.data);
    place->cache = get_u32(token.data + 4);
    place->key = bytes_of(token.data + TOKEN_HEADER_SIZE, token.size - TOKEN_HEADER_SIZE);
    return QN_OK;
}

/* Behind the rows, in room that was reserved. */
static struct bytes token_encode(struct replica *replica, const struct store_place *place)
{
    struct buf *scratch = &replica->scratch;
    uint8_t *at = scratch->data + scratch->size;
    size_t size = TOKEN_HEADER_SIZE + place->key.size;

    qn_assert(size <= scratch->capacity - scratch->size);
    put_u32(at, place->tag);
    put_u32(at + 4, place->cache);
    if (place->key.size > 0) {
        memcpy(at + TOKEN_HEADER_SIZE, place->key.data, place->key.size);
    }
    scratch->size += size;
    return bytes_of(at, size);
}

static struct row row_of(const struct scan *scan, const struct entry *entry)
{
    bool keys_only = scan->op->flags & WIRE_KEYS_ONLY;

    return (struct row){
        .flags = entry->flags,
        .version = entry->version,
        .ttl_ms = replica_ttl_left(scan->replica, entry),
        .key = entry_key(entry),
        .value = keys_only ? bytes_of(NULL, 0) : entry_value(entry),
    };
}

/* Room for a row and the token behind it. A row that is too large for an answer is one alone. */
static bool has_room(struct scan *scan, size_t size)
{
    struct buf *scratch = &scan->replica->scratch;

    if (scratch->size + size <= scan->size_max) {
        return true;
    }
    if (scan->count == 0) {
        scan->status = scratch_reserve(scan->replica, size + TOKEN_MAX);
    }
    return scan->count == 0 && scan->status == QN_OK;
}

static bool take_row(void *context, const struct entry *entry)
{
    struct scan *scan = context;
    struct row row = row_of(scan, entry);

    /* What has expired is not shown, also by a view from before: a get would not find it. */
    if (entry->cache != scan->op->cache ||
        replica_expired(entry, scan->replica->committed.wall_time_ms)) {
        return true;
    }
    if (!has_room(scan, row_size(&row))) {
        scan->full = true;
        return false;
    }
    enum qn_status status = row_encode(&row, &scan->replica->scratch);
    qn_assert(status == QN_OK);
    scan->last = entry;
    scan->count++;
    scan->full = scan->count == scan->count_max;
    return !scan->full;
}

/* Fill the answer from `place` on; `*more`: and move `place` to where it goes on. */
static enum qn_status fill(struct scan *scan, uint64_t view, struct store_place *place, bool *more)
{
    enum qn_status status = scratch_reserve(scan->replica, scan->size_max + TOKEN_MAX);

    if (status != QN_OK) {
        return status;
    }
    bool end = store_walk(scan->replica->store, view, place, SLOTS_MAX, take_row, scan);
    if (scan->full && scan->last) {
        struct bytes key = entry_key(scan->last);
        *place = (struct store_place){
            .tag = table_tag(scan->last->cache, key), .cache = scan->last->cache, .key = key};
    }
    *more = scan->full || !end;
    return scan->status;
}

static void answer(const struct scan *scan, const struct request *request, uint64_t view,
                   const struct store_place *place, bool more)
{
    struct replica *replica = scan->replica;
    struct bytes rows = buf_bytes(&replica->scratch);
    struct wire_result *result = actions_reply(replica, request->event->route, scan->op->id, QN_OK);

    result->view = view;
    result->count = scan->count;
    result->has_value = true;
    result->value = rows;
    result->more = more;
    if (more) {
        result->token = token_encode(replica, place);
    }
}

/* The view to read: the one asked for, or the newest. 0: it is gone. */
static uint64_t view_of(struct replica *replica, const struct wire_op *op)
{
    views_expire(replica);
    if (op->view == 0) {
        views_show(replica, op->view_min);
        return store_view(replica->store);
    }
    return store_view_held(replica->store, op->view) ? op->view : 0;
}

void request_scan(struct replica *replica, const struct request *request)
{
    const struct wire_op *op = request->op;
    struct store_place place;
    bool more;
    struct scan scan = {
        .replica = replica,
        .op = op,
        .size_max = choose(op->size_max, SIZE_DEFAULT, SIZE_MAX_BYTES),
        .count_max = (uint32_t)choose(op->count_max, ROWS_DEFAULT, ROWS_MAX),
    };

    if (token_decode(op->value, &place) != QN_OK) {
        request_refuse(replica, request, QN_INVALID,
                       "this is no token of a scan: use that of the answer before, or none");
        return;
    }
    uint64_t view = view_of(replica, op);
    if (view == 0) {
        request_refuse(replica, request, QN_CURSOR_EXPIRED,
                       "the view has been given up: scan on with the same token and view 0, in a "
                       "newer view");
        return;
    }
    if (fill(&scan, view, &place, &more) != QN_OK) {
        request_refuse(replica, request, QN_MEMORY_FULL,
                       "no memory for the answer: ask for fewer rows or octets");
        return;
    }
    if (more && views_keep(replica, view, op->view == 0) != QN_OK) {
        request_refuse(replica, request, QN_OVERLOADED,
                       "too many scans are under way in this partition: finish some, or try later");
        return;
    }
    if (!more && op->view != 0) {
        views_leave(replica, view);
    }
    answer(&scan, request, view, &place, more);
}

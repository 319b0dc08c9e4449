#include "wire/pof/identity.h"

#include "wire/pof/types.h"

/* Identities are 1, 2, 3 ... by nature, so the table is an array: marks and type, then the offset.
 */
enum { ROW_SIZE = 16 };

static const uint64_t KNOWN = (uint64_t)1 << 32;
static const uint64_t BARE = (uint64_t)1 << 33;
static const uint64_t DECLARED_IDENTITY = (uint64_t)1 << 34;

static uint64_t row_of(const struct identity_place *place)
{
    bool declared_identity = place->bare && place->declared == POF_IDENTITY;

    return KNOWN | (place->bare ? BARE : 0) | (declared_identity ? DECLARED_IDENTITY : 0) |
           (uint32_t)place->type;
}

static struct identity_place place_of(uint64_t row, uint64_t offset)
{
    int32_t type = (int32_t)(uint32_t)row;

    return (struct identity_place){
        .offset = (size_t)offset,
        .type = type,
        .declared = (row & DECLARED_IDENTITY) != 0 ? POF_IDENTITY : type,
        .bare = (row & BARE) != 0,
    };
}

/* Make the table a row longer than `identity`. */
static enum qn_status grow(struct buf *table, int32_t identity)
{
    size_t size = ((size_t)identity + 1) * ROW_SIZE;
    uint8_t *place;

    if (size <= table->size) {
        return QN_OK;
    }
    size_t more = size - table->size;
    enum qn_status status = buf_extend(table, more, &place);
    if (status == QN_OK) {
        memset(place, 0, more);
    }
    return status;
}

enum qn_status identity_add(struct buf *table, int32_t identity, const struct identity_place *place)
{
    enum qn_status status = grow(table, identity);

    if (status != QN_OK) {
        return status;
    }
    uint8_t *row = table->data + (size_t)identity * ROW_SIZE;
    if (get_u64(row) == 0) {
        put_u64(row, row_of(place));
        put_u64(row + 8, place->offset);
        return QN_OK;
    }
    return get_u64(row) == row_of(place) && get_u64(row + 8) == place->offset ? QN_OK
                                                                              : QN_MALFORMED;
}

bool identity_find(const struct buf *table, int32_t identity, size_t offset,
                   struct identity_place *place)
{
    if (identity < 0 || (size_t)identity >= table->size / ROW_SIZE) {
        return false;
    }
    const uint8_t *row = table->data + (size_t)identity * ROW_SIZE;
    if (get_u64(row) == 0 || get_u64(row + 8) >= offset) {
        return false;
    }
    *place = place_of(get_u64(row), get_u64(row + 8));
    return true;
}

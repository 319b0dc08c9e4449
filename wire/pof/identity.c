#include "wire/pof/identity.h"

/* Identities are 1, 2, 3 ... by nature, so the table is an array: a mark and the type for each. */
enum { ROW_SIZE = 8 };

static const uint64_t KNOWN = (uint64_t)1 << 32;

/* The row, 0 when it is not known. */
static uint64_t row_of(const struct buf *table, int32_t identity)
{
    if (identity < 0 || (size_t)identity >= table->size / ROW_SIZE) {
        return 0;
    }
    return get_u64(table->data + (size_t)identity * ROW_SIZE);
}

enum qn_status identity_add(struct buf *table, int32_t identity, int32_t type)
{
    size_t size = ((size_t)identity + 1) * ROW_SIZE;

    if (identity_is_known(table, identity)) {
        return QN_MALFORMED;
    }
    if (size > table->size) {
        size_t more = size - table->size;
        uint8_t *place;
        enum qn_status status = buf_extend(table, more, &place);
        if (status != QN_OK) {
            return status;
        }
        memset(place, 0, more);
    }
    put_u64(table->data + size - ROW_SIZE, KNOWN | (uint32_t)type);
    return QN_OK;
}

bool identity_is_known(const struct buf *table, int32_t identity)
{
    return row_of(table, identity) != 0;
}

bool identity_has_type(const struct buf *table, int32_t identity, int32_t type)
{
    return row_of(table, identity) == (KNOWN | (uint32_t)type);
}

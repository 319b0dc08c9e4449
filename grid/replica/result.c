#include "grid/replica/result.h"

enum { RESULT_FORM = 1 };

enum qn_status result_encode(const struct result *result, struct buf *out)
{
    uint8_t *at;
    enum qn_status status = buf_extend(out, RESULT_HEADER_SIZE + result->value.size, &at);

    if (status != QN_OK) {
        return status;
    }
    at[0] = RESULT_FORM;
    at[1] = result->has_value;
    at[2] = result->value_flags;
    at[3] = 0;
    put_u32(at + 4, (uint32_t)result->status);
    if (result->value.size > 0) {
        memcpy(at + RESULT_HEADER_SIZE, result->value.data, result->value.size);
    }
    return QN_OK;
}

enum qn_status result_decode(struct bytes data, struct result *result)
{
    if (data.size < RESULT_HEADER_SIZE || data.data[0] != RESULT_FORM || data.data[1] > 1 ||
        !qn_status_known((int32_t)get_u32(data.data + 4))) {
        return QN_MALFORMED;
    }
    *result = (struct result){
        .status = (int32_t)get_u32(data.data + 4),
        .has_value = data.data[1] != 0,
        .value_flags = data.data[2],
        .value = bytes_of(data.data + RESULT_HEADER_SIZE, data.size - RESULT_HEADER_SIZE),
    };
    return QN_OK;
}

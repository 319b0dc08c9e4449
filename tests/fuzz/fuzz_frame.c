/* Any octets as a frame: decoded within bounds or refused; what was decoded is encoded and decoded
 * again to the same operations. */
#include "wire/assert.h"
#include "wire/message/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same_ops(const struct wire_message *a, const struct wire_message *b)
{
    qn_assert(a->op_count == b->op_count);
    qn_assert(a->result_count == b->result_count);
    for (size_t i = 0; i < a->op_count; i++) {
        qn_assert(a->ops[i].id == b->ops[i].id);
        qn_assert(a->ops[i].kind == b->ops[i].kind);
        qn_assert(bytes_equal(a->ops[i].key, b->ops[i].key));
        qn_assert(bytes_equal(a->ops[i].value, b->ops[i].value));
    }
    for (size_t i = 0; i < a->result_count; i++) {
        qn_assert(a->results[i].status == b->results[i].status);
        qn_assert(bytes_equal(a->results[i].value, b->results[i].value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire_message first, second;
    struct arena arena;
    struct buf frame = {0};

    arena_init(&arena, 16 << 20);
    if (message_decode(bytes_of(data, size), &arena, &first) == QN_OK &&
        message_encode(&first, &frame) == QN_OK) {
        qn_assert(message_decode(buf_bytes(&frame), &arena, &second) == QN_OK);
        same_ops(&first, &second);
    }
    buf_fini(&frame);
    arena_fini(&arena);
    return 0;
}

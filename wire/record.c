#include "wire/record.h"

#include "wire/assert.h"
#include "wire/hash.h"

enum {
    AT_BODY_CRC = 112,
    AT_HEADER_CRC = 116,
    EFFECT_HEADER_SIZE = 24,
    RECORD_MAGIC = 0x51,
};

_Static_assert((int)AT_HEADER_CRC + 4 == (int)RECORD_HEADER_SIZE, "the checksum ends the header");

size_t record_size(const struct record *record)
{
    return RECORD_HEADER_SIZE + record->effects.size + record->result.size;
}

static void header_encode(const struct record *r, uint8_t *at)
{
    memset(at, 0, RECORD_HEADER_SIZE);
    at[0] = RECORD_MAGIC;
    at[1] = r->type;
    put_u32(at + 4, r->partition);
    put_u64(at + 8, r->epoch);
    put_u64(at + 16, r->index);
    put_u64(at + 24, r->prev_epoch);
    put_u64(at + 32, (uint64_t)r->log_time_ms);
    put_u64(at + 40, (uint64_t)r->wall_time_ms);
    memcpy(at + 48, r->client.octets, CLIENT_ID_SIZE);
    put_u64(at + 64, r->session);
    put_u64(at + 72, r->sequence);
    put_u64(at + 80, r->first_incomplete);
    put_u32(at + 88, (uint32_t)r->effects.size);
    put_u32(at + 92, (uint32_t)r->result.size);
    put_u64(at + 96, r->commit);
}

static void header_decode(const uint8_t *at, struct record *r)
{
    *r = (struct record){
        .type = at[1],
        .partition = get_u32(at + 4),
        .epoch = get_u64(at + 8),
        .index = get_u64(at + 16),
        .prev_epoch = get_u64(at + 24),
        .log_time_ms = (int64_t)get_u64(at + 32),
        .wall_time_ms = (int64_t)get_u64(at + 40),
        .session = get_u64(at + 64),
        .sequence = get_u64(at + 72),
        .first_incomplete = get_u64(at + 80),
        .commit = get_u64(at + 96),
    };
    memcpy(r->client.octets, at + 48, CLIENT_ID_SIZE);
}

static void copy(uint8_t *to, struct bytes from)
{
    if (from.size > 0) {
        memcpy(to, from.data, from.size);
    }
}

enum qn_status record_encode(const struct record *record, struct buf *out)
{
    size_t size = record_size(record);
    uint8_t *at;

    qn_assert(record->type >= RECORD_EPOCH_START && record->type <= RECORD_INSTALLED);
    if (size - RECORD_HEADER_SIZE > RECORD_BODY_MAX) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = buf_extend(out, size, &at);
    if (status != QN_OK) {
        return status;
    }
    uint8_t *body = at + RECORD_HEADER_SIZE;
    header_encode(record, at);
    copy(body, record->effects);
    copy(body + record->effects.size, record->result);
    put_u32(at + AT_BODY_CRC, crc32c(0, bytes_of(body, size - RECORD_HEADER_SIZE)));
    put_u32(at + AT_HEADER_CRC, crc32c(0, bytes_of(at, AT_HEADER_CRC)));
    return QN_OK;
}

enum qn_status record_decode(struct bytes data, struct record *record, size_t *size)
{
    const uint8_t *at = data.data;

    if (data.size < RECORD_HEADER_SIZE || at[0] != RECORD_MAGIC) {
        return QN_MALFORMED;
    }
    if (get_u32(at + AT_HEADER_CRC) != crc32c(0, bytes_of(at, AT_HEADER_CRC))) {
        return QN_MALFORMED;
    }
    size_t effects_size = get_u32(at + 88);
    size_t result_size = get_u32(at + 92);
    if (at[1] < RECORD_EPOCH_START || at[1] > RECORD_INSTALLED ||
        effects_size + result_size > RECORD_BODY_MAX) {
        return QN_MALFORMED;
    }
    header_decode(at, record);
    *size = RECORD_HEADER_SIZE + effects_size + result_size;
    if (*size > data.size) {
        return QN_CORRUPT;
    }
    const uint8_t *body = at + RECORD_HEADER_SIZE;
    record->effects = bytes_of(body, effects_size);
    record->result = bytes_of(body + effects_size, result_size);
    if (get_u32(at + AT_BODY_CRC) != crc32c(0, bytes_of(body, effects_size + result_size))) {
        return QN_CORRUPT;
    }
    return QN_OK;
}

enum qn_status effect_encode(const struct effect *effect, struct buf *out)
{
    uint8_t *at;
    enum qn_status status =
        buf_extend(out, EFFECT_HEADER_SIZE + effect->key.size + effect->value.size, &at);

    if (status != QN_OK) {
        return status;
    }
    memset(at, 0, EFFECT_HEADER_SIZE);
    at[0] = effect->kind;
    at[1] = effect->flags;
    put_u32(at + 4, effect->cache);
    put_u64(at + 8, (uint64_t)effect->expires_at_ms);
    put_u32(at + 16, (uint32_t)effect->key.size);
    put_u32(at + 20, (uint32_t)effect->value.size);
    copy(at + EFFECT_HEADER_SIZE, effect->key);
    copy(at + EFFECT_HEADER_SIZE + effect->key.size, effect->value);
    return QN_OK;
}

enum qn_status effect_next(struct bytes *effects, struct effect *effect)
{
    const uint8_t *at = effects->data;

    if (effects->size == 0) {
        return QN_ABSENT;
    }
    if (effects->size < EFFECT_HEADER_SIZE) {
        return QN_MALFORMED;
    }
    size_t key_size = get_u32(at + 16);
    size_t value_size = get_u32(at + 20);
    size_t left = effects->size - EFFECT_HEADER_SIZE;
    if (at[0] < EFFECT_PUT || at[0] > EFFECT_TOUCH || key_size > left ||
        value_size > left - key_size) {
        return QN_MALFORMED;
    }
    *effect = (struct effect){
        .kind = at[0],
        .flags = at[1],
        .cache = get_u32(at + 4),
        .expires_at_ms = (int64_t)get_u64(at + 8),
        .key = bytes_of(at + EFFECT_HEADER_SIZE, key_size),
        .value = bytes_of(at + EFFECT_HEADER_SIZE + key_size, value_size),
    };
    size_t size = EFFECT_HEADER_SIZE + key_size + value_size;
    *effects = bytes_of(at + size, effects->size - size);
    return QN_OK;
}

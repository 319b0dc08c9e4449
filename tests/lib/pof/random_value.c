#include "tests/lib/pof/random_value.h"

enum { WIDTH_MAX = 4 };

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled".
 */
static uint64_t roll(struct dice *dice)
{
    uint64_t x = dice->state ? dice->state : 1;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    dice->state = x;
    return x * 2685821657736338717u;
}

uint32_t dice_below(struct dice *dice, uint32_t count)
{
    return (uint32_t)((roll(dice) >> 33) % count);
}

/* Numbers of all sizes, those around the borders of the encoding more often. */
static int64_t number(struct dice *dice)
{
    int64_t wide = (int64_t)(roll(dice) >> dice_below(dice, 64));

    return dice_below(dice, 2) ? wide : ~wide;
}

static void text(struct pof_writer *w, struct dice *dice, int32_t index)
{
    static const char *const texts[] = {
        "",
        "a",
        "Volvo",
        "gr\xc3\xbc\xc3\x9f",
        "\xe2\x82\xac",
        "\xf0\x9f\x9a\x97",
        "a text of more than sixty-three octets, so that its length takes two of them",
    };

    pof_write_string(w, index, bytes_of_text(texts[dice_below(dice, 7)]));
}

/* A scalar of a type that can be that of a uniform container. */
static void scalar(struct pof_writer *w, struct dice *dice, int32_t index, int32_t type)
{
    int64_t n = number(dice);

    switch (type) {
    case POF_INT16:
        pof_write_int16(w, index, (int16_t)n);
        break;
    case POF_INT32:
        pof_write_int32(w, index, (int32_t)n);
        break;
    case POF_INT64:
        pof_write_int64(w, index, n);
        break;
    case POF_INT128:
        pof_write_int128(w, index,
                         (struct pof_int128){(uint64_t)n, n < 0 ? UINT64_MAX : (uint64_t)n >> 3});
        break;
    case POF_FLOAT32:
        pof_write_float32(w, index, (float)(n % 1000) / 8);
        break;
    case POF_FLOAT64:
        pof_write_float64(w, index, (double)(n % 100000) / 16);
        break;
    case POF_BOOL:
        pof_write_bool(w, index, n & 1);
        break;
    case POF_OCTET:
        pof_write_octet(w, index, (uint8_t)n);
        break;
    case POF_OCTETS:
        pof_write_octets(w, index, bytes_of("\x00\x40\x15\x80", (size_t)(n & 3)));
        break;
    case POF_CHAR:
        pof_write_char(w, index, (uint16_t)n);
        break;
    case POF_DECIMAL32:
        pof_write_decimal(w, index, (struct pof_decimal){{(uint64_t)(n & 1023), 0}, 2});
        break;
    case POF_DATE:
        pof_write_date(w, index, (struct pof_date){(int32_t)(n % 3000), 1 + (int32_t)(n & 7), 28});
        break;
    case POF_TIME:
        pof_write_time(w, index,
                       (struct pof_time){.hour = (int32_t)(n & 15),
                                         .nano = (int32_t)(n & 0xfffff),
                                         .zone = (n & 16) ? POF_ZONE_UTC : POF_ZONE_NONE});
        break;
    default:
        text(w, dice, index);
        break;
    }
}

static int32_t scalar_type(struct dice *dice)
{
    static const int32_t types[] = {
        POF_INT16, POF_INT32,  POF_INT64, POF_INT128, POF_FLOAT32,   POF_FLOAT64, POF_BOOL,
        POF_OCTET, POF_OCTETS, POF_CHAR,  POF_STRING, POF_DECIMAL32, POF_DATE,    POF_TIME,
    };

    return types[dice_below(dice, sizeof types / sizeof types[0])];
}

/* Properties or entries with ascending indexes and gaps. Returns the last index + 1. */
static void user(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth)
{
    int32_t property = 0;

    pof_begin_user(w, index, (int32_t)dice_below(dice, 2000), (int32_t)dice_below(dice, 3));
    for (uint32_t count = dice_below(dice, WIDTH_MAX + 1); count > 0; count--) {
        property += (int32_t)dice_below(dice, 90);
        if (dice_below(dice, 2)) {
            pof_writer_full(w);
        }
        random_value(w, dice, property++, depth - 1);
    }
    pof_end(w);
}

static void sparse(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth)
{
    int32_t indexes[WIDTH_MAX];
    int32_t count = (int32_t)dice_below(dice, WIDTH_MAX + 1);
    int32_t size = 0;
    bool uniform = dice_below(dice, 2);
    int32_t type = scalar_type(dice);

    for (int32_t i = 0; i < count; i++) {
        indexes[i] = size + (int32_t)dice_below(dice, 90);
        size = indexes[i] + 1;
    }
    pof_begin_container(
        w, index,
        (struct pof_container){.type = uniform ? POF_UNIFORM_SPARSE_ARRAY : POF_SPARSE_ARRAY,
                               .element_type = uniform ? type : 0,
                               .count = size});
    for (int32_t i = 0; i < count; i++) {
        if (uniform) {
            scalar(w, dice, indexes[i], type);
        } else {
            random_value(w, dice, indexes[i], depth - 1);
        }
    }
    pof_end(w);
}

static void list(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth)
{
    static const enum pof_type types[] = {POF_COLLECTION, POF_ARRAY, POF_UNIFORM_COLLECTION,
                                          POF_UNIFORM_ARRAY};
    uint32_t form = dice_below(dice, 4);
    bool uniform = form >= 2;
    int32_t type = scalar_type(dice);
    int32_t count = (int32_t)dice_below(dice, WIDTH_MAX + 1);

    pof_begin_container(w, index,
                        (struct pof_container){.type = types[form],
                                               .element_type = uniform ? type : 0,
                                               .count = count});
    for (; count > 0; count--) {
        if (uniform) {
            scalar(w, dice, POF_NEXT, type);
        } else {
            random_value(w, dice, POF_NEXT, depth - 1);
        }
    }
    pof_end(w);
}

static void map(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth)
{
    static const enum pof_type types[] = {POF_MAP, POF_UNIFORM_KEYS_MAP, POF_UNIFORM_MAP};
    uint32_t form = dice_below(dice, 3);
    int32_t value_type = scalar_type(dice);
    int32_t count = (int32_t)dice_below(dice, WIDTH_MAX + 1);

    pof_begin_container(w, index,
                        (struct pof_container){.type = types[form],
                                               .key_type = form > 0 ? POF_INT64 : 0,
                                               .element_type = form == 2 ? value_type : 0,
                                               .count = count});
    for (int32_t i = 0; i < count; i++) {
        pof_write_int64(w, POF_NEXT, i * 1000);
        if (form == 2) {
            scalar(w, dice, POF_NEXT, value_type);
        } else {
            random_value(w, dice, POF_NEXT, depth - 1);
        }
    }
    pof_end(w);
}

void random_value(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth)
{
    static void (*const containers[])(struct pof_writer *, struct dice *, int32_t,
                                      unsigned) = {user, user, list, sparse, map};
    uint32_t form = dice_below(dice, depth > 0 ? 14 : 5);

    if (form == 0) {
        pof_write_null(w, index);
    } else if (form < 5) {
        scalar(w, dice, index, scalar_type(dice));
    } else {
        containers[(form - 5) % 5](w, dice, index, depth);
    }
}

#include "tests/lib/pof/random_value.h"

#include <math.h>

#include "wire/assert.h"
#include "wire/pof/decode.h"

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

static int32_t between(struct dice *dice, int32_t least, int32_t most)
{
    return least + (int32_t)dice_below(dice, (uint32_t)(most - least) + 1);
}

static struct bytes text(struct dice *dice)
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

    return bytes_of_text(texts[dice_below(dice, 7)]);
}

/* Fractions, and what has no digits. */
static double real(struct dice *dice)
{
    static const double special[] = {0, -0.0, 1, -1, 22, 23, INFINITY, -INFINITY, NAN};

    return dice_below(dice, 4) == 0 ? special[dice_below(dice, 9)]
                                    : (double)(number(dice) % 100000) / 16;
}

static struct pof_int128 wide(struct dice *dice)
{
    int64_t high = dice_below(dice, 2) ? number(dice) : 0;

    return (struct pof_int128){.low = (uint64_t)number(dice), .high = (uint64_t)high};
}

/* As many digits as the type holds at most, or fewer. */
static struct pof_decimal decimal(struct dice *dice, int32_t type)
{
    int32_t scale_max = type == POF_DECIMAL32 ? 96 : type == POF_DECIMAL64 ? 384 : 6144;
    struct pof_decimal value = {.scale = between(dice, 1 - scale_max, scale_max)};
    int64_t unscaled = number(dice);

    if (type == POF_DECIMAL32) {
        unscaled %= 10000000;
    } else if (type == POF_DECIMAL64) {
        unscaled %= 10000000000000000;
    }
    value.unscaled.low = (uint64_t)unscaled;
    value.unscaled.high = unscaled < 0 ? UINT64_MAX : 0;
    if (type == POF_DECIMAL128 && dice_below(dice, 2)) {
        value.unscaled.high = (uint64_t)between(dice, -0x10000000, 0x10000000);
    }
    return value;
}

static struct pof_date date(struct dice *dice)
{
    return (struct pof_date){(int32_t)number(dice), between(dice, 1, 12), between(dice, 1, 28)};
}

static struct pof_time time_of_day(struct dice *dice)
{
    static const int32_t nanos[] = {0, 1, 500000000, 999000000, 999999999};
    struct pof_time time = {.hour = between(dice, 0, 23),
                            .minute = between(dice, 0, 59),
                            .second = between(dice, 0, 59),
                            .nano = nanos[dice_below(dice, 5)],
                            .zone = (enum pof_zone)dice_below(dice, 3)};

    if (time.zone == POF_ZONE_OFFSET) {
        time.zone_hour = between(dice, -23, 23);
        time.zone_minute = between(dice, 0, 59);
    }
    return time;
}

static struct pof_year_month year_month(struct dice *dice)
{
    int32_t years = dice_below(dice, 2) ? (int32_t)number(dice) : 0;

    return (struct pof_year_month){years, between(dice, -11, 11)};
}

/* The first field that is not 0 may be negative. */
static struct pof_day_time interval(struct dice *dice, bool with_days)
{
    struct pof_day_time value = {.hours = between(dice, 0, 23),
                                 .minutes = between(dice, 0, 59),
                                 .seconds = between(dice, 0, 59),
                                 .nanos = between(dice, 0, 999999999)};

    if (with_days && dice_below(dice, 2)) {
        value.days = (int32_t)number(dice);
    } else if (dice_below(dice, 2)) {
        value.hours = -between(dice, 1, 23);
    } else if (dice_below(dice, 2)) {
        value.hours = 0;
        value.minutes = -between(dice, 1, 59);
    }
    return value;
}

struct pof_value random_scalar(struct dice *dice, int32_t type)
{
    struct pof_value value = {.type = type, .identity = -1};
    int64_t n = number(dice);

    bool known = pof_decode_kind(type, &value.kind);
    qn_assert(known);
    switch (type) {
    case POF_INT16:
        value.as.integer = (int16_t)n;
        break;
    case POF_INT32:
        value.as.integer = (int32_t)n;
        break;
    case POF_INT64:
        value.as.integer = n;
        break;
    case POF_INT128:
        value.as.int128 = wide(dice);
        break;
    case POF_FLOAT32:
        value.as.float32 = (float)real(dice);
        break;
    case POF_FLOAT64:
        value.as.float64 = real(dice);
        break;
    case POF_FLOAT128:
        memcpy(value.as.float128, &n, sizeof n);
        memcpy(value.as.float128 + sizeof n, &n, sizeof n);
        break;
    case POF_DECIMAL32:
    case POF_DECIMAL64:
    case POF_DECIMAL128:
        value.as.decimal = decimal(dice, type);
        break;
    case POF_BOOL:
        value.as.boolean = n & 1;
        break;
    case POF_OCTET:
        value.as.octet = (uint8_t)n;
        break;
    case POF_OCTETS:
        value.as.octets = bytes_of("\x00\x40\x15\x80", (size_t)(n & 3));
        break;
    case POF_CHAR:
        value.as.character = (uint16_t)n;
        break;
    case POF_STRING:
        value.as.text = text(dice);
        break;
    case POF_DATE:
        value.as.date = date(dice);
        break;
    case POF_TIME:
        value.as.time = time_of_day(dice);
        break;
    case POF_DATETIME:
        value.as.datetime = (struct pof_datetime){date(dice), time_of_day(dice)};
        break;
    case POF_YEAR_MONTH_INTERVAL:
        value.as.year_month = year_month(dice);
        break;
    case POF_TIME_INTERVAL:
    case POF_DAY_TIME_INTERVAL:
        value.as.day_time = interval(dice, type == POF_DAY_TIME_INTERVAL);
        break;
    }
    return value;
}

int32_t random_scalar_type(struct dice *dice)
{
    return -1 - (int32_t)dice_below(dice, -POF_DAY_TIME_INTERVAL);
}

static void scalar(struct pof_writer *w, struct dice *dice, int32_t index, int32_t type)
{
    struct pof_value value = random_scalar(dice, type);

    pof_write_value(w, index, &value);
}

/* Properties with ascending indexes and gaps. */
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
    int32_t type = random_scalar_type(dice);

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
    int32_t type = random_scalar_type(dice);
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
    int32_t value_type = random_scalar_type(dice);
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
        scalar(w, dice, index, random_scalar_type(dice));
    } else {
        containers[(form - 5) % 5](w, dice, index, depth);
    }
}

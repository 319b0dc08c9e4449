#include "tests/lib/pof/measure.h"

enum {
    DEPTH_MAX = 256,
    EMPTY_MAX = 65536,
    PACKED_MAX = 19,
    SMALLEST_TYPE = -64,
    IDENTITY = -31,
};

/* What is left, and what was met. `failed` stays. */
struct ruler {
    const uint8_t *at;
    const uint8_t *end;
    unsigned depth; /* containers open */
    unsigned empty; /* elements without octets so far */
    bool identities;
    bool failed;
};

static void fail(struct ruler *m)
{
    m->failed = true;
    m->at = m->end;
}

static uint8_t octet(struct ruler *m)
{
    if (m->at == m->end) {
        fail(m);
        return 0;
    }
    return *m->at++;
}

static void octets(struct ruler *m, size_t count)
{
    if ((size_t)(m->end - m->at) < count) {
        fail(m);
    } else {
        m->at += count;
    }
}

/* A number of up to `bits` bits besides its sign; its value when that fits, 0 otherwise. */
static int64_t number(struct ruler *m, unsigned bits)
{
    uint8_t first = octet(m);
    uint8_t last = first;
    uint64_t value = first & 0x3f;
    unsigned shift = 6;

    for (unsigned size = 1; (last & 0x80) != 0 && !m->failed; size++, shift += 7) {
        last = octet(m);
        unsigned group = last & 0x7f;
        unsigned room = shift >= bits ? 0 : bits - shift;
        if (size == PACKED_MAX || (room < 7 && group >> room != 0)) {
            fail(m);
        } else if (shift < 64) {
            value |= (uint64_t)group << shift;
        }
    }
    if (m->failed || value > INT64_MAX) {
        return 0;
    }
    return (first & 0x40) != 0 ? -(int64_t)value - 1 : (int64_t)value;
}

static int64_t int32(struct ruler *m)
{
    return number(m, 31);
}

static void int32s(struct ruler *m, unsigned count)
{
    while (count-- > 0) {
        int32(m);
    }
}

static void character(struct ruler *m)
{
    uint8_t lead = octet(m);
    unsigned more = lead < 0x80                   ? 0
                    : lead >= 0xc0 && lead < 0xe0 ? 1
                    : lead >= 0xe0 && lead < 0xf0 ? 2
                                                  : 9;

    if (more == 9) {
        fail(m);
    }
    while (!m->failed && more-- > 0) {
        if ((octet(m) & 0xc0) != 0x80) {
            fail(m);
        }
    }
}

static void time_of_day(struct ruler *m)
{
    int32s(m, 3);
    int64_t fraction = int32(m);
    uint8_t zone = octet(m);

    if (fraction > 999 || fraction < -999999999 || zone > 2) {
        fail(m);
    }
    int32s(m, zone == 2 ? 2 : 0);
}

static void sized(struct ruler *m, bool may_be_null)
{
    int64_t size = int32(m);

    if (size >= 0) {
        octets(m, (size_t)size);
    } else if (!may_be_null) {
        fail(m);
    }
}

static int64_t element_type(struct ruler *m)
{
    int64_t type = int32(m);

    if (type < SMALLEST_TYPE) {
        fail(m);
    }
    return type;
}

static void whole_value(struct ruler *m);
static void encoding(struct ruler *m, int64_t type, bool bare);

/* A value in a container; `*type` is that of all when it is uniform, NULL when it is not. */
static void element(struct ruler *m, const int64_t *type)
{
    if (type) {
        encoding(m, *type, true);
    } else {
        whole_value(m);
    }
}

/* No octets stand for it, so nothing but the count bounds it. */
static bool is_empty(const int64_t *type)
{
    return type && *type <= -33;
}

static void list(struct ruler *m, const int64_t *key_type, const int64_t *type, bool map)
{
    int64_t count = int32(m);
    bool all_empty = is_empty(type) && (!map || is_empty(key_type));

    if (count < 0) {
        fail(m);
        return;
    }
    if (all_empty) {
        uint64_t more = (uint64_t)count * (map ? 2 : 1);
        if (m->failed || more > EMPTY_MAX - m->empty) {
            fail(m);
            return;
        }
        m->empty += (unsigned)more;
    }
    for (; count > 0 && !m->failed; count--) {
        if (map) {
            element(m, key_type);
        }
        element(m, type);
    }
}

/* Elements of these types are numbers to everyone, and their array is not larger than it says. */
static bool is_primitive(int64_t type)
{
    return (type <= -1 && type >= -3) || type == -5 || type == -6 || type == -11 || type == -12 ||
           type == -14;
}

static void sparse(struct ruler *m, const int64_t *type)
{
    int64_t size = int32(m);

    while (!m->failed) {
        int64_t index = int32(m);
        if (index < 0 || m->failed) {
            return;
        }
        if (type && is_primitive(*type) && index >= size) {
            fail(m);
            return;
        }
        element(m, type);
    }
}

static void identity(struct ruler *m)
{
    if (int32(m) >= 0 && !m->failed) {
        m->identities = true;
    }
}

static void user(struct ruler *m, bool bare)
{
    int64_t version = int32(m);
    int64_t last = -1;

    if (bare && version == IDENTITY) {
        identity(m);
        version = int32(m);
    } else if (bare && version > 0 && m->identities) {
        fail(m); /* it may be a reference */
    }
    if (version < 0 || m->depth > DEPTH_MAX) {
        fail(m);
    }
    while (!m->failed) {
        int64_t index = int32(m);
        if (index < 0 || m->failed) {
            return;
        }
        if (index <= last) {
            fail(m);
            return;
        }
        last = index;
        whole_value(m);
    }
}

/* Everything that can be gone into. False: it is none of that. */
static bool container(struct ruler *m, int64_t type, bool bare)
{
    int64_t first, second;

    if (type < 0 && type != -36 && !(type <= -22 && type >= -30)) {
        return false;
    }
    if (++m->depth > DEPTH_MAX) {
        fail(m);
    }
    if (type >= 0) {
        user(m, bare);
    } else if (type == -22 || type == -24) {
        list(m, NULL, NULL, false);
    } else if (type == -23 || type == -25) {
        first = element_type(m);
        list(m, NULL, &first, false);
    } else if (type == -26) {
        sparse(m, NULL);
    } else if (type == -27) {
        first = element_type(m);
        sparse(m, &first);
    } else if (type == -28) {
        list(m, NULL, NULL, true);
    } else if (type == -29) {
        first = element_type(m);
        list(m, &first, NULL, true);
    } else if (type == -30) {
        first = element_type(m);
        second = element_type(m);
        list(m, &first, &second, true);
    }
    m->depth--;
    return true;
}

static void scalar(struct ruler *m, int64_t type)
{
    if (type == -1 || type == -2 || type == -11 || type == -32) {
        int32(m);
    } else if (type == -3) {
        number(m, 63);
    } else if (type == -4) {
        number(m, 127);
    } else if (type == -5) {
        octets(m, 4);
    } else if (type == -6) {
        octets(m, 8);
    } else if (type == -7) {
        octets(m, 16);
    } else if (type <= -8 && type >= -10) {
        number(m, 127);
        int32(m);
    } else if (type == -12) {
        octet(m);
    } else if (type == -13 || type == -15) {
        sized(m, type == -15);
    } else if (type == -14) {
        character(m);
    } else if (type == -16 || type == -20) {
        int32s(m, 3);
    } else if (type == -17) {
        int32s(m, 2);
    } else if (type == -19) {
        int32s(m, 4);
    } else if (type == -21) {
        int32s(m, 5);
    }
    if (type == -18 || type == -20) {
        time_of_day(m);
    }
}

/* What stands behind a type id, or in a uniform container (`bare`). */
static void encoding(struct ruler *m, int64_t type, bool bare)
{
    if (m->failed) {
        return;
    }
    if (type == IDENTITY) {
        identity(m);
        type = int32(m);
        bare = false;
        if (type == IDENTITY) {
            fail(m);
        }
    }
    if (type < SMALLEST_TYPE) {
        fail(m);
    }
    if (!m->failed && !container(m, type, bare)) {
        scalar(m, type);
    }
}

static void whole_value(struct ruler *m)
{
    int64_t type = int32(m);

    encoding(m, type, false);
}

size_t measure(struct bytes pof)
{
    struct ruler m = {.at = pof.data, .end = pof.size > 0 ? pof.data + pof.size : pof.data};

    whole_value(&m);
    return m.failed ? 0 : (size_t)(m.at - pof.data);
}

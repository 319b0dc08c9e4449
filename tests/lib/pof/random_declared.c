/* Values by their shapes. */
#include "tests/lib/pof/random_schema.h"

enum { WIDTH_MAX = 3, DEPTH_MAX = 6 };

/* A value on its way. `ids[i]` is the type of the object with identity i + 1. */
struct making {
    struct pof_writer w;
    struct dice *dice;
    const struct random_schema *random;
    bool shared;
    int32_t ids[RANDOM_OBJECTS_MAX];
};

/* `strict`: in a uniform container, where it must be what is declared, and not null. */
static void make(struct making *m, int32_t index, const struct pof_shape *shape, unsigned depth,
                 bool strict);

static bool chance(struct making *m, uint32_t of)
{
    return dice_below(m->dice, of) == 0;
}

/* -- scalars -- */

static void make_text(struct making *m, int32_t index)
{
    static const char *const texts[] = {
        "", "a", "$id", "$type", "12", "gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x9a\x97", "\"\\\n\x01/",
    };

    pof_write_string(&m->w, index, bytes_of_text(texts[dice_below(m->dice, 8)]));
}

/* -- containers -- */

/* The type id of a shape, for uniform containers of it. */
static bool type_of(const struct pof_shape *shape, int32_t *type)
{
    static const int32_t types[] = {
        POF_BOOL,
        POF_OCTET,
        POF_CHAR,
        POF_INT16,
        POF_INT32,
        POF_INT64,
        POF_INT128,
        POF_FLOAT32,
        POF_FLOAT64,
        POF_FLOAT128,
        POF_DECIMAL128,
        POF_STRING,
        POF_OCTETS,
        POF_DATE,
        POF_TIME,
        POF_DATETIME,
        POF_YEAR_MONTH_INTERVAL,
        POF_TIME_INTERVAL,
        POF_DAY_TIME_INTERVAL,
    };

    if (shape->kind == POF_SHAPE_USER) {
        *type = shape->user->id;
    } else if (shape->kind != POF_SHAPE_ANY && shape->kind < POF_SHAPE_ARRAY) {
        *type = types[shape->kind - POF_SHAPE_BOOL];
    } else {
        return false;
    }
    return true;
}

static void make_scalar(struct making *m, int32_t index, const struct pof_shape *shape)
{
    int32_t type = POF_STRING;

    if (!type_of(shape, &type)) {
        type = random_scalar_type(m->dice);
    }
    if (type == POF_STRING) {
        make_text(m, index);
    } else {
        const struct pof_value value = random_scalar(m->dice, type);
        pof_write_value(&m->w, index, &value);
    }
}

/* How a container is declared to be written. With a null in it, it is plain all the same. */
static struct pof_container form(struct making *m, const struct pof_shape *shape, bool *null)
{
    static const enum pof_type plain[] = {POF_ARRAY, POF_COLLECTION, POF_SPARSE_ARRAY, POF_MAP};
    static const enum pof_type uniform[] = {POF_UNIFORM_ARRAY, POF_UNIFORM_COLLECTION,
                                            POF_UNIFORM_SPARSE_ARRAY, POF_UNIFORM_MAP};
    struct pof_container container = {.count = (int32_t)dice_below(m->dice, WIDTH_MAX + 1)};
    const size_t kind = (size_t)shape->kind - POF_SHAPE_ARRAY;

    *null = container.count > 0 && chance(m, 6);
    bool keys = shape->key && !shape->plain && type_of(shape->key, &container.key_type);
    bool all = !shape->plain && !*null && type_of(shape->element, &container.element_type);
    if (shape->key) {
        all = all && keys;
    }
    container.type = all ? uniform[kind] : keys ? POF_UNIFORM_KEYS_MAP : plain[kind];
    container.key_type = keys ? container.key_type : 0;
    container.element_type = all ? container.element_type : 0;
    return container;
}

static void make_elements(struct making *m, int32_t index, const struct pof_shape *shape,
                          unsigned depth)
{
    bool null;
    struct pof_container container = form(m, shape, &null);
    bool uniform = container.type == POF_UNIFORM_ARRAY || container.type == POF_UNIFORM_COLLECTION;

    pof_begin_container(&m->w, index, container);
    for (int32_t i = 0; i < container.count; i++) {
        if (null && i == 0) {
            pof_write_null(&m->w, POF_NEXT);
        } else {
            make(m, POF_NEXT, shape->element, depth - 1, uniform || !shape->plain);
        }
    }
    pof_end(&m->w);
}

static void make_sparse(struct making *m, int32_t index, const struct pof_shape *shape,
                        unsigned depth)
{
    bool null;
    struct pof_container container = form(m, shape, &null);
    const int32_t count = container.count;
    int32_t indexes[WIDTH_MAX];
    int32_t next = 0;

    for (int32_t i = 0; i < count; i++) {
        indexes[i] = next + (int32_t)dice_below(m->dice, 90);
        next = indexes[i] + 1;
    }
    container.count = next;
    pof_begin_container(&m->w, index, container);
    for (int32_t i = 0; i < count; i++) {
        if (null && i == 0) {
            pof_write_null(&m->w, indexes[i]);
        } else {
            make(m, indexes[i], shape->element, depth - 1, !shape->plain);
        }
    }
    pof_end(&m->w);
}

static void make_map(struct making *m, int32_t index, const struct pof_shape *shape, unsigned depth)
{
    bool null;
    struct pof_container container = form(m, shape, &null);

    pof_begin_container(&m->w, index, container);
    for (int32_t i = 0; i < container.count; i++) {
        make(m, POF_NEXT, shape->key, depth - 1, !shape->plain);
        if (null && i == 0) {
            pof_write_null(&m->w, POF_NEXT);
        } else {
            make(m, POF_NEXT, shape->element, depth - 1, !shape->plain);
        }
    }
    pof_end(&m->w);
}

/* -- objects -- */

/* An object that was made, or is being made, of this type; 0: there is none. */
static int32_t find_object(struct making *m, int32_t type)
{
    for (int32_t id = pof_writer_identity(&m->w); id > 0; id--) {
        if (m->ids[id - 1] == type && chance(m, 2)) {
            return id;
        }
    }
    return 0;
}

static void make_fields(struct making *m, const struct pof_schema_type *type, unsigned depth)
{
    int32_t last = -1;

    for (size_t i = 0; i < type->field_count && depth > 0; i++) {
        last = type->fields[i].index;
        if (!chance(m, 4)) {
            make(m, last, type->fields[i].shape, depth - 1, false);
        }
    }
    if (!m->random->known && chance(m, 8)) { /* of a version that nobody knows yet */
        pof_writer_full(&m->w);
        pof_write_int32(&m->w, last + 1, 5);
    }
}

static void make_object(struct making *m, int32_t index, const struct pof_schema_type *type,
                        unsigned depth)
{
    const bool newer = !m->random->known && chance(m, 8);
    const int32_t version = newer ? 6000 : type->version;
    int32_t id = m->shared ? find_object(m, type->id) : 0;

    if (id > 0 && chance(m, 2)) {
        pof_write_reference(&m->w, index, id);
        return;
    }
    if (m->shared && !chance(m, 4) && pof_writer_identity(&m->w) < RANDOM_OBJECTS_MAX) {
        pof_begin_user(&m->w, index, type->id, version);
        m->ids[pof_writer_identity(&m->w) - 1] = type->id;
    } else {
        pof_begin_nested(&m->w, index, type->id, version);
    }
    make_fields(m, type, depth);
    pof_end(&m->w);
}

/* -- all -- */

static void make(struct making *m, int32_t index, const struct pof_shape *shape, unsigned depth,
                 bool strict)
{
    const size_t count = m->random->shape_count;
    const struct pof_shape *any = &m->random->shapes[dice_below(m->dice, (uint32_t)count)];

    if (!strict && (shape->kind == POF_SHAPE_ANY ? chance(m, 2) : chance(m, 8))) {
        shape = any; /* what is not declared has a mark */
    }
    pof_writer_full(&m->w);
    if (!strict && (depth == 0 || chance(m, 16))) {
        pof_write_null(&m->w, index);
    } else if (shape->kind == POF_SHAPE_USER) {
        make_object(m, index, shape->user, depth);
    } else if (shape->kind == POF_SHAPE_ANY || (shape->kind >= POF_SHAPE_ARRAY && depth == 0)) {
        make_scalar(m, index, &(struct pof_shape){.kind = POF_SHAPE_ANY});
    } else if (shape->kind == POF_SHAPE_MAP_OF) {
        make_map(m, index, shape, depth);
    } else if (shape->kind == POF_SHAPE_SPARSE) {
        make_sparse(m, index, shape, depth);
    } else if (shape->kind >= POF_SHAPE_ARRAY) {
        make_elements(m, index, shape, depth);
    } else {
        make_scalar(m, index, shape);
    }
}

enum qn_status random_declared(struct buf *out, struct dice *dice,
                               const struct random_schema *random, const struct pof_shape *shape,
                               bool shared)
{
    struct making making;
    struct buf types = {0};

    making.dice = dice;
    making.random = random;
    making.shared = shared;
    pof_writer_init(&making.w, out);
    if (shared) {
        pof_writer_enable_references(&making.w);
        pof_writer_track_identities(&making.w, &types);
    }
    make(&making, POF_NEXT, shape, DEPTH_MAX, false);
    enum qn_status status = pof_writer_finish(&making.w);
    buf_fini(&types);
    return status;
}

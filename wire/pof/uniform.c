#include "wire/pof/uniform.h"

#include "wire/pof/packed.h"
#include "wire/pof/take.h"
#include "wire/pof/writer_parts.h"

/* Room for the head of the uniform form, in front of the elements: three type ids and a count. */
enum { GAP = 4 * PACKED_64_SIZE_MAX };

/* The plain form of a uniform one; 0: it is none. */
static int32_t plain_form(enum pof_type uniform)
{
    switch ((int)uniform) {
    case POF_UNIFORM_COLLECTION:
        return POF_COLLECTION;
    case POF_UNIFORM_ARRAY:
        return POF_ARRAY;
    case POF_UNIFORM_SPARSE_ARRAY:
        return POF_SPARSE_ARRAY;
    case POF_UNIFORM_KEYS_MAP:
    case POF_UNIFORM_MAP:
        return POF_MAP;
    }
    return 0;
}

/* Begin it in plain form, with a gap behind its head. */
static void begin_plain(struct pof_uniform *u, int32_t index, enum pof_type form)
{
    struct pof_writer *w = u->w;
    uint8_t head[2 * PACKED_64_SIZE_MAX];

    pof_begin_container(w, index, (struct pof_container){.type = form, .count = u->wanted.count});
    uint8_t *at = pof_writer_room(w, GAP);
    if (!at) {
        return;
    }
    size_t size = (size_t)(pof_put_packed(pof_put_packed(head, form), u->wanted.count) - head);
    u->head = (size_t)(at - w->out->data) - size;
    u->start = u->head + size + GAP;
    w->at = at + GAP;
}

void pof_uniform_begin(struct pof_uniform *u, struct pof_writer *w, int32_t index,
                       struct pof_container wanted)
{
    int32_t plain = plain_form(wanted.type);
    int32_t declared;

    u->w = w;
    u->wanted = wanted;
    u->fixed = pof_writer_is_bare(w->top, &declared);
    if (plain == 0) {
        pof_writer_fail(w, QN_INVALID);
    } else if (!u->fixed) {
        begin_plain(u, index, (enum pof_type)plain);
    } else if (declared == plain) {
        pof_begin_container(
            w, index, (struct pof_container){.type = (enum pof_type)plain, .count = wanted.count});
    } else {
        pof_begin_container(w, index, wanted);
    }
}

/* -- looking at the elements -- */

/* An element as it stands in the plain form. */
struct element {
    struct bytes prefix; /* index and identity, whichever there are */
    int32_t type;
    struct bytes encoding; /* behind the type id */
    bool identified;
};

/* Stand in front of the elements as a reader of the plain form does. */
static void begin_elements(const struct pof_uniform *u, struct pof_reader *r)
{
    const uint8_t *start = u->w->out->data + u->start;
    bool map = pof_take_is_map(u->wanted.type);

    pof_reader_init(r, bytes_of(start, (size_t)(u->w->at - start)));
    r->frames[0] = (struct pof_reader_frame){
        .type = plain_form(u->wanted.type),
        .last_index = -1,
        .left = u->wanted.type == POF_UNIFORM_SPARSE_ARRAY
                    ? -1
                    : (int64_t)u->wanted.count * (map ? 2 : 1),
    };
}

/* What stands behind packed numbers, which were read before. */
static struct bytes behind(struct bytes in, unsigned numbers)
{
    size_t size = 0;

    for (; numbers > 0; numbers--) {
        while (in.data[size] >= 0x80) {
            size++;
        }
        size++;
    }
    return bytes_of(in.data + size, in.size - size);
}

/* The next element; `*key`: of a map, it is one. */
static enum qn_status take_element(struct pof_reader *r, struct element *e, bool *key)
{
    struct bytes start = r->rest;
    struct pof_value head;
    enum qn_status status = pof_take_value(r, &head);

    if (status == QN_OK) {
        status = pof_take_rest(r, &head);
    }
    if (status != QN_OK) {
        return status;
    }
    struct bytes at = behind(start, r->frames[0].type == POF_SPARSE_ARRAY ? 1 : 0);
    e->identified = at.data[0] == pof_type_octet(POF_IDENTITY);
    at = behind(at, e->identified ? 2 : 0);
    e->prefix = bytes_of(start.data, start.size - at.size);
    e->type = head.type;
    at = behind(at, 1);
    e->encoding = bytes_of(at.data, at.size - r->rest.size);
    *key = head.is_key;
    return QN_OK;
}

/* What the types of all elements are, as far as it is known. */
struct survey {
    bool map;
    bool uniform_values;
    int32_t key_type;
    int32_t element_type;
};

static struct survey survey_of(const struct pof_uniform *u)
{
    return (struct survey){
        .map = pof_take_is_map(u->wanted.type),
        .uniform_values = u->wanted.type != POF_UNIFORM_KEYS_MAP,
        .key_type = u->wanted.key_type,
        .element_type = u->wanted.element_type,
    };
}

/* In a uniform container the version of an object stands where a reference could: with identities
 * around, one above 0 would be taken for one. */
static bool looks_like_reference(const struct pof_uniform *u, const struct element *e)
{
    return e->type >= 0 && !e->identified && u->w->identity > 0 && e->encoding.data[0] != 0;
}

/* Does the element have the type of all, `*type`, or can it be that? Of decimals it is the widest.
 */
static bool joins(const struct pof_uniform *u, const struct element *e, int32_t *type)
{
    bool named =
        e->identified && e->type < 0; /* nothing but objects has one in a uniform container */

    if (e->type <= POF_IDENTITY || named || looks_like_reference(u, e)) {
        return false;
    }
    if (*type == POF_ANY_TYPE) {
        *type = e->type;
    }
    if (!pof_writer_same_type(*type, e->type)) {
        return false;
    }
    *type = e->type < *type ? e->type : *type;
    return true;
}

/* Can the container be uniform? Then the types are in `*s`. */
static bool is_uniform(const struct pof_uniform *u, struct survey *s)
{
    struct pof_reader r;
    struct element e;
    bool key;

    begin_elements(u, &r);
    while (r.rest.size > 0) {
        if (take_element(&r, &e, &key) != QN_OK) {
            return false;
        }
        if ((key || s->uniform_values) && !joins(u, &e, key ? &s->key_type : &s->element_type)) {
            return false;
        }
    }
    return (!s->map || s->key_type != POF_ANY_TYPE) &&
           (!s->uniform_values || s->element_type != POF_ANY_TYPE);
}

/* -- giving the container its form -- */

static uint8_t *move(uint8_t *to, struct bytes octets)
{
    if (octets.size > 0) {
        memmove(to, octets.data, octets.size);
    }
    return to + octets.size;
}

/* Write the head over the plain one and move the elements to it, each without its type id. What is
 * written never gets ahead of what is read: the gap is as wide as a head can be. */
static void make_uniform(const struct pof_uniform *u, const struct survey *s)
{
    uint8_t *to = u->w->out->data + u->head;
    struct pof_reader r;
    struct element e;
    bool key;

    begin_elements(u, &r);
    to = pof_put_packed(to, u->wanted.type);
    to = s->map ? pof_put_packed(to, s->key_type) : to;
    to = s->uniform_values ? pof_put_packed(to, s->element_type) : to;
    to = pof_put_packed(to, u->wanted.count);
    while (take_element(&r, &e, &key) == QN_OK) {
        bool bare = key || s->uniform_values;
        struct bytes whole = bytes_of(e.prefix.data, (size_t)(r.rest.data - e.prefix.data));
        to = move(to, bare ? e.prefix : whole);
        to = bare ? move(to, e.encoding) : to;
    }
    u->w->at = to;
}

static void close_gap(const struct pof_uniform *u)
{
    const uint8_t *start = u->w->out->data + u->start;
    struct bytes elements = bytes_of(start, (size_t)(u->w->at - start));

    u->w->at = move(u->w->out->data + u->start - GAP, elements);
}

void pof_uniform_end(struct pof_uniform *u)
{
    struct survey survey = survey_of(u);

    if (u->w->status == QN_OK && !u->fixed) {
        if (is_uniform(u, &survey)) {
            make_uniform(u, &survey);
        } else {
            close_gap(u);
        }
    }
    pof_end(u->w);
}

/* -- in one call -- */

void pof_write_uniform(struct pof_writer *w, int32_t index, struct pof_container wanted,
                       const struct pof_value *values, size_t count)
{
    bool indexed = wanted.type == POF_UNIFORM_SPARSE_ARRAY;
    struct pof_uniform u;

    pof_uniform_begin(&u, w, index, wanted);
    for (size_t i = 0; i < count; i++) {
        pof_write_value(w, indexed ? values[i].index : POF_NEXT, &values[i]);
    }
    pof_uniform_end(&u);
}

/* All are strings, or there is a null: no need to look at what was written. */
void pof_write_strings(struct pof_writer *w, int32_t index, enum pof_type form,
                       const struct bytes *texts, size_t count)
{
    struct pof_container container = {
        .type = form, .element_type = POF_STRING, .count = (int32_t)count};
    int32_t plain = plain_form(form);

    if (count > INT32_MAX || (plain != POF_ARRAY && plain != POF_COLLECTION)) {
        pof_writer_fail(w, count > INT32_MAX ? QN_TOO_LARGE : QN_INVALID);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!texts[i].data) {
            container =
                (struct pof_container){.type = (enum pof_type)plain, .count = (int32_t)count};
        }
    }
    pof_begin_container(w, index, container);
    for (size_t i = 0; i < count; i++) {
        if (texts[i].data) {
            pof_write_string(w, POF_NEXT, texts[i]);
        } else {
            pof_write_null(w, POF_NEXT);
        }
    }
    pof_end(w);
}

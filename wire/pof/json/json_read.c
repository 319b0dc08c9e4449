#include "wire/pof/json/json_read_parts.h"

#include <stdio.h>

#include "wire/pof/text.h"

enum { SHOWN_MAX = 40 };

/* -- what is wrong -- */

static void find_line(struct bytes text, size_t at, struct pof_json_problem *problem)
{
    problem->line = 1;
    problem->column = 1;
    for (size_t i = 0; i < at && i < text.size; i++) {
        problem->column++;
        if (text.data[i] == '\n') {
            problem->line++;
            problem->column = 1;
        }
    }
}

static void tell(struct pjson_reader *j, enum qn_status status, size_t at, struct bytes value,
                 const char *what)
{
    struct bytes path = buf_bytes(&j->path);
    bool cut = value.size > SHOWN_MAX;

    if (j->status != QN_OK) {
        return;
    }
    j->status = status;
    if (j->problem) {
        find_line(j->text, at, j->problem);
        snprintf(j->problem->text, sizeof j->problem->text, "%.*s%s%.*s%s%s%s", (int)path.size,
                 path.size > 0 ? (const char *)path.data : "", path.size > 0 ? ": " : "",
                 cut ? SHOWN_MAX : (int)value.size, value.size > 0 ? (const char *)value.data : "",
                 cut ? "..." : "", value.size > 0 ? " " : "", what);
    }
}

void pjson_wrong(struct pjson_reader *j, enum qn_status status, size_t at, const char *what)
{
    tell(j, status, at, bytes_of(NULL, 0), what);
}

void pjson_wrong_value(struct pjson_reader *j, size_t at, const char *what)
{
    bool bracket = j->text.data[at] == '{' || j->text.data[at] == '[';
    size_t end = bracket ? at + 1 : pjson_scalar_end(j->text, at);

    tell(j, QN_INVALID, at, bytes_of(j->text.data + at, end - at), what);
}

/* -- strings -- */

bool pjson_is_string(const struct pjson_reader *j, size_t at)
{
    return j->text.data[at] == '"';
}

struct bytes pjson_token(const struct pjson_reader *j, size_t at)
{
    size_t end = pjson_scalar_end(j->text, at);

    return pjson_is_string(j, at) ? bytes_of(j->text.data + at + 1, end - at - 2)
                                  : bytes_of(j->text.data + at, end - at);
}

static unsigned hex_unit(const uint8_t *at)
{
    unsigned unit = 0;

    for (int i = 0; i < 4; i++) {
        uint8_t digit = at[i];
        unit = unit << 4 | (unsigned)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return unit;
}

static uint8_t plain_escape(uint8_t letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return letter;
    }
}

/* UTF-8 of the escape \uXXXX at `*at`, or of the two that make a pair of surrogates. 0: half a
 * pair. */
static size_t put_unicode(struct bytes in, size_t *at, uint8_t out[4])
{
    unsigned unit = hex_unit(in.data + *at + 2);

    *at += 6;
    if (unit < 0xd800 || unit > 0xdfff) {
        return pof_text_put_unit(out, (uint16_t)unit);
    }
    if (unit > 0xdbff || in.size - *at < 6 || in.data[*at] != '\\' || in.data[*at + 1] != 'u') {
        return 0;
    }
    unsigned low = hex_unit(in.data + *at + 2);
    if (low < 0xdc00 || low > 0xdfff) {
        return 0;
    }
    *at += 6;
    unsigned code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    out[0] = (uint8_t)(0xf0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}

bool pjson_string(struct pjson_reader *j, size_t at, struct bytes *text)
{
    struct bytes in = pjson_token(j, at);
    uint8_t *place;
    size_t size = 0;

    if (!memchr(in.data, '\\', in.size)) {
        *text = in;
        return true;
    }
    if (buf_extend(&j->names, in.size, &place) !=
        QN_OK) { /* no escape is shorter than its octets */
        pjson_wrong(j, QN_MEMORY_FULL, at, "no memory");
        return false;
    }
    for (size_t i = 0; i < in.size;) {
        if (in.data[i] != '\\') {
            place[size++] = in.data[i++];
        } else if (in.data[i + 1] != 'u') {
            place[size++] = plain_escape(in.data[i + 1]);
            i += 2;
        } else {
            uint8_t utf8[4];
            size_t more = put_unicode(in, &i, utf8);
            if (more == 0) {
                pjson_wrong_value(j, at, "has half of a pair of surrogates");
                return false;
            }
            memcpy(place + size, utf8, more);
            size += more;
        }
    }
    *text = bytes_of(place, size);
    return true;
}

/* -- moving -- */

struct pjson_place pjson_behind(const struct pjson_reader *j, struct pjson_place place)
{
    uint8_t first = j->text.data[place.at];

    if (first == '{' || first == '[') {
        const struct pjson_bracket *bracket = &j->brackets[place.bracket];
        return (struct pjson_place){.at = bracket->end, .bracket = bracket->next};
    }
    place.at = pjson_scalar_end(j->text, place.at);
    return place;
}

struct pjson_place pjson_inside(const struct pjson_reader *j, struct pjson_place place,
                                uint32_t *count)
{
    *count = j->brackets[place.bracket].count;
    return (struct pjson_place){.at = pjson_skip_space(j->text, place.at + 1),
                                .bracket = place.bracket + 1};
}

struct pjson_place pjson_go_on(const struct pjson_reader *j, struct pjson_place place)
{
    place.at = pjson_skip_space(j->text, place.at);
    if (j->text.data[place.at] == ',' || j->text.data[place.at] == ':') {
        place.at = pjson_skip_space(j->text, place.at + 1);
    }
    return place;
}

size_t pjson_path_push(struct pjson_reader *j, struct bytes name, int64_t number)
{
    size_t size = j->path.size;
    char text[32];

    if (name.data) {
        enum qn_status status = size > 0 ? buf_append(&j->path, ".", 1) : QN_OK;
        if (status == QN_OK) {
            status = buf_append(&j->path, name.data, name.size);
        }
        (void)status; /* a shorter path does no harm */
    } else {
        int length = snprintf(text, sizeof text, "[%lld]", (long long)number);
        enum qn_status status = buf_append(&j->path, text, (size_t)length);
        (void)status;
    }
    return size;
}

void pjson_path_pop(struct pjson_reader *j, size_t size)
{
    j->path.size = size;
}

/* -- lists -- */

/* Is one of the elements null? Then the list cannot be uniform. */
static bool has_null(const struct pjson_reader *j, struct pjson_place place, uint32_t count)
{
    for (; count > 0; count--) {
        if (pjson_is_null(j, place.at)) {
            return true;
        }
        place = pjson_go_on(j, pjson_behind(j, place));
    }
    return false;
}

void pjson_read_list(struct pjson_reader *j, struct pjson_place place, int32_t index,
                     const struct pof_shape *shape)
{
    const struct pof_shape *element = shape->element ? shape->element : &pjson_any;
    bool array = shape->kind == POF_SHAPE_ARRAY;
    uint32_t count;
    int32_t type = 0;
    struct pjson_place at = pjson_inside(j, place, &count);
    bool uniform = !shape->plain && pjson_type_of(element, &type) && !has_null(j, at, count);

    pof_begin_container(&j->w, index,
                        (struct pof_container){
                            .type = uniform ? (array ? POF_UNIFORM_ARRAY : POF_UNIFORM_COLLECTION)
                                    : array ? POF_ARRAY
                                            : POF_COLLECTION,
                            .element_type = type,
                            .count = (int32_t)count});
    for (uint32_t i = 0; i < count && j->status == QN_OK; i++) {
        size_t path = pjson_path_push(j, bytes_of(NULL, 0), i);
        pjson_read_value(j, at, POF_NEXT, element);
        pjson_path_pop(j, path);
        at = pjson_go_on(j, pjson_behind(j, at));
    }
    pof_end(&j->w);
}

/* -- values -- */

static void read_bracket(struct pjson_reader *j, struct pjson_place place, int32_t index,
                         const struct pof_shape *shape)
{
    if (shape->kind == POF_SHAPE_ANY) {
        pjson_read_list(j, place, index,
                        &(struct pof_shape){.kind = POF_SHAPE_LIST, .plain = true});
    } else if (shape->kind == POF_SHAPE_ARRAY || shape->kind == POF_SHAPE_LIST) {
        pjson_read_list(j, place, index, shape);
    } else if (shape->kind == POF_SHAPE_MAP_OF) {
        pjson_read_braces(j, place, index, shape, bytes_of(NULL, 0));
    } else {
        pjson_wrong_value(j, place.at, "begins a list, which does not stand here");
    }
}

void pjson_read_change(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape, struct bytes base)
{
    uint8_t first = j->text.data[place.at];
    size_t names = j->names.size;
    unsigned unmatched = pjson_base_has_elements(base) ? 1 : 0;

    /* In a list of lists the elements say themselves what they are. */
    shape = shape->kind == POF_SHAPE_USER && shape->user->id < 0 ? &pjson_any : shape;

    if (j->status != QN_OK) {
        return;
    }
    j->unmatched += unmatched;
    pof_writer_full(&j->w);
    if (first == '{') {
        pjson_read_braces(j, place, index, shape, base);
    } else if (first == '[') {
        read_bracket(j, place, index, shape);
    } else {
        pjson_read_scalar(j, place, index, shape);
    }
    j->unmatched -= unmatched;
    j->names.size = names;
    if (j->status == QN_OK && j->w.status != QN_OK) {
        pjson_wrong_value(j, place.at, "does not fit the list or the range it stands in");
        j->status = j->w.status == QN_MEMORY_FULL ? QN_MEMORY_FULL : j->status;
    }
}

void pjson_read_value(struct pjson_reader *j, struct pjson_place place, int32_t index,
                      const struct pof_shape *shape)
{
    pjson_read_change(j, place, index, shape, bytes_of(NULL, 0));
}

/* Does the text have identities? Only names of members are followed by a colon. */
static bool has_identities(struct bytes text)
{
    static const char name[] = "\"$id\"";
    const size_t size = sizeof name - 1;

    for (size_t at = 0; at + size < text.size; at++) {
        const uint8_t *found = memchr(text.data + at, '"', text.size - at - size);
        if (!found) {
            return false;
        }
        at = (size_t)(found - text.data);
        size_t end = pjson_skip_space(text, at + size);
        if (memcmp(found, name, size) == 0 && end < text.size && text.data[end] == ':') {
            return true;
        }
    }
    return false;
}

static void read_text(struct pjson_reader *j, struct buf *out)
{
    const struct pof_shape *shape = j->options->shape;
    struct pjson_place place = {.at = pjson_skip_space(j->text, 0)};
    struct buf identities = {0};

    pof_writer_init(&j->w, out);
    if (has_identities(j->text)) {
        pof_writer_enable_references(&j->w);
        pof_writer_track_identities(&j->w, &identities);
    }
    pjson_read_change(j, place, POF_NEXT, shape ? shape : &pjson_any,
                      j->options->view ? j->options->base : bytes_of(NULL, 0));
    if (j->status != QN_OK) {
        j->w.status = j->w.status == QN_OK ? j->status : j->w.status;
    }
    enum qn_status status = pof_writer_finish(&j->w);
    buf_fini(&identities);
    if (j->status == QN_OK && status != QN_OK) {
        pjson_wrong(j, status, place.at, "it cannot be written");
    }
}

enum qn_status pof_json_read(struct buf *out, struct bytes json,
                             const struct pof_json_options *options,
                             struct pof_json_problem *problem)
{
    struct pjson_reader j;
    struct buf brackets = {0};
    const char *what = NULL;
    char text[96];
    size_t at;

    j.text = json;
    j.options = options;
    j.problem = problem;
    j.status = QN_OK;
    j.path = j.names = j.members = j.identities = (struct buf){0};
    j.base_shares = false;
    j.unmatched = 0;
    enum qn_status status = pjson_scan(json, &brackets, &at, &what);
    if (status == QN_OK) {
        j.brackets = (const struct pjson_bracket *)(const void *)brackets.data;
        if (pjson_base_look(&j)) {
            read_text(&j, out);
        }
    } else {
        snprintf(text, sizeof text, "%s%s",
                 status == QN_TOO_LARGE ? "nested too deep" : "expected ", what ? what : "");
        pjson_wrong(&j, status, at, text);
    }
    buf_fini(&brackets);
    buf_fini(&j.path);
    buf_fini(&j.names);
    buf_fini(&j.members);
    buf_fini(&j.identities);
    return j.status;
}

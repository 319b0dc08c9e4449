#define _GNU_SOURCE
#include "node/logger_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "node/admin/escape.h"

enum {
    LINE_TAIL = 32, /* kept free for the end of a line that was cut */
    NAME_ROOM = 64, /* a field is begun only if so much is left beyond its name */
    FIELDS_MAX = 32,
    TIME_SIZE = 32,
    SUFFIX_SIZE = 24,
};

/* A piece of what the caller formatted. */
struct field {
    struct bytes name; /* empty: words without a name */
    struct bytes value;
};

static bool line_fits(const struct logger_line *line, size_t size)
{
    return line->size + size <= LOGGER_LINE_SIZE - LINE_TAIL;
}

/* All or nothing, so that an escape sequence is never halved. */
static void line_add(struct logger_line *line, const void *data, size_t size)
{
    if (line->cut || !line_fits(line, size)) {
        line->cut = true;
        return;
    }
    memcpy(line->text + line->size, data, size);
    line->size += size;
}

/* The end of something that was begun: the tail has room for it even when the line was cut. */
static void line_close(struct logger_line *line, const char *text)
{
    size_t size = strlen(text);

    if (size <= LOGGER_LINE_SIZE - line->size) {
        memcpy(line->text + line->size, text, size);
        line->size += size;
    }
}

static void line_add_text(struct logger_line *line, const char *text)
{
    line_add(line, text, strlen(text));
}

static void line_add_escaped(struct logger_line *line, struct bytes value, enum escape_style style)
{
    char out[ESCAPE_MAX];

    while (value.size > 0 && !line->cut) {
        line_add(line, out, escape_next(&value, style, out));
    }
}

static bool is_name_char(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Length of the name that "name=" at the front begins with; 0 if there is none. */
static size_t name_size(struct bytes text)
{
    size_t size = 0;

    while (size < text.size && is_name_char(text.data[size])) {
        size++;
    }
    return size < text.size && text.data[size] == '=' ? size : 0;
}

static struct bytes bytes_after(struct bytes text, size_t size)
{
    return bytes_of(text.data + size, text.size - size);
}

/* Position of the quote that closes the value which begins at 1. A value may hold quotes itself,
 * for callers do not escape: the closing one is followed by the next field or by nothing. */
static size_t quoted_end(struct bytes text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i] != '"') {
            continue;
        }
        struct bytes after = bytes_after(text, i + 1);
        if (after.size == 0 || (after.data[0] == ' ' && name_size(bytes_after(after, 1)) > 0)) {
            return i;
        }
    }
    return text.size;
}

static size_t plain_end(struct bytes text)
{
    const uint8_t *blank = memchr(text.data, ' ', text.size);

    return blank ? (size_t)(blank - text.data) : text.size;
}

/* Take the next field off the front of `rest`. False: there is none. */
static bool field_next(struct bytes *rest, struct field *field)
{
    while (rest->size > 0 && rest->data[0] == ' ') {
        *rest = bytes_after(*rest, 1);
    }
    if (rest->size == 0) {
        return false;
    }
    size_t size = name_size(*rest);
    field->name = bytes_of(rest->data, size);
    if (size > 0) {
        *rest = bytes_after(*rest, size + 1);
    }
    bool quoted = size > 0 && rest->size > 0 && rest->data[0] == '"';
    size_t end = quoted ? quoted_end(*rest) : plain_end(*rest);
    field->value = bytes_of(rest->data + quoted, end - quoted);
    *rest = bytes_after(*rest, end < rest->size ? end + 1 : end);
    return true;
}

/* Can the value stand in a line of text without quotes? */
static bool is_plain(struct bytes value)
{
    for (size_t i = 0; i < value.size; i++) {
        uint8_t c = value.data[i];
        if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '=') {
            return false;
        }
    }
    return value.size > 0;
}

/* A whole number that every JSON reader takes without loss, written as JSON writes it. */
static bool is_number(struct bytes value)
{
    size_t sign = value.size > 0 && value.data[0] == '-';
    size_t digits = value.size - sign;

    if (digits == 0 || digits > 15 || (digits > 1 && value.data[sign] == '0')) {
        return false;
    }
    for (size_t i = sign; i < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return false;
        }
    }
    return true;
}

static void quoted_add(struct logger_line *line, struct bytes value, enum escape_style style)
{
    line_add(line, "\"", 1);
    if (!line->cut) {
        line_add_escaped(line, value, style);
        line_close(line, "\"");
    }
}

/* Is there room to begin a field of this name? Otherwise the line ends here. */
static bool field_begin(struct logger_line *line, struct bytes name)
{
    line->cut = line->cut || !line_fits(line, name.size + NAME_ROOM);
    return !line->cut;
}

static void field_add_text(struct logger_line *line, const struct field *field)
{
    if (!field_begin(line, field->name)) {
        return;
    }
    line_add(line, " ", 1);
    if (field->name.size > 0) {
        line_add(line, field->name.data, field->name.size);
        line_add(line, "=", 1);
    }
    if (field->name.size == 0 || is_plain(field->value)) {
        line_add_escaped(line, field->value, ESCAPE_PLAIN);
    } else {
        quoted_add(line, field->value, ESCAPE_TEXT);
    }
}

static void member_add(struct logger_line *line, const char *name, struct bytes value)
{
    if (field_begin(line, bytes_of_text(name))) {
        line_add_text(line, ",\"");
        line_add_text(line, name);
        line_add_text(line, "\":");
        quoted_add(line, value, ESCAPE_JSON);
    }
}

/* How many earlier fields have this name, and the members that every line begins with count too:
 * a JSON object must not hold a name twice. */
static size_t name_repeats(const struct field *fields, size_t count, struct bytes name)
{
    static const char *const fixed[] = {"time", "level", "node", "module", "event", "truncated"};
    size_t repeats = 0;

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        repeats += bytes_equal(bytes_of_text(fixed[i]), name);
    }
    for (size_t i = 0; i < count; i++) {
        repeats += bytes_equal(fields[i].name, name);
    }
    return repeats;
}

/* A member of the JSON line; a repeated name becomes "name.2", "name.3": no field can be called so.
 */
static void field_add_json(struct logger_line *line, const struct field *field, size_t repeats)
{
    char suffix[SUFFIX_SIZE] = "";

    if (!field_begin(line, field->name)) {
        return;
    }
    if (repeats > 0) {
        (void)snprintf(suffix, sizeof suffix, ".%zu", repeats + 1);
    }
    line_add_text(line, ",\"");
    line_add(line, field->name.data, field->name.size);
    line_add_text(line, suffix);
    line_add_text(line, "\":");
    if (is_number(field->value)) {
        line_add(line, field->value.data, field->value.size);
    } else {
        quoted_add(line, field->value, ESCAPE_JSON);
    }
}

static void fields_add_text(struct logger_line *line, struct bytes rest)
{
    struct field field;

    while (!line->cut && field_next(&rest, &field)) {
        field_add_text(line, &field);
    }
}

static void fields_add_json(struct logger_line *line, struct bytes rest)
{
    struct field fields[FIELDS_MAX], field;
    size_t count = 0;

    while (!line->cut && field_next(&rest, &field)) {
        if (count == FIELDS_MAX) {
            line->cut = true;
            return;
        }
        if (field.name.size == 0) {
            field.name = bytes_of_text("text");
        }
        field_add_json(line, &field, name_repeats(fields, count, field.name));
        fields[count++] = field;
    }
}

static void time_format(char out[TIME_SIZE])
{
    struct timespec now = {0};
    struct tm utc = {0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    size_t size = strftime(out, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(out + size, TIME_SIZE - size, ".%03ldZ", now.tv_nsec / 1000000);
}

static void head_add_text(struct logger_line *line, const struct logger_line_head *head,
                          const char *time)
{
    char padded[64];

    (void)snprintf(padded, sizeof padded, "%s %-5s %-8s ", time, head->level, head->module);
    line_add_escaped(line, bytes_of_text(padded), ESCAPE_PLAIN);
    line_add_escaped(line, bytes_of_text(head->event), ESCAPE_PLAIN);
}

static void head_add_json(struct logger_line *line, const struct logger_line_head *head,
                          const char *time)
{
    char number[TIME_SIZE];

    (void)snprintf(number, sizeof number, ",\"node\":%" PRIu32, head->node);
    line_add_text(line, "{\"time\":");
    quoted_add(line, bytes_of_text(time), ESCAPE_JSON);
    member_add(line, "level", bytes_of_text(head->level));
    line_add_text(line, number);
    member_add(line, "module", bytes_of_text(head->module));
    member_add(line, "event", bytes_of_text(head->event));
}

void logger_line_build(struct logger_line *line, const struct logger_line_head *head,
                       struct bytes fields, bool fields_cut)
{
    char time[TIME_SIZE];

    line->size = 0;
    line->cut = false;
    time_format(time);
    line_add_text(line, head->prefix);
    if (head->json) {
        head_add_json(line, head, time);
        fields_add_json(line, fields);
    } else {
        head_add_text(line, head, time);
        fields_add_text(line, fields);
    }
    if (line->cut || fields_cut) {
        line_close(line, head->json ? ",\"truncated\":true" : " truncated=true");
    }
    line_close(line, head->json ? "}\n" : "\n");
}

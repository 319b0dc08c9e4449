#include "client/cli/json_split.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void json_split_init(struct json_split *split, struct bytes text)
{
    *split = (struct json_split){.text = text, .line = 1, .first = true};
    if (text.size >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0) {
        split->at = 3;
    }
}

__attribute__((format(printf, 2, 3))) static bool split_broken(struct json_split *split,
                                                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(split->problem, sizeof split->problem, format, arguments);
    va_end(arguments);
    return false;
}

/* The octet at the cursor; 0 at the end (a NUL in the text is no JSON either). */
static char split_peek(const struct json_split *split)
{
    return split->at < split->text.size ? (char)split->text.data[split->at] : '\0';
}

static void split_step(struct json_split *split)
{
    split->line += split->text.data[split->at] == '\n';
    split->at++;
}

static void split_skip_space(struct json_split *split)
{
    for (;;) {
        char c = split_peek(split);
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            return;
        }
        split_step(split);
    }
}

/* Step over `c` when it is next. */
static bool split_take(struct json_split *split, char c)
{
    split_skip_space(split);
    if (split_peek(split) != c || split->at >= split->text.size) {
        return false;
    }
    split_step(split);
    return true;
}

/* Over a string, its first quote being next. */
static bool split_skip_string(struct json_split *split)
{
    uint64_t line = split->line;
    split_step(split);
    while (split->at < split->text.size) {
        char c = split_peek(split);
        split_step(split);
        if (c == '"') {
            return true;
        }
        if (c == '\\' && split->at < split->text.size) {
            split_step(split);
        }
    }
    return split_broken(split, "line %" PRIu64 ": a string does not end", line);
}

/* Over an object or array, its first bracket being next. */
static bool split_skip_brackets(struct json_split *split)
{
    uint64_t line = split->line;
    size_t depth = 0;
    while (split->at < split->text.size) {
        char c = split_peek(split);
        if (c == '"') {
            if (!split_skip_string(split)) {
                return false;
            }
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        split_step(split);
        if (depth == 0) {
            return true;
        }
    }
    return split_broken(split, "line %" PRIu64 ": a bracket is opened and not closed", line);
}

static bool split_is_scalar_octet(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.';
}

static bool split_skip_value(struct json_split *split)
{
    split_skip_space(split);
    char c = split_peek(split);
    if (c == '"') {
        return split_skip_string(split);
    }
    if (c == '{' || c == '[') {
        return split_skip_brackets(split);
    }
    if (!split_is_scalar_octet(c)) {
        return split_broken(split, "line %" PRIu64 ": a value is missing", split->line);
    }
    while (split_is_scalar_octet(split_peek(split))) {
        split_step(split);
    }
    return true;
}

/* A member's name with the colon after it. */
static bool split_member(struct json_split *split, struct bytes *name)
{
    split_skip_space(split);
    size_t begin = split->at + 1;
    if (split_peek(split) != '"') {
        return split_broken(split, "line %" PRIu64 ": a name in quotes is missing", split->line);
    }
    if (!split_skip_string(split)) {
        return false;
    }
    *name = bytes_of(split->text.data + begin, split->at - begin - 1);
    if (!split_take(split, ':')) {
        return split_broken(split, "line %" PRIu64 ": ':' is missing", split->line);
    }
    split_skip_space(split);
    return true;
}

/* Over the members of an object to the array called `name`; `*found` = the first array met that is
 * called otherwise. */
static bool split_find_member(struct json_split *split, const char *name, struct bytes *found)
{
    do {
        struct bytes member = {.size = 0};
        if (!split_member(split, &member)) {
            return false;
        }
        bool array = split_peek(split) == '[';
        if (name != NULL && bytes_equal(member, bytes_of_text(name))) {
            return array || split_broken(split, "'%s' is not an array", name);
        }
        if (array && found->data == NULL) {
            *found = member;
        }
        if (!split_skip_value(split)) {
            return false;
        }
    } while (split_take(split, ','));
    return split_broken(split, "the object has no array called '%s'", name != NULL ? name : "");
}

static bool split_enter_member(struct json_split *split, const char *name)
{
    struct bytes other = {.data = NULL};
    if (split_find_member(split, name, &other)) {
        return split_take(split, '[');
    }
    if (other.data != NULL && name == NULL) {
        return split_broken(split, "an object, not an array; name the array in it: --at %.*s",
                            (int)other.size, (const char *)other.data);
    }
    if (other.data != NULL) {
        return split_broken(split, "the object has no array called '%.40s', but --at %.*s", name,
                            other.size < 60 ? (int)other.size : 60, (const char *)other.data);
    }
    return false;
}

bool json_split_enter(struct json_split *split, const char *name)
{
    if (split_take(split, '{')) {
        return split_enter_member(split, name);
    }
    if (name != NULL) {
        return split_broken(split, "not an object, so there is no '%s' in it; leave --at out",
                            name);
    }
    return split_take(split, '[') ||
           split_broken(split, "line %" PRIu64 ": neither a JSON array nor an object", split->line);
}

void json_split_go_on(struct json_split *split, size_t at, uint64_t line)
{
    split->at = at;
    split->line = line;
    split->first = false;
}

enum json_split_event json_split_next(struct json_split *split, struct bytes *element,
                                      uint64_t *line)
{
    if (split_take(split, ']')) {
        return JSON_SPLIT_END;
    }
    if (!split->first && !split_take(split, ',')) {
        split_broken(split, "line %" PRIu64 ": ',' or ']' is missing: the array does not end here",
                     split->line);
        return JSON_SPLIT_BROKEN;
    }
    split->first = false;
    split_skip_space(split);
    *line = split->line;
    size_t begin = split->at;
    if (!split_skip_value(split)) {
        return JSON_SPLIT_BROKEN;
    }
    *element = bytes_of(split->text.data + begin, split->at - begin);
    return JSON_SPLIT_ELEMENT;
}

bool json_split_member(struct json_split *split, struct bytes *name, struct bytes *value)
{
    char before = split->first ? '{' : ',';
    split->first = false;
    if (!split_take(split, before) || !split_member(split, name)) {
        return false;
    }
    size_t begin = split->at;
    bool whole = split_skip_value(split);
    *value = bytes_of(split->text.data + begin, split->at - begin);
    return whole;
}

enum json_split_event json_split_next_line(struct json_split *split, struct bytes *element,
                                           uint64_t *line)
{
    split_skip_space(split);
    if (split->at >= split->text.size) {
        return JSON_SPLIT_END;
    }
    *line = split->line;
    const uint8_t *begin = split->text.data + split->at;
    size_t left = split->text.size - split->at;
    const uint8_t *end = memchr(begin, '\n', left);
    size_t size = end != NULL ? (size_t)(end - begin) : left;
    *element = bytes_of(begin, size > 0 && begin[size - 1] == '\r' ? size - 1 : size);
    split->at += size;
    return JSON_SPLIT_ELEMENT;
}

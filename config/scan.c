#include "config/scan.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

struct scan {
    const uint8_t *at, *end;
    unsigned line;
    bool line_start; /* nothing but blanks since the line began */
    const char *name;
    scan_include_fn *include;
    void *context;
    struct cfg_report *report;
};

/* The octet `ahead` of the current one, 0 behind the end. */
static int peek(const struct scan *s, size_t ahead)
{
    return (size_t)(s->end - s->at) > ahead ? s->at[ahead] : 0;
}

static void step(struct scan *s)
{
    if (*s->at == '\n') {
        s->line++;
        s->line_start = true;
    } else if (*s->at != ' ' && *s->at != '\t') {
        s->line_start = false;
    }
    s->at++;
}

static void line_skip(struct scan *s)
{
    while (s->at < s->end && *s->at != '\n') {
        step(s);
    }
}

static void comment_skip(struct scan *s)
{
    unsigned begin = s->line;

    step(s);
    step(s);
    while (s->at < s->end && !(*s->at == '*' && peek(s, 1) == '/')) {
        step(s);
    }
    if (s->at == s->end) {
        cfg_report_error(s->report, s->name, begin, "the comment that begins here does not end");
        return;
    }
    step(s);
    step(s);
}

static void string_skip(struct scan *s)
{
    unsigned begin = s->line;

    step(s);
    while (s->at < s->end && *s->at != '"') {
        if (*s->at == '\\' && s->end - s->at > 1) {
            step(s);
        }
        step(s);
    }
    if (s->at == s->end) {
        cfg_report_error(s->report, s->name, begin, "the text that begins here has no closing \"");
        return;
    }
    step(s);
}

static bool name_octet(int c)
{
    return isalnum(c) || c == '_' || c == '-' || c == '*';
}

static void name_skip(struct scan *s)
{
    while (s->at < s->end && name_octet(*s->at)) {
        step(s);
    }
    if (peek(s, 0) == '.' && (isalpha(peek(s, 1)) || peek(s, 1) == '*')) {
        cfg_report_error(s->report, s->name, s->line,
                         "a dot in a name: write section = { key = value; }; instead of "
                         "section.key = value");
        while (s->at < s->end && (name_octet(*s->at) || *s->at == '.')) {
            step(s);
        }
    }
}

static unsigned digit_value(uint8_t c)
{
    return (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
}

/* How many digits follow; `*value` becomes their value, UINT64_MAX when it does not fit. */
static size_t digits_read(struct scan *s, unsigned base, uint64_t *value)
{
    size_t count = 0;

    *value = 0;
    for (; s->at < s->end && (base == 16 ? isxdigit(*s->at) : isdigit(*s->at)); count++) {
        unsigned digit = digit_value(*s->at);
        *value = *value > (UINT64_MAX - digit) / base ? UINT64_MAX : *value * base + digit;
        step(s);
    }
    return count;
}

static void integer_check(struct scan *s, bool negative, uint64_t value)
{
    bool wide = peek(s, 0) == 'L';
    uint64_t limit = wide ? INT64_MAX : INT32_MAX;

    while (peek(s, 0) == 'L') {
        step(s);
    }
    if (value > limit + (negative ? 1 : 0)) {
        cfg_report_error(s->report, s->name, s->line, "the number is too large%s",
                         wide ? ""
                              : " (beyond 2147483647); sizes are written as text, such as "
                                "\"16GiB\"");
    }
}

/* What stands behind the digits of a float: skipped, floats cannot overflow silently. */
static bool float_skip(struct scan *s)
{
    int c = peek(s, 0);
    bool exponent =
        (c == 'e' || c == 'E') && (isdigit(peek(s, 1)) || peek(s, 1) == '-' || peek(s, 1) == '+');

    if (c != '.' && !exponent) {
        return false;
    }
    step(s);
    while (isdigit(peek(s, 0)) || (peek(s, 0) && strchr("eE+-", peek(s, 0)))) {
        step(s);
    }
    return true;
}

static void unit_report(struct scan *s, const uint8_t *begin)
{
    while (s->at < s->end && name_octet(*s->at)) {
        step(s);
    }
    int size = s->at - begin > 40 ? 40 : (int)(s->at - begin);
    cfg_report_error(s->report, s->name, s->line,
                     "%.*s: a number with a unit stands in quotes: \"%.*s\"", size,
                     (const char *)begin, size, (const char *)begin);
}

static void number_read(struct scan *s)
{
    const uint8_t *begin = s->at;
    bool negative = *s->at == '-';
    uint64_t value;

    if (negative || *s->at == '+') {
        step(s);
    }
    if (peek(s, 0) == '0' && tolower(peek(s, 1)) == 'x') {
        step(s);
        step(s);
        (void)digits_read(s, 16, &value);
        integer_check(s, negative, value);
        return;
    }
    size_t count = digits_read(s, 10, &value);
    if (float_skip(s) || count == 0) {
        return;
    }
    if (isalpha(peek(s, 0)) && peek(s, 0) != 'L') {
        unit_report(s, begin);
        return;
    }
    integer_check(s, negative, value);
}

/* Is this `@include "path"` at the beginning of a line? Then skip it. */
static bool include_read(struct scan *s)
{
    static const char word[] = "@include";
    const uint8_t *at = s->at;

    if (!s->line_start || (size_t)(s->end - at) < sizeof word - 1 ||
        memcmp(at, word, sizeof word - 1) != 0) {
        return false;
    }
    at += sizeof word - 1;
    while (at < s->end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    if (at == s->end || *at != '"') {
        return false;
    }
    const uint8_t *path = ++at;
    while (at < s->end && *at != '"' && *at != '\n') {
        at++;
    }
    if (s->include && at < s->end && *at == '"') {
        s->include(s->context, bytes_of(path, (size_t)(at - path)), s->line);
    }
    line_skip(s);
    return true;
}

static void token_read(struct scan *s)
{
    int c = *s->at, next = peek(s, 1);

    if (c == '#' || (c == '/' && next == '/')) {
        line_skip(s);
    } else if (c == '/' && next == '*') {
        comment_skip(s);
    } else if (c == '"') {
        string_skip(s);
    } else if (c == '@' && include_read(s)) {
        return;
    } else if (isalpha(c) || c == '*') {
        name_skip(s);
    } else if (isdigit(c) || c == '.' || ((c == '-' || c == '+') && isdigit(next))) {
        number_read(s);
    } else {
        step(s);
    }
}

void scan_text(struct bytes text, const char *name, scan_include_fn *include, void *context,
               struct cfg_report *report)
{
    /* An empty text may be NULL, which has no end to point at. */
    if (text.size == 0) {
        return;
    }
    struct scan s = {.at = text.data,
                     .end = text.data + text.size,
                     .line = 1,
                     .line_start = true,
                     .name = name,
                     .include = include,
                     .context = context,
                     .report = report};

    if (memchr(text.data, '\0', text.size)) {
        cfg_report_error(report, name, 0, "contains a NUL: this is not a text file");
        return;
    }
    while (s.at < s.end) {
        token_read(&s);
    }
}

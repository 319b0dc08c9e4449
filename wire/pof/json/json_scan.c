#include "wire/pof/json/json_scan.h"

#include "wire/pof/reader.h"
#include "wire/pof/text.h"

struct scan {
    struct bytes text;
    size_t at;
    const char *what; /* is missing at `at` */
    struct buf *brackets;
    uint32_t bracket_count;
    uint32_t depth;
    uint32_t open[POF_DEPTH_MAX]; /* numbers of the brackets that are open */
    bool object[POF_DEPTH_MAX];
};

static int octet_at(const struct scan *s)
{
    return s->at < s->text.size ? s->text.data[s->at] : -1;
}

size_t pjson_skip_space(struct bytes text, size_t at)
{
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\n' ||
                              text.data[at] == '\r' || text.data[at] == '\t')) {
        at++;
    }
    return at;
}

static bool fail(struct scan *s, const char *what)
{
    s->what = what;
    return false;
}

static bool is_digit(int octet)
{
    return octet >= '0' && octet <= '9';
}

static bool scan_digits(struct scan *s)
{
    if (!is_digit(octet_at(s))) {
        return fail(s, "a digit");
    }
    while (is_digit(octet_at(s))) {
        s->at++;
    }
    return true;
}

static bool scan_number(struct scan *s)
{
    s->at += octet_at(s) == '-' ? 1 : 0;
    if (octet_at(s) == '0') {
        s->at++;
        if (is_digit(octet_at(s))) {
            return fail(s, "no digit behind a zero at the beginning of a number");
        }
    } else if (!scan_digits(s)) {
        return false;
    }
    if (octet_at(s) == '.') {
        s->at++;
        if (!scan_digits(s)) {
            return false;
        }
    }
    if (octet_at(s) == 'e' || octet_at(s) == 'E') {
        s->at++;
        s->at += octet_at(s) == '+' || octet_at(s) == '-' ? 1 : 0;
        return scan_digits(s);
    }
    return true;
}

static bool is_hex(int octet)
{
    return is_digit(octet) || (octet >= 'a' && octet <= 'f') || (octet >= 'A' && octet <= 'F');
}

static bool scan_escape(struct scan *s)
{
    s->at++;
    int octet = octet_at(s);
    if (octet == 'u') {
        for (int i = 0; i < 4; i++) {
            s->at++;
            if (!is_hex(octet_at(s))) {
                return fail(s, "four hex digits behind \\u");
            }
        }
    } else if (octet < 0 || !strchr("\"\\/bfnrt", octet)) {
        return fail(s, "one of \" \\ / b f n r t u behind a backslash");
    }
    s->at++;
    return true;
}

/* Over what stands for itself in a string. */
static size_t skip_plain(struct bytes text, size_t at)
{
    while (at < text.size && text.data[at] >= 0x20 && text.data[at] != '"' &&
           text.data[at] != '\\') {
        at++;
    }
    return at;
}

static bool scan_string(struct scan *s)
{
    size_t begin = ++s->at;

    for (;;) {
        s->at = skip_plain(s->text, s->at);
        int octet = octet_at(s);
        if (octet < 0x20) {
            return fail(s, octet < 0 ? "the quote that ends a string"
                                     : "an escape in place of a control character");
        }
        if (octet == '"') {
            break;
        }
        if (!scan_escape(s)) {
            return false;
        }
    }
    struct bytes content = bytes_of(s->text.data + begin, s->at - begin);
    if (pof_text_check(content) != POF_TEXT_STANDARD) {
        s->at = begin;
        return fail(s, "UTF-8 in a string");
    }
    s->at++;
    return true;
}

static bool scan_word(struct scan *s, const char *word)
{
    size_t size = strlen(word);

    if (s->text.size - s->at < size || memcmp(s->text.data + s->at, word, size) != 0) {
        return fail(s, "a value");
    }
    s->at += size;
    return true;
}

static bool scan_scalar(struct scan *s)
{
    int octet = octet_at(s);

    if (octet == '"') {
        return scan_string(s);
    }
    if (octet == '-' || is_digit(octet)) {
        return scan_number(s);
    }
    return scan_word(s, octet == 't' ? "true" : octet == 'f' ? "false" : "null");
}

static struct pjson_bracket *bracket(const struct scan *s, uint32_t number)
{
    return (struct pjson_bracket *)(void *)s->brackets->data + number;
}

static enum qn_status open_bracket(struct scan *s, bool object)
{
    uint8_t *place;

    if (s->depth == POF_DEPTH_MAX || s->bracket_count == INT32_MAX) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = buf_extend(s->brackets, sizeof(struct pjson_bracket), &place);
    if (status == QN_OK) {
        *bracket(s, s->bracket_count) = (struct pjson_bracket){0};
        s->open[s->depth] = s->bracket_count++;
        s->object[s->depth++] = object;
        s->at++;
    }
    return status;
}

static void close_bracket(struct scan *s)
{
    struct pjson_bracket *closed = bracket(s, s->open[--s->depth]);

    s->at++;
    closed->end = s->at;
    closed->next = s->bracket_count;
}

static void skip_space(struct scan *s)
{
    s->at = pjson_skip_space(s->text, s->at);
}

/* The name of a member and the colon. */
static bool scan_name(struct scan *s)
{
    skip_space(s);
    if (octet_at(s) != '"') {
        return fail(s, "the name of a member, in quotes");
    }
    if (!scan_string(s)) {
        return false;
    }
    skip_space(s);
    if (octet_at(s) != ':') {
        return fail(s, "a colon");
    }
    s->at++;
    return true;
}

/* Behind a value: close what ends here, up to the comma before the next one. False: nothing is
 * next, or something is wrong (`what`). */
static bool scan_to_next(struct scan *s)
{
    while (s->depth > 0) {
        bool object = s->object[s->depth - 1];
        bracket(s, s->open[s->depth - 1])->count++;
        skip_space(s);
        int octet = octet_at(s);
        if (octet == ',') {
            s->at++;
            return !object || scan_name(s);
        }
        if (octet != (object ? '}' : ']')) {
            return fail(s, object ? "a comma or }" : "a comma or ]");
        }
        close_bracket(s);
    }
    return false;
}

/* Open a bracket. `*empty`: it was closed at once. */
static enum qn_status scan_bracket(struct scan *s, bool object, bool *empty)
{
    enum qn_status status = open_bracket(s, object);

    *empty = false;
    if (status != QN_OK) {
        return status;
    }
    skip_space(s);
    if (octet_at(s) == (object ? '}' : ']')) {
        close_bracket(s);
        *empty = true;
        return QN_OK;
    }
    return object && !scan_name(s) ? QN_MALFORMED : QN_OK;
}

static enum qn_status scan_value(struct scan *s)
{
    for (;;) {
        skip_space(s);
        int octet = octet_at(s);
        if (octet == '{' || octet == '[') {
            bool empty;
            enum qn_status status = scan_bracket(s, octet == '{', &empty);
            if (status != QN_OK) {
                return status;
            }
            if (!empty) {
                continue; /* with the first value in it */
            }
        } else if (!scan_scalar(s)) {
            return QN_MALFORMED;
        }
        if (!scan_to_next(s)) {
            return s->what ? QN_MALFORMED : QN_OK;
        }
    }
}

enum qn_status pjson_scan(struct bytes text, struct buf *brackets, size_t *at, const char **what)
{
    struct scan s;

    s.text = text;
    s.at = 0;
    s.what = NULL;
    s.brackets = brackets;
    s.bracket_count = 0;
    s.depth = 0;
    enum qn_status status = scan_value(&s);
    skip_space(&s);
    if (status == QN_OK && s.at < text.size) {
        s.what = "nothing behind the value";
        status = QN_MALFORMED;
    }
    *at = s.at;
    *what = s.what;
    return status;
}

size_t pjson_scalar_end(struct bytes text, size_t at)
{
    if (text.data[at] != '"') {
        while (at < text.size && !strchr(",]} \n\r\t", text.data[at])) {
            at++;
        }
        return at;
    }
    /* Most strings have no escape, so that the next quote is their end. */
    const uint8_t *quote = memchr(text.data + at + 1, '"', text.size - at - 1);
    size_t end = (size_t)(quote - text.data);
    if (!memchr(text.data + at, '\\', end - at)) {
        return end + 1;
    }
    for (at++; text.data[at] != '"'; at++) {
        at += text.data[at] == '\\' ? 1 : 0;
    }
    return at + 1;
}

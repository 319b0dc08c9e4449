#include "client/uri.h"

#include <stdio.h>
#include <stdlib.h>

#define URI_SCHEME "quoin://"

/* Where the parser stands. Positions in complaints count from 1. */
struct cursor {
    const char *text;
    size_t at;
    qn_error *err;
};

/* A number with a unit, a plain number when `units` is NULL. */
struct unit {
    const char *name;
    int64_t factor;
};

struct parameter {
    const char *name;
    const char *example;
    const struct unit *units;
    int64_t min;
    int64_t max;
    void (*set)(struct uri *uri, int64_t value);
};

static const struct unit duration_units[] = {
    {"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}, {NULL, 0}};
static const struct unit size_units[] = {
    {"B", 1}, {"KiB", 1024}, {"MiB", 1024 * 1024}, {"GiB", 1024 * 1024 * 1024}, {NULL, 0}};

static void set_timeout(struct uri *uri, int64_t value)
{
    uri->timeout_ms = value;
}

static void set_in_flight(struct uri *uri, int64_t value)
{
    uri->in_flight_max = (size_t)value;
}

static void set_in_flight_bytes(struct uri *uri, int64_t value)
{
    uri->in_flight_max_bytes = (size_t)value;
}

static const struct parameter parameters[] = {
    {"timeout", "500ms", duration_units, 1, 3600000, set_timeout},
    {"in_flight", "4096", NULL, 1, 1048576, set_in_flight},
    {"in_flight_bytes", "64MiB", size_units, 65536, INT64_C(1) << 40, set_in_flight_bytes},
};

enum { PARAMETER_COUNT = sizeof parameters / sizeof *parameters };

static enum qn_status complain(const struct cursor *c, size_t at, const char *what)
{
    return qn_error_set(c->err, QN_INVALID, "address \"%.100s\", character %zu: %s", c->text,
                        at + 1, what);
}

/* ---- hosts ---- */

static bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

static bool is_address6_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
           c == '.' || c == '%';
}

static enum qn_status host_parse(struct cursor *c, struct bytes *host)
{
    size_t begin = c->at;
    bool bracket = c->text[c->at] == '[';

    if (bracket) {
        c->at++;
        while (is_address6_char(c->text[c->at])) {
            c->at++;
        }
        if (c->text[c->at] != ']') {
            return complain(c, c->at, "expected ']' after an IPv6 address");
        }
        c->at++;
    } else {
        while (is_host_char(c->text[c->at])) {
            c->at++;
        }
    }
    if (c->at == begin) {
        return complain(c, begin, "expected a host, as in quoin://localhost:7100");
    }
    *host = bytes_of(c->text + begin, c->at - begin);
    return QN_OK;
}

static enum qn_status port_parse(struct cursor *c, int64_t *port)
{
    size_t begin = c->at;
    int64_t value = 0;

    while (c->text[c->at] >= '0' && c->text[c->at] <= '9' && value <= 65535) {
        value = value * 10 + (c->text[c->at] - '0');
        c->at++;
    }
    if (c->at == begin || value < 1 || value > 65535) {
        return complain(c, begin, "expected a port, 1 to 65535");
    }
    *port = value;
    return QN_OK;
}

static enum qn_status seed_parse(struct cursor *c, struct uri *uri)
{
    struct bytes host = {NULL, 0};
    int64_t port = URI_PORT_DEFAULT;
    size_t begin = c->at;
    enum qn_status status = host_parse(c, &host);

    if (status == QN_OK && c->text[c->at] == ':') {
        c->at++;
        status = port_parse(c, &port);
    }
    if (status != QN_OK) {
        return status;
    }
    if (uri->seed_count == URI_SEEDS_MAX || host.size > 255) {
        return complain(c, begin, "too long: at most 16 hosts of at most 255 characters");
    }
    (void)snprintf(uri->seeds[uri->seed_count++], URI_ENDPOINT_MAX, "tcp://%.*s:%lld",
                   (int)host.size, (const char *)host.data, (long long)port);
    return QN_OK;
}

/* ---- parameters ---- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance of two short words, for "did you mean". */
static size_t distance(struct bytes a, const char *b)
{
    size_t row[33];
    size_t b_size = strlen(b);

    if (a.size > 32 || b_size > 32) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b_size; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t above = row[j];
            size_t change = diagonal + (a.data[i - 1] != (uint8_t)b[j - 1]);
            row[j] = least(change, least(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[b_size];
}

static enum qn_status parameter_unknown(const struct cursor *c, size_t at, struct bytes name)
{
    char text[160];
    const char *nearest = NULL;
    size_t best = 4; /* further away is no misspelling */

    for (size_t i = 0; i < PARAMETER_COUNT; i++) {
        size_t d = distance(name, parameters[i].name);
        if (d < best) {
            best = d;
            nearest = parameters[i].name;
        }
    }
    int size = (int)least(name.size, 40);
    const char *word = (const char *)name.data;
    if (nearest) {
        (void)snprintf(text, sizeof text, "unknown parameter \"%.*s\"; did you mean \"%s\"?", size,
                       word, nearest);
    } else {
        (void)snprintf(text, sizeof text,
                       "unknown parameter \"%.*s\"; there are timeout, in_flight, in_flight_bytes",
                       size, word);
    }
    return complain(c, at, text);
}

static enum qn_status value_wrong(const struct cursor *c, size_t at, const struct parameter *p)
{
    char text[160];

    (void)snprintf(text, sizeof text, "%s wants a number%s from %lld to %lld%s, as in %s=%s",
                   p->name, p->units ? " with its unit" : "", (long long)p->min, (long long)p->max,
                   p->units ? p->units[0].name : "", p->name, p->example);
    return complain(c, at, text);
}

/* The unit at the cursor, which a separator or the end must follow; 0 = none of them. */
static int64_t unit_parse(struct cursor *c, const struct unit *units)
{
    size_t size = strcspn(c->text + c->at, "&");

    if (!units) {
        return size == 0;
    }
    for (const struct unit *unit = units; unit->name; unit++) {
        if (strlen(unit->name) == size && memcmp(unit->name, c->text + c->at, size) == 0) {
            c->at += size;
            return unit->factor;
        }
    }
    return 0;
}

static enum qn_status value_parse(struct cursor *c, const struct parameter *p, struct uri *uri)
{
    size_t begin = c->at;
    int64_t value = 0;

    while (c->text[c->at] >= '0' && c->text[c->at] <= '9') {
        value = value * 10 + (c->text[c->at] - '0');
        c->at++;
        if (value > INT32_MAX) {
            return value_wrong(c, begin, p);
        }
    }
    int64_t factor = c->at > begin ? unit_parse(c, p->units) : 0;
    if (factor == 0 || value * factor < p->min || value * factor > p->max) {
        return value_wrong(c, begin, p);
    }
    p->set(uri, value * factor);
    return QN_OK;
}

static enum qn_status parameter_parse(struct cursor *c, struct uri *uri, unsigned *seen)
{
    size_t begin = c->at;
    struct bytes name = bytes_of(c->text + begin, strcspn(c->text + begin, "=&"));

    for (size_t i = 0; i < PARAMETER_COUNT; i++) {
        if (!bytes_equal(name, bytes_of_text(parameters[i].name))) {
            continue;
        }
        if (*seen & 1U << i) {
            return complain(c, begin, "this parameter is given twice");
        }
        *seen |= 1U << i;
        c->at += name.size;
        if (c->text[c->at] != '=') {
            return complain(c, c->at, "expected '=' and a value");
        }
        c->at++;
        return value_parse(c, &parameters[i], uri);
    }
    return parameter_unknown(c, begin, name);
}

static enum qn_status query_parse(struct cursor *c, struct uri *uri)
{
    enum qn_status status = QN_OK;
    unsigned seen = 0;

    do {
        c->at++; /* '?' or '&' */
        status = parameter_parse(c, uri, &seen);
    } while (status == QN_OK && c->text[c->at] == '&');
    return status;
}

static enum qn_status hosts_parse(struct cursor *c, struct uri *uri)
{
    enum qn_status status = seed_parse(c, uri);

    while (status == QN_OK && c->text[c->at] == ',') {
        c->at++;
        status = seed_parse(c, uri);
    }
    return status;
}

enum qn_status uri_parse(const char *text, struct uri *uri, qn_error *err)
{
    struct cursor c = {.text = text, .err = err};

    *uri = (struct uri){
        .timeout_ms = 15000, .in_flight_max = 4096, .in_flight_max_bytes = 64 * 1024 * 1024};
    if (strncmp(text, URI_SCHEME, strlen(URI_SCHEME)) != 0) {
        return complain(&c, 0, "expected quoin://, as in quoin://localhost:7100");
    }
    c.at = strlen(URI_SCHEME);
    enum qn_status status = hosts_parse(&c, uri);
    if (status == QN_OK && text[c.at] == '/') {
        c.at++;
    }
    if (status == QN_OK && text[c.at] == '?') {
        status = query_parse(&c, uri);
    }
    if (status == QN_OK && text[c.at] != '\0') {
        return complain(&c, c.at, "expected ',' and a host, ':' and a port, '?', or the end");
    }
    return status;
}

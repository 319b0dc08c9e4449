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

/* Has this name been given before, behind the '?' at `query`? */
static bool is_repeated(const struct cursor *c, size_t query, struct bytes name)
{
    for (size_t at = query + 1; at < c->at; at += strcspn(c->text + at, "&") + 1) {
        struct bytes earlier = bytes_of(c->text + at, strcspn(c->text + at, "=&"));
        if (bytes_equal(earlier, name)) {
            return true;
        }
    }
    return false;
}

static enum qn_status parameter_parse(struct cursor *c, size_t query, uri_take_fn take, void *arg)
{
    char why[PROPERTY_WHY_MAX] = "";
    struct bytes name = bytes_of(c->text + c->at, strcspn(c->text + c->at, "=&"));
    size_t value_at = c->at + name.size + 1;

    if (is_repeated(c, query, name)) {
        return complain(c, c->at, "this parameter is given twice");
    }
    if (c->text[c->at + name.size] != '=') {
        enum property_id ignored;
        return property_find(name, &ignored, why)
                   ? complain(c, c->at + name.size, "expected '=' and a value")
                   : complain(c, c->at, why);
    }
    struct bytes value = bytes_of(c->text + value_at, strcspn(c->text + value_at, "&"));
    if (take(arg, name, value, why) != QN_OK) {
        return complain(c, c->at, why);
    }
    c->at = value_at + value.size;
    return QN_OK;
}

static enum qn_status query_parse(struct cursor *c, uri_take_fn take, void *arg)
{
    enum qn_status status = QN_OK;
    size_t query = c->at;

    do {
        c->at++; /* '?' or '&' */
        status = parameter_parse(c, query, take, arg);
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

enum qn_status uri_parse(const char *text, struct uri *uri, uri_take_fn take, void *arg,
                         qn_error *err)
{
    struct cursor c = {.text = text, .err = err};

    uri->seed_count = 0;
    if (strncmp(text, URI_SCHEME, strlen(URI_SCHEME)) != 0) {
        return complain(&c, 0, "expected quoin://, as in quoin://localhost:7100");
    }
    c.at = strlen(URI_SCHEME);
    enum qn_status status = hosts_parse(&c, uri);
    if (status == QN_OK && text[c.at] == '/') {
        c.at++;
    }
    if (status == QN_OK && text[c.at] == '?') {
        status = query_parse(&c, take, arg);
    }
    if (status == QN_OK && text[c.at] != '\0') {
        return complain(&c, c.at, "expected ',' and a host, ':' and a port, '?', or the end");
    }
    return status;
}

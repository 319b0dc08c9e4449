#include "node/admin/route.h"

static const struct {
    const char *path;
    enum route_page page;
    enum health_question question;
} pages[] = {
    {"/livez", ROUTE_HEALTH, HEALTH_LIVE},    {"/startedz", ROUTE_HEALTH, HEALTH_STARTED},
    {"/readyz", ROUTE_HEALTH, HEALTH_READY},  {"/safez", ROUTE_HEALTH, HEALTH_SAFE},
    {"/metrics", ROUTE_METRICS, HEALTH_LIVE}, {"/", ROUTE_INDEX, HEALTH_LIVE},
};

const char route_index[] =
    "/livez     200 while the process and its threads respond\n"
    "/startedz  200 once recovery has finished\n"
    "/readyz    200 when every partition it should serve is served\n"
    "/safez     200 when stopping this node now would lose or block nothing\n"
    "/metrics   figures for Prometheus\n"
    "Health answers 503 with the reason otherwise, and JSON to ?verbose.\n";

static struct bytes bytes_after(struct bytes text, size_t size)
{
    return bytes_of(text.data + size, text.size - size);
}

/* Octets before the first `mark`; all of them when there is none. */
static size_t size_before(struct bytes text, char mark)
{
    const uint8_t *at = text.size > 0 ? memchr(text.data, mark, text.size) : NULL;

    return at ? (size_t)(at - text.data) : text.size;
}

static bool is_text(struct bytes text, const char *wanted)
{
    return bytes_equal(text, bytes_of_text(wanted));
}

/* Cut "http://host:port" off the front. */
static struct bytes without_host(struct bytes target)
{
    static const char scheme[] = "http://";
    size_t size = sizeof scheme - 1;

    if (target.size < size || memcmp(target.data, scheme, size) != 0) {
        return target;
    }
    struct bytes rest = bytes_after(target, size);
    return bytes_after(rest, size_before(rest, '/'));
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next octet of a path, with "%2f" counting as one. An escape that is none stands for itself.
 */
static uint8_t octet_next(struct bytes *path)
{
    uint8_t first = path->data[0];
    int high = first == '%' && path->size > 2 ? hex_digit(path->data[1]) : -1;
    int low = high >= 0 ? hex_digit(path->data[2]) : -1;

    *path = bytes_after(*path, low >= 0 ? 3 : 1);
    return low >= 0 ? (uint8_t)(high * 16 + low) : first;
}

static bool path_is(struct bytes path, const char *wanted)
{
    for (; path.size > 0; wanted++) {
        if (*wanted == '\0' || octet_next(&path) != (uint8_t)*wanted) {
            return false;
        }
    }
    return *wanted == '\0';
}

static bool value_is_no(struct bytes value)
{
    return is_text(value, "0") || is_text(value, "false") || is_text(value, "no");
}

static bool is_verbose(struct bytes query)
{
    while (query.size > 0) {
        struct bytes one = bytes_of(query.data, size_before(query, '&'));
        size_t name = size_before(one, '=');
        if (is_text(bytes_of(one.data, name), "verbose")) {
            return !value_is_no(bytes_after(one, name < one.size ? name + 1 : name));
        }
        query = bytes_after(query, one.size < query.size ? one.size + 1 : one.size);
    }
    return false;
}

struct route route_of(const char *method, const char *target)
{
    struct bytes rest = without_host(bytes_of_text(target));
    struct bytes path = bytes_of(rest.data, size_before(rest, '?'));
    struct route route = {.page = ROUTE_NOT_FOUND};

    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        route.page = ROUTE_REFUSED;
        return route;
    }
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (path_is(path, pages[i].path)) {
            route.page = pages[i].page;
            route.question = pages[i].question;
        }
    }
    if (route.page == ROUTE_HEALTH && path.size < rest.size) {
        route.verbose = is_verbose(bytes_after(rest, path.size + 1));
    }
    return route;
}

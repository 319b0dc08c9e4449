/* Any request line: it leads to a page, the same for GET and HEAD, and what the
 * page quotes from outside stays within its line.
 *
 * Input: method, blank, target. The target is also taken as the name of a cache and as the reason
 * of a verdict, since both reach the bodies. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "node/admin/metrics.h"
#include "node/admin/route.h"
#include "wire/assert.h"

/* The text up to `size` octets as a C string; the caller frees it. */
static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    qn_assert(text);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

static void route_check(const char *method, const char *target)
{
    struct route get = route_of("GET", target);
    struct route given = route_of(method, target);

    qn_assert(get.page != ROUTE_REFUSED);
    qn_assert(!get.verbose || get.page == ROUTE_HEALTH);
    if (given.page != ROUTE_REFUSED) {
        qn_assert(given.page == get.page && given.verbose == get.verbose &&
                  given.question == get.question);
    }
}

/* Text of one line: printable, one line feed at its end. */
static void health_check(const char *reason)
{
    struct admin_snapshot snapshot = {.version = reason};
    struct text text = {0};

    for (size_t i = 0; reason[i] && i < sizeof snapshot.reason - 1; i++) {
        snapshot.reason[i] = reason[i];
    }
    health_write_text(&text, HEALTH_READY, &snapshot);
    qn_assert(text.buf.size > 0);
    qn_assert(memchr(text.buf.data, '\n', text.buf.size) == text.buf.data + text.buf.size - 1);
    buf_clear(&text.buf);
    health_write_json(&text, HEALTH_READY, &snapshot);
    qn_assert(text.buf.size > 0 && !text.failed);
    buf_fini(&text.buf);
}

/* Lines begin with a name or a comment and end in a number, whatever a cache is called. */
static void metrics_check(const char *name)
{
    struct admin_cache rows[2] = {0};
    struct admin_snapshot snapshot = {.version = name, .cache_rows = rows, .cache_room = 2};
    struct process_figures process = {0};
    struct text text = {0};
    char cut[ADMIN_NAME_MAX] = "";

    strncpy(cut, name, sizeof cut - 1);
    admin_cache_row(&snapshot, cut)->ops[0].ok = 1;
    snapshot.ops[0].name = "get";
    metrics_write(&text, &snapshot, &process);
    qn_assert(!text.failed && text.buf.data[text.buf.size - 1] == '\n');
    for (size_t i = 0; i + 1 < text.buf.size; i++) {
        if (text.buf.data[i] == '\n') {
            uint8_t next = text.buf.data[i + 1];
            qn_assert(next == '#' || next == 'q' || next == 'p');
            qn_assert(text.buf.data[i - 1] >= ' ');
        }
    }
    buf_fini(&text.buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *blank = size > 0 ? memchr(data, ' ', size) : NULL;
    size_t method_size = blank ? (size_t)(blank - data) : 0;
    size_t skip = blank ? method_size + 1 : 0;
    char *method = text_of(data, method_size);
    char *target = text_of(data + skip, size - skip);

    route_check(method, target);
    health_check(target);
    metrics_check(target);
    free(method);
    free(target);
    return 0;
}

#define _GNU_SOURCE
#include <stdlib.h>

#include "client/cli/export_source.h"

bool export_scan_open(struct export_scan *scan, qn_cache *cache, const qn_scan_options *options,
                      qn_error *err)
{
    *scan = (struct export_scan){.cursor = qn_scan(cache, options, err)};
    return scan->cursor != NULL;
}

static void let_go(struct export_scan *scan)
{
    qn_value_release(scan->key);
    qn_value_release(scan->value);
    scan->key = NULL;
    scan->value = NULL;
}

void export_scan_close(struct export_scan *scan)
{
    let_go(scan);
    qn_cursor_close(scan->cursor);
    scan->cursor = NULL;
}

static struct bytes binary_of(const qn_value *value)
{
    size_t size = 0;
    const void *data = value != NULL ? qn_value_binary(value, &size) : NULL;
    return bytes_of(data, size);
}

static qn_status scan_next(void *state, struct export_entry *entry, qn_error *err)
{
    struct export_scan *scan = state;
    let_go(scan);
    qn_status status = qn_cursor_next(scan->cursor, &scan->key, &scan->value, err);
    if (status == QN_OK) {
        *entry =
            (struct export_entry){.key = binary_of(scan->key), .value = binary_of(scan->value)};
    }
    return status;
}

/* An empty text means that there was no memory for it; it would name the beginning. */
static char *scan_position(void *state)
{
    const struct export_scan *scan = state;
    size_t size = qn_cursor_position(scan->cursor, NULL, 0);
    char *text = malloc(size);
    if (text != NULL && (qn_cursor_position(scan->cursor, text, size) > size || *text == '\0')) {
        free(text);
        text = NULL;
    }
    return text;
}

struct export_source export_scan_source(struct export_scan *scan)
{
    return (struct export_source){.next = scan_next, .position = scan_position, .state = scan};
}

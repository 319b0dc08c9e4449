/* Read all entries of a cache; what was put a moment ago is shown, since the view is made fresh.
 *
 *     scan quoin://localhost:7100 [cache] */
#include <inttypes.h>
#include <stdio.h>

#include <quoin.h>

enum { ENTRIES = 100 };

static void entry_print(const qn_value *key, const qn_value *value)
{
    const char *name = "?";
    size_t size = 1;
    int64_t number = 0;

    (void)qn_value_str(key, &name, &size);
    (void)qn_value_int(value, &number);
    printf("%.*s %" PRId64 "\n", (int)size, name, number);
}

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    qn_value *key = NULL;
    qn_value *value = NULL;
    char name[16];

    options.fresh = true;
    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *cache = qn_open_create(grid, argc > 2 ? argv[2] : "squares-by-name", &err);
    for (int64_t i = 0; i < ENTRIES; i++) {
        snprintf(name, sizeof name, "n%" PRId64, i);
        qn_put(cache, qn_str(name), qn_int(i * i), NULL, &err);
    }
    qn_cursor *cursor = qn_scan(cache, &options, &err);
    qn_status status = qn_cursor_next(cursor, &key, &value, &err);
    while (status == QN_OK || status == QN_CURSOR_EXPIRED) {
        if (status == QN_OK) {
            entry_print(key, value);
        }
        qn_value_release(key);
        qn_value_release(value);
        if (status == QN_CURSOR_EXPIRED) {
            qn_error_clear(&err); /* we were too slow: go on in a newer view */
        }
        status = qn_cursor_next(cursor, &key, &value, &err);
    }
    if (status < 0) {
        fprintf(stderr, "%s\n", qn_explain(&err));
    }
    qn_cursor_close(cursor);
    qn_close(grid);
    return status < 0;
}

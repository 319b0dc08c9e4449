/* Change a value only if nobody else has changed it meanwhile: read, compute, replace by version.
 *
 *     compare_and_set quoin://localhost:7100 [cache] */
#include <inttypes.h>
#include <stdio.h>

#include <quoin.h>

/* Add to a number; its new value is in `*sum`. Runs again while others change it in between. */
static qn_status add(qn_cache *cache, const char *key, int64_t amount, int64_t *sum, qn_error *err)
{
    qn_status status = QN_CONFLICT;

    while (status == QN_CONFLICT || status == QN_EXISTS) {
        qn_value *value = NULL;
        *sum = amount;
        status = qn_get(cache, qn_str(key), NULL, &value, err);
        if (status == QN_ABSENT) {
            status = qn_put_if_absent(cache, qn_str(key), qn_int(amount), NULL, err);
        } else if (status == QN_OK) {
            int64_t before = 0;
            status = qn_value_int(value, &before);
            *sum = before + amount;
            if (status == QN_OK) {
                status = qn_replace(cache, qn_str(key), qn_int(*sum), qn_value_version(value), NULL,
                                    err);
            }
        }
        qn_value_release(value);
    }
    return status;
}

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    int64_t sum = 0;
    qn_status status = QN_OK;

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *counters = qn_open_create(grid, argc > 2 ? argv[2] : "counters", &err);
    for (int i = 0; i < 10 && status == QN_OK; i++) {
        status = add(counters, "visits", 1, &sum, &err);
    }
    if (status == QN_OK) {
        printf("visits: %" PRId64 "\n", sum);
    } else {
        fprintf(stderr, "%s\n", qn_error_failed(&err) ? qn_explain(&err) : qn_status_text(status));
    }
    qn_close(grid);
    return status != QN_OK;
}

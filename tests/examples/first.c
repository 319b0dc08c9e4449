/* The first steps: connect, put, get.
 *
 *     first quoin://localhost:7100 [cache] */
#include <inttypes.h>
#include <stdio.h>

#include <quoin.h>

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    qn_value *value = NULL;
    int64_t balance = 0;

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *accounts = qn_open_create(grid, argc > 2 ? argv[2] : "accounts", &err);
    qn_put(accounts, qn_str("alice"), qn_int(100), NULL, &err);
    qn_get(accounts, qn_str("alice"), NULL, &value, &err);

    /* Errors are sticky: one check at the end is enough. */
    if (qn_error_failed(&err)) {
        fprintf(stderr, "%s\n", qn_explain(&err));
    } else if (qn_value_int(value, &balance) == QN_OK) {
        printf("alice has %" PRId64 "\n", balance);
    }
    qn_value_release(value);
    qn_close(grid);
    return qn_error_failed(&err);
}

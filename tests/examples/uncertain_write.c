/* What to do when a write ends without an answer: the library has repeated it under its own number
 * until the deadline, so it took effect once or not at all; qn_outcome() tells which, and settles
 * it.
 *
 *     uncertain_write quoin://localhost:7100 [cache] */
#include <stdio.h>

#include <quoin.h>

/* Ask until somebody knows. A program that ends now can keep the text and ask later. */
static enum qn_certainty settle(qn_client *grid, const char *change_id)
{
    enum qn_certainty certainty = QN_UNKNOWN;
    qn_status asked = QN_DEADLINE;

    while (asked != QN_OK && asked != QN_SESSION_EXPIRED) {
        qn_error err = QN_ERROR_INIT;
        asked = qn_outcome(grid, change_id, 2000, &certainty, NULL, &err);
        if (asked != QN_OK) {
            fprintf(stderr, "%s\n", qn_explain(&err));
        }
    }
    return certainty;
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"was not booked", "is ours", "may be ours: look"};
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;

    options.timeout_ms = 2000;
    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *seats = qn_open_create(grid, argc > 2 ? argv[2] : "seats", &err);
    qn_remove(seats, qn_str("12A"), NULL, &err);
    qn_status status = qn_put_if_absent(seats, qn_str("12A"), qn_int(4711), &options, &err);
    if (status == QN_OK) {
        printf("seat 12A is ours\n");
    } else if (status == QN_EXISTS) {
        printf("seat 12A is taken\n");
    } else {
        fprintf(stderr, "%s\n", qn_explain(&err));
        bool can_ask = err.certainty == QN_UNKNOWN && qn_change_id(&err)[0];
        printf("seat 12A %s\n", words[can_ask ? settle(grid, qn_change_id(&err)) : err.certainty]);
    }
    qn_close(grid);
    return status < 0;
}

/* What to do when a write ends without an answer: the library has repeated it under its own number
 * until the deadline, so it took effect once or not at all; a read tells which.
 *
 *     uncertain_write quoin://localhost:7100 [cache] */
#include <inttypes.h>
#include <stdio.h>

#include <quoin.h>

/* Did our booking get in? 1 = yes, 0 = no, -1 = still not known. */
static int booked(qn_cache *cache, const char *key, int64_t ticket)
{
    qn_error err = QN_ERROR_INIT;
    qn_value *value = NULL;
    int64_t found = 0;
    qn_status status = qn_get(cache, qn_str(key), NULL, &value, &err);
    bool is_ours = status == QN_OK && qn_value_int(value, &found) == QN_OK && found == ticket;

    qn_value_release(value);
    return status < 0 ? -1 : is_ours;
}

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    const int64_t ticket = 4711;

    options.timeout_ms = 2000;
    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *seats = qn_open_create(grid, argc > 2 ? argv[2] : "seats", &err);
    qn_remove(seats, qn_str("12A"), NULL, &err);
    qn_status status = qn_put_if_absent(seats, qn_str("12A"), qn_int(ticket), &options, &err);
    if (status == QN_OK) {
        printf("seat 12A is ours\n");
    } else if (status == QN_EXISTS) {
        printf("seat 12A is taken\n");
    } else {
        fprintf(stderr, "%s\n", qn_explain(&err));
        switch (err.certainty) {
        case QN_NOT_APPLIED:
            printf("nothing was booked: try again\n");
            break;
        case QN_APPLIED:
        case QN_UNKNOWN:
            printf("booked: %d\n", booked(seats, "12A", ticket));
            break;
        }
    }
    qn_close(grid);
    return status < 0;
}

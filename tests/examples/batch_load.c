/* Load many entries: a batch is sent in few large messages.
 *
 *     batch_load quoin://localhost:7100 [cache] [entries] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <quoin.h>

enum { BATCH_SIZE = 5000 };

/* An entry of a batch has its own answer: the others took effect all the same. */
static void failures_print(const qn_batch *batch, int64_t first)
{
    for (size_t i = 0; i < qn_batch_size(batch); i++) {
        if (qn_batch_status(batch, i) < 0) {
            fprintf(stderr, "key %" PRId64 ": %s\n", first + (int64_t)i,
                    qn_status_text(qn_batch_status(batch, i)));
        }
    }
}

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    int64_t total = argc > 3 ? atoll(argv[3]) : 20000;
    uint64_t count = 0;

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *cache = qn_open_create(grid, argc > 2 ? argv[2] : "squares", &err);
    qn_batch *batch = qn_batch_new(cache, &err);
    for (int64_t first = 0; first < total && !qn_error_failed(&err); first += BATCH_SIZE) {
        qn_batch_clear(batch);
        for (int64_t i = first; i < first + BATCH_SIZE && i < total; i++) {
            qn_batch_put(batch, qn_int(i), qn_int(i * i), &err);
        }
        if (qn_batch_run(batch, 0, &err) != QN_OK) {
            failures_print(batch, first);
        }
    }
    /* Made new first: otherwise it counts what the last soft commit showed. */
    const qn_options fresh = {.size = sizeof fresh, .wait_visible = true};
    qn_count(cache, &count, &fresh, &err);
    if (qn_error_failed(&err)) {
        fprintf(stderr, "%s\n", qn_explain(&err));
    } else {
        printf("%" PRIu64 " entries\n", count);
    }
    qn_batch_free(batch);
    qn_close(grid);
    return qn_error_failed(&err);
}

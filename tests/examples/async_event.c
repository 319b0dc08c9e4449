/* Calls without waiting in a loop of libevent.
 *
 *     async_event quoin://localhost:7100 [cache] */
#include <stdio.h>

#include <quoin.h>
#include <quoin/adapters/event.h>

enum { OPERATIONS = 1000 };

struct tally {
    struct event_base *base;
    int done;
    int failed;
};

/* Runs in the loop. */
static void on_done(qn_op *op, void *arg)
{
    struct tally *tally = arg;

    tally->done++;
    if (qn_op_status(op) < 0) {
        tally->failed++;
        fprintf(stderr, "%s\n", qn_explain(qn_op_error(op)));
    }
    qn_op_release(op);
    if (tally->done == OPERATIONS) {
        event_base_loopbreak(tally->base);
    }
}

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    struct tally tally = {.base = event_base_new()};
    struct event *event = NULL;

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *cache = qn_open_create(grid, argc > 2 ? argv[2] : "numbers", &err);
    for (int i = 0; i < OPERATIONS && !qn_error_failed(&err); i++) {
        qn_op_on_done(qn_put_start(cache, qn_int(i), qn_str("hello"), NULL, &err), on_done, &tally);
    }
    if (!qn_error_failed(&err) && (event = qn_event_new(tally.base, grid)) != NULL) {
        event_base_dispatch(tally.base);
        event_free(event);
        printf("%d done, %d failed\n", tally.done, tally.failed);
    } else {
        fprintf(stderr, "%s\n", qn_explain(&err));
    }
    event_base_free(tally.base);
    qn_close(grid);
    return tally.done < OPERATIONS || tally.failed > 0;
}

/* Calls without waiting in a program that has no event loop: qn_poll() waits and runs the
 * callbacks.
 *
 *     async_poll quoin://localhost:7100 [cache] */
#include <stdio.h>

#include <quoin.h>
#include <quoin/adapters/poll.h>

enum { OPERATIONS = 1000 };

struct tally {
    int done;
    int failed;
};

static void on_done(qn_op *op, void *arg)
{
    struct tally *tally = arg;

    tally->done++;
    if (qn_op_status(op) < 0) {
        tally->failed++;
        fprintf(stderr, "%s\n", qn_explain(qn_op_error(op)));
    }
    qn_op_release(op);
}

int main(int argc, char **argv)
{
    qn_error err = QN_ERROR_INIT;
    struct tally tally = {0};

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *cache = qn_open_create(grid, argc > 2 ? argv[2] : "numbers", &err);
    for (int i = 0; i < OPERATIONS && !qn_error_failed(&err); i++) {
        qn_op_on_done(qn_put_start(cache, qn_int(i), qn_str("hello"), NULL, &err), on_done, &tally);
    }
    while (tally.done < OPERATIONS && !qn_error_failed(&err)) {
        qn_poll(grid, -1);
    }
    if (qn_error_failed(&err)) {
        fprintf(stderr, "%s\n", qn_explain(&err));
    } else {
        printf("%d done, %d failed\n", tally.done, tally.failed);
    }
    qn_close(grid);
    return tally.failed > 0 || qn_error_failed(&err);
}

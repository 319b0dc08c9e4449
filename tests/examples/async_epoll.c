/* Calls without waiting, answers in a loop around epoll, beside whatever else the loop watches.
 *
 *     async_epoll quoin://localhost:7100 [cache] */
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <quoin.h>
#include <quoin/adapters/epoll.h>

enum { OPERATIONS = 1000 };

struct tally {
    int done;
    int failed;
};

/* Runs inside qn_dispatch(), on our own thread: no locks needed. */
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
    struct epoll_event event;

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *cache = qn_open_create(grid, argc > 2 ? argv[2] : "numbers", &err);
    int loop = epoll_create1(0);
    if (qn_error_failed(&err) || !qn_epoll_add(loop, grid, grid)) {
        fprintf(stderr, "%s\n", qn_explain(&err));
        return 1;
    }
    for (int i = 0; i < OPERATIONS; i++) {
        qn_op_on_done(qn_put_start(cache, qn_int(i), qn_str("hello"), NULL, &err), on_done, &tally);
    }
    while (tally.done < OPERATIONS && !qn_error_failed(&err)) {
        if (epoll_wait(loop, &event, 1, -1) > 0 && event.data.ptr == grid) {
            qn_dispatch(grid, 0);
        }
    }
    printf("%d done, %d failed\n", tally.done, tally.failed);
    close(loop);
    qn_close(grid);
    return tally.failed > 0 || qn_error_failed(&err);
}

/* Calls without waiting in a loop of libuv: each answer starts the next call.
 *
 *     async_uv quoin://localhost:7100 [cache] */
#define _GNU_SOURCE /* the header of libuv wants it under -std=c17 */
#include <stdio.h>

#include <quoin/adapters/uv.h>

enum { OPERATIONS = 1000 };

struct chain {
    qn_cache *cache;
    struct qn_uv uv;
    int done;
    qn_error err;
};

static void next_start(struct chain *chain);

static void on_done(qn_op *op, void *arg)
{
    struct chain *chain = arg;

    if (qn_op_status(op) < 0) {
        chain->err = *qn_op_error(op);
    }
    qn_op_release(op);
    if (++chain->done < OPERATIONS) {
        next_start(chain);
    } else {
        qn_uv_stop(&chain->uv, NULL);
    }
}

static void next_start(struct chain *chain)
{
    qn_op *op = qn_put_start(chain->cache, qn_int(chain->done), qn_str("hi"), NULL, &chain->err);

    if (op) {
        qn_op_on_done(op, on_done, chain);
    } else {
        qn_uv_stop(&chain->uv, NULL); /* the loop ends with its last handle */
    }
}

int main(int argc, char **argv)
{
    struct chain chain = {.err = QN_ERROR_INIT};

    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &chain.err);
    chain.cache = qn_open_create(grid, argc > 2 ? argv[2] : "numbers", &chain.err);
    if (chain.cache && qn_uv_start(&chain.uv, uv_default_loop(), grid) == 0) {
        next_start(&chain);
        uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    }
    fprintf(qn_error_failed(&chain.err) ? stderr : stdout, "%s\n", qn_explain(&chain.err));
    qn_close(grid);
    return qn_error_failed(&chain.err);
}

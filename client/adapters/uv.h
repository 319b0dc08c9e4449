/* libquoin in a loop of libuv: header only. */
#ifndef QUOIN_ADAPTERS_UV_H
#define QUOIN_ADAPTERS_UV_H

#include <uv.h>

#include <quoin.h>

/* A client in a loop. The caller's memory, until `qn_uv_stop` has been done by the loop. */
struct qn_uv {
    uv_poll_t poll;
    qn_client *client;
};

static inline void qn_uv_ready(uv_poll_t *poll, int status, int events)
{
    struct qn_uv *uv = (struct qn_uv *)poll->data;

    (void)status;
    (void)events;
    (void)qn_dispatch(uv->client, 0);
}

/* Run the client's callbacks in `loop`. 0, or an error of libuv. */
static inline int qn_uv_start(struct qn_uv *uv, uv_loop_t *loop, qn_client *client)
{
    int failed = uv_poll_init(loop, &uv->poll, qn_fd(client));

    uv->client = client;
    uv->poll.data = uv;
    return failed ? failed : uv_poll_start(&uv->poll, UV_READABLE, qn_uv_ready);
}

/* No more of them. To be called before the client is closed; `closed` may be NULL. */
static inline void qn_uv_stop(struct qn_uv *uv, uv_close_cb closed)
{
    uv_close((uv_handle_t *)&uv->poll, closed);
}

#endif

#define _GNU_SOURCE
#include "client/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "client/call.h"
#include "client/value.h"
#include "wire/assert.h"

enum { FRAMES_PER_TURN = 32 }; /* of one link, before others get their turn */

/* ---- opening and closing ---- */

/* What the session tells, for counters and log. */
static void session_told(void *arg, enum session_event event, uint32_t number)
{
    qn_client *client = arg;
    enum qn_status status;
    const char *endpoint = session_link_endpoint(client->session, number);

    switch (event) {
    case SESSION_LINK_UP:
        log_add(&client->log, QN_LOG_INFO, "connected", "endpoint=%s", endpoint);
        break;
    case SESSION_LINK_BACK:
        client->counters.reconnects++;
        log_add(&client->log, QN_LOG_WARN, "connected again", "endpoint=%s", endpoint);
        break;
    case SESSION_LINK_DOWN:
        log_add(&client->log, QN_LOG_WARN, "no answer", "endpoint=%s", endpoint);
        break;
    case SESSION_ENDED:
        log_add(&client->log, QN_LOG_WARN, "the session has ended, a new one begins",
                "partition=%u", number);
        break;
    case SESSION_NODE_REFUSED:
        log_add(&client->log, QN_LOG_WARN, "a node can not be used", "reason=\"%.100s\"",
                session_refusal(client->session, &status));
        break;
    }
}

static enum qn_status session_make(qn_client *client)
{
    const char *seeds[URI_SEEDS_MAX];
    const struct uri *address = &client->settings.address;
    struct session_options options = {.seeds = seeds,
                                      .seed_count = address->seed_count,
                                      .now_ms = clock_now_ms(),
                                      .trace = session_told,
                                      .trace_arg = client};

    for (size_t i = 0; i < address->seed_count; i++) {
        seeds[i] = address->seeds[i];
    }
    if (getrandom(&options.client, sizeof options.client, 0) != (ssize_t)sizeof options.client ||
        getrandom(&options.prng_seed, sizeof options.prng_seed, 0) !=
            (ssize_t)sizeof options.prng_seed) {
        return QN_IO;
    }
    return session_create(&options, &client->session);
}

static void locks_init(qn_client *client)
{
    (void)pthread_mutex_init(&client->mutex, NULL);
    (void)pthread_condattr_init(&client->monotonic);
    (void)pthread_condattr_setclock(&client->monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&client->role_free, NULL);
    (void)pthread_cond_init(&client->user_left, NULL);
}

enum qn_status driver_open(qn_client *client, qn_error *err)
{
    enum qn_status status = QN_OK;

    client->pid = getpid();
    list_init(&client->waiters);
    list_init(&client->room_waiters);
    list_init(&client->callbacks);
    list_init(&client->caches);
    list_init(&client->cursors);
    log_init(&client->log, setting_number(&client->settings, PROPERTY_LOG_LEVEL));
    client->state = QN_STATE_OFFLINE;
    locks_init(client);
    client->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    client->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (client->wake_fd < 0 || client->done_fd < 0) {
        status = qn_error_set(err, QN_IO, "cannot make an eventfd: %s (ulimit -n shows the limit)",
                              strerror(errno));
    } else {
        status = transport_open(&client->transport);
        status = status == QN_OK ? session_make(client) : status;
    }
    if (status != QN_OK) {
        driver_close(client);
        return qn_error_set(err, status, "cannot start the client: %s", qn_status_text(status));
    }
    return QN_OK;
}

void driver_close(qn_client *client)
{
    qn_assert(client->users == 0);
    for (size_t i = 0; i < client->peer_count; i++) {
        transport_peer_close(client->peers[i]);
    }
    transport_close(client->transport);
    session_destroy(client->session);
    if (client->wake_fd >= 0) {
        (void)close(client->wake_fd);
    }
    if (client->done_fd >= 0) {
        (void)close(client->done_fd);
    }
    log_fini(&client->log);
    (void)pthread_cond_destroy(&client->user_left);
    (void)pthread_cond_destroy(&client->role_free);
    (void)pthread_condattr_destroy(&client->monotonic);
    (void)pthread_mutex_destroy(&client->mutex);
}

/* ---- entering and leaving ---- */

/* The child of a fork shares nothing with the client but memory: not even the mutex may be used. */
static enum qn_status forked(qn_client *client, qn_error *err)
{
    if (!client->fork_told) {
        client->fork_told = true;
        log_tell_forked(&client->log, "a child process uses the client of its parent");
    }
    return qn_error_set(err, QN_FORKED,
                        "this client belongs to the parent process; connect again after fork");
}

enum qn_status driver_enter(qn_client *client, qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!client) {
        return qn_error_set(err, QN_INVALID, "no client: connect first, and check its error");
    }
    if (client->pid != getpid()) {
        return forked(client, err);
    }
    (void)pthread_mutex_lock(&client->mutex);
    if (client->closing) {
        (void)pthread_mutex_unlock(&client->mutex);
        return qn_error_set(err, QN_CLOSED, "the client is being closed");
    }
    client->users++;
    return QN_OK;
}

void driver_leave(qn_client *client)
{
    qn_assert(client->users > 0);
    log_tell(client);
    client->users--;
    if (client->closing) {
        (void)pthread_cond_signal(&client->user_left);
    }
    (void)pthread_mutex_unlock(&client->mutex);
}

/* ---- finished operations ---- */

void waiter_count_down(struct waiter *waiter)
{
    qn_assert(waiter->pending > 0);
    if (--waiter->pending == 0) {
        (void)pthread_cond_signal(&waiter->signal);
    }
}

static void value_keep(struct call *call, struct transport_frame *frame)
{
    const struct session_op *op = &call->core;

    if ((op->has_value || op->more) && frame) {
        struct value_content content = {op->result, op->result_flags, op->version,
                                        op->result_ttl_ms};
        call->value = value_create(frame, &content);
        if (!call->value) {
            call_spoil(call, QN_MEMORY_FULL);
        }
    }
}

static void call_count(struct counters *counters, const struct session_op *op)
{
    if (op->kind < SESSION_OP_CONNECT) {
        counters->operations++;
        counters->failures += op->status < 0;
        counters->unknown += op->status < 0 && op->certainty == QN_UNKNOWN;
        counters->retries += op->attempts > 1 ? op->attempts - 1 : 0;
    }
}

static void call_finish(qn_client *client, struct call *call, struct transport_frame *frame)
{
    value_keep(call, frame);
    call->is_done = true;
    call_count(&client->counters, &call->core);
    driver_uncharge(client, call);
    qn_assert(client->call_count > 0);
    client->call_count--;
    if (client->closer && client->closer->pending > 0 && client->call_count == 0) {
        waiter_count_down(client->closer);
    }
    struct waiter *waiter = call->waiter;
    if (call->op) {
        op_finished(call->op);
    }
    if (waiter) {
        waiter_count_down(waiter);
    }
}

/* `frame` has brought the answers; NULL when they came from within. */
static void deliver(qn_client *client, struct transport_frame *frame)
{
    for (struct session_op *op = session_take_done(client->session); op;
         op = session_take_done(client->session)) {
        call_finish(client, LIST_OWNER(op, struct call, core), frame);
    }
}

void driver_deliver(qn_client *client)
{
    deliver(client, NULL);
    driver_wake(client); /* what it waits for may be done now */
}

void driver_submit(qn_client *client, struct call *call)
{
    client->call_count++;
    if (client->closing) {
        /* The session is not to begin anything, a session of a partition for example. */
        call->core.status = QN_CLOSED;
        call->core.certainty = QN_NOT_APPLIED;
        call_finish(client, call, NULL);
        return;
    }
    session_start(client->session, &call->core, clock_now_ms());
    driver_deliver(client); /* and wake the driver, who sends it */
}

/* ---- callbacks and state ---- */

void driver_done_signal(const qn_client *client)
{
    uint64_t one = 1;

    if (write(client->done_fd, &one, sizeof one) < 0) {
        return; /* its counter is full: it is readable already */
    }
}

void driver_state_update(qn_client *client)
{
    enum qn_state state = QN_STATE_OFFLINE;

    switch (session_reach(client->session)) {
    case SESSION_REACH_ALL:
        state = QN_STATE_CONNECTED;
        break;
    case SESSION_REACH_SOME:
        state = QN_STATE_DEGRADED;
        break;
    case SESSION_REACH_NONE:
        break;
    }
    if (state != client->state) {
        client->state = state;
        driver_done_signal(client);
    }
}

/* ---- a turn of the driver ---- */

/* When the session wants to be stepped because of it; INT64_MAX = no need. */
static int64_t link_connect(qn_client *client, const struct session_action *action)
{
    qn_assert(action->link < DRIVER_LINKS_MAX);
    qn_assert(!client->peers[action->link]);
    if (action->link >= client->peer_count) {
        client->peer_count = action->link + 1;
    }
    if (transport_peer_open(client->transport, action->endpoint, &client->peers[action->link],
                            NULL) == QN_OK) {
        return INT64_MAX;
    }
    /* Out of descriptors, perhaps: that may pass. */
    client->peers[action->link] = NULL;
    return session_unopened(client->session, action->link);
}

static void frame_send(qn_client *client, const struct session_action *action)
{
    struct transport_peer *peer = client->peers[action->link];

    if (!peer || transport_peer_send(peer, action->frame) != QN_OK) {
        session_unsent(client->session, action->link, action->message);
    } else {
        client->counters.messages_sent++;
        client->counters.bytes_sent += action->frame.size;
    }
}

/* Let the session say what is to be done, and do it; when it wants to be asked again. */
static int64_t session_advance(qn_client *client)
{
    struct session_actions actions;

    session_step(client->session, clock_now_ms(), &actions);
    int64_t wake_at_ms = actions.wake_at_ms;
    for (size_t i = 0; i < actions.count; i++) {
        const struct session_action *action = &actions.list[i];
        switch (action->kind) {
        case SESSION_CONNECT: {
            int64_t again_at_ms = link_connect(client, action);
            wake_at_ms = again_at_ms < wake_at_ms ? again_at_ms : wake_at_ms;
            break;
        }
        case SESSION_DISCONNECT:
            transport_peer_close(client->peers[action->link]);
            client->peers[action->link] = NULL;
            break;
        case SESSION_SEND:
            frame_send(client, action);
            break;
        }
    }
    deliver(client, NULL);
    driver_state_update(client);
    return wake_at_ms;
}

static void frames_take(qn_client *client, uint32_t link)
{
    struct transport_frame *frame;

    for (int i = 0; i < FRAMES_PER_TURN; i++) {
        if (transport_peer_recv(client->peers[link], &frame) != QN_OK) {
            return;
        }
        struct bytes octets = transport_frame_bytes(frame);
        client->counters.messages_received++;
        client->counters.bytes_received += octets.size;
        session_receive(client->session, link, octets, clock_now_ms());
        deliver(client, frame);
        transport_frame_release(frame);
    }
}

static size_t waits_fill(const qn_client *client, struct transport_wait *waits, uint32_t *links)
{
    size_t count = 0;

    waits[count++] = (struct transport_wait){.fd = client->wake_fd};
    for (uint32_t link = 0; link < client->peer_count; link++) {
        if (client->peers[link]) {
            waits[count] = (struct transport_wait){
                .peer = client->peers[link],
                .want_writable = session_link_blocked(client->session, link),
            };
            links[count++] = link;
        }
    }
    return count;
}

static void wake_take(qn_client *client)
{
    uint64_t ignored;

    client->wake_sent = false;
    if (read(client->wake_fd, &ignored, sizeof ignored) < 0) {
        return; /* nothing was written: no matter */
    }
}

void driver_wake(qn_client *client)
{
    uint64_t one = 1;

    if (client->polling && !client->wake_sent) {
        client->wake_sent = write(client->wake_fd, &one, sizeof one) == (ssize_t)sizeof one;
    }
}

static void events_take(qn_client *client, const struct transport_wait *waits,
                        const uint32_t *links, size_t count)
{
    if (waits[0].readable) {
        wake_take(client);
    }
    for (size_t i = 1; i < count; i++) {
        if (waits[i].readable) {
            frames_take(client, links[i]);
        }
        if (waits[i].writable) {
            session_writable(client->session, links[i], clock_now_ms());
        }
    }
}

/* Wait for the sockets without the mutex, which others need meanwhile. */
static void sockets_wait(qn_client *client, int64_t timeout_ms)
{
    struct transport_wait waits[DRIVER_LINKS_MAX + 1];
    uint32_t links[DRIVER_LINKS_MAX + 1];
    size_t count = waits_fill(client, waits, links);

    client->polling = true;
    log_tell(client);
    (void)pthread_mutex_unlock(&client->mutex);
    (void)transport_wait(waits, count, timeout_ms);
    (void)pthread_mutex_lock(&client->mutex);
    client->polling = false;
    events_take(client, waits, links, count);
}

int64_t driver_timeout_ms(int64_t until_ms)
{
    if (until_ms == INT64_MAX) {
        return -1;
    }
    int64_t left = until_ms - clock_now_ms();
    return left < 0 ? 0 : left;
}

void driver_turn(qn_client *client, const struct waiter *waiter, int64_t until_ms)
{
    int64_t wake_at_ms = session_advance(client);

    if (!waiter || waiter->pending > 0) {
        sockets_wait(client, driver_timeout_ms(wake_at_ms < until_ms ? wake_at_ms : until_ms));
    }
}

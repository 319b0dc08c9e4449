#include "node/admin/admin.h"

#include <stdlib.h>
#include <unistd.h>

#include <microhttpd.h>

#include "node/admin/listener.h"
#include "node/admin/metrics.h"
#include "node/admin/route.h"
#include "wire/assert.h"

enum {
    CONNECTIONS_MAX = 64,         /* a scraper, a health check, a person or two */
    IDLE_TIMEOUT_S = 10,          /* a connection that says nothing for so long is closed */
    CONNECTION_MEMORY = 8 * 1024, /* request line and headers; more is answered with 431 or 414 */
};

struct admin {
    struct MHD_Daemon *daemon;
    struct admin_options options;
    uint16_t port;
};

/* From the request line on until the answer has been sent. */
struct request {
    bool headers_seen;
    char target[]; /* as it came, escapes and query included */
};

static const char type_text[] = "text/plain; charset=utf-8";
static const char type_json[] = "application/json";
static const char type_metrics[] = "text/plain; version=0.0.4; charset=utf-8";

struct answer {
    unsigned code;
    const char *type;
    const char *allow; /* value of the Allow header; NULL = none */
    struct text body;
};

/* Hands the body's memory to the response, which frees it. */
static struct MHD_Response *response_create(struct answer *answer)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer->body.buf.size, answer->body.buf.data, MHD_RESPMEM_MUST_FREE);

    if (!response) {
        return NULL;
    }
    answer->body.buf = (struct buf){0};
    bool added =
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type) == MHD_YES &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") == MHD_YES &&
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES &&
        (!answer->allow ||
         MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow) == MHD_YES);
    if (!added) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

/* Without memory for an answer the connection is closed: MHD_NO says so. */
static enum MHD_Result answer_send(struct MHD_Connection *connection, struct answer *answer)
{
    struct MHD_Response *response = answer->body.failed ? NULL : response_create(answer);

    buf_fini(&answer->body.buf);
    if (!response) {
        return MHD_NO;
    }
    enum MHD_Result result = MHD_queue_response(connection, answer->code, response);
    MHD_destroy_response(response);
    return result;
}

static void snapshot_take(const struct admin *admin, struct admin_snapshot *snapshot)
{
    admin->options.snapshot(admin->options.arg, snapshot);
}

static void health_answer(const struct admin *admin, const struct route *route,
                          struct answer *answer)
{
    struct admin_snapshot snapshot = {0};

    snapshot_take(admin, &snapshot);
    answer->code =
        health_yes(route->question, &snapshot) ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
    if (route->verbose) {
        answer->type = type_json;
        health_write_json(&answer->body, route->question, &snapshot);
    } else {
        health_write_text(&answer->body, route->question, &snapshot);
    }
}

static void metrics_answer(const struct admin *admin, struct answer *answer)
{
    struct admin_cache rows[ADMIN_CACHE_ROWS] = {0};
    struct admin_snapshot snapshot = {.cache_rows = rows, .cache_room = ADMIN_CACHE_ROWS};

    snapshot_take(admin, &snapshot);
    struct process_figures process = process_read();
    answer->type = type_metrics;
    metrics_write(&answer->body, &snapshot, &process);
}

static void route_answer(const struct admin *admin, const struct route *route,
                         struct answer *answer)
{
    switch (route->page) {
    case ROUTE_HEALTH:
        health_answer(admin, route, answer);
        return;
    case ROUTE_METRICS:
        metrics_answer(admin, answer);
        return;
    case ROUTE_INDEX:
        text_add(&answer->body, "%s", route_index);
        return;
    case ROUTE_NOT_FOUND:
        answer->code = MHD_HTTP_NOT_FOUND;
        text_add(&answer->body, "There is no such page. There are:\n\n%s", route_index);
        return;
    case ROUTE_REFUSED:
        answer->code = MHD_HTTP_METHOD_NOT_ALLOWED;
        answer->allow = "GET, HEAD";
        text_add(&answer->body, "Only GET and HEAD: nothing can be changed here.\n");
        return;
    }
}

/* Called by libmicrohttpd with the request line, before it looks into it. NULL (no memory) makes
 * on_request close the connection. */
static void *on_target(void *arg, const char *target, struct MHD_Connection *connection)
{
    size_t size = strlen(target) + 1;
    struct request *request = malloc(sizeof *request + size);

    (void)arg;
    (void)connection;
    if (request) {
        request->headers_seen = false;
        memcpy(request->target, target, size);
    }
    return request;
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
    (void)arg;
    (void)connection;
    (void)code;
    free(*request);
    *request = NULL;
}

/* Called by libmicrohttpd, on its thread: once the headers of a request are there, then for what
 * there is of a body, then at the end. A method that is refused is refused at once, which ends the
 * connection, so that no body is read. Others are answered at the end and the connection stays. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *http_version, const char *upload,
                                  size_t *upload_size, void **state)
{
    struct answer answer = {.code = MHD_HTTP_OK, .type = type_text};
    struct request *request = *state;

    (void)path;
    (void)http_version;
    (void)upload;
    if (!request || *upload_size > 0) {
        return MHD_NO; /* nobody sends a body with a GET in good faith */
    }
    struct route route = route_of(method, request->target);
    if (!request->headers_seen && route.page != ROUTE_REFUSED) {
        request->headers_seen = true;
        return MHD_YES;
    }
    route_answer(arg, &route, &answer);
    return answer_send(connection, &answer);
}

/* epoll and not select or poll: select stops working once the process has 1024 descriptors open,
 * which a node with many clients has. */
static struct MHD_Daemon *daemon_start(struct admin *admin, int fd)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, on_request, admin,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_URI_LOG_CALLBACK, on_target, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
}

enum qn_status admin_open(const struct admin_options *options, struct admin **admin, qn_error *err)
{
    qn_assert(options->snapshot);
    int fd;
    enum qn_status status = listener_open(options->bind, options->port, &fd, err);
    if (status != QN_OK) {
        return status;
    }
    struct admin *made = calloc(1, sizeof *made);
    if (!made) {
        (void)close(fd);
        return qn_error_set(err, QN_MEMORY_FULL, "no memory for the admin server");
    }
    made->options = *options;
    made->port = listener_port(fd);
    made->daemon = daemon_start(made, fd); /* which closes `fd` when it is stopped */
    if (!made->daemon) {
        (void)close(fd);
        free(made);
        return qn_error_set(err, QN_IO,
                            "cannot start the admin server on %s:%u: raise the limits on open "
                            "files and threads (ulimit -n, ulimit -u)",
                            options->bind, (unsigned)options->port);
    }
    *admin = made;
    return QN_OK;
}

uint16_t admin_port(const struct admin *admin)
{
    return admin->port;
}

void admin_close(struct admin *admin)
{
    if (admin) {
        MHD_stop_daemon(admin->daemon);
        free(admin);
    }
}

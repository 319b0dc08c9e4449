#include "node/admin/admin.h"

#include <stdlib.h>
#include <unistd.h>

#include <microhttpd.h>

#include "node/admin/health.h"
#include "node/admin/listener.h"
#include "node/admin/metrics.h"
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

enum page_kind { PAGE_HEALTH, PAGE_METRICS, PAGE_LIST };

struct page {
    const char *path;
    enum page_kind kind;
    enum health_question question; /* of PAGE_HEALTH */
};

static const struct page pages[] = {
    {"/livez", PAGE_HEALTH, HEALTH_LIVE},    {"/startedz", PAGE_HEALTH, HEALTH_STARTED},
    {"/readyz", PAGE_HEALTH, HEALTH_READY},  {"/safez", PAGE_HEALTH, HEALTH_SAFE},
    {"/metrics", PAGE_METRICS, HEALTH_LIVE}, {"/", PAGE_LIST, HEALTH_LIVE},
};

static const char type_text[] = "text/plain; charset=utf-8";
static const char type_json[] = "application/json";
static const char type_metrics[] = "text/plain; version=0.0.4; charset=utf-8";
static const char list_text[] =
    "/livez     200 while the process and its threads respond\n"
    "/startedz  200 once recovery has finished\n"
    "/readyz    200 when every partition it should serve is served\n"
    "/safez     200 when stopping this node now would lose or block nothing\n"
    "/metrics   figures for Prometheus\n"
    "Health answers 503 with the reason otherwise, and JSON to ?verbose.\n";

struct answer {
    unsigned code;
    const char *type;
    const char *allow; /* value of the Allow header; NULL = none */
    struct text body;
};

static const struct page *page_find(const char *path)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(pages[i].path, path) == 0) {
            return &pages[i];
        }
    }
    return NULL;
}

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

/* "?verbose", with or without a value, but for an express no. */
static bool is_verbose(struct MHD_Connection *connection)
{
    static const char name[] = "verbose";
    const char *value = NULL;

    if (MHD_lookup_connection_value_n(connection, MHD_GET_ARGUMENT_KIND, name, sizeof name - 1,
                                      &value, NULL) != MHD_YES) {
        return false;
    }
    return !value || (strcmp(value, "0") != 0 && strcmp(value, "false") != 0);
}

static void health_answer(struct answer *answer, enum health_question question, bool verbose,
                          const struct admin_snapshot *snapshot)
{
    answer->code = health_yes(question, snapshot) ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
    if (verbose) {
        answer->type = type_json;
        health_write_json(&answer->body, question, snapshot);
    } else {
        health_write_text(&answer->body, question, snapshot);
    }
}

static void page_answer(const struct admin *admin, const struct page *page, bool verbose,
                        struct answer *answer)
{
    struct admin_snapshot snapshot = {0};
    struct process_figures process;

    switch (page->kind) {
    case PAGE_HEALTH:
        admin->options.snapshot(admin->options.arg, &snapshot);
        health_answer(answer, page->question, verbose, &snapshot);
        return;
    case PAGE_METRICS:
        admin->options.snapshot(admin->options.arg, &snapshot);
        process = process_read();
        answer->type = type_metrics;
        metrics_write(&answer->body, &snapshot, &process);
        return;
    case PAGE_LIST:
        text_add(&answer->body, "%s", list_text);
        return;
    }
}

static void request_answer(const struct admin *admin, struct MHD_Connection *connection,
                           const char *path, struct answer *answer)
{
    const struct page *page = page_find(path);

    if (page) {
        page_answer(admin, page, is_verbose(connection), answer);
    } else {
        answer->code = MHD_HTTP_NOT_FOUND;
        text_add(&answer->body, "There is no such page. There are:\n\n%s", list_text);
    }
}

/* Called by libmicrohttpd, on its thread: once the headers of a request are there, then for what
 * there is of a body, then at the end. A method that is refused is refused at once, which ends the
 * connection, so that no body is read. Others are answered at the end and the connection stays. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *http_version, const char *upload,
                                  size_t *upload_size, void **request)
{
    struct answer answer = {.code = MHD_HTTP_OK, .type = type_text};

    (void)http_version;
    (void)upload;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        answer.code = MHD_HTTP_METHOD_NOT_ALLOWED;
        answer.allow = "GET, HEAD";
        text_add(&answer.body, "Only GET and HEAD: nothing can be changed here.\n");
        return answer_send(connection, &answer);
    }
    if (!*request) {
        *request = arg; /* any mark: the headers have been seen */
        return MHD_YES;
    }
    if (*upload_size > 0) {
        return MHD_NO; /* nobody sends a body with a GET in good faith */
    }
    request_answer(arg, connection, path, &answer);
    return answer_send(connection, &answer);
}

/* epoll and not select or poll: select stops working once the process has 1024 descriptors open,
 * which a node with many clients has. */
static struct MHD_Daemon *daemon_start(struct admin *admin, int fd)
{
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, on_request,
                            admin, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
                            (unsigned)IDLE_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
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

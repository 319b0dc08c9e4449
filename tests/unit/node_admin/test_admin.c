#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "node/admin/admin.h"
#include "tests/lib/check.h"
#include "tests/unit/node_admin/http.h"

static const char reason[] = "3 of 16 partitions are \"damaged\": see the log";

static void snapshot_good(void *arg, struct admin_snapshot *snapshot)
{
    (void)arg;
    snapshot->version = "1.2.3";
    snapshot->node = 7;
    snapshot->live = snapshot->started = snapshot->ready = snapshot->safe = true;
    snapshot->partitions_held = snapshot->leading = 16;
    snapshot->entries = 42;
    snapshot->caches = 1;
    snapshot->ops[0] = (struct admin_op){.name = "get", .count = {.ok = 5}};
    struct admin_cache *row = admin_cache_row(snapshot, "orders");
    if (row) {
        row->entries += 42;
        row->ops[0].ok += 6;
    }
    /* Left over from before: must not show where the answer is yes. */
    (void)snprintf(snapshot->reason, sizeof snapshot->reason, "stale");
}

static void snapshot_bad(void *arg, struct admin_snapshot *snapshot)
{
    (void)arg;
    snapshot->version = "1.2.3";
    snapshot->node = 7;
    (void)snprintf(snapshot->reason, sizeof snapshot->reason, "%s", reason);
}

static void snapshot_silent(void *arg, struct admin_snapshot *snapshot)
{
    (void)arg;
    snapshot->version = "1.2.3";
}

static struct admin *open_on(const char *address, void (*snapshot)(void *, struct admin_snapshot *))
{
    struct admin_options options = {.bind = address, .snapshot = snapshot};
    qn_error err = QN_ERROR_INIT;
    struct admin *admin = NULL;

    if (admin_open(&options, &admin, &err) != QN_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_not_equal(admin_port(admin), 0);
    return admin;
}

static struct http_reply *get(const struct admin *admin, const char *path)
{
    return http_ask(admin_port(admin), "GET", path, "", "");
}

static void check_get(const struct admin *admin, const char *path, int code, const char *body)
{
    struct http_reply *reply = get(admin, path);

    assert_int_equal(reply->code, code);
    assert_string_equal(reply->body, body);
    assert_non_null(strstr(reply->head, "Content-Type: text/plain; charset=utf-8\r\n"));
    assert_non_null(strstr(reply->head, "Cache-Control: no-store\r\n"));
    free(reply);
}

static const char *const questions[] = {"/livez", "/startedz", "/readyz", "/safez"};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* A node that is well answers 200 and nothing else than "ok". */
static void health_of_a_sound_node_is_200(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);

    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++) {
        check_get(admin, questions[i], 200, "ok\n");
    }
    admin_close(admin);
}

/* Otherwise the answer is 503, and the body says why. */
static void health_of_an_unsound_node_is_503_with_the_reason(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_bad);
    char body[ADMIN_REASON_MAX + 2];

    (void)state;
    (void)snprintf(body, sizeof body, "%s\n", reason);
    for (size_t i = 0; i < QUESTIONS; i++) {
        check_get(admin, questions[i], 503, body);
    }
    admin_close(admin);
}

/* A no without a given reason still says something. */
static void health_without_a_reason_has_a_text(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_silent);

    (void)state;
    check_get(admin, "/livez", 503, "the node does not move\n");
    check_get(admin, "/startedz", 503, "the node is starting\n");
    check_get(admin, "/readyz", 503, "not every partition is served\n");
    check_get(admin, "/safez", 503, "stopping this node would lose or block something\n");
    admin_close(admin);
}

static json_t *get_json(const struct admin *admin, const char *path, int code)
{
    struct http_reply *reply = get(admin, path);
    json_error_t error;

    assert_int_equal(reply->code, code);
    assert_non_null(strstr(reply->head, "Content-Type: application/json\r\n"));
    json_t *json = json_loads(reply->body, JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        fail_msg("%s: %s in %s", path, error.text, reply->body);
    }
    free(reply);
    return json;
}

/* ?verbose gives the same verdict as a JSON object with all four answers. */
static void verbose_health_is_json(void **state)
{
    struct admin *good = open_on("127.0.0.1", snapshot_good);
    struct admin *bad = open_on("127.0.0.1", snapshot_bad);

    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "%s?verbose", questions[i]);
        json_t *yes = get_json(good, path, 200);
        json_t *no = get_json(bad, path, 503);
        assert_true(json_is_true(json_object_get(yes, "ok")));
        assert_string_equal(json_string_value(json_object_get(yes, "reason")), "");
        assert_string_equal(json_string_value(json_object_get(yes, "version")), "1.2.3");
        assert_int_equal(json_integer_value(json_object_get(yes, "entries")), 42);
        assert_true(json_is_true(json_object_get(yes, "safe")));
        assert_true(json_is_false(json_object_get(no, "ok")));
        assert_int_equal(json_integer_value(json_object_get(no, "node")), 7);
        assert_string_equal(json_string_value(json_object_get(no, "reason")), reason);
        json_decref(yes);
        json_decref(no);
    }
    admin_close(good);
    admin_close(bad);
}

/* verbose takes an express no; other arguments are ignored. */
static void verbose_has_a_no(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);

    (void)state;
    json_decref(get_json(admin, "/livez?verbose=1", 200));
    json_decref(get_json(admin, "/livez?a=b&verbose=true", 200));
    check_get(admin, "/livez?verbose=0", 200, "ok\n");
    check_get(admin, "/livez?verbose=false", 200, "ok\n");
    check_get(admin, "/livez?other", 200, "ok\n");
    admin_close(admin);
}

/* The request line is read as it came: with host before the path, with escapes in it. */
static void targets_have_several_forms(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);

    (void)state;
    check_get(admin, "http://localhost:80/livez", 200, "ok\n");
    check_get(admin, "/live%7a", 200, "ok\n");
    json_decref(get_json(admin, "http://localhost/livez?a&verbose", 200));
    admin_close(admin);
}

/* HEAD answers as GET, without the body. */
static void head_has_the_headers_of_get_and_no_body(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);
    struct http_reply *reply = http_ask(admin_port(admin), "HEAD", "/livez", "", "");

    (void)state;
    assert_int_equal(reply->code, 200);
    assert_non_null(strstr(reply->head, "Content-Length: 3\r\n"));
    assert_string_equal(reply->body, "");
    free(reply);
    admin_close(admin);
}

/* A scraper comes every few seconds and need not connect each time. */
static void connections_stay_open(void **state)
{
    static const char requests[] = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
                                   "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    struct admin *admin = open_on("127.0.0.1", snapshot_good);
    int fd = http_connect("127.0.0.1", admin_port(admin));
    struct http_reply *reply = http_ask_raw(fd, requests, sizeof requests - 1);

    (void)state;
    assert_int_equal(reply->code, 200);
    assert_memory_equal(reply->body, "ok\nHTTP/1.1 200", 15);
    free(reply);
    admin_close(admin);
}

/* A GET that brings a body is not waited for. */
static void body_of_a_get_is_refused(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);
    struct http_reply *reply =
        http_ask(admin_port(admin), "GET", "/livez", "Content-Length: 1000000\r\n", "hello");

    (void)state;
    assert_int_equal(reply->code, 0);
    free(reply);
    check_get(admin, "/livez", 200, "ok\n");
    admin_close(admin);
}

/* Nothing can be changed over HTTP: every other method is refused, with or without a body. */
static void other_methods_are_405(void **state)
{
    static const char *const methods[] = {"POST", "PUT", "DELETE", "PATCH", "BREW"};
    struct admin *admin = open_on("127.0.0.1", snapshot_good);

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        for (int with_body = 0; with_body < 2; with_body++) {
            struct http_reply *reply =
                http_ask(admin_port(admin), methods[i], "/livez",
                         with_body ? "Content-Length: 5\r\n" : "", with_body ? "hello" : "");
            assert_int_equal(reply->code, 405);
            assert_non_null(strstr(reply->head, "Allow: GET, HEAD\r\n"));
            free(reply);
        }
    }
    admin_close(admin);
}

static void check_lists_pages(const struct admin *admin, const char *path, int code)
{
    struct http_reply *reply = get(admin, path);

    assert_int_equal(reply->code, code);
    for (size_t i = 0; i < QUESTIONS; i++) {
        assert_non_null(strstr(reply->body, questions[i]));
    }
    assert_non_null(strstr(reply->body, "/metrics"));
    free(reply);
}

/* Who asks for a page that is not there learns which ones are. */
static void unknown_pages_are_404_with_the_list(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);

    (void)state;
    check_lists_pages(admin, "/", 200);
    check_lists_pages(admin, "/healthz", 404);
    check_lists_pages(admin, "/livez/", 404);
    check_lists_pages(admin, "/LIVEZ", 404);
    check_lists_pages(admin, "/../../etc/passwd", 404);
    admin_close(admin);
}

/* Send and hang up. */
static void send_only(const struct admin *admin, const char *data, size_t size)
{
    int fd = http_connect("127.0.0.1", admin_port(admin));

    (void)send(fd, data, size, MSG_NOSIGNAL);
    (void)close(fd);
}

/* What is no HTTP, or too much of it, gets an error or no answer, and the server goes on. */
static void rubbish_does_not_stop_the_server(void **state)
{
    static const char zeros[] = "\0\0\0\0\xff\xff\r\n\r\n";
    struct admin *admin = open_on("127.0.0.1", snapshot_good);
    size_t size = 64 * 1024;
    char *much = malloc(size);

    (void)state;
    assert_non_null(much);
    memset(much, 'a', size);
    memcpy(much, "GET /", 5);
    int fd = http_connect("127.0.0.1", admin_port(admin));
    struct http_reply *reply = http_ask_raw(fd, much, size);
    assert_int_not_equal(reply->code, 200);
    free(reply);
    send_only(admin, zeros, sizeof zeros - 1);
    send_only(admin, "GET", 3);
    send_only(admin, "", 0);
    free(much);
    check_get(admin, "/livez", 200, "ok\n");
    admin_close(admin);
}

/* /metrics says in its type which format it has. */
static void metrics_have_the_type_of_the_format(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);
    struct http_reply *reply = get(admin, "/metrics");

    (void)state;
    assert_int_equal(reply->code, 200);
    assert_non_null(strstr(reply->head, "text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert_non_null(strstr(reply->body, "\nquoin_entries{cache=\"orders\"} 42\n"));
    assert_non_null(strstr(reply->body, "{cache=\"\",op=\"get\",result=\"ok\"} 5\n"));
    assert_non_null(strstr(reply->body, "{cache=\"orders\",op=\"get\",result=\"ok\"} 6\n"));
    free(reply);
    admin_close(admin);
}

/* A taken port is an error that names the address and says what to do. */
static void port_in_use_is_an_error_that_helps(void **state)
{
    struct admin *first = open_on("127.0.0.1", snapshot_good);
    struct admin_options options = {
        .bind = "127.0.0.1", .port = admin_port(first), .snapshot = snapshot_good};
    qn_error err = QN_ERROR_INIT;
    struct admin *second = NULL;
    char expected[QN_ERROR_TEXT_MAX];

    (void)state;
    (void)snprintf(expected, sizeof expected,
                   "cannot listen on 127.0.0.1:%u: address already in use; choose another "
                   "admin.port or stop the process that holds it (ss -ltnp)",
                   (unsigned)admin_port(first));
    assert_int_equal(admin_open(&options, &second, &err), QN_IO);
    assert_string_equal(err.text, expected);
    assert_null(second);
    admin_close(first);
}

static void check_refused(const char *address, enum qn_status status, const char *part)
{
    struct admin_options options = {.bind = address, .snapshot = snapshot_good};
    qn_error err = QN_ERROR_INIT;
    struct admin *admin = NULL;

    assert_int_equal(admin_open(&options, &admin, &err), status);
    assert_non_null(strstr(err.text, part));
    assert_null(admin);
}

/* An address that is none, or another machine's, is refused with an example or a reason. */
static void wrong_addresses_are_refused(void **state)
{
    (void)state;
    check_refused("everywhere", QN_INVALID, "\"everywhere\" is not an IPv4 or IPv6 address");
    check_refused("", QN_INVALID, "write one such as 127.0.0.1 or ::1");
    check_refused("127.0.0.1:80", QN_INVALID, "is not an IPv4 or IPv6 address");
    check_refused("192.0.2.1", QN_IO, "cannot listen on 192.0.2.1:0: this machine has no such");
}

static bool has_ipv6(void)
{
    struct admin_options options = {.bind = "::1", .snapshot = snapshot_good};
    struct admin *admin = NULL;

    if (admin_open(&options, &admin, NULL) != QN_OK) {
        return false;
    }
    admin_close(admin);
    return true;
}

static void check_reachable(const char *bind_to, const char *address)
{
    static const char request[] = "GET /livez HTTP/1.0\r\n\r\n";
    struct admin *admin = open_on(bind_to, snapshot_good);
    struct http_reply *reply =
        http_ask_raw(http_connect(address, admin_port(admin)), request, sizeof request - 1);

    assert_int_equal(reply->code, 200);
    free(reply);
    admin_close(admin);
}

/* Every form of an address that the settings allow can be bound. */
static void addresses_of_both_kinds_are_served(void **state)
{
    (void)state;
    check_reachable("0.0.0.0", "127.0.0.1");
    check_reachable("*", "127.0.0.1");
    if (!has_ipv6()) {
        print_message("no IPv6 here: its part is left out\n");
        return;
    }
    check_reachable("::1", "::1");
    check_reachable("[::1]", "::1");
    check_reachable("::", "::1");
    check_reachable("::", "127.0.0.1");
}

/* A node has thousands of descriptors; the server answers where select would not. */
static void works_with_more_than_1024_descriptors(void **state)
{
    enum { MANY = 1100 };
    static int fds[MANY];
    struct rlimit before, raised;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    raised = before;
    raised.rlim_cur = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &raised), 0);
    size_t opened = 0;
    while (opened < MANY && (fds[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        opened++;
    }
    if (opened == MANY) {
        struct admin *admin = open_on("127.0.0.1", snapshot_good);
        check_get(admin, "/livez", 200, "ok\n");
        admin_close(admin);
    } else {
        print_message("the limit on descriptors is too low here: left out\n");
    }
    while (opened > 0) {
        (void)close(fds[--opened]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Closing gives the port back, takes idle connections along, and copes with NULL. */
static void close_gives_the_port_back(void **state)
{
    struct admin *admin = open_on("127.0.0.1", snapshot_good);
    uint16_t port = admin_port(admin);
    int idle = http_connect("127.0.0.1", port);

    (void)state;
    check_get(admin, "/livez", 200, "ok\n");
    admin_close(admin);
    struct admin_options options = {.bind = "127.0.0.1", .port = port, .snapshot = snapshot_good};
    assert_int_equal(admin_open(&options, &admin, NULL), QN_OK);
    check_get(admin, "/livez", 200, "ok\n");
    admin_close(admin);
    (void)close(idle);
    admin_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(health_of_a_sound_node_is_200),
        cmocka_unit_test(health_of_an_unsound_node_is_503_with_the_reason),
        cmocka_unit_test(health_without_a_reason_has_a_text),
        cmocka_unit_test(verbose_health_is_json),
        cmocka_unit_test(verbose_has_a_no),
        cmocka_unit_test(targets_have_several_forms),
        cmocka_unit_test(head_has_the_headers_of_get_and_no_body),
        cmocka_unit_test(connections_stay_open),
        cmocka_unit_test(body_of_a_get_is_refused),
        cmocka_unit_test(other_methods_are_405),
        cmocka_unit_test(unknown_pages_are_404_with_the_list),
        cmocka_unit_test(rubbish_does_not_stop_the_server),
        cmocka_unit_test(metrics_have_the_type_of_the_format),
        cmocka_unit_test(port_in_use_is_an_error_that_helps),
        cmocka_unit_test(wrong_addresses_are_refused),
        cmocka_unit_test(addresses_of_both_kinds_are_served),
        cmocka_unit_test(works_with_more_than_1024_descriptors),
        cmocka_unit_test(close_gives_the_port_back),
    };

    return RUN_TESTS(tests);
}

#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/check.h"
#include "wire/transport/transport.h"

enum { WAIT_MS = 20000 };

static struct transport_frame *peer_frame(struct transport_peer *peer)
{
    struct transport_frame *frame = NULL;
    struct transport_wait wait = {.peer = peer};
    int64_t end = clock_now_ms() + WAIT_MS;

    while (transport_peer_recv(peer, &frame) == QN_ABSENT && clock_now_ms() < end) {
        (void)transport_wait(&wait, 1, 100);
    }
    return frame;
}

static struct transport_frame *server_frame(struct transport_server *server,
                                            struct transport_route *route)
{
    struct transport_frame *frame = NULL;
    struct transport_wait wait = {.server = server};
    int64_t end = clock_now_ms() + WAIT_MS;

    while (transport_server_recv(server, route, &frame) == QN_ABSENT && clock_now_ms() < end) {
        (void)transport_wait(&wait, 1, 100);
    }
    return frame;
}

static void peer_send(struct transport_peer *peer, const char *text)
{
    struct transport_wait wait = {.peer = peer, .want_writable = true};
    int64_t end = clock_now_ms() + WAIT_MS;
    enum qn_status status;

    while ((status = transport_peer_send(peer, bytes_of_text(text))) == QN_OVERLOADED &&
           clock_now_ms() < end) {
        (void)transport_wait(&wait, 1, 100);
    }
    assert_int_equal(status, QN_OK);
}

/* A frame goes out and its answer comes back by the route of the question. */
static void an_answer_finds_its_way_back(void **state)
{
    struct transport *transport;
    struct transport_server *server;
    struct transport_peer *peer;
    struct transport_route route;

    (void)state;
    assert_int_equal(transport_open(&transport), QN_OK);
    assert_int_equal(transport_server_open(transport, "tcp://127.0.0.1:*", &server, NULL), QN_OK);
    assert_int_equal(transport_peer_open(transport, transport_server_endpoint(server), &peer, NULL),
                     QN_OK);
    peer_send(peer, "question");
    struct transport_frame *question = server_frame(server, &route);
    assert_non_null(question);
    assert_bytes_equal(transport_frame_bytes(question), bytes_of_text("question"));
    assert_int_equal(transport_server_send(server, &route, bytes_of_text("answer")), QN_OK);
    struct transport_frame *answer = peer_frame(peer);
    assert_non_null(answer);
    assert_bytes_equal(transport_frame_bytes(answer), bytes_of_text("answer"));
    transport_frame_release(transport_frame_retain(answer));
    transport_frame_release(answer);
    transport_frame_release(question);
    transport_peer_close(peer);
    transport_server_close(server);
    transport_close(transport);
}

/* Without a connection a send is refused at once, and nothing is queued for a later process. */
static void nothing_is_sent_before_a_connection(void **state)
{
    struct transport *transport;
    struct transport_peer *peer;

    (void)state;
    assert_int_equal(transport_open(&transport), QN_OK);
    assert_int_equal(transport_peer_open(transport, "tcp://127.0.0.1:1", &peer, NULL), QN_OK);
    assert_int_equal(transport_peer_send(peer, bytes_of_text("lost?")), QN_OVERLOADED);
    transport_peer_close(peer);
    transport_close(transport);
}

/* A route that leads nowhere is an error, not a silent loss. */
static void an_answer_to_nobody_is_refused(void **state)
{
    struct transport *transport;
    struct transport_server *server;
    struct transport_route route = {.size = 5, .octets = {0, 1, 2, 3, 4}};

    (void)state;
    assert_int_equal(transport_open(&transport), QN_OK);
    assert_int_equal(transport_server_open(transport, "tcp://127.0.0.1:*", &server, NULL), QN_OK);
    assert_int_equal(transport_server_send(server, &route, bytes_of_text("x")), QN_UNREACHABLE);
    transport_server_close(server);
    transport_close(transport);
}

/* A process that connects to the endpoint it reads from `in`, says "slow", and stops reading. */
static void slow_process(int in)
{
    struct transport *transport;
    struct transport_peer *peer;
    char endpoint[256] = {0};

    if (read(in, endpoint, sizeof endpoint - 1) <= 0 || transport_open(&transport) != QN_OK ||
        transport_peer_open(transport, endpoint, &peer, NULL) != QN_OK) {
        _exit(1);
    }
    peer_send(peer, "slow");
    struct transport_frame *frame = peer_frame(peer);
    transport_frame_release(frame);
    (void)raise(SIGSTOP);
    _exit(0);
}

/* Send to the stopped process until it is refused. */
static void fill_queue(struct transport_server *server, const struct transport_route *route)
{
    static uint8_t octets[8 * 1024 * 1024];
    enum qn_status status = QN_OK;
    int sent = 0;

    while (status == QN_OK && sent < 100) {
        status = transport_server_send(server, route, bytes_of(octets, sizeof octets));
        sent++;
    }
    assert_int_equal(status, QN_OVERLOADED);
}

/* A peer that does not read is refused before its queue takes all memory; others are served. */
static void a_slow_reader_is_bounded_by_octets(void **state)
{
    static uint8_t octets[20000];
    struct transport *transport;
    struct transport_server *server;
    struct transport_peer *other;
    struct transport_route to_slow, to_other;
    int pipe_fd[2], stopped;

    (void)state;
    assert_int_equal(pipe(pipe_fd), 0);
    pid_t child = fork();
    if (child == 0) {
        slow_process(pipe_fd[0]);
    }
    assert_int_equal(transport_open(&transport), QN_OK);
    assert_int_equal(transport_server_open(transport, "tcp://127.0.0.1:*", &server, NULL), QN_OK);
    const char *endpoint = transport_server_endpoint(server);
    assert_true(write(pipe_fd[1], endpoint, strlen(endpoint)) > 0);
    transport_frame_release(server_frame(server, &to_slow));
    assert_int_equal(transport_server_send(server, &to_slow, bytes_of_text("stop")), QN_OK);
    assert_int_equal(waitpid(child, &stopped, WUNTRACED), child);
    assert_true(WIFSTOPPED(stopped));

    assert_int_equal(transport_peer_open(transport, endpoint, &other, NULL), QN_OK);
    peer_send(other, "other");
    transport_frame_release(server_frame(server, &to_other));
    fill_queue(server, &to_slow);
    assert_int_equal(transport_server_send(server, &to_other, bytes_of(octets, sizeof octets)),
                     QN_OK);
    struct transport_frame *frame = peer_frame(other);
    assert_non_null(frame);
    assert_int_equal(transport_frame_bytes(frame).size, sizeof octets);
    transport_frame_release(frame);

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &stopped, 0), child);
    (void)close(pipe_fd[0]);
    (void)close(pipe_fd[1]);
    transport_peer_close(other);
    transport_server_close(server);
    transport_close(transport);
}

/* An address in use is refused with words that say what to do. */
static void an_address_in_use_is_explained(void **state)
{
    struct transport *transport;
    struct transport_server *first, *second;
    qn_error err = QN_ERROR_INIT;

    (void)state;
    assert_int_equal(transport_open(&transport), QN_OK);
    assert_int_equal(transport_server_open(transport, "tcp://127.0.0.1:*", &first, NULL), QN_OK);
    assert_int_equal(
        transport_server_open(transport, transport_server_endpoint(first), &second, &err), QN_IO);
    assert_non_null(strstr(err.text, "node.data_port"));
    qn_error_clear(&err);
    assert_int_equal(transport_server_open(transport, "nonsense", &second, &err), QN_INVALID);
    transport_server_close(first);
    transport_close(transport);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_finds_its_way_back),
        cmocka_unit_test(nothing_is_sent_before_a_connection),
        cmocka_unit_test(an_answer_to_nobody_is_refused),
        cmocka_unit_test(a_slow_reader_is_bounded_by_octets),
        cmocka_unit_test(an_address_in_use_is_explained),
    };
    return RUN_TESTS(tests);
}

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
        cmocka_unit_test(an_address_in_use_is_explained),
    };
    return RUN_TESTS(tests);
}

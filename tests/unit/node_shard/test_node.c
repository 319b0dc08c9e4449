#include "tests/unit/node_shard/fixture.h"

/* What was acknowledged is read back, also by the node's next life. */
static void a_write_survives_a_restart(void **state)
{
    struct fixture *f = *state;
    struct bytes key = bytes_of("\x15\x4e\x03key", 6);
    struct bytes value = bytes_of("\x15\x41\x05", 3);

    hello(f);
    uint32_t cache = cache_open(f, "default", QN_OK);
    put(f, cache, key, value);
    struct wire_op get = {.id = 3, .kind = WIRE_OP_GET, .cache = cache, .key = key};
    assert_bytes_equal(run(f, get).value, value);

    uint64_t epoch = f->epoch;
    node_down(f);
    node_up(f);
    hello(f);
    assert_true(f->epoch > epoch);
    struct wire_result result = run(f, get);
    assert_int_equal(result.status, QN_OK);
    assert_bytes_equal(result.value, value);
}

/* A request routed with an older epoch is refused, and says so (protocol B.10). */
static void an_older_epoch_is_refused(void **state)
{
    struct fixture *f = *state;
    struct bytes key = bytes_of("\x15\x4e\x03key", 6);

    node_down(f);
    node_up(f);
    hello(f);
    struct wire_op get = {.id = 3,
                          .kind = WIRE_OP_GET,
                          .cache = cache_open(f, "default", QN_OK),
                          .epoch = f->epoch - 1,
                          .key = key};
    assert_int_equal(run(f, get).status, QN_STALE_EPOCH);
}

/* Octets that are no message are answered with a refusal, and the node goes on. */
static void garbage_is_refused_and_harmless(void **state)
{
    struct fixture *f = *state;
    uint8_t octets[300];
    unsigned random = 12345;

    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof octets; i++) {
            random = random * 1103515245 + 12345;
            octets[i] = (uint8_t)(random >> 16);
        }
        send_octets(f, bytes_of(octets, (size_t)(random >> 16) % sizeof octets));
        const struct wire_message *answer = receive(f);
        assert_int_equal(answer->kind, WIRE_NAK);
        assert_int_equal(answer->status, QN_MALFORMED);
    }
    hello(f);
}

/* Wrong cluster, wrong incarnation, unknown kinds and caches: each has its own refusal. */
static void refusals_name_their_reason(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {.kind = WIRE_HELLO, .cluster = 1, .correlation = 8};

    hello(f);
    assert_int_equal(ask(f, &m)->status, QN_CLUSTER);
    m = (struct wire_message){.kind = WIRE_HELLO, .to_incarnation = f->incarnation + 1};
    assert_int_equal(ask(f, &m)->status, QN_STALE_EPOCH);
    m = (struct wire_message){.kind = 4711};
    assert_int_equal(ask(f, &m)->status, QN_UNSUPPORTED);
    (void)cache_open(f, "nonexistent", QN_UNKNOWN_CACHE);
    struct wire_op get = {
        .id = 1, .kind = WIRE_OP_GET, .cache = 4711, .key = bytes_of("\x15\x41\x05", 3)};
    assert_int_equal(run(f, get).status, QN_UNKNOWN_CACHE);
    struct wire_op odd = {.id = 1, .kind = 99, .cache = 1, .key = bytes_of("\x15\x41\x05", 3)};
    assert_int_equal(run(f, odd).status, QN_UNSUPPORTED);
}

/* STATUS tells what an operator asks first. */
static void status_has_the_facts(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {.kind = WIRE_STATUS, .correlation = 3};
    const struct wire_message *answer = ask(f, &m);
    bool ready = false;

    assert_int_equal(answer->kind, WIRE_STATUS_ACK);
    for (size_t i = 0; i < answer->fact_count; i++) {
        ready = ready || bytes_equal(answer->facts[i].name, bytes_of_text("ready"));
    }
    assert_true(ready);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_write_survives_a_restart, setup, teardown),
        cmocka_unit_test_setup_teardown(an_older_epoch_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(garbage_is_refused_and_harmless, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals_name_their_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(status_has_the_facts, setup, teardown),
    };
    return RUN_TESTS(tests);
}

#include "node/outbox.h"
#include "tests/lib/check.h"

enum { ROUTES = 3000 };

/* What was sent: messages and results per route, and whether values were right. */
struct sent {
    unsigned messages[ROUTES];
    unsigned results[ROUTES];
};

static void note(void *arg, uint64_t route, const struct wire_message *message)
{
    struct sent *sent = arg;

    assert_true(route < ROUTES);
    assert_int_equal(message->kind, WIRE_REPLY);
    sent->messages[route]++;
    for (size_t i = 0; i < message->result_count; i++) {
        const struct wire_result *result = &message->results[i];
        assert_int_equal(result->value.size, sizeof route);
        assert_memory_equal(result->value.data, &result->id, sizeof result->id);
        assert_bytes_equal(result->text, bytes_of_text("text"));
        assert_bytes_equal(result->token, bytes_of(&result->id, sizeof result->id));
        sent->results[route]++;
    }
}

static void add(struct outbox *outbox, uint64_t route, uint64_t id)
{
    uint64_t value = id;
    struct wire_result result = {.id = id,
                                 .has_value = true,
                                 .value = bytes_of(&value, sizeof value),
                                 .text = bytes_of_text("text"),
                                 .token = bytes_of(&value, sizeof value)};

    assert_int_equal(outbox_add(outbox, route, &result), QN_OK);
}

/* All results for one client in one round leave in one message, with values that were copied. */
static void a_round_is_one_message_per_route(void **state)
{
    static struct sent sent;
    struct outbox_sender sender = {.arg = &sent, .send = note};
    struct outbox *outbox;

    (void)state;
    assert_int_equal(outbox_create(&sender, &outbox), QN_OK);
    for (unsigned round = 1; round <= 3; round++) {
        for (uint64_t id = 0; id < 5 * ROUTES; id++) {
            add(outbox, id % ROUTES, id);
        }
        outbox_flush(outbox);
        for (size_t route = 0; route < ROUTES; route++) {
            assert_int_equal(sent.messages[route], round);
            assert_int_equal(sent.results[route], 5 * round);
        }
    }
    outbox_flush(outbox);
    assert_int_equal(sent.messages[0], 3);
    outbox_destroy(outbox);
}

/* A message that is full leaves at once; the rest follows in the next. */
static void a_full_message_leaves_early(void **state)
{
    static struct sent sent;
    struct outbox_sender sender = {.arg = &sent, .send = note};
    struct outbox *outbox;

    (void)state;
    assert_int_equal(outbox_create(&sender, &outbox), QN_OK);
    for (uint64_t id = 0; id < WIRE_BATCH_MAX + 10; id++) {
        add(outbox, 7, id);
    }
    assert_int_equal(sent.results[7], WIRE_BATCH_MAX);
    outbox_flush(outbox);
    assert_int_equal(sent.messages[7], 2);
    assert_int_equal(sent.results[7], WIRE_BATCH_MAX + 10);
    outbox_destroy(outbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_one_message_per_route),
        cmocka_unit_test(a_full_message_leaves_early),
    };
    return RUN_TESTS(tests);
}

/* Snapshots from node to node: both ends, and a bad road between them. */
#include <stdlib.h>

#include "grid/transfer/transfer.h"
#include "tests/lib/check.h"

enum { SIZE = 9 * 1024 * 1024 + 77, SENDER = 1, RECEIVER = 2, ROAD_MAX = 64 };

struct road {
    struct wire_peer message;
    bool to_receiver;
};

struct transfer {
    struct transfer_out out;
    struct transfer_in in;
    uint8_t *file;
    uint8_t *copy;
    struct road road[ROAD_MAX];
    size_t count;
    uint64_t random;
    unsigned lost_of_100;
    int64_t now_ms;
    unsigned begun;
    bool installed;
    bool failed;
};

static uint64_t draw(struct transfer *t, uint64_t below)
{
    t->random = t->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (t->random >> 33) % below;
}

static struct transfer *begin(unsigned lost_of_100)
{
    struct transfer *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->file = malloc(SIZE);
    t->copy = calloc(1, SIZE);
    assert_true(t->file && t->copy);
    for (size_t i = 0; i < SIZE; i++) {
        t->file[i] = (uint8_t)(i * 31 + i / 1000);
    }
    t->random = 7;
    t->lost_of_100 = lost_of_100;
    t->now_ms = 1000;
    transfer_out_begin(&t->out, 5, RECEIVER, 3, 9, 1, 400, 8, SIZE, t->now_ms);
    return t;
}

static void end(struct transfer *t)
{
    free(t->file);
    free(t->copy);
    free(t);
}

static void put(struct transfer *t, const struct wire_peer *message, bool to_receiver)
{
    if (draw(t, 100) >= t->lost_of_100 && t->count < ROAD_MAX) {
        t->road[t->count++] = (struct road){*message, to_receiver};
    }
}

static void send(struct transfer *t)
{
    struct wire_peer message;
    enum transfer_step step;
    size_t size;

    while ((step = transfer_out_next(&t->out, t->now_ms, &message, &size)) == TRANSFER_SEND) {
        if (message.kind == WIRE_PEER_SNAP_CHUNK) {
            message.body = bytes_of(t->file + message.offset, size);
            message.round = transfer_checksum(message.body);
        }
        put(t, &message, true);
    }
    t->failed = step == TRANSFER_FAILED;
}

static void install(struct transfer *t, struct wire_peer *answer)
{
    t->installed = true;
    answer->kind = WIRE_PEER_SNAP_DONE;
}

static void receive(struct transfer *t, const struct wire_peer *message)
{
    struct wire_peer answer;

    switch (transfer_in_receive(&t->in, SENDER, message, true, t->now_ms, &answer)) {
    case TRANSFER_IN_IGNORE:
        return;
    case TRANSFER_IN_BEGIN:
        t->begun++;
        break;
    case TRANSFER_IN_WRITE:
        memcpy(t->copy + message->offset, message->body.data, message->body.size);
        if (transfer_in_written(&t->in, message->body.size, &answer)) {
            install(t, &answer);
        }
        break;
    case TRANSFER_IN_INSTALL:
        install(t, &answer);
        break;
    case TRANSFER_IN_ANSWER:
    case TRANSFER_IN_REFUSE:
        break;
    }
    put(t, &answer, false);
}

/* One message arrives, in any order; then both ends do what they can. */
static void step(struct transfer *t)
{
    send(t);
    if (t->count > 0) {
        size_t i = (size_t)draw(t, t->count);
        struct road arrived = t->road[i];
        t->road[i] = t->road[--t->count];
        if (arrived.to_receiver) {
            receive(t, &arrived.message);
        } else {
            transfer_out_receive(&t->out, &arrived.message, t->now_ms);
        }
    }
    t->now_ms += 50;
}

static void run(struct transfer *t)
{
    for (int i = 0; i < 100000 && !t->out.done && !t->failed; i++) {
        step(t);
    }
}

static void a_snapshot_arrives_whole(void **state)
{
    struct transfer *t = begin(0);

    (void)state;
    run(t);
    assert_true(t->installed && t->out.done);
    assert_int_equal(t->begun, 1);
    assert_memory_equal(t->file, t->copy, SIZE);
    end(t);
}

static void it_arrives_although_much_is_lost(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct transfer *t = begin(30);
        t->random = seed;
        run(t);
        assert_true(t->installed && t->out.done);
        assert_int_equal(t->begun, 1);
        assert_memory_equal(t->file, t->copy, SIZE);
        end(t);
    }
}

static void it_goes_on_where_it_was_when_the_sender_begins_again(void **state)
{
    struct transfer *t = begin(0);

    (void)state;
    while (t->in.written < SIZE / 2) {
        step(t);
    }
    uint64_t written = t->in.written;
    t->count = 0;
    transfer_out_begin(&t->out, 5, RECEIVER, 3, 10, 1, 400, 8, SIZE, t->now_ms); /* epoch 10 */
    run(t);
    assert_true(t->installed && t->out.done);
    assert_int_equal(t->begun, 1);
    assert_true(t->in.written == SIZE && written > 0);
    assert_memory_equal(t->file, t->copy, SIZE);
    end(t);
}

static void a_damaged_chunk_is_not_written(void **state)
{
    struct transfer *t = begin(0);
    struct wire_peer message, answer;
    size_t size;

    (void)state;
    assert_int_equal(transfer_out_next(&t->out, t->now_ms, &message, &size), TRANSFER_SEND);
    assert_int_equal(transfer_in_receive(&t->in, SENDER, &message, true, 0, &answer),
                     TRANSFER_IN_BEGIN);
    transfer_out_receive(&t->out, &answer, t->now_ms);
    assert_int_equal(transfer_out_next(&t->out, t->now_ms, &message, &size), TRANSFER_SEND);
    message.body = bytes_of(t->file, size);
    message.round = transfer_checksum(message.body) ^ 1;
    assert_int_equal(transfer_in_receive(&t->in, SENDER, &message, true, 0, &answer),
                     TRANSFER_IN_ANSWER);
    assert_int_equal(answer.offset, 0);
    message.epoch = 8; /* of an older leader */
    message.round ^= 1;
    assert_int_equal(transfer_in_receive(&t->in, SENDER, &message, true, 0, &answer),
                     TRANSFER_IN_IGNORE);
    end(t);
}

static void without_progress_both_give_up(void **state)
{
    struct transfer *t = begin(100);
    struct wire_peer message, answer;
    size_t size;

    (void)state;
    run(t);
    assert_true(t->failed && t->now_ms >= 1000 + TRANSFER_PROGRESS_MS);
    end(t);
    t = begin(0);
    assert_int_equal(transfer_out_next(&t->out, t->now_ms, &message, &size), TRANSFER_SEND);
    assert_int_equal(transfer_in_receive(&t->in, SENDER, &message, true, 100, &answer),
                     TRANSFER_IN_BEGIN);
    assert_false(transfer_in_stale(&t->in, 99 + TRANSFER_PROGRESS_MS));
    assert_true(transfer_in_stale(&t->in, 100 + TRANSFER_PROGRESS_MS));
    end(t);
}

static void too_many_transfers_are_refused(void **state)
{
    struct transfer *t = begin(0);
    struct wire_peer message, answer;
    size_t size;

    (void)state;
    assert_int_equal(transfer_out_next(&t->out, t->now_ms, &message, &size), TRANSFER_SEND);
    assert_int_equal(transfer_in_receive(&t->in, SENDER, &message, false, 0, &answer),
                     TRANSFER_IN_REFUSE);
    assert_int_equal(answer.why, WIRE_NAK_BUSY);
    transfer_out_receive(&t->out, &answer, t->now_ms);
    assert_int_equal(transfer_out_next(&t->out, t->now_ms, &message, &size), TRANSFER_FAILED);
    end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_arrives_whole),
        cmocka_unit_test(it_arrives_although_much_is_lost),
        cmocka_unit_test(it_goes_on_where_it_was_when_the_sender_begins_again),
        cmocka_unit_test(a_damaged_chunk_is_not_written),
        cmocka_unit_test(without_progress_both_give_up),
        cmocka_unit_test(too_many_transfers_are_refused),
    };

    return RUN_TESTS(tests);
}

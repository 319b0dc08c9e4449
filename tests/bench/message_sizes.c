/* How large are Quoin's messages? Encodes a request and its reply as client and node do, and prints
 * their sizes, so that zmq_echo can send as much.
 *
 * message_sizes [OPERATIONS [KEY_SIZE [VALUE_SIZE]]]: operations in one message (1), octets of the
 * Binary of a key (19: a string of 16) and of a value (104: 100 octets of payload). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/message/message.h"

enum { ARGUMENTS = 3 };

struct sizes {
    size_t operations;
    size_t key;
    size_t value;
};

static size_t frame_size(const struct wire_message *message)
{
    struct buf frame = {0};

    if (message_encode(message, &frame) != QN_OK) {
        (void)fprintf(stderr, "message_sizes: such a message cannot be encoded\n");
        exit(EXIT_FAILURE);
    }
    size_t size = frame.size;
    buf_fini(&frame);
    return size;
}

/* What every message carries; the numbers are such as a node has that has run for a while. */
static struct wire_message base(uint32_t kind)
{
    return (struct wire_message){.kind = kind,
                                 .feature_level = WIRE_FEATURE_LEVEL,
                                 .cluster = UINT64_MAX,
                                 .client.octets = {1},
                                 .from_incarnation = 3,
                                 .to_incarnation = 3};
}

static struct wire_op op_of(size_t number, bool put, struct bytes key, struct bytes value)
{
    return (struct wire_op){.id = 1000000 + number,
                            .kind = put ? WIRE_OP_PUT : WIRE_OP_GET,
                            .cache = 1,
                            .partition = 200,
                            .epoch = 3,
                            .session = put ? 1 : 0,
                            .sequence = put ? 20000 : 0,
                            .first_incomplete = put ? 20000 : 0,
                            .remaining_ms = 15000,
                            .key = key,
                            .value = put ? value : bytes_of(NULL, 0)};
}

static struct wire_result result_of(size_t number, bool put, struct bytes value)
{
    return (struct wire_result){.id = 1000000 + number,
                                .version = 20000,
                                .partition = 200,
                                .epoch = 3,
                                .index = 20000,
                                .has_value = !put,
                                .value = put ? bytes_of(NULL, 0) : value};
}

static void print_sizes(const struct sizes *sizes, bool put, const uint8_t *octets)
{
    struct wire_message request = base(WIRE_REQUEST), reply = base(WIRE_REPLY);
    struct bytes key = bytes_of(octets, sizes->key), value = bytes_of(octets, sizes->value);

    request.ops = calloc(sizes->operations, sizeof *request.ops);
    reply.results = calloc(sizes->operations, sizeof *reply.results);
    if (!request.ops || !reply.results) {
        exit(EXIT_FAILURE);
    }
    request.op_count = reply.result_count = sizes->operations;
    for (size_t i = 0; i < sizes->operations; i++) {
        request.ops[i] = op_of(i, put, key, value);
        reply.results[i] = result_of(i, put, value);
    }
    (void)printf("\"%s\": {\"request_size\": %zu, \"reply_size\": %zu}", put ? "put" : "get",
                 frame_size(&request), frame_size(&reply));
    free(request.ops);
    free(reply.results);
}

int main(int argc, char **argv)
{
    unsigned long numbers[ARGUMENTS] = {1, 19, 104};

    for (int i = 1; i < argc && i <= ARGUMENTS; i++) {
        numbers[i - 1] = strtoul(argv[i], NULL, 10);
    }
    struct sizes sizes = {.operations = numbers[0], .key = numbers[1], .value = numbers[2]};
    if (argc > ARGUMENTS + 1 || sizes.operations < 1 || sizes.operations > WIRE_BATCH_MAX ||
        sizes.key < 1 || sizes.key > WIRE_KEY_MAX || sizes.value > WIRE_VALUE_MAX) {
        (void)fprintf(stderr, "usage: message_sizes [OPERATIONS [KEY_SIZE [VALUE_SIZE]]]\n");
        return 2;
    }
    uint8_t *octets = calloc(1, sizes.key + sizes.value);
    if (!octets) {
        return EXIT_FAILURE;
    }
    (void)printf("{\"operations\": %zu, ", sizes.operations);
    print_sizes(&sizes, false, octets);
    (void)printf(", ");
    print_sizes(&sizes, true, octets);
    (void)printf("}\n");
    free(octets);
    return EXIT_SUCCESS;
}

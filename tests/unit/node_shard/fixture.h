/* A whole node in this process, spoken to with messages as a client would send them. */
#ifndef QUOIN_TESTS_UNIT_NODE_SHARD_FIXTURE_H
#define QUOIN_TESTS_UNIT_NODE_SHARD_FIXTURE_H

#include "config/cfg.h"
#include "node/node.h"
#include "tests/lib/check.h"
#include "wire/message/message.h"
#include "wire/transport/transport.h"

enum { WAIT_MS = 30000, PARTITIONS = 7 };

/* A node with its settings, and a client's side of one connection to its only shard. */
struct fixture {
    char dir[64];
    char set_dir[96];
    struct cfg cfg;
    struct logger logger;
    struct node *node;
    struct transport *transport;
    struct transport_peer *peer;
    struct arena arena;
    struct transport_frame *frame;
    struct wire_message answer;
    uint64_t cluster;
    uint64_t epoch;
    uint64_t incarnation;
};

/* For cmocka: a fresh node in a directory of its own. */
int setup(void **state);
int teardown(void **state);

/* Start and stop it. */
void node_up(struct fixture *f);
void node_down(struct fixture *f);

void send_octets(struct fixture *f, struct bytes octets);

/* The next message from the node; valid until the next one. */
const struct wire_message *receive(struct fixture *f);

/* Send a message and take the next one that comes. */
const struct wire_message *ask(struct fixture *f, const struct wire_message *message);

/* Learn cluster, epoch and incarnation. */
void hello(struct fixture *f);

uint32_t cache_open(struct fixture *f, const char *name, enum qn_status expected);

/* Run an operation, again while the partition is still being opened. */
struct wire_result run(struct fixture *f, struct wire_op op);

uint64_t session_open(struct fixture *f, struct bytes key);
void put(struct fixture *f, uint32_t cache, struct bytes key, struct bytes value);

#endif

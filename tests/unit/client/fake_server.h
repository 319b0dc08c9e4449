/* The fake grid behind real sockets, on a thread of its own. */
#ifndef QUOIN_TESTS_CLIENT_FAKE_SERVER_H
#define QUOIN_TESTS_CLIENT_FAKE_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/client/fake_grid.h"
#include "wire/transport/transport.h"

enum { FAKE_ENDPOINT_MAX = 64 };

struct fake_server {
    struct fake_grid *grid;
    struct transport *transport;
    struct transport_server *doors[4];
    char endpoints[4][FAKE_ENDPOINT_MAX];
    char uri[128];
    uint32_t shard_count;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards `grid` */
    atomic_bool stop;
    atomic_bool mute; /* take frames, do and answer nothing */
    atomic_bool curt; /* do what they say, answer nothing */
    bool is_running;
};

/* Start a node with so many shards and 16 partitions of each of two services on free ports. */
void fake_server_start(struct fake_server *server, uint32_t shard_count);

/* Its thread and sockets end; its data stays. `fake_server_revive` starts it again at the same
 * addresses, as the next incarnation. */
void fake_server_kill(struct fake_server *server);
void fake_server_revive(struct fake_server *server);

/* Use the grid while it runs: between these two calls it answers nobody. */
struct fake_grid *fake_server_lock(struct fake_server *server);
void fake_server_unlock(struct fake_server *server);

/* `fake_grid_applied`, while it runs. */
uint32_t fake_server_applied(struct fake_server *server, uint32_t tag);
void fake_server_stop(struct fake_server *server);

#endif

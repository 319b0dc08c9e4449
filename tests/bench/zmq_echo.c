/* What libzmq alone can carry: a server that echoes, clients that wait. See README.md.
 *
 * The server is a process of its own, forked before either side has opened a context. Each client
 * is a thread with a context and a DEALER of its own; the server is one thread with one ROUTER, as
 * a shard of a node is. Frames are never looked into, so this is the floor under any protocol. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zmq.h>

#include "tests/bench/spread.h"

enum {
    CLIENTS_MAX = 256,
    IN_FLIGHT_MAX = 1 << 20,
    SIZE_MAX_OCTETS = 64 << 20,
    ENDPOINT_SIZE = 128,
    ORPHAN_CHECK_MS = 1000, /* how often an idle server looks whether its parent still lives */
    REPLY_TIMEOUT_MS = 10000,
    NS_PER_S = 1000000000,
};

struct plan {
    size_t request_size; /* octets of one message from a client */
    size_t reply_size;
    size_t messages; /* in flight for each client */
    size_t batch;    /* operations that one message stands for */
    size_t clients;
    double seconds;
    double warm_up;
    bool json;
};

struct client {
    const struct plan *plan;
    const char *endpoint;
    pthread_t thread;
    uint64_t *sent_ns; /* ring of the send times: a ROUTER answers one DEALER in order */
    uint64_t sent;
    uint64_t answered;
    uint64_t counted; /* answered after the warm-up */
    uint64_t count_from_ns;
    uint64_t end_ns;
    bool failed;
    struct spread spread;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "zmq_echo: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(EXIT_FAILURE);
}

static void option_set(void *socket, int option, int value)
{
    if (zmq_setsockopt(socket, option, &value, sizeof value) != 0) {
        die("zmq_setsockopt");
    }
}

/* ---- The server
 * ---------------------------------------------------------------------------------- */

/* Wait for the next route; false when the parent is gone. */
static bool route_receive(void *router, zmq_msg_t *route, pid_t parent)
{
    while (zmq_msg_recv(route, router, 0) < 0) {
        if (zmq_errno() != EAGAIN && zmq_errno() != EINTR) {
            die("zmq_msg_recv");
        }
        if (getppid() != parent) {
            return false;
        }
    }
    return true;
}

/* Echo until an empty message comes. */
static void echo(void *router, size_t reply_size, pid_t parent)
{
    zmq_msg_t route, request, reply;

    (void)zmq_msg_init(&route);
    (void)zmq_msg_init(&request);
    while (route_receive(router, &route, parent) && zmq_msg_recv(&request, router, 0) > 0) {
        if (zmq_msg_init_size(&reply, reply_size) != 0) {
            die("zmq_msg_init_size");
        }
        memset(zmq_msg_data(&reply), 0, reply_size);
        if (zmq_msg_send(&route, router, ZMQ_SNDMORE) < 0 || zmq_msg_send(&reply, router, 0) < 0) {
            die("zmq_msg_send");
        }
    }
    (void)zmq_msg_close(&route);
    (void)zmq_msg_close(&request);
}

static _Noreturn void server_run(size_t reply_size, int endpoint_fd, pid_t parent)
{
    char endpoint[ENDPOINT_SIZE];
    size_t size = sizeof endpoint;
    void *context = zmq_ctx_new();
    void *router = zmq_socket(context, ZMQ_ROUTER);

    option_set(router, ZMQ_LINGER, 0);
    option_set(router, ZMQ_SNDHWM, 0);
    option_set(router, ZMQ_RCVHWM, 0);
    option_set(router, ZMQ_RCVTIMEO, ORPHAN_CHECK_MS);
    if (zmq_bind(router, "tcp://127.0.0.1:*") != 0 ||
        zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0) {
        die("cannot bind");
    }
    if (write(endpoint_fd, endpoint, size) != (ssize_t)size) {
        die("cannot tell the endpoint");
    }
    (void)close(endpoint_fd);
    echo(router, reply_size, parent);
    (void)zmq_close(router);
    (void)zmq_ctx_term(context);
    exit(EXIT_SUCCESS);
}

/* Returns the server's process and where it listens. */
static pid_t server_start(size_t reply_size, char endpoint[ENDPOINT_SIZE])
{
    int ends[2];
    pid_t parent = getpid();

    if (pipe(ends) != 0) {
        die("pipe");
    }
    pid_t server = fork();
    if (server < 0) {
        die("fork");
    }
    if (server == 0) {
        (void)close(ends[0]);
        server_run(reply_size, ends[1], parent);
    }
    (void)close(ends[1]);
    memset(endpoint, 0, ENDPOINT_SIZE);
    if (read(ends[0], endpoint, ENDPOINT_SIZE - 1) <= 0) {
        (void)fprintf(stderr, "zmq_echo: the server did not start\n");
        exit(EXIT_FAILURE);
    }
    (void)close(ends[0]);
    return server;
}

/* ---- The clients
 * --------------------------------------------------------------------------------- */

static void *dealer_open(void *context, const char *endpoint)
{
    void *dealer = zmq_socket(context, ZMQ_DEALER);

    option_set(dealer, ZMQ_LINGER, 1000);
    option_set(dealer, ZMQ_SNDHWM, 0);
    option_set(dealer, ZMQ_RCVHWM, 0);
    option_set(dealer, ZMQ_RCVTIMEO, REPLY_TIMEOUT_MS);
    if (zmq_connect(dealer, endpoint) != 0) {
        die("cannot connect");
    }
    return dealer;
}

static void client_send(struct client *client, void *dealer)
{
    zmq_msg_t message;

    if (zmq_msg_init_size(&message, client->plan->request_size) != 0) {
        die("zmq_msg_init_size");
    }
    memset(zmq_msg_data(&message), 0, client->plan->request_size);
    client->sent_ns[client->sent++ % client->plan->messages] = now_ns();
    if (zmq_msg_send(&message, dealer, 0) < 0) {
        die("zmq_msg_send");
    }
}

/* Take one answer. False: none came. */
static bool client_receive(struct client *client, void *dealer, uint64_t *now)
{
    zmq_msg_t message;

    (void)zmq_msg_init(&message);
    int size = zmq_msg_recv(&message, dealer, 0);
    (void)zmq_msg_close(&message);
    if (size < 0) {
        return false;
    }
    *now = now_ns();
    uint64_t sent = client->sent_ns[client->answered++ % client->plan->messages];
    if (sent >= client->count_from_ns && *now < client->end_ns) {
        client->counted++;
        spread_add(&client->spread, *now - sent);
    }
    return true;
}

static void *client_run(void *arg)
{
    struct client *client = arg;
    void *context = zmq_ctx_new();
    void *dealer = dealer_open(context, client->endpoint);
    uint64_t now = 0;

    while (client->sent < client->plan->messages) {
        client_send(client, dealer);
    }
    while (client->answered < client->sent && !client->failed) {
        client->failed = !client_receive(client, dealer, &now);
        if (!client->failed && now < client->end_ns) {
            client_send(client, dealer);
        }
    }
    (void)zmq_close(dealer);
    (void)zmq_ctx_term(context);
    return NULL;
}

static void clients_start(struct client *clients, const struct plan *plan, const char *endpoint)
{
    uint64_t start_ns = now_ns();

    for (size_t i = 0; i < plan->clients; i++) {
        struct client *client = &clients[i];
        client->plan = plan;
        client->endpoint = endpoint;
        client->count_from_ns = start_ns + (uint64_t)(plan->warm_up * NS_PER_S);
        client->end_ns = client->count_from_ns + (uint64_t)(plan->seconds * NS_PER_S);
        client->sent_ns = calloc(plan->messages, sizeof *client->sent_ns);
        if (!client->sent_ns || pthread_create(&client->thread, NULL, client_run, client) != 0) {
            (void)fprintf(stderr, "zmq_echo: cannot start client %zu\n", i);
            exit(EXIT_FAILURE);
        }
    }
}

/* ---- The result
 * ---------------------------------------------------------------------------------- */

struct result {
    uint64_t messages;
    double cpu_us; /* of all processes, per operation, warm-up included in time and in operations */
    struct spread spread;
};

static double cpu_seconds(void)
{
    struct rusage mine, servers;

    (void)getrusage(RUSAGE_SELF, &mine);
    (void)getrusage(RUSAGE_CHILDREN, &servers);
    return (double)(mine.ru_utime.tv_sec + mine.ru_stime.tv_sec + servers.ru_utime.tv_sec +
                    servers.ru_stime.tv_sec) +
           (double)(mine.ru_utime.tv_usec + mine.ru_stime.tv_usec + servers.ru_utime.tv_usec +
                    servers.ru_stime.tv_usec) /
               1e6;
}

/* Joins the clients; false when one of them got no answer. */
static bool clients_finish(struct client *clients, const struct plan *plan, struct result *result,
                           uint64_t *answered)
{
    bool good = true;

    for (size_t i = 0; i < plan->clients; i++) {
        (void)pthread_join(clients[i].thread, NULL);
        result->messages += clients[i].counted;
        *answered += clients[i].answered;
        spread_merge(&result->spread, &clients[i].spread);
        good = good && !clients[i].failed;
        free(clients[i].sent_ns);
    }
    return good;
}

static void server_stop(pid_t server, const char *endpoint)
{
    void *context = zmq_ctx_new();
    void *dealer = dealer_open(context, endpoint);

    (void)zmq_send(dealer, "", 0, 0);
    (void)zmq_close(dealer);
    (void)zmq_ctx_term(context);
    (void)waitpid(server, NULL, 0);
}

static void print(const struct plan *plan, const struct result *result)
{
    double messages = (double)result->messages / plan->seconds;
    double operations = messages * (double)plan->batch;
    double p50 = (double)spread_percentile(&result->spread, 50) / 1000;
    double p99 = (double)spread_percentile(&result->spread, 99) / 1000;

    if (plan->json) {
        (void)printf("{\"ops_per_second\": %.0f, \"messages_per_second\": %.0f, \"p50_us\": %.1f, "
                     "\"p99_us\": %.1f, \"cpu_us_per_op\": %.3f, \"request_size\": %zu, "
                     "\"reply_size\": %zu, \"messages_in_flight\": %zu, \"batch\": %zu, "
                     "\"clients\": %zu, \"seconds\": %.3f}\n",
                     operations, messages, p50, p99, result->cpu_us, plan->request_size,
                     plan->reply_size, plan->messages, plan->batch, plan->clients, plan->seconds);
        return;
    }
    (void)printf("%.0f operations/s in %.0f messages/s, p50 %.1f us, p99 %.1f us, CPU %.2f us per "
                 "operation\n",
                 operations, messages, p50, p99, result->cpu_us);
}

static int run(const struct plan *plan)
{
    char endpoint[ENDPOINT_SIZE];
    pid_t server = server_start(plan->reply_size, endpoint);
    struct client *clients = calloc(plan->clients, sizeof *clients);
    struct result *result = calloc(1, sizeof *result);
    uint64_t answered = 0;

    if (!clients || !result) {
        (void)fprintf(stderr, "zmq_echo: out of memory\n");
        exit(EXIT_FAILURE);
    }
    clients_start(clients, plan, endpoint);
    bool good = clients_finish(clients, plan, result, &answered);
    server_stop(server, endpoint);
    if (good) {
        result->cpu_us = cpu_seconds() * 1e6 / (double)(answered * plan->batch);
        print(plan, result);
    } else {
        (void)fprintf(stderr, "zmq_echo: no answer within %d s\n", REPLY_TIMEOUT_MS / 1000);
    }
    free(clients);
    free(result);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- The command line
 * ---------------------------------------------------------------------------- */

static void usage(FILE *to)
{
    (void)fputs(
        "zmq_echo - what libzmq alone carries between two processes over TCP\n"
        "\n"
        "  zmq_echo                                       one message in flight\n"
        "  zmq_echo --in-flight 50 --clients 2 --json\n"
        "  zmq_echo --in-flight 1000 --batch 500 --request-size 20000 --reply-size 60000\n"
        "\n"
        "  --request-size N   octets of a message to the server (default 78)\n"
        "  --reply-size N     octets of its answer (default 160)\n"
        "  --in-flight N      operations in flight for each client (default 1)\n"
        "  --batch N          operations that one message stands for (default 1): in flight\n"
        "                     are then N times fewer messages, of the sizes given\n"
        "  --clients N        clients, each a thread with a socket (default 1)\n"
        "  --seconds S        how long to measure (default 2)\n"
        "  --warm-up S        how long before that to run unmeasured (default 0.2)\n"
        "  --json             one JSON object\n",
        to);
}

static double number_of(const char *name, const char *text, double min, double max)
{
    char *end = NULL;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= min && value <= max)) {
        (void)fprintf(stderr, "zmq_echo: --%s \"%s\": a number from %g to %g\n", name, text, min,
                      max);
        exit(2);
    }
    return value;
}

static struct plan plan_read(int argc, char **argv)
{
    enum { REQUEST, REPLY, IN_FLIGHT, BATCH, CLIENTS, SECONDS, WARM_UP, JSON, HELP, COUNT };
    static const struct option options[COUNT + 1] = {
        {"request-size", required_argument, NULL, REQUEST},
        {"reply-size", required_argument, NULL, REPLY},
        {"in-flight", required_argument, NULL, IN_FLIGHT},
        {"batch", required_argument, NULL, BATCH},
        {"clients", required_argument, NULL, CLIENTS},
        {"seconds", required_argument, NULL, SECONDS},
        {"warm-up", required_argument, NULL, WARM_UP},
        {"json", no_argument, NULL, JSON},
        {"help", no_argument, NULL, HELP},
    };
    static const double limits[COUNT][2] = {
        {1, SIZE_MAX_OCTETS}, {1, SIZE_MAX_OCTETS}, {1, IN_FLIGHT_MAX}, {1, IN_FLIGHT_MAX},
        {1, CLIENTS_MAX},     {0.01, 86400},        {0, 86400},
    };
    double values[COUNT] = {78, 160, 1, 1, 1, 2, 0.2};
    int got;

    while ((got = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (got == HELP || got == '?') {
            usage(got == HELP ? stdout : stderr);
            exit(got == HELP ? EXIT_SUCCESS : 2);
        }
        values[got] =
            got == JSON ? 1 : number_of(options[got].name, optarg, limits[got][0], limits[got][1]);
    }
    size_t messages = (size_t)(values[IN_FLIGHT] / values[BATCH]);
    return (struct plan){.request_size = (size_t)values[REQUEST],
                         .reply_size = (size_t)values[REPLY],
                         .messages = messages > 0 ? messages : 1,
                         .batch = (size_t)values[BATCH],
                         .clients = (size_t)values[CLIENTS],
                         .seconds = values[SECONDS],
                         .warm_up = values[WARM_UP],
                         .json = values[JSON] > 0};
}

int main(int argc, char **argv)
{
    struct plan plan = plan_read(argc, argv);

    return run(&plan);
}

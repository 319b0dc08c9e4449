#define _GNU_SOURCE
#include "tests/unit/node_admin/http.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/check.h"

int http_connect(const char *address, uint16_t port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char service[8];

    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    assert_int_equal(getaddrinfo(address, service, &hints, &found), 0);
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, found->ai_addr, found->ai_addrlen), 0);
    freeaddrinfo(found);
    return fd;
}

static void reply_parse(struct http_reply *reply)
{
    char *end = strstr(reply->data, "\r\n\r\n");

    if (!end) {
        return; /* the server closed without an answer */
    }
    assert_int_equal(sscanf(reply->data, "HTTP/1.%*d %d", &reply->code), 1);
    end[2] = '\0';
    reply->head = reply->data;
    reply->body = end + 4;
}

struct http_reply *http_ask_raw(int fd, const char *request, size_t size)
{
    struct http_reply *reply = calloc(1, sizeof *reply);
    size_t got = 0;
    ssize_t n;

    assert_non_null(reply);
    /* The server may close before it has read everything. */
    (void)send(fd, request, size, MSG_NOSIGNAL);
    while (got < sizeof reply->data - 1 &&
           (n = recv(fd, reply->data + got, sizeof reply->data - 1 - got, 0)) > 0) {
        got += (size_t)n;
    }
    (void)close(fd);
    reply->head = reply->body = "";
    reply_parse(reply);
    return reply;
}

struct http_reply *http_ask(uint16_t port, const char *method, const char *path, const char *extra,
                            const char *body)
{
    char request[4096];
    int size = snprintf(request, sizeof request,
                        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n%s",
                        method, path, extra, body);

    assert_true(size > 0 && (size_t)size < sizeof request);
    return http_ask_raw(http_connect("127.0.0.1", port), request, (size_t)size);
}

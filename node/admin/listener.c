#define _GNU_SOURCE
#include "node/admin/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BACKLOG = 64,
    ADDRESS_SIZE = 256,
    PORT_SIZE = 8,
};

/* What the caller gave, kept for the error text. */
struct listener_place {
    const char *bind;
    uint16_t port;
};

/* "[::1]" becomes "::1", "*" becomes "0.0.0.0". */
static void address_plain(const char *bind, char out[ADDRESS_SIZE])
{
    size_t size = strlen(bind);

    if (strcmp(bind, "*") == 0) {
        (void)snprintf(out, ADDRESS_SIZE, "0.0.0.0");
    } else if (size > 2 && bind[0] == '[' && bind[size - 1] == ']') {
        (void)snprintf(out, ADDRESS_SIZE, "%.*s", (int)(size - 2), bind + 1);
    } else {
        (void)snprintf(out, ADDRESS_SIZE, "%s", bind);
    }
}

static const char *advice(int error)
{
    switch (error) {
    case EADDRINUSE:
        return "address already in use; choose another admin.port or stop the process that holds "
               "it (ss -ltnp)";
    case EADDRNOTAVAIL:
        return "this machine has no such address; set admin.bind to one that \"ip address\" shows, "
               "or to 127.0.0.1";
    case EACCES:
        return "not permitted; choose an admin.port of 1024 or above";
    case EMFILE:
    case ENFILE:
        return "no file descriptors left; raise the limit (ulimit -n)";
    default:
        return NULL;
    }
}

static enum qn_status cannot_listen(const struct listener_place *place, int error, qn_error *err)
{
    bool v6 = strchr(place->bind, ':') && place->bind[0] != '[';
    const char *known = advice(error);
    char other[128] = "";

    if (!known) {
        /* The GNU form returns the text, which need not be in the buffer. */
        known = strerror_r(error, other, sizeof other);
    }
    return qn_error_set(err, QN_IO, "cannot listen on %s%s%s:%u: %s", v6 ? "[" : "", place->bind,
                        v6 ? "]" : "", (unsigned)place->port, known);
}

static int listen_on(const struct addrinfo *address)
{
    const int on = 1, off = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ai_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    if (bind(fd, address->ai_addr, address->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
        int error = errno;
        (void)close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

enum qn_status listener_open(const char *bind, uint16_t port, int *fd, qn_error *err)
{
    struct listener_place place = {.bind = bind, .port = port};
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    char address[ADDRESS_SIZE], service[PORT_SIZE];

    address_plain(bind, address);
    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    if (getaddrinfo(address, service, &hints, &found) != 0 || !found) {
        return qn_error_set(err, QN_INVALID,
                            "admin.bind: \"%.64s\" is not an IPv4 or IPv6 address; write one such "
                            "as 127.0.0.1 or ::1",
                            bind);
    }
    int made = listen_on(found);
    int error = errno;
    freeaddrinfo(found);
    if (made < 0) {
        return cannot_listen(&place, error, err);
    }
    *fd = made;
    return QN_OK;
}

uint16_t listener_port(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    uint16_t port = 0;

    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        return 0;
    }
    if (address.ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, &address, sizeof in);
        port = ntohs(in.sin_port);
    } else if (address.ss_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, &address, sizeof in6);
        port = ntohs(in6.sin6_port);
    }
    return port;
}

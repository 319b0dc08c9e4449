#define _GNU_SOURCE
#include "node/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    MESSAGE_SIZE = 512,
    SEND_TIMEOUT_S = 1, /* READY must not be lost to a full queue, nor the node wait for ever */
};

/* A whole number, else 0. */
static uint64_t number_of(const char *text)
{
    char *end = NULL;

    if (!text || text[0] < '0' || text[0] > '9') {
        return 0;
    }
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0 ? number : 0;
}

/* "/path", or "@name" for a name that is no file. -1: not such an address, or nobody there. */
static int connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = name ? strlen(name) : 0;

    if (size < 2 || size >= sizeof address.sun_path || (name[0] != '/' && name[0] != '@')) {
        return -1;
    }
    memcpy(address.sun_path, name, size);
    if (name[0] == '@') {
        address.sun_path[0] = '\0';
    }
    const struct timeval timeout = {.tv_sec = SEND_TIMEOUT_S};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, length) != 0) {
        (void)close(fd);
        return -1;
    }
    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    }
    return fd;
}

/* $WATCHDOG_PID says for whom the period is meant, when it is there. */
static uint64_t watchdog_read(void)
{
    const char *pid = getenv("WATCHDOG_PID");

    return !pid || number_of(pid) == (uint64_t)getpid() ? number_of(getenv("WATCHDOG_USEC")) : 0;
}

void notify_open(struct notify *notify)
{
    notify->fd = connect_to(getenv("NOTIFY_SOCKET"));
    notify->watchdog_us = notify->fd >= 0 ? watchdog_read() : 0;
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0) {
        (void)close(notify->fd);
    }
    notify->fd = -1;
}

static void message_send(const struct notify *notify, const char *message)
{
    if (notify->fd >= 0) {
        (void)send(notify->fd, message, strlen(message), MSG_NOSIGNAL);
    }
}

void notify_ready(const struct notify *notify)
{
    message_send(notify, "READY=1");
}

/* The manager wants to know since when, to tell this from an earlier one. */
void notify_reloading(const struct notify *notify)
{
    char message[MESSAGE_SIZE];
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(message, sizeof message, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
                   (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    message_send(notify, message);
}

void notify_stopping(const struct notify *notify)
{
    message_send(notify, "STOPPING=1");
}

/* A line feed would begin another assignment. */
static void blanks_for_controls(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') {
            *text = ' ';
        }
    }
}

void notify_status(const struct notify *notify, const char *format, ...)
{
    static const char name[] = "STATUS=";
    char message[MESSAGE_SIZE] = "STATUS=";
    va_list list;

    va_start(list, format);
    (void)vsnprintf(message + sizeof name - 1, sizeof message - sizeof name + 1, format, list);
    va_end(list);
    blanks_for_controls(message);
    message_send(notify, message);
}

void notify_extend_timeout_usec(const struct notify *notify, uint64_t us)
{
    char message[MESSAGE_SIZE];

    (void)snprintf(message, sizeof message, "EXTEND_TIMEOUT_USEC=%" PRIu64, us);
    message_send(notify, message);
}

void notify_watchdog(const struct notify *notify)
{
    message_send(notify, "WATCHDOG=1");
}

int64_t notify_watchdog_period_ms(const struct notify *notify)
{
    uint64_t ms = notify->watchdog_us / 2000;

    return notify->watchdog_us == 0 ? 0 : (int64_t)(ms > 0 ? ms : 1);
}

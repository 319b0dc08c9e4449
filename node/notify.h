/* Messages to the service manager: sd_notify without libsystemd.
 *
 * systemd with Type=notify gives a service a datagram socket in $NOTIFY_SOCKET, and with
 * WatchdogSec a period in $WATCHDOG_USEC. Without them every call does nothing. A lost message is
 * no failure of the node's. One thread. */
#ifndef QUOIN_NODE_NOTIFY_H
#define QUOIN_NODE_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notify {
    int fd;               /* connected; -1 = nobody listens */
    uint64_t watchdog_us; /* a sign of life is due within this; 0 = none is wanted */
};

/* Connect as the environment says. Whatever is wrong with it counts as nobody listening. */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* Recovery is over, the node serves. */
void notify_ready(const struct notify *notify);

/* SIGHUP has come / has been dealt with (notify_ready). */
void notify_reloading(const struct notify *notify);

/* The node ends. */
void notify_stopping(const struct notify *notify);

/* A line for `systemctl status`: "recovering, 40 %". */
__attribute__((format(printf, 2, 3))) void notify_status(const struct notify *notify,
                                                         const char *format, ...);

/* Starting or stopping takes longer: the manager waits `us` from now on. */
void notify_extend_timeout_usec(const struct notify *notify, uint64_t us);

/* A sign of life. Send one each `notify_watchdog_period_ms`, and only while the shards move. */
void notify_watchdog(const struct notify *notify);

/* Half of what the manager allows; 0 = it does not watch. */
int64_t notify_watchdog_period_ms(const struct notify *notify);

#endif

/* What the writer asks of the operating system, so that a test can refuse the n-th request. */
#ifndef QUOIN_NODE_LOG_TXLOG_IO_H
#define QUOIN_NODE_LOG_TXLOG_IO_H

#include <sys/types.h>

#include "node/log/txlog.h"

struct txlog_io {
    void *arg;
    /* As pwrite and fdatasync: -1 and errno on failure. */
    ssize_t (*write_at)(void *arg, int fd, const void *data, size_t size, off_t offset);
    int (*sync)(void *arg, int fd);
    /* As posix_fallocate from 0: 0 or an error number. */
    int (*allocate)(void *arg, int fd, off_t size);
    uint32_t space_retry_ms; /* between two looks for space on a full disk */
};

/* The real ones; the retry is a second. */
const struct txlog_io *txlog_io_system(void);

/* `txlog_open` with `io`, which must live as long as the log. */
QN_MUST_USE enum qn_status txlog_open_with(const struct txlog_options *options,
                                           const struct txlog_io *io, struct txlog **log,
                                           qn_error *err);

#endif

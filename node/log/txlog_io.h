/* The log over another operating system, for tests. */
#ifndef QUOIN_NODE_LOG_TXLOG_IO_H
#define QUOIN_NODE_LOG_TXLOG_IO_H

#include "node/log/file_io.h"
#include "node/log/txlog.h"

/* `txlog_open` with `io`, which must live as long as the log; on a full disk space is looked for
 * every `space_retry_ms`. */
QN_MUST_USE enum qn_status txlog_open_with(const struct txlog_options *options,
                                           const struct file_io *io, uint32_t space_retry_ms,
                                           struct txlog **log, qn_error *err);

#endif

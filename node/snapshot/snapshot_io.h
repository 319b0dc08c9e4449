/* Snapshots and manifests over another operating system, for tests. */
#ifndef QUOIN_NODE_SNAPSHOT_SNAPSHOT_IO_H
#define QUOIN_NODE_SNAPSHOT_SNAPSHOT_IO_H

#include "node/log/file_io.h"
#include "node/snapshot/snapwriter.h"

/* As the functions without `_with`; `io` must live as long as what is opened. */
QN_MUST_USE enum qn_status snapfile_create_with(const struct file_io *io, const char *data,
                                                uint64_t owner, const struct snap_head *head,
                                                struct snapfile **file, qn_error *err);
QN_MUST_USE enum qn_status manifest_write_with(const struct file_io *io, const char *dir,
                                               const struct manifest *manifest, qn_error *err);
QN_MUST_USE enum qn_status snapwriter_open_with(const struct snapwriter_options *options,
                                                const struct file_io *io,
                                                struct snapwriter **writer, qn_error *err);
void snapfile_clean_with(const struct file_io *io, const char *data, uint32_t partition,
                         uint64_t keep);

#endif

/* What the writers of logs, snapshots and manifests ask of the operating system.
 *
 * In one place so that a test can refuse the n-th request, or lose what was not synced. Reading
 * goes to the system directly. Any thread. */
#ifndef QUOIN_NODE_LOG_FILE_IO_H
#define QUOIN_NODE_LOG_FILE_IO_H

#include <sys/types.h>

#include "wire/bytes.h"

/* Each as the call of the system that it is named after: -1 and errno on failure. */
struct file_io {
    void *arg;
    /* openat: a new empty file for reading and writing, of the owner only; one that is there is
     * emptied, a symbolic link refused. */
    int (*create)(void *arg, int dir_fd, const char *name);
    ssize_t (*write_at)(void *arg, int fd, const void *data, size_t size, off_t offset);
    int (*sync)(void *arg, int fd);     /* fdatasync */
    int (*sync_dir)(void *arg, int fd); /* fsync */
    /* posix_fallocate from 0: 0 or an error number. */
    int (*allocate)(void *arg, int fd, off_t size);
    int (*rename)(void *arg, int dir_fd, const char *from, const char *to);
    int (*remove)(void *arg, int dir_fd, const char *name);
    int (*make_dir)(void *arg, int dir_fd, const char *name); /* that it is there is no failure */
};

/* The real ones. */
const struct file_io *file_io_system(void);

/* Write all of it. False: errno says why. */
bool file_io_write(const struct file_io *io, int fd, struct bytes data, uint64_t offset);

/* Tell of a failure with the error number `number`: which file, and what to do.
 *
 * QN_DISK_FULL   no space
 * QN_OVERLOADED  no file descriptor
 * QN_IO          everything else */
enum qn_status file_io_failed(const char *what, const char *dir, const char *name, int number,
                              qn_error *err);

#endif

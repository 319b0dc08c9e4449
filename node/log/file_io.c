#define _GNU_SOURCE
#include "node/log/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0600, DIR_MODE = 0700 };

static int system_create(void *arg, int dir_fd, const char *name)
{
    (void)arg;
    return openat(dir_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
}

static ssize_t system_write_at(void *arg, int fd, const void *data, size_t size, off_t offset)
{
    (void)arg;
    return pwrite(fd, data, size, offset);
}

static int system_sync(void *arg, int fd)
{
    (void)arg;
    return fdatasync(fd);
}

static int system_sync_dir(void *arg, int fd)
{
    (void)arg;
    return fsync(fd);
}

static int system_allocate(void *arg, int fd, off_t size)
{
    int number;

    (void)arg;
    do {
        number = posix_fallocate(fd, 0, size);
    } while (number == EINTR);
    return number;
}

static int system_rename(void *arg, int dir_fd, const char *from, const char *to)
{
    (void)arg;
    return renameat(dir_fd, from, dir_fd, to);
}

static int system_remove(void *arg, int dir_fd, const char *name)
{
    (void)arg;
    return unlinkat(dir_fd, name, 0);
}

static int system_make_dir(void *arg, int dir_fd, const char *name)
{
    (void)arg;
    return mkdirat(dir_fd, name, DIR_MODE) == 0 || errno == EEXIST ? 0 : -1;
}

static const struct file_io io_system = {.create = system_create,
                                         .write_at = system_write_at,
                                         .sync = system_sync,
                                         .sync_dir = system_sync_dir,
                                         .allocate = system_allocate,
                                         .rename = system_rename,
                                         .remove = system_remove,
                                         .make_dir = system_make_dir};

const struct file_io *file_io_system(void)
{
    return &io_system;
}

bool file_io_write(const struct file_io *io, int fd, struct bytes data, uint64_t offset)
{
    while (data.size > 0) {
        ssize_t done = io->write_at(io->arg, fd, data.data, data.size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
        data = bytes_of(data.data + done, data.size - (size_t)done);
        offset += (uint64_t)done;
    }
    return true;
}

enum qn_status file_io_failed(const char *what, const char *dir, const char *name, int number,
                              qn_error *err)
{
    if (number == EMFILE || number == ENFILE) {
        return qn_error_set(err, QN_OVERLOADED, "cannot %s %s/%s: %s; raise ulimit -n", what, dir,
                            name, strerror(number));
    }
    if (number == ENOSPC || number == EDQUOT) {
        return qn_error_set(err, QN_DISK_FULL, "cannot %s %s/%s: %s; make space there", what, dir,
                            name, strerror(number));
    }
    return qn_error_set(err, QN_IO, "cannot %s %s/%s: %s; check the disk", what, dir, name,
                        strerror(number));
}

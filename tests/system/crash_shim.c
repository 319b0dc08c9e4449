/* Kills a process just before its n-th operation on files: for tests of what a crash leaves behind.
 *
 * To be preloaded (LD_PRELOAD). Of the operations on paths below QUOIN_CRASH_DIR it counts those
 * that change something or make a change durable: opening with O_CREAT, O_TRUNC or for writing,
 * write, pwrite, writev, pwritev, ftruncate, fallocate, posix_fallocate, fsync, fdatasync, rename,
 * unlink, mkdir, each with its *at form. (sync_file_range is a hint and not counted.)
 *
 *     QUOIN_CRASH_DIR    an absolute path without symbolic links; unset: nothing is counted
 *     QUOIN_CRASH_AT     SIGKILL before the operation of this number, from 1; unset or 0: count
 * only QUOIN_CRASH_ARM    count only while this file is there; unset: always. It must not lie below
 *                        QUOIN_CRASH_DIR/, or opening it would count itself
 *     QUOIN_CRASH_COUNT  a file into which the number counted so far is written at exit and
 * whenever it has grown by 16
 *
 * Thread-safe. The variables are read once, at the first operation. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { NUMBER_SIZE = 32, LINK_SIZE = 64, COUNT_STEP = 16 };

/* State of the process, since that is what is being watched. */
static struct {
    pthread_once_t once;
    char dir[PATH_MAX];
    size_t dir_size; /* 0: nothing is counted */
    const char *arm;
    const char *count_file;
    long at;
    atomic_long count;
} shim = {.once = PTHREAD_ONCE_INIT};

/* ---- counting ---- */

/* By system calls of its own, so that it does not count itself. */
static void count_store(long count)
{
    char text[NUMBER_SIZE];

    if (shim.count_file == NULL) {
        return;
    }
    int size = snprintf(text, sizeof text, "%ld\n", count);
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, shim.count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, text, (size_t)size);
        (void)syscall(SYS_close, fd);
    }
}

static void shim_end(void)
{
    count_store(atomic_load(&shim.count));
}

static void shim_init(void)
{
    const char *dir = getenv("QUOIN_CRASH_DIR");
    const char *at = getenv("QUOIN_CRASH_AT");

    shim.arm = getenv("QUOIN_CRASH_ARM");
    shim.count_file = getenv("QUOIN_CRASH_COUNT");
    shim.at = at != NULL ? strtol(at, NULL, 10) : 0;
    if (dir != NULL && strlen(dir) < sizeof shim.dir) {
        strcpy(shim.dir, dir);
        shim.dir_size = strlen(dir);
        if (shim.count_file != NULL) {
            (void)atexit(shim_end);
        }
    }
}

static bool armed(void)
{
    (void)pthread_once(&shim.once, shim_init);
    if (shim.dir_size == 0) {
        return false;
    }
    return shim.arm == NULL || syscall(SYS_faccessat, AT_FDCWD, shim.arm, F_OK) == 0;
}

/* An operation is about to happen: has its time come? */
static void count(void)
{
    int number = errno;
    long now = atomic_fetch_add(&shim.count, 1) + 1;

    if (now == shim.at) {
        count_store(now);
        (void)kill(getpid(), SIGKILL);
        for (;;) { /* no further instruction of the program */
            (void)pause();
        }
    }
    if (now % COUNT_STEP == 0) {
        count_store(now);
    }
    errno = number;
}

static bool below(const char *path)
{
    return strncmp(path, shim.dir, shim.dir_size) == 0 &&
           (path[shim.dir_size] == '/' || path[shim.dir_size] == '\0');
}

/* The path behind a descriptor, or of the working directory. False: there is none. */
static bool path_of(int fd, char path[PATH_MAX])
{
    char link[LINK_SIZE];

    if (fd == AT_FDCWD) {
        return getcwd(path, PATH_MAX) != NULL;
    }
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size <= 0) {
        return false;
    }
    path[size] = '\0';
    return true;
}

static void count_fd(int fd)
{
    char path[PATH_MAX];
    int number = errno;

    if (armed() && path_of(fd, path) && below(path)) {
        count();
    }
    errno = number;
}

static void count_path(int dir_fd, const char *name)
{
    char path[PATH_MAX];
    int number = errno;

    if (armed()) {
        bool inside = name[0] == '/' ? below(name) : path_of(dir_fd, path) && below(path);
        if (inside) {
            count();
        }
    }
    errno = number;
}

static void count_open(int dir_fd, const char *name, int flags)
{
    if ((flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_ACCMODE) != O_RDONLY) {
        count_path(dir_fd, name);
    }
}

/* ---- what is watched ---- */

/* The function of this name that comes behind the one here. ISO C has no conversion from a pointer
 * to data to one to a function; POSIX says that copying it is fine. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (next == NULL) {                                                                            \
        void *found_ = dlsym(RTLD_NEXT, #name);                                                    \
        memcpy(&next, &found_, sizeof next);                                                       \
    }

/* `mode` is there only with flags that create. */
#define MODE(flags, last)                                                                          \
    mode_t mode = 0;                                                                               \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {                                                  \
        va_list arguments_;                                                                        \
        va_start(arguments_, last);                                                                \
        mode = va_arg(arguments_, mode_t);                                                         \
        va_end(arguments_);                                                                        \
    }

EXPORT int open(const char *path, int flags, ...)
{
    NEXT(open)
    MODE(flags, flags)
    count_open(AT_FDCWD, path, flags);
    return next(path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
    NEXT(open64)
    MODE(flags, flags)
    count_open(AT_FDCWD, path, flags);
    return next(path, flags, mode);
}

EXPORT int openat(int dir_fd, const char *path, int flags, ...)
{
    NEXT(openat)
    MODE(flags, flags)
    count_open(dir_fd, path, flags);
    return next(dir_fd, path, flags, mode);
}

EXPORT int openat64(int dir_fd, const char *path, int flags, ...)
{
    NEXT(openat64)
    MODE(flags, flags)
    count_open(dir_fd, path, flags);
    return next(dir_fd, path, flags, mode);
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
    NEXT(write)
    count_fd(fd);
    return next(fd, data, size);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    NEXT(pwrite)
    count_fd(fd);
    return next(fd, data, size, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    NEXT(pwrite64)
    count_fd(fd);
    return next(fd, data, size, offset);
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count_of)
{
    NEXT(writev)
    count_fd(fd);
    return next(fd, parts, count_of);
}

EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count_of, off_t offset)
{
    NEXT(pwritev)
    count_fd(fd);
    return next(fd, parts, count_of, offset);
}

EXPORT int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate)
    count_fd(fd);
    return next(fd, size);
}

EXPORT int fallocate(int fd, int mode, off_t offset, off_t size)
{
    NEXT(fallocate)
    count_fd(fd);
    return next(fd, mode, offset, size);
}

EXPORT int posix_fallocate(int fd, off_t offset, off_t size)
{
    NEXT(posix_fallocate)
    count_fd(fd);
    return next(fd, offset, size);
}

EXPORT int fsync(int fd)
{
    NEXT(fsync)
    count_fd(fd);
    return next(fd);
}

EXPORT int fdatasync(int fd)
{
    NEXT(fdatasync)
    count_fd(fd);
    return next(fd);
}

EXPORT int rename(const char *from, const char *to)
{
    NEXT(rename)
    count_path(AT_FDCWD, to);
    return next(from, to);
}

EXPORT int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    NEXT(renameat)
    count_path(to_fd, to);
    return next(from_fd, from, to_fd, to);
}

EXPORT int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    NEXT(renameat2)
    count_path(to_fd, to);
    return next(from_fd, from, to_fd, to, flags);
}

EXPORT int unlink(const char *path)
{
    NEXT(unlink)
    count_path(AT_FDCWD, path);
    return next(path);
}

EXPORT int unlinkat(int dir_fd, const char *path, int flags)
{
    NEXT(unlinkat)
    count_path(dir_fd, path);
    return next(dir_fd, path, flags);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir)
    count_path(AT_FDCWD, path);
    return next(path, mode);
}

EXPORT int mkdirat(int dir_fd, const char *path, mode_t mode)
{
    NEXT(mkdirat)
    count_path(dir_fd, path);
    return next(dir_fd, path, mode);
}

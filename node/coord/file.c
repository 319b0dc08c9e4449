#define _GNU_SOURCE
#include "node/coord/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DIR_MODE = 0700,
    FILE_MODE = 0600,
    NAME_SIZE = 256,
    SPARE_SIZE = 16 * 1024, /* of space kept for the next content */
};

static enum qn_status failed(const char *what, const char *dir, const char *name, qn_error *err)
{
    enum qn_status status = errno == ENOSPC || errno == EDQUOT ? QN_DISK_FULL : QN_IO;

    return qn_error_set(err, status, "cannot %s %.160s/%s: %s", what, dir, name, strerror(errno));
}

static bool dir_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0) {
        (void)close(fd);
    }
    return done;
}

/* The slash before the last part of `path`; NULL when nothing stands before it. */
static char *parent_end(char *path)
{
    char *slash = strrchr(path, '/');

    return slash == path ? NULL : slash;
}

/* Make `path`, in a parent that is there, and make its name durable. errno on failure. */
static bool dir_make_last(char *path)
{
    char *slash = parent_end(path);

    if (mkdir(path, DIR_MODE) != 0) {
        return errno == EEXIST;
    }
    if (!slash) {
        return dir_sync(path[0] == '/' ? "/" : ".");
    }
    *slash = '\0';
    bool done = dir_sync(path);
    *slash = '/';
    return done;
}

/* Make `path` and what is missing above it: every part once, from the first on. */
static bool dir_make(char *path)
{
    if (path[0] == '\0') {
        errno = ENOENT;
        return false;
    }
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') {
            continue;
        }
        *at = '\0';
        bool done = dir_make_last(path);
        *at = '/';
        if (!done) {
            return false;
        }
    }
    return dir_make_last(path);
}

enum qn_status file_dir_make(const char *path, qn_error *err)
{
    size_t length = strlen(path);
    char *copy = strdup(path);

    if (!copy) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    while (length > 1 && copy[length - 1] == '/') {
        copy[--length] = '\0';
    }
    bool done = dir_make(copy);
    int number = errno;
    free(copy);
    if (!done) {
        return qn_error_set(err, QN_IO, "cannot create the directory %.160s: %s", path,
                            strerror(number));
    }
    return QN_OK;
}

/* errno on failure. */
static bool write_all(int fd, struct bytes content)
{
    while (content.size > 0) {
        ssize_t done = write(fd, content.data, content.size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return false;
        }
        content = bytes_of(content.data + done, content.size - (size_t)done);
    }
    return true;
}

/* The new content under its temporary name, on disk. Written over what is there: the space of the
 * content before is used, so that it can be done on a full disk, too. */
static bool temporary_write(int dir_fd, const char *name, struct bytes content)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);

    if (fd < 0) {
        return false;
    }
    bool done = write_all(fd, content) && ftruncate(fd, (off_t)content.size) == 0 && fsync(fd) == 0;
    int number = errno;
    (void)close(fd);
    errno = number;
    return done;
}

/* Give the content its name. The one before takes the temporary name, and so keeps its space for
 * the next; where the file system cannot exchange names, or there was none before, it goes. */
static bool name_take(int dir_fd, const char *temporary, const char *name)
{
    return renameat2(dir_fd, temporary, dir_fd, name, RENAME_EXCHANGE) == 0 ||
           renameat(dir_fd, temporary, dir_fd, name) == 0;
}

/* Have space ready for the next content. A wish: without it the next one needs free space. */
static void spare_keep(int dir_fd, const char *temporary, size_t size)
{
    int fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);

    if (fd >= 0) {
        (void)fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)(2 * size + SPARE_SIZE));
        (void)close(fd);
    }
}

enum qn_status file_replace(const char *dir, const char *name, struct bytes content, qn_error *err)
{
    char temporary[NAME_SIZE];
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir_fd < 0) {
        return failed("open the directory of", dir, name, err);
    }
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", name);
    bool done = temporary_write(dir_fd, temporary, content) && name_take(dir_fd, temporary, name) &&
                fsync(dir_fd) == 0;
    int number = errno;
    if (done) {
        spare_keep(dir_fd, temporary, content.size);
    }
    (void)close(dir_fd);
    errno = number;
    return done ? QN_OK : failed("write", dir, name, err);
}

/* Read to the end of the file. */
static enum qn_status read_all(int fd, size_t size_max, struct buf *content)
{
    for (;;) {
        enum { STEP = 16 * 1024 };
        if (buf_reserve(content, STEP) != QN_OK) {
            return QN_MEMORY_FULL;
        }
        ssize_t done = read(fd, content->data + content->size, STEP);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return done == 0 ? QN_OK : QN_IO;
        }
        content->size += (size_t)done;
        if (content->size > size_max) {
            return QN_TOO_LARGE;
        }
    }
}

enum qn_status file_read(const char *dir, const char *name, size_t size_max, struct buf *content,
                         qn_error *err)
{
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = dir_fd < 0 ? -1 : openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
    int number = errno;

    if (dir_fd >= 0) {
        (void)close(dir_fd);
    }
    if (fd < 0) {
        errno = number;
        return number == ENOENT ? QN_ABSENT : failed("open", dir, name, err);
    }
    enum qn_status status = read_all(fd, size_max, content);
    if (status == QN_IO) {
        status = failed("read", dir, name, err);
    } else if (status != QN_OK) {
        status = qn_error_set(err, status, "cannot read %.160s/%s: %s", dir, name,
                              qn_status_text(status));
    }
    (void)close(fd);
    if (status != QN_OK) {
        buf_fini(content);
    }
    return status;
}

#define _GNU_SOURCE
#include "client/cli/rejects.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/render.h"
#include "client/cli/text.h"

enum { REJECTS_TRIES = 1000 };

/* Make `fd` the file. */
static bool rejects_take(struct rejects *rejects, int fd)
{
    rejects->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && rejects->file == NULL) {
        close(fd);
    }
    return rejects->file != NULL;
}

/* Create the file, under the next name that is free. */
static int rejects_create(struct rejects *rejects)
{
    size_t length = strlen(rejects->path);
    int fd = -1;
    for (int n = 2; n < REJECTS_TRIES; n++) {
        fd = open(rejects->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || rejects->fixed) {
            break;
        }
        snprintf(rejects->path + length, REJECTS_PATH_MAX - length, ".%d", n);
    }
    return fd;
}

static bool rejects_open(struct rejects *rejects)
{
    int fd = rejects_create(rejects);
    bool elsewhere = fd < 0 && !rejects->fixed && rejects->name > 0 &&
                     (errno == EACCES || errno == EPERM || errno == EROFS);
    if (elsewhere) {
        memmove(rejects->path, rejects->path + rejects->name,
                strlen(rejects->path + rejects->name) + 1);
        rejects->name = 0;
        fd = rejects_create(rejects);
    }
    rejects->owned = rejects_take(rejects, fd);
    return rejects->owned;
}

bool rejects_init(struct rejects *rejects, const char *path, const char *input)
{
    const char *beside = strcmp(input, "-") == 0 ? "stdin" : input;
    *rejects = (struct rejects){.fixed = path != NULL};
    int length = path != NULL ? snprintf(rejects->path, REJECTS_PATH_MAX, "%s", path)
                              : snprintf(rejects->path, REJECTS_PATH_MAX, "%s.rejected", beside);
    if (length <= 0 || length >= REJECTS_PATH_MAX - 8) {
        errno = length <= 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    const char *slash = strrchr(rejects->path, '/');
    rejects->name = slash != NULL ? (size_t)(slash + 1 - rejects->path) : 0;
    return path == NULL || rejects_open(rejects);
}

bool rejects_go_on(struct rejects *rejects, const char *path, uint64_t size, uint64_t count)
{
    struct stat about;
    int fd = strlen(path) < REJECTS_PATH_MAX ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    bool fits = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                (uint64_t)about.st_size >= size && size <= INT64_MAX &&
                ftruncate(fd, (off_t)size) == 0 && lseek(fd, 0, SEEK_END) == (off_t)size;
    if (!fits) {
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    *rejects = (struct rejects){.fixed = true, .count = count};
    snprintf(rejects->path, REJECTS_PATH_MAX, "%s", path);
    return rejects_take(rejects, fd);
}

bool rejects_sync(struct rejects *rejects, uint64_t *size)
{
    *size = 0;
    if (rejects->file == NULL) {
        return true;
    }
    bool synced = fflush(rejects->file) == 0 && fdatasync(fileno(rejects->file)) == 0;
    off_t at = synced ? ftello(rejects->file) : -1;
    *size = at > 0 ? (uint64_t)at : 0;
    return synced && at >= 0;
}

/* The record as it stands in the file, without white space around it. */
static struct bytes trimmed(struct bytes record)
{
    while (record.size > 0 && memchr(" \t\r\n", record.data[record.size - 1], 4) != NULL) {
        record.size--;
    }
    while (record.size > 0 && memchr("\r\n", record.data[0], 2) != NULL) {
        record = bytes_of(record.data + 1, record.size - 1);
    }
    return record;
}

bool rejects_add(struct rejects *rejects, uint64_t line, const char *reason, struct bytes record)
{
    rejects->count++;
    if (rejects->file == NULL && !rejects_open(rejects)) {
        return false;
    }
    struct buf document = {.size = 0};
    enum qn_status status = text_append(&document, "{\"line\":%" PRIu64 ",\"reason\":", line);
    status = status == QN_OK ? render_string(&document, bytes_of_text(reason)) : status;
    status = status == QN_OK ? text_append(&document, ",\"record\":") : status;
    status = status == QN_OK ? render_string(&document, trimmed(record)) : status;
    status = status == QN_OK ? text_append(&document, "}\n") : status;
    errno = status == QN_OK ? errno : ENOMEM;
    bool written =
        status == QN_OK && fwrite(document.data, 1, document.size, rejects->file) == document.size;
    buf_fini(&document);
    return written;
}

bool rejects_close(struct rejects *rejects)
{
    bool closed = rejects->file == NULL || fclose(rejects->file) == 0;
    rejects->file = NULL;
    if (closed && rejects->owned && rejects->count == 0) {
        (void)unlink(rejects->path);
    }
    return closed;
}

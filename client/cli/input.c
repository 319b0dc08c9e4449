#define _GNU_SOURCE
#include "client/cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_PIECE = 1 << 20 };

static enum qn_status input_failed(char *problem, const char *path, enum qn_status status)
{
    const char *why = status == QN_IO ? strerror(errno) : qn_status_text(status);
    snprintf(problem, QN_ERROR_TEXT_MAX, "cannot read %.200s: %s", path, why);
    return status;
}

/* Read to the end, piece by piece. */
static enum qn_status input_read(struct input *input, int fd, size_t size_max)
{
    for (;;) {
        enum qn_status status = buf_reserve(&input->read, INPUT_PIECE);
        if (status != QN_OK) {
            return status;
        }
        ssize_t got = read(fd, input->read.data + input->read.size, INPUT_PIECE);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? QN_OK : QN_IO;
        }
        input->read.size += (size_t)got;
        if (size_max > 0 && input->read.size > size_max) {
            return QN_TOO_LARGE;
        }
    }
}

static enum qn_status input_map(struct input *input, int fd, size_t size, size_t size_max)
{
    if (size_max > 0 && size > size_max) {
        return QN_TOO_LARGE;
    }
    void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED) {
        return QN_IO;
    }
    (void)madvise(mapped, size, MADV_SEQUENTIAL);
    input->mapped = mapped;
    input->text = bytes_of(mapped, size);
    return QN_OK;
}

static enum qn_status input_take(struct input *input, int fd, size_t size_max)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return QN_IO;
    }
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return QN_IO;
    }
    input->regular = S_ISREG(about.st_mode);
    input->modified_ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    if (S_ISREG(about.st_mode) && about.st_size > 0) {
        return input_map(input, fd, (size_t)about.st_size, size_max);
    }
    enum qn_status status = input_read(input, fd, size_max);
    input->text = input->read.size > 0 ? buf_bytes(&input->read) : bytes_of("", 0);
    return status;
}

enum qn_status input_open(struct input *input, const char *path, size_t size_max, char *problem)
{
    *input = (struct input){.mapped = NULL};
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return input_failed(problem, path, QN_IO);
    }
    enum qn_status status = input_take(input, fd, size_max);
    if (status != QN_OK) {
        input_failed(problem, path, status);
        input_close(input);
    }
    if (!standard) {
        close(fd);
    }
    return status;
}

void input_close(struct input *input)
{
    if (input->mapped != NULL) {
        munmap(input->mapped, input->text.size);
    }
    buf_fini(&input->read);
    *input = (struct input){.mapped = NULL};
}

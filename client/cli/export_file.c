#define _GNU_SOURCE
#include "client/cli/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool take_path(struct export_file *file, const char *path)
{
    *file = (struct export_file){.path = path, .standard = strcmp(path, "-") == 0};
    int length = snprintf(file->part, sizeof file->part, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof file->part) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!file->standard && access(path, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return true;
}

static bool take_fd(struct export_file *file, int fd)
{
    file->to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && file->to == NULL) {
        close(fd);
    }
    return file->to != NULL;
}

bool export_file_open(struct export_file *file, const char *path, bool over)
{
    if (!take_path(file, path)) {
        return false;
    }
    if (file->standard) {
        file->to = stdout;
        return true;
    }
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (over ? O_TRUNC : O_EXCL);
    return take_fd(file, open(file->part, flags, 0666));
}

bool export_file_go_on(struct export_file *file, const char *path, uint64_t size)
{
    struct stat about;
    if (!take_path(file, path)) {
        return false;
    }
    int fd = open(file->part, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        return take_fd(file, -1);
    }
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size < size) {
        close(fd);
        errno = ENODATA;
        return false;
    }
    bool placed = ftruncate(fd, (off_t)size) == 0 && lseek(fd, 0, SEEK_END) == (off_t)size;
    if (!placed) {
        close(fd);
        return false;
    }
    return take_fd(file, fd);
}

bool export_file_write(struct export_file *file, struct bytes octets)
{
    return octets.size == 0 || fwrite(octets.data, 1, octets.size, file->to) == octets.size;
}

bool export_file_sync(struct export_file *file, uint64_t *size)
{
    if (fflush(file->to) != 0 || fdatasync(fileno(file->to)) != 0) {
        return false;
    }
    off_t at = ftello(file->to);
    *size = at > 0 ? (uint64_t)at : 0;
    return at >= 0;
}

/* As rename, but not over a file; where the file system cannot do that, after a look. */
static bool rename_to_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return true;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return false;
    }
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(from, to) == 0;
}

bool export_file_finish(struct export_file *file)
{
    if (file->standard) {
        return fflush(stdout) == 0;
    }
    uint64_t size = 0;
    bool written = export_file_sync(file, &size);
    int why = errno;
    written = fclose(file->to) == 0 && written;
    file->to = NULL;
    if (!written) {
        errno = why;
    }
    return written && rename_to_new(file->part, file->path);
}

void export_file_drop(struct export_file *file)
{
    if (file->to != NULL && !file->standard) {
        (void)unlink(file->part);
    }
    export_file_close(file);
}

void export_file_close(struct export_file *file)
{
    if (file->to != NULL && !file->standard) {
        fclose(file->to);
    }
    file->to = NULL;
}

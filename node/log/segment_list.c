#define _GNU_SOURCE
#include "node/log/segment_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "node/log/txlog_format.h"
#include "wire/assert.h"

enum { CAPACITY_FIRST = 16 };

enum qn_status segment_list_add(struct segment_list *list, const struct segment_file *file)
{
    if (list->count > 0 && list->files[list->count - 1].first_lsn == file->first_lsn) {
        list->files[list->count - 1] = *file;
        return QN_OK;
    }
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : CAPACITY_FIRST;
        struct segment_file *files = realloc(list->files, capacity * sizeof *files);
        if (!files) {
            return QN_MEMORY_FULL;
        }
        list->files = files;
        list->capacity = capacity;
    }
    list->files[list->count++] = *file;
    return QN_OK;
}

/* Take the entry `name` of the directory when it is a segment. */
static enum qn_status entry_take(const char *path, DIR *dir, const char *name,
                                 struct segment_list *list, qn_error *err)
{
    struct segment_file file;
    struct stat st;

    if (!segment_name_parse(name, &file.first_lsn)) {
        return QN_OK;
    }
    if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) {
        return qn_error_set(err, QN_IO, "%.160s/%s is not a readable file", path, name);
    }
    file.size = (uint64_t)st.st_size;
    if (segment_list_add(list, &file) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "no memory to list %.160s", path);
    }
    return QN_OK;
}

static enum qn_status read_failed(const char *path, qn_error *err)
{
    return qn_error_set(err, QN_IO, "cannot read the directory %.160s: %s", path, strerror(errno));
}

static int by_lsn(const void *a, const void *b)
{
    const struct segment_file *left = a, *right = b;

    return (left->first_lsn > right->first_lsn) - (left->first_lsn < right->first_lsn);
}

enum qn_status segment_list_read(const char *path, struct segment_list *list, qn_error *err)
{
    enum qn_status status = QN_OK;
    const struct dirent *entry;
    DIR *dir = opendir(path);

    if (!dir) {
        return errno == ENOENT ? QN_OK : read_failed(path, err);
    }
    errno = 0;
    while (status == QN_OK && (entry = readdir(dir)) != NULL) {
        status = entry_take(path, dir, entry->d_name, list, err);
        errno = 0;
    }
    if (status == QN_OK && errno != 0) {
        status = read_failed(path, err);
    }
    (void)closedir(dir);
    if (list->count > 1) {
        qsort(list->files, list->count, sizeof *list->files, by_lsn);
    }
    return status;
}

void segment_list_drop(struct segment_list *list)
{
    qn_assert(list->count > 0);
    list->count--;
    memmove(list->files, list->files + 1, list->count * sizeof *list->files);
}

size_t segment_list_below(const struct segment_list *list, uint64_t lsn)
{
    size_t below = 0;

    while (below + 1 < list->count && list->files[below + 1].first_lsn <= lsn) {
        below++;
    }
    return below;
}

void segment_list_fini(struct segment_list *list)
{
    free(list->files);
    *list = (struct segment_list){0};
}

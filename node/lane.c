#define _GNU_SOURCE
#include "node/lane.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "wire/hash.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 40, NUMBER_DIGITS_MAX = 6 };

static void name_print(uint32_t lane, uint32_t lanes, char *name)
{
    (void)snprintf(name, NAME_SIZE, "lane-%" PRIu32 "of%" PRIu32, lane, lanes);
}

bool lane_path(const char *data, uint32_t lane, uint32_t lanes, char *path, size_t size)
{
    char name[NAME_SIZE];

    name_print(lane, lanes, name);
    int wanted = snprintf(path, size, "%s/%s", data, name);
    return wanted > 0 && (size_t)wanted < size;
}

bool lane_log_path(const char *data, uint32_t lane, uint32_t lanes, char *path, size_t size)
{
    char name[NAME_SIZE];

    name_print(lane, lanes, name);
    int wanted = snprintf(path, size, "%s/%s/log", data, name);
    return wanted > 0 && (size_t)wanted < size;
}

uint64_t lane_owner(uint64_t disk, uint32_t lane, uint32_t lanes)
{
    uint8_t all[16];

    put_u64(all, disk);
    put_u32(all + 8, lane);
    put_u32(all + 12, lanes);
    return hash_bytes(bytes_of(all, sizeof all));
}

enum qn_status lane_make(const char *data, uint32_t lane, uint32_t lanes, qn_error *err)
{
    char path[PATH_SIZE];

    if (!lane_path(data, lane, lanes, path, sizeof path)) {
        return qn_error_set(err, QN_INVALID, "the path of the data directory is too long: %.160s",
                            data);
    }
    return file_dir_make(path, err);
}

/* A number as name_print writes it, at `*at`, which moves behind it. */
static bool number_take(const char **at, uint32_t *number)
{
    const char *from = *at;
    uint32_t value = 0;

    while (**at >= '0' && **at <= '9') {
        value = value * 10 + (uint32_t)(**at - '0');
        (*at)++;
        if (*at - from > NUMBER_DIGITS_MAX) {
            return false;
        }
    }
    *number = value;
    return *at > from && (from[0] != '0' || *at - from == 1);
}

static bool word_take(const char **at, const char *word)
{
    size_t size = strlen(word);

    if (strncmp(*at, word, size) != 0) {
        return false;
    }
    *at += size;
    return true;
}

/* Is this the name of a lane of another number of lanes than `lanes`? */
static bool name_stale(const char *name, uint32_t lanes)
{
    uint32_t lane, of;

    return word_take(&name, "lane-") && number_take(&name, &lane) && word_take(&name, "of") &&
           number_take(&name, &of) && *name == '\0' && lane < of && of != lanes;
}

/* Open the folder `name` in `dir_fd` for reading its names; NULL when that cannot be. */
static DIR *folder_open(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !dir) {
        (void)close(fd);
    }
    return dir;
}

static bool name_is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Remove the files of a folder, then the folder. What else is in it stays, and so does it. */
static void folder_remove(int dir_fd, const char *name)
{
    DIR *dir = folder_open(dir_fd, name);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        if (!name_is_dots(entry->d_name)) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
    (void)unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* The manifest goes first: a lane that is half removed must not look like a whole one. */
static void lane_remove(int data_fd, const char *name)
{
    int fd = openat(data_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0) {
        return;
    }
    (void)unlinkat(fd, "manifest", 0);
    (void)fsync(fd);
    folder_remove(fd, "log");
    (void)close(fd);
    folder_remove(data_fd, name);
}

void lanes_clean(const char *data, uint32_t lanes)
{
    DIR *dir = opendir(data);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        if (name_stale(entry->d_name, lanes)) {
            lane_remove(dirfd(dir), entry->d_name);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}

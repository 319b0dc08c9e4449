/* How much memory there is: of the machine, and of the control group. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/memory.h"

enum { PATH_SIZE = 4096, TEXT_SIZE = 8192 };

/* The beginning of a small file; false when it cannot be read. */
static bool text_read(const char *path, char text[TEXT_SIZE])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, TEXT_SIZE - 1);

    if (fd >= 0) {
        (void)close(fd);
    }
    text[size > 0 ? size : 0] = '\0';
    return size > 0;
}

/* The limit in `<root>/sys/fs/cgroup<folder>/<name>`; UINT64_MAX when there is none ("max"). */
static uint64_t limit_read(const char *root, const char *folder, const char *name)
{
    char path[PATH_SIZE], text[TEXT_SIZE], *end;
    int size = snprintf(path, sizeof path, "%s/sys/fs/cgroup%s/%s", root, folder, name);

    if (size < 0 || (size_t)size >= sizeof path || !text_read(path, text)) {
        return UINT64_MAX;
    }
    uint64_t limit = strtoull(text, &end, 10);
    return end > text && limit > 0 ? limit : UINT64_MAX;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The least limit of a group and those around it: each of them binds. `group` begins with '/' and
 * is shortened. */
static uint64_t least_upwards(const char *root, const char *mount, char *group, const char *name)
{
    char folder[PATH_SIZE];
    uint64_t least = UINT64_MAX;

    for (;;) {
        int size = snprintf(folder, sizeof folder, "%s%s", mount, group);
        if (size > 0 && (size_t)size < sizeof folder) {
            least = lesser(least, limit_read(root, folder, name));
        }
        char *slash = strrchr(group, '/');
        if (!slash) {
            return least;
        }
        *slash = '\0';
    }
}

/* Does `list` ("cpu,memory") name the controller? */
static bool lists_memory(const char *list, const char *end)
{
    static const char word[] = "memory";
    size_t size = sizeof word - 1;

    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        size_t length = (size_t)((comma ? comma : end) - list);
        if (length == size && memcmp(list, word, size) == 0) {
            return true;
        }
        list += length + 1;
    }
    return false;
}

/* The limit by one line of /proc/self/cgroup: "0::/group" (version 2), "4:memory:/group" (1). */
static uint64_t line_limit(const char *root, char *line)
{
    const char *list = strchr(line, ':');
    char *group = list ? strchr(list + 1, ':') : NULL;

    if (!group) {
        return UINT64_MAX;
    }
    const char *list_end = group++;
    if (list_end == list + 1) {
        return least_upwards(root, "", group, "memory.max");
    }
    return lists_memory(list + 1, list_end)
               ? least_upwards(root, "/memory", group, "memory.limit_in_bytes")
               : UINT64_MAX;
}

uint64_t memory_cgroup_limit(const char *root)
{
    char path[PATH_SIZE], text[TEXT_SIZE], *rest = NULL;
    uint64_t least = UINT64_MAX;
    int size = snprintf(path, sizeof path, "%s/proc/self/cgroup", root);

    if (size < 0 || (size_t)size >= sizeof path || !text_read(path, text)) {
        return least;
    }
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        least = lesser(least, line_limit(root, line));
    }
    return least;
}

uint64_t memory_limit_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;

    return lesser(machine, memory_cgroup_limit("")) / 4 * 3;
}

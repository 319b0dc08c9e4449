#define _GNU_SOURCE
#include "node/admin/process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static bool memory_read(struct process_figures *figures)
{
    uint64_t mapped, resident, page = (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file) {
        return false;
    }
    int got = fscanf(file, "%" SCNu64 " %" SCNu64, &mapped, &resident);
    (void)fclose(file);
    if (got != 2) {
        return false;
    }
    figures->virtual_bytes = mapped * page;
    figures->resident_bytes = resident * page;
    return true;
}

static bool fds_count(uint64_t *count)
{
    uint64_t entries = 0;
    DIR *dir = opendir("/proc/self/fd");

    if (!dir) {
        return false;
    }
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        entries += entry->d_name[0] != '.';
    }
    (void)closedir(dir);
    *count = entries - (entries > 0); /* without the one that was open to count them */
    return true;
}

static uint64_t fds_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                    : 0;
}

struct process_figures process_read(void)
{
    struct process_figures figures = {0};
    struct timespec cpu = {0};

    figures.has_memory = memory_read(&figures);
    figures.has_fds = fds_count(&figures.open_fds);
    figures.max_fds = fds_limit();
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    figures.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    return figures;
}

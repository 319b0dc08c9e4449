#define _GNU_SOURCE
#include "node/admin/process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool resident_read(uint64_t *bytes)
{
    uint64_t pages_total, pages;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file) {
        return false;
    }
    int got = fscanf(file, "%" SCNu64 " %" SCNu64, &pages_total, &pages);
    (void)fclose(file);
    if (got != 2) {
        return false;
    }
    *bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
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

struct process_figures process_read(void)
{
    struct process_figures figures = {0};
    struct timespec cpu = {0};

    figures.has_resident = resident_read(&figures.resident_bytes);
    figures.has_fds = fds_count(&figures.open_fds);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    figures.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    return figures;
}

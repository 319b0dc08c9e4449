/* Removing snapshots that do not count any more. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "node/snapshot/snapfile_format.h"
#include "node/snapshot/snapshot_io.h"

enum { PATH_SIZE = 4096 };

/* Which files of a partition go. */
struct selection {
    bool snapshots; /* not only temporary files */
    uint64_t keep;  /* but this one; 0 = none */
};

static bool is_leftover(const char *name, const struct selection *selection)
{
    uint64_t index;

    if (strcmp(name, SNAP_TEMPORARY) == 0) {
        return true;
    }
    return selection->snapshots && snap_name_parse(name, &index) &&
           (index != selection->keep || index == 0);
}

static void folder_clean(const struct file_io *io, const char *data, uint32_t partition,
                         const struct selection *selection)
{
    char path[PATH_SIZE];
    const struct dirent *entry;

    (void)snprintf(path, sizeof path, "%s/p%" PRIu32, data, partition);
    DIR *dir = opendir(path);
    if (!dir) {
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (is_leftover(entry->d_name, selection)) {
            (void)io->remove(io->arg, dirfd(dir), entry->d_name);
        }
    }
    (void)closedir(dir);
}

void snapfile_clean_with(const struct file_io *io, const char *data, uint32_t partition,
                         uint64_t keep)
{
    folder_clean(io, data, partition, &(struct selection){.snapshots = true, .keep = keep});
}

void snapfile_clean(const char *data, uint32_t partition, uint64_t keep)
{
    snapfile_clean_with(file_io_system(), data, partition, keep);
}

/* "p<partition>" and nothing else. */
static bool folder_parse(const char *name, uint32_t *partition)
{
    char *end;

    if (name[0] != 'p' || name[1] < '0' || name[1] > '9') {
        return false;
    }
    unsigned long long number = strtoull(name + 1, &end, 10);
    if (*end != '\0' || number > UINT32_MAX) {
        return false;
    }
    *partition = (uint32_t)number;
    return true;
}

/* The partitions whose files may be removed. */
struct lane {
    const struct file_io *io;
    const char *data;
    const struct manifest *manifest;
    bool (*owns)(void *arg, uint32_t partition);
    void *arg;
};

static void lane_clean(const struct lane *lane, bool snapshots)
{
    const struct dirent *entry;
    DIR *dir = opendir(lane->data);
    uint32_t partition;

    if (!dir) {
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (folder_parse(entry->d_name, &partition) && lane->owns(lane->arg, partition)) {
            const struct manifest_row *row = manifest_find(lane->manifest, partition);
            struct selection selection = {.snapshots = snapshots, .keep = row ? row->index : 0};
            folder_clean(lane->io, lane->data, partition, &selection);
        }
    }
    (void)closedir(dir);
}

enum qn_status snapshot_leftovers_remove(const char *data, const char *lane_dir,
                                         const struct manifest *manifest,
                                         bool (*owns)(void *arg, uint32_t partition), void *arg,
                                         qn_error *err)
{
    struct lane lane = {
        .io = file_io_system(), .data = data, .manifest = manifest, .owns = owns, .arg = arg};

    lane_clean(&lane, false); /* which may make the space that the manifest needs */
    enum qn_status status = manifest_write(lane_dir, manifest, err);
    if (status == QN_OK) {
        lane_clean(&lane, true);
    }
    return status;
}

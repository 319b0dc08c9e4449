#define _GNU_SOURCE /* mkdtemp, nftw */

#include "tests/unit/config/folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/assert.h"

void folder_create(struct folder *folder)
{
    const char *parent = getenv("TMPDIR");
    int size = snprintf(folder->path, sizeof folder->path, "%s/quoin-config-XXXXXX",
                        parent && strlen(parent) < 40 ? parent : "/tmp");

    qn_assert(size > 0 && (size_t)size < sizeof folder->path);
    char *made = mkdtemp(folder->path);
    qn_assert(made);
}

const char *folder_path(struct folder *folder, const char *name)
{
    int size = snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);

    qn_assert(size > 0 && (size_t)size < sizeof folder->file);
    return folder->file;
}

void folder_write(struct folder *folder, const char *name, const char *text)
{
    const char *slash = strchr(name, '/');
    char inner[64];

    if (slash) {
        snprintf(inner, sizeof inner, "%.*s", (int)(slash - name), name);
        (void)mkdir(folder_path(folder, inner), 0700);
    }
    FILE *file = fopen(folder_path(folder, name), "w");
    qn_assert(file);
    fputs(text, file);
    int closed = fclose(file);
    qn_assert(closed == 0);
}

static int entry_remove(const char *path, const struct stat *stat, int kind, struct FTW *walk)
{
    (void)stat;
    (void)kind;
    (void)walk;
    return remove(path);
}

void folder_remove(struct folder *folder)
{
    (void)nftw(folder->path, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

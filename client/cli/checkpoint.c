#define _GNU_SOURCE
#include "client/cli/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHECKPOINT_DUMP = JSON_COMPACT | JSON_REAL_PRECISION(17) };

bool checkpoint_path(char path[CHECKPOINT_PATH_MAX], const char *chosen, const char *file)
{
    /* Room is left for what stands behind the name while it is written. */
    int length = chosen != NULL ? snprintf(path, CHECKPOINT_PATH_MAX, "%s", chosen)
                                : snprintf(path, CHECKPOINT_PATH_MAX, "%s.progress", file);
    return length > 0 && length < CHECKPOINT_PATH_MAX - 8;
}

static bool write_synced(const char *path, const json_t *document)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    bool written = json_dumpf(document, file, CHECKPOINT_DUMP) == 0 && fputc('\n', file) != EOF &&
                   fflush(file) == 0 && fsync(fd) == 0;
    int why = errno;
    written = fclose(file) == 0 && written;
    errno = why;
    return written;
}

bool checkpoint_save(const char *path, const char *kind, json_t *state)
{
    char temporary[CHECKPOINT_PATH_MAX];
    json_t *document = json_pack("{s:s}", "quoin", kind);
    bool made = json_object_update(document, state) == 0;
    snprintf(temporary, sizeof temporary, "%s.new", path);
    bool saved = made && write_synced(temporary, document) && rename(temporary, path) == 0;
    int why = errno;
    if (!saved) {
        (void)unlink(temporary);
    }
    json_decref(document);
    errno = why;
    return saved;
}

enum checkpoint_found checkpoint_load(const char *path, const char *kind, json_t **state)
{
    if (access(path, F_OK) != 0) {
        return CHECKPOINT_ABSENT;
    }
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    const char *found = json_string_value(json_object_get(document, "quoin"));
    if (found == NULL || strcmp(found, kind) != 0) {
        json_decref(document);
        return CHECKPOINT_FOREIGN;
    }
    *state = document;
    return CHECKPOINT_OURS;
}

void checkpoint_remove(const char *path)
{
    (void)unlink(path);
}

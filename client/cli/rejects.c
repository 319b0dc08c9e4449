#define _GNU_SOURCE
#include "client/cli/rejects.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "client/cli/json_value.h"

enum { REJECTS_TRIES = 1000 };

/* The last part of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return strcmp(name, "-") == 0 || *name == '\0' ? "stdin" : name;
}

bool rejects_init(struct rejects *rejects, const char *path, const char *input)
{
    *rejects = (struct rejects){.fixed = path != NULL};
    int length = path != NULL
                     ? snprintf(rejects->path, REJECTS_PATH_MAX, "%s", path)
                     : snprintf(rejects->path, REJECTS_PATH_MAX, "%s.rejected", name_of(input));
    bool fits = length > 0 && length < REJECTS_PATH_MAX - 8;
    return fits && (path == NULL || access(path, F_OK) != 0);
}

static bool rejects_open(struct rejects *rejects)
{
    size_t length = strlen(rejects->path);
    int fd = -1;
    for (int n = 2; n < REJECTS_TRIES; n++) {
        fd = open(rejects->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || rejects->fixed) {
            break;
        }
        snprintf(rejects->path + length, REJECTS_PATH_MAX - length, ".%d", n);
    }
    if (fd < 0) {
        return false;
    }
    rejects->file = fdopen(fd, "w");
    if (rejects->file == NULL) {
        close(fd);
    }
    return rejects->file != NULL;
}

/* The record as it stands in the file, without white space around it. */
static struct bytes trimmed(struct bytes record)
{
    while (record.size > 0 && memchr(" \t\r\n", record.data[record.size - 1], 4) != NULL) {
        record.size--;
    }
    while (record.size > 0 && memchr("\r\n", record.data[0], 2) != NULL) {
        record = bytes_of(record.data + 1, record.size - 1);
    }
    return record;
}

bool rejects_add(struct rejects *rejects, uint64_t line, const char *reason, struct bytes record)
{
    rejects->count++;
    if (rejects->file == NULL && !rejects_open(rejects)) {
        return false;
    }
    json_t *document = json_pack("{s:I, s:o, s:o}", "line", (json_int_t)line, "reason",
                                 json_value_text(bytes_of_text(reason)), "record",
                                 json_value_text(trimmed(record)));
    bool written =
        json_dumpf(document, rejects->file, JSON_COMPACT) == 0 && fputc('\n', rejects->file) != EOF;
    json_decref(document);
    return written;
}

bool rejects_close(struct rejects *rejects)
{
    bool closed = rejects->file == NULL || fclose(rejects->file) == 0;
    rejects->file = NULL;
    return closed;
}

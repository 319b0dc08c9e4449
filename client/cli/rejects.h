/* The side file of an import: what was rejected, where and why. JSON lines:
 *
 *     {"line":12,"reason":"missing key: field 'id' is empty","record":"x,,y"}
 *
 * It is created with the first rejected record and never overwrites a file. One owner. */
#ifndef QUOIN_CLIENT_CLI_REJECTS_H
#define QUOIN_CLIENT_CLI_REJECTS_H

#include <stdio.h>

#include "wire/bytes.h"

enum { REJECTS_PATH_MAX = 1024 };

struct rejects {
    char path[REJECTS_PATH_MAX]; /* of the file; once it is open, the one that was created */
    bool fixed;                  /* the caller chose the path: no other is tried */
    FILE *file;                  /* NULL = not needed yet */
    uint64_t count;
};

/* Begin. `path` is what the caller chose, NULL = the name of `input` with ".rejected" behind it, in
 * the current folder, and ".rejected.2" and so on when that exists. False: `path` exists already,
 * or is too long. */
bool rejects_init(struct rejects *rejects, const char *path, const char *input);

/* Write one down. False: it cannot be written (errno says why). */
bool rejects_add(struct rejects *rejects, uint64_t line, const char *reason, struct bytes record);

/* Close the file. False: not everything could be written. */
bool rejects_close(struct rejects *rejects);

#endif

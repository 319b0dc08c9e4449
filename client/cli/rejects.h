/* The side file of an import: what was rejected, where and why. JSON lines:
 *
 *     {"line":12,"reason":"missing key: field 'id' is empty","record":"x,,y"}
 *
 * It never overwrites a file. Where the caller chose its path it is created at once, so that a path
 * that cannot be written is known before the work, and is removed when nothing was rejected; else
 * it is created with the first rejected record. One owner. */
#ifndef QUOIN_CLIENT_CLI_REJECTS_H
#define QUOIN_CLIENT_CLI_REJECTS_H

#include <stdio.h>

#include "wire/bytes.h"

enum { REJECTS_PATH_MAX = 1024 };

struct rejects {
    char path[REJECTS_PATH_MAX]; /* of the file; once it is open, the one that was created */
    bool fixed;                  /* the caller chose the path: no other is tried */
    FILE *file;                  /* NULL = not needed yet */
    bool owned;                  /* created here, so it may be removed when it stayed empty */
    uint64_t count;
    size_t name; /* where in `path` the name begins, behind its folder */
};

/* Begin. `path` is what the caller chose, NULL = beside `input`, under its name with ".rejected"
 * behind it, and ".rejected.2" and so on when that exists; where nothing can be written there, and
 * for stdin, in the current folder. False: `path` cannot be created (errno: EEXIST when it exists
 * already), or is too long. */
bool rejects_init(struct rejects *rejects, const char *path, const char *input);

/* Go on with a file that an earlier run left: behind `size` octets, of which `count` records are;
 * what stands behind them is dropped. False: there is no such file, or it is shorter; nothing
 * changed. */
bool rejects_go_on(struct rejects *rejects, const char *path, uint64_t size, uint64_t count);

/* Bring to disk what was written, and say how many octets that is; 0 while there is no file. False:
 * it cannot be written. */
bool rejects_sync(struct rejects *rejects, uint64_t *size);

/* Write one down. False: it cannot be written (errno says why). */
bool rejects_add(struct rejects *rejects, uint64_t line, const char *reason, struct bytes record);

/* Close the file. False: not everything could be written. */
bool rejects_close(struct rejects *rejects);

#endif

/* Where a long copy stands, in a small file, so that it can go on after it was stopped.
 *
 * The file is a JSON document with the member "quoin" that says whose it is. It is replaced by
 * rename, so it is whole whatever happens. */
#ifndef QUOIN_CLIENT_CLI_CHECKPOINT_H
#define QUOIN_CLIENT_CLI_CHECKPOINT_H

#include <stdbool.h>

#include <jansson.h>

enum { CHECKPOINT_PATH_MAX = 1024 };

enum checkpoint_found {
    CHECKPOINT_ABSENT,
    CHECKPOINT_OURS,
    CHECKPOINT_FOREIGN, /* there is a file, but none of the kind: never write over it */
};

/* The path: `chosen`, or that of `file` with ".progress" behind it. False: too long. */
bool checkpoint_path(char path[CHECKPOINT_PATH_MAX], const char *chosen, const char *file);

/* Write `state` under `path`, on disk before it returns. `kind` ("import") becomes its member
 * "quoin". False: errno says why; what stood there before still does. */
bool checkpoint_save(const char *path, const char *kind, json_t *state);

/* Read it. The caller owns `*state`, which is set with CHECKPOINT_OURS only. */
enum checkpoint_found checkpoint_load(const char *path, const char *kind, json_t **state);

/* It is no longer needed; fine when it is not there. */
void checkpoint_remove(const char *path);

#endif

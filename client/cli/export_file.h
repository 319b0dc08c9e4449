/* The file that an export writes: under another name until it is complete, and never over one that
 * is there. */
#ifndef QUOIN_CLIENT_CLI_EXPORT_FILE_H
#define QUOIN_CLIENT_CLI_EXPORT_FILE_H

#include <stdio.h>

#include "wire/bytes.h"

enum { EXPORT_PATH_MAX = 1024 };

struct export_file {
    const char *path; /* borrowed; "-" = stdout */
    char part[EXPORT_PATH_MAX];
    FILE *to; /* NULL = not open */
    bool standard;
};

/* Begin to write NAME.part; with `over`, one that is there is begun anew. False: errno says why
 * (EEXIST: `path`, or the part, exists). */
bool export_file_open(struct export_file *file, const char *path, bool over);

/* Go on with NAME.part behind its first `size` octets; the others are dropped. False: errno says
 * why (ENODATA: it is shorter). */
bool export_file_go_on(struct export_file *file, const char *path, uint64_t size);

/* False: errno says why, here and below. */
bool export_file_write(struct export_file *file, struct bytes octets);

/* Bring what was written to disk, and say how many octets that is. */
bool export_file_sync(struct export_file *file, uint64_t *size);

/* It is complete: give it its name. EEXIST: somebody else has taken the name meanwhile. */
bool export_file_finish(struct export_file *file);

/* Nothing of worth is in it: close and remove it. Fine when it is not open. */
void export_file_drop(struct export_file *file);

/* Close it as it is; the part stays. Fine when it is not open. */
void export_file_close(struct export_file *file);

#endif

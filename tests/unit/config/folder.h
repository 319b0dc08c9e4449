/* A temporary folder with small files, for tests of what reads files. */
#ifndef QUOIN_TESTS_UNIT_CONFIG_FOLDER_H
#define QUOIN_TESTS_UNIT_CONFIG_FOLDER_H

struct folder {
    char path[64];
    char file[192]; /* the path that folder_path printed last */
};

/* A new empty folder under $TMPDIR or /tmp. */
void folder_create(struct folder *folder);

/* Write a file; folders in `name` are made. */
void folder_write(struct folder *folder, const char *name, const char *text);

/* The path of a file in it; valid until the next call. */
const char *folder_path(struct folder *folder, const char *name);

/* Remove it with all that is in it. */
void folder_remove(struct folder *folder);

#endif

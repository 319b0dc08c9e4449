/* A disk that loses what was not synced, for tests of what survives a loss of power.
 *
 * It is a folder of real files behind `struct file_io`. Beside them it keeps what is durable: of
 * each file what it held at its last sync, of each folder the changes up to its last sync. At the
 * n-th operation the power goes: from then on everything fails, and `crash_disk_restart` makes a
 * folder of what may be found afterwards. A file whose sync failed is never durable again: the
 * pages count as written although they are not. */
#ifndef QUOIN_TESTS_UNIT_NODE_CRASH_DISK_H
#define QUOIN_TESTS_UNIT_NODE_CRASH_DISK_H

#include <pthread.h>

#include "node/log/file_io.h"
#include "tests/unit/node/log_fixture.h"

/* What of the things that were not synced is found again. */
enum crash_kind {
    CRASH_KEEP, /* all of it: the process was killed, not the power */
    CRASH_LOSE, /* nothing of it */
    CRASH_MIX,  /* some of it, by the seed */
};

struct crash_inode;
struct crash_change;

struct crash_disk {
    struct folder folder; /* the live files */
    struct file_io io;
    pthread_mutex_t lock;
    int operations; /* so far */
    int crash_at;   /* the power goes just before this one; 0 = never */
    int fail_at;    /* this one fails, once; 0 = none */
    int fail_number;
    bool crashed;
    struct crash_inode *inodes;
    size_t inode_count;
    struct crash_change *changes; /* of folders, in order */
    size_t change_count;
};

/* An empty one. Folders that are made by other means than its `io` are durable. */
void crash_disk_init(struct crash_disk *disk);
void crash_disk_fini(struct crash_disk *disk);

/* Make `to` (an existing, empty folder) what is found after the crash. */
void crash_disk_restart(const struct crash_disk *disk, enum crash_kind kind, uint32_t seed,
                        const struct folder *to);

#endif

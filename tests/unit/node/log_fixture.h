/* What the tests of the log share: a folder, records that can be told apart, a log to append to and
 * wait for, what a recovery handed out. */
#ifndef QUOIN_TESTS_UNIT_NODE_LOG_FIXTURE_H
#define QUOIN_TESTS_UNIT_NODE_LOG_FIXTURE_H

#include <pthread.h>

#include "node/log/txlog_io.h"

enum { PATH_MAX_SIZE = 512, BODY_MAX = 4 * 1024 * 1024 };

struct folder {
    char path[PATH_MAX_SIZE];
};

void folder_make(struct folder *folder);
void folder_remove(const struct folder *folder);
/* Copy the files of one flat folder into another. */
void folder_copy(const struct folder *from, const struct folder *to);
size_t folder_count(const struct folder *folder, const char *suffix);
/* Path of the n-th segment. */
void folder_segment(const struct folder *folder, size_t n, char path[PATH_MAX_SIZE]);

void file_load(const char *path, struct buf *content);
void file_store(const char *path, struct bytes content);

/* A log whose progress can be waited for. */
struct fixture {
    struct folder folder;
    struct txlog *log;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t index; /* of the last record appended */
    uint64_t lsn;
    /* Orders to the fake operating system, under `lock`. */
    bool held;               /* sync waits */
    int writes, syncs;       /* calls so far */
    int fail_sync_at;        /* 0 = never */
    int fail_write_at;       /* 0 = never */
    bool short_writes;       /* half of what is asked for, EINTR now and then */
    bool full;               /* no space */
    bool full_until_removed; /* the same, up to the removal of a segment */
    bool no_files;           /* no file descriptor */
    bool fail_sync_dir;
    int allocations, creations;
    struct file_io io;
};

void fixture_open(struct fixture *f, uint64_t segment_size);
void fixture_reopen(struct fixture *f, uint64_t segment_size, uint64_t next_lsn);
void fixture_close(struct fixture *f);

/* Append one record with `size` octets of body, without waiting. */
enum qn_status fixture_append(struct fixture *f, uint32_t partition, size_t size);
/* Until all that was appended is durable, or the log has failed. */
void fixture_wait(struct fixture *f);
/* One record in a batch of its own, waited for. */
void fixture_put(struct fixture *f, uint32_t partition, size_t size);
void fixture_hold(struct fixture *f, bool held);

/* What a recovery found. Bodies are checked as they come. */
struct found {
    struct txlog_report report;
    qn_error err;
    size_t count;
    uint64_t *indexes;
    size_t per_partition[8];
    size_t damages;
    bool whole_lane;
    uint32_t damaged_partition;
    uint64_t damage_offset;
    char damage_file[PATH_MAX_SIZE];
    size_t progress;
};

/* What a manifest tells. */
struct known {
    uint64_t needed_from;
    uint64_t known_end;
    bool read_only;
};

enum qn_status recover(const struct folder *folder, struct found *found);
enum qn_status recover_with(const struct folder *folder, const struct known *known,
                            struct found *found);
void found_fini(struct found *found);

#endif

#define _GNU_SOURCE
#include "node/superblock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "wire/assert.h"

enum { FILE_SIZE_MAX = 4096, PID_TEXT_SIZE = 24, LOCK_MODE = 0600 };

#define SUPERBLOCK_NAME "superblock"
#define LOCK_NAME       "lock"

struct datadir {
    int lock_fd; /* the lock goes with it */
    char *path;
    struct superblock block; /* as it is on disk */
};

static enum qn_status damaged(const char *path, qn_error *err)
{
    return qn_error_set(
        err, QN_CORRUPT,
        "%.160s/" SUPERBLOCK_NAME " is damaged: restore the data directory from a backup", path);
}

static enum qn_status encode(const struct superblock *block, struct buf *text)
{
    enum qn_status status = lines_add_number(text, "quoin-superblock", block->format);

    status = status ? status : lines_add_number(text, "cluster", block->cluster);
    status = status ? status : lines_add_number(text, "disk", block->disk);
    status = status ? status : lines_add_number(text, "node", block->node);
    status = status ? status : lines_add_number(text, "partitions", block->partitions);
    status = status ? status : lines_add_number(text, "lanes", block->lanes);
    status = status ? status : lines_add(text, "cluster-name", bytes_of_text(block->cluster_name));
    return status ? status : lines_seal(text);
}

static bool take_u32(struct bytes *lines, const char *key, uint32_t *value)
{
    uint64_t number;

    if (!lines_take_number(lines, key, &number) || number > UINT32_MAX) {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

static bool take_name(struct bytes *lines, struct superblock *block)
{
    struct bytes name;

    if (!lines_take(lines, "cluster-name", &name) || name.size >= sizeof block->cluster_name) {
        return false;
    }
    memcpy(block->cluster_name, name.data, name.size);
    return true;
}

static enum qn_status decode(const char *path, struct bytes text, struct superblock *block,
                             qn_error *err)
{
    struct superblock read = {0};
    struct bytes lines;

    if (lines_unseal(text, &lines) != QN_OK ||
        !take_u32(&lines, "quoin-superblock", &read.format)) {
        return damaged(path, err);
    }
    if (read.format < SUPERBLOCK_FORMAT) {
        return qn_error_set(err, QN_CORRUPT,
                            "%.160s has data format %" PRIu32
                            ", which this quoind does not read any more (it has %d): export with "
                            "the version that wrote it, and import into an empty directory",
                            path, read.format, SUPERBLOCK_FORMAT);
    }
    if (read.format > SUPERBLOCK_FORMAT) {
        return qn_error_set(err, QN_CORRUPT,
                            "%.160s has data format %" PRIu32
                            ", this quoind knows %d: start the version that wrote it",
                            path, read.format, SUPERBLOCK_FORMAT);
    }
    if (!lines_take_number(&lines, "cluster", &read.cluster) || read.cluster == 0 ||
        !lines_take_number(&lines, "disk", &read.disk) || !take_u32(&lines, "node", &read.node) ||
        !take_u32(&lines, "partitions", &read.partitions) ||
        !take_u32(&lines, "lanes", &read.lanes) || read.partitions == 0 || read.lanes == 0 ||
        !take_name(&lines, &read) || lines.size != 0) {
        return damaged(path, err);
    }
    *block = read;
    return QN_OK;
}

/* What may stand in a directory that is not in use yet: what a file system puts into its root, what
 * a start that was killed has left. */
static bool name_ignored(const char *name)
{
    static const char *const ignored[] = {".", "..", "lost+found", LOCK_NAME,
                                          SUPERBLOCK_NAME ".tmp"};

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (strcmp(name, ignored[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A directory without superblock must be empty to become ours. */
static enum qn_status empty_check(const char *path, qn_error *err)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    enum qn_status status = QN_OK;

    if (!dir) {
        return qn_error_set(err, QN_IO, "cannot read the data directory %.160s: %s", path,
                            strerror(errno));
    }
    while (status == QN_OK && (entry = readdir(dir)) != NULL) {
        if (!name_ignored(entry->d_name)) {
            status =
                qn_error_set(err, QN_INVALID,
                             "%.120s is no data directory: it holds '%.40s' and no superblock; "
                             "set node.data_dir to an empty directory",
                             path, entry->d_name);
        }
    }
    (void)closedir(dir);
    return status;
}

enum qn_status superblock_read(const char *path, struct superblock *block, qn_error *err)
{
    struct buf text = {0};
    enum qn_status status = file_read(path, SUPERBLOCK_NAME, FILE_SIZE_MAX, &text, err);

    if (status == QN_TOO_LARGE) {
        qn_error_clear(err);
        return damaged(path, err);
    }
    if (status == QN_OK) {
        status = decode(path, buf_bytes(&text), block, err);
    }
    buf_fini(&text);
    return status;
}

static bool draw(uint64_t *id)
{
    do {
        if (getrandom(id, sizeof *id, 0) != (ssize_t)sizeof *id) {
            return false;
        }
    } while (*id == 0);
    return true;
}

static enum qn_status write_block(const char *path, const struct superblock *block, qn_error *err)
{
    struct buf text = {0};
    enum qn_status status = encode(block, &text);

    if (status == QN_OK) {
        status = file_replace(path, SUPERBLOCK_NAME, buf_bytes(&text), err);
    } else {
        status = qn_error_set(err, status, "out of memory");
    }
    buf_fini(&text);
    return status;
}

static enum qn_status create(const char *path, const struct superblock *wanted,
                             struct superblock *block, qn_error *err)
{
    struct superblock made = *wanted;

    made.format = SUPERBLOCK_FORMAT;
    if (strpbrk(made.cluster_name, "\r\n")) {
        return qn_error_set(err, QN_INVALID, "cluster.name must be one line");
    }
    if (!draw(&made.cluster) || !draw(&made.disk)) {
        return qn_error_set(err, QN_IO, "cannot draw the ids of the cluster and the disk: %s",
                            strerror(errno));
    }
    enum qn_status status = write_block(path, &made, err);
    if (status == QN_OK) {
        *block = made;
    }
    return status;
}

/* Is it what this node was told to be? */
static enum qn_status compare(const char *path, const struct superblock *wanted,
                              const struct superblock *block, qn_error *err)
{
    const struct {
        const char *what, *setting;
        uint32_t found, wanted;
    } numbers[] = {
        {"belongs to node", "node.id", block->node, wanted->node},
        {"has a number of partitions of", "cluster.partitions", block->partitions,
         wanted->partitions},
    };

    if (strcmp(block->cluster_name, wanted->cluster_name) != 0) {
        return qn_error_set(err, QN_CLUSTER,
                            "%.80s belongs to cluster '%s', not '%s': set cluster.name to the "
                            "former, or node.data_dir to another directory",
                            path, block->cluster_name, wanted->cluster_name);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].found != numbers[i].wanted) {
            return qn_error_set(err, QN_CLUSTER,
                                "%.80s %s %" PRIu32 ", not %" PRIu32 ": set %s = %" PRIu32
                                ", or node.data_dir to another directory",
                                path, numbers[i].what, numbers[i].found, numbers[i].wanted,
                                numbers[i].setting, numbers[i].found);
        }
    }
    return QN_OK;
}

/* Who holds the lock, for the message; 0 when the file does not say. */
static long lock_owner(int fd)
{
    char text[PID_TEXT_SIZE] = {0};

    return pread(fd, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

static enum qn_status lock_take(const char *path, int fd, qn_error *err)
{
    char text[PID_TEXT_SIZE];

    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            return qn_error_set(err, QN_BUSY,
                                "%.160s is in use by process %ld: stop that first, or set "
                                "node.data_dir to another directory",
                                path, lock_owner(fd));
        }
        return qn_error_set(err, QN_IO, "cannot lock %.160s/" LOCK_NAME ": %s", path,
                            strerror(errno));
    }
    /* For the message above only: the lock is what counts. */
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0) {
        (void)!pwrite(fd, text, (size_t)length, 0);
    }
    return QN_OK;
}

static enum qn_status lock_open(const char *path, struct datadir *datadir, qn_error *err)
{
    int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir_fd >= 0) {
        datadir->lock_fd =
            openat(dir_fd, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, LOCK_MODE);
    }
    int number = errno;
    if (dir_fd >= 0) {
        (void)close(dir_fd);
    }
    if (datadir->lock_fd < 0) {
        return qn_error_set(err, QN_IO,
                            "cannot open %.160s/" LOCK_NAME
                            ": %s; quoind needs a data directory that it may write",
                            path, strerror(number));
    }
    return lock_take(path, datadir->lock_fd, err);
}

/* A directory that is foreign is refused before anything is put into it. */
static enum qn_status foreign_check(const char *path, qn_error *err)
{
    struct superblock block;
    enum qn_status status = superblock_read(path, &block, err);

    return status == QN_ABSENT ? empty_check(path, err) : status;
}

static enum qn_status claim(const char *path, const struct superblock *wanted, uint32_t lanes_first,
                            struct superblock *found, qn_error *err)
{
    struct superblock fresh = *wanted;
    struct superblock block = {0};
    enum qn_status status = superblock_read(path, &block, err);

    if (status == QN_ABSENT) {
        status = empty_check(path, err);
        if (status == QN_OK) {
            fresh.lanes = wanted->lanes > 0 ? wanted->lanes : lanes_first;
            status = create(path, &fresh, &block, err);
        }
    }
    if (status == QN_OK) {
        status = compare(path, wanted, &block, err);
    }
    if (status == QN_OK) {
        *found = block;
    }
    return status;
}

enum qn_status datadir_open(const char *path, const struct superblock *wanted, uint32_t lanes_first,
                            struct superblock *found, struct datadir **datadir, qn_error *err)
{
    qn_assert(wanted->node > 0);
    qn_assert(wanted->partitions > 0);
    struct datadir *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->lock_fd = -1;
    made->path = strdup(path);
    enum qn_status status = made->path ? QN_OK : qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    if (status == QN_OK) {
        status = file_dir_make(path, err);
    }
    if (status == QN_OK) {
        status = foreign_check(path, err);
    }
    if (status == QN_OK) {
        status = lock_open(path, made, err);
    }
    if (status == QN_OK) {
        status = claim(path, wanted, lanes_first, &made->block, err);
    }
    if (status != QN_OK) {
        datadir_close(made);
        return status;
    }
    lanes_clean(path, made->block.lanes);
    *found = made->block;
    *datadir = made;
    return QN_OK;
}

void datadir_close(struct datadir *datadir)
{
    if (datadir) {
        if (datadir->lock_fd >= 0) {
            (void)close(datadir->lock_fd);
        }
        free(datadir->path);
        free(datadir);
    }
}

enum qn_status superblock_lanes_set(struct datadir *datadir, uint32_t lanes, qn_error *err)
{
    struct superblock block = datadir->block;

    qn_assert(lanes > 0);
    block.lanes = lanes;
    enum qn_status status = write_block(datadir->path, &block, err);
    if (status == QN_OK) {
        datadir->block = block;
    }
    return status;
}

bool datadir_locked(const char *path, long *pid)
{
    int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = dir_fd < 0 ? -1 : openat(dir_fd, LOCK_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (dir_fd >= 0) {
        (void)close(dir_fd);
    }
    if (fd < 0) {
        return false;
    }
    bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (locked && pid) {
        *pid = lock_owner(fd);
    }
    (void)close(fd);
    return locked;
}

#define _GNU_SOURCE
#include "tests/unit/node/crash_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/check.h"

enum { NAME_MAX_SIZE = 64, LIVE_PATH_SIZE = 2 * PATH_MAX_SIZE + 512 };

struct crash_inode {
    ino_t number;
    struct buf durable;
    bool lost; /* a sync of it has failed */
};

enum change_kind { CHANGE_ADD, CHANGE_MOVE, CHANGE_REMOVE, CHANGE_FOLDER };

struct crash_change {
    enum change_kind kind;
    char folder[PATH_MAX_SIZE]; /* below the root; "" = that itself */
    char name[NAME_MAX_SIZE];
    char to[NAME_MAX_SIZE]; /* of MOVE */
    ino_t inode;            /* of ADD */
    bool durable;
};

/* ---- what an operation does ---- */

/* Count an operation. False: it fails, errno says how. */
static bool begin(struct crash_disk *disk)
{
    disk->operations++;
    disk->crashed = disk->crashed || disk->operations == disk->crash_at;
    if (disk->crashed) {
        errno = EIO;
        return false;
    }
    if (disk->operations == disk->fail_at) {
        errno = disk->fail_number;
        return false;
    }
    return true;
}

/* The path of an open folder below the root. */
static void folder_of(const struct crash_disk *disk, int fd, char folder[PATH_MAX_SIZE])
{
    char link[NAME_MAX_SIZE], path[PATH_MAX_SIZE];

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    assert_true(size > 0);
    path[size] = '\0';
    size_t root = strlen(disk->folder.path);
    assert_memory_equal(path, disk->folder.path, root);
    (void)snprintf(folder, PATH_MAX_SIZE, "%s", path[root] == '/' ? path + root + 1 : "");
}

static struct crash_inode *inode_of(struct crash_disk *disk, ino_t number)
{
    for (size_t i = 0; i < disk->inode_count; i++) {
        if (disk->inodes[i].number == number) {
            return &disk->inodes[i];
        }
    }
    disk->inodes = realloc(disk->inodes, (disk->inode_count + 1) * sizeof *disk->inodes);
    assert_non_null(disk->inodes);
    struct crash_inode *inode = &disk->inodes[disk->inode_count++];
    *inode = (struct crash_inode){.number = number};
    return inode;
}

static struct crash_inode *inode_open(struct crash_disk *disk, int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    return inode_of(disk, st.st_ino);
}

static void change_add(struct crash_disk *disk, int dir_fd, struct crash_change change)
{
    disk->changes = realloc(disk->changes, (disk->change_count + 1) * sizeof *disk->changes);
    assert_non_null(disk->changes);
    folder_of(disk, dir_fd, change.folder);
    disk->changes[disk->change_count++] = change;
}

static struct crash_change change_make(enum change_kind kind, const char *name, const char *to)
{
    struct crash_change change = {.kind = kind};

    (void)snprintf(change.name, sizeof change.name, "%s", name);
    (void)snprintf(change.to, sizeof change.to, "%s", to);
    return change;
}

static int disk_create(void *arg, int dir_fd, const char *name)
{
    struct crash_disk *disk = arg;
    int fd = -1;

    (void)pthread_mutex_lock(&disk->lock);
    if (begin(disk)) {
        bool there = faccessat(dir_fd, name, F_OK, 0) == 0;
        fd = file_io_system()->create(NULL, dir_fd, name);
        assert_true(fd >= 0);
        struct crash_inode *inode = inode_open(disk, fd);
        if (!there) {
            buf_clear(&inode->durable); /* the number may have been that of another file */
            inode->lost = false;
            struct crash_change change = change_make(CHANGE_ADD, name, "");
            change.inode = inode->number;
            change_add(disk, dir_fd, change);
        }
    }
    (void)pthread_mutex_unlock(&disk->lock);
    return fd;
}

static ssize_t disk_write_at(void *arg, int fd, const void *data, size_t size, off_t offset)
{
    struct crash_disk *disk = arg;

    (void)pthread_mutex_lock(&disk->lock);
    ssize_t done = begin(disk) ? pwrite(fd, data, size, offset) : -1;
    (void)pthread_mutex_unlock(&disk->lock);
    return done;
}

static void content_load(int fd, struct buf *content)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    buf_clear(content);
    assert_int_equal(buf_reserve(content, (size_t)st.st_size + 1), QN_OK);
    assert_int_equal(pread(fd, content->data, (size_t)st.st_size, 0), st.st_size);
    content->size = (size_t)st.st_size;
}

static int disk_sync(void *arg, int fd)
{
    struct crash_disk *disk = arg;

    (void)pthread_mutex_lock(&disk->lock);
    bool done = begin(disk);
    int number = errno;
    struct crash_inode *inode = inode_open(disk, fd);
    if (!done) {
        inode->lost = true;
    } else if (!inode->lost) {
        content_load(fd, &inode->durable);
    }
    (void)pthread_mutex_unlock(&disk->lock);
    errno = number;
    return done ? 0 : -1;
}

static int disk_sync_dir(void *arg, int fd)
{
    struct crash_disk *disk = arg;
    char folder[PATH_MAX_SIZE];

    (void)pthread_mutex_lock(&disk->lock);
    bool done = begin(disk);
    int number = errno;
    folder_of(disk, fd, folder);
    for (size_t i = 0; i < disk->change_count && done; i++) {
        disk->changes[i].durable |= strcmp(disk->changes[i].folder, folder) == 0;
    }
    (void)pthread_mutex_unlock(&disk->lock);
    errno = number;
    return done ? 0 : -1;
}

static int disk_allocate(void *arg, int fd, off_t size)
{
    struct crash_disk *disk = arg;

    (void)pthread_mutex_lock(&disk->lock);
    int number = begin(disk) ? (ftruncate(fd, size) == 0 ? 0 : errno) : errno;
    (void)pthread_mutex_unlock(&disk->lock);
    return number;
}

static int disk_rename(void *arg, int dir_fd, const char *from, const char *to)
{
    struct crash_disk *disk = arg;

    (void)pthread_mutex_lock(&disk->lock);
    int result = begin(disk) ? renameat(dir_fd, from, dir_fd, to) : -1;
    if (result == 0) {
        change_add(disk, dir_fd, change_make(CHANGE_MOVE, from, to));
    }
    (void)pthread_mutex_unlock(&disk->lock);
    return result;
}

static int disk_remove(void *arg, int dir_fd, const char *name)
{
    struct crash_disk *disk = arg;

    (void)pthread_mutex_lock(&disk->lock);
    int result = begin(disk) ? unlinkat(dir_fd, name, 0) : -1;
    if (result == 0) {
        change_add(disk, dir_fd, change_make(CHANGE_REMOVE, name, ""));
    }
    (void)pthread_mutex_unlock(&disk->lock);
    return result;
}

static int disk_make_dir(void *arg, int dir_fd, const char *name)
{
    struct crash_disk *disk = arg;

    (void)pthread_mutex_lock(&disk->lock);
    int result = begin(disk) ? mkdirat(dir_fd, name, 0700) : -1;
    if (result == 0) {
        change_add(disk, dir_fd, change_make(CHANGE_FOLDER, name, ""));
    }
    bool there = result != 0 && errno == EEXIST;
    (void)pthread_mutex_unlock(&disk->lock);
    return there ? 0 : result;
}

void crash_disk_init(struct crash_disk *disk)
{
    *disk = (struct crash_disk){.io = {.arg = disk,
                                       .create = disk_create,
                                       .write_at = disk_write_at,
                                       .sync = disk_sync,
                                       .sync_dir = disk_sync_dir,
                                       .allocate = disk_allocate,
                                       .rename = disk_rename,
                                       .remove = disk_remove,
                                       .make_dir = disk_make_dir}};
    folder_make(&disk->folder);
    (void)pthread_mutex_init(&disk->lock, NULL);
}

void crash_disk_fini(struct crash_disk *disk)
{
    for (size_t i = 0; i < disk->inode_count; i++) {
        buf_fini(&disk->inodes[i].durable);
    }
    free(disk->inodes);
    free(disk->changes);
    folder_remove(&disk->folder);
    (void)pthread_mutex_destroy(&disk->lock);
}

/* ---- what is found afterwards ---- */

/* A name and the file behind it, as they would be found. */
struct entry {
    char folder[PATH_MAX_SIZE];
    char name[NAME_MAX_SIZE];
    ino_t inode;
    bool folder_itself;
};

struct entries {
    struct entry *list;
    size_t count;
};

static struct entry *entry_find(const struct entries *entries, const char *folder, const char *name)
{
    for (size_t i = 0; i < entries->count; i++) {
        if (strcmp(entries->list[i].folder, folder) == 0 &&
            strcmp(entries->list[i].name, name) == 0) {
            return &entries->list[i];
        }
    }
    return NULL;
}

static void entry_drop(struct entries *entries, struct entry *entry)
{
    if (entry) {
        *entry = entries->list[--entries->count];
    }
}

static void entry_add(struct entries *entries, const struct crash_change *change)
{
    entries->list = realloc(entries->list, (entries->count + 1) * sizeof *entries->list);
    assert_non_null(entries->list);
    struct entry entry = {.inode = change->inode, .folder_itself = change->kind == CHANGE_FOLDER};
    (void)snprintf(entry.folder, sizeof entry.folder, "%s", change->folder);
    (void)snprintf(entry.name, sizeof entry.name, "%s", change->name);
    entries->list[entries->count++] = entry;
}

static void change_apply(struct entries *entries, const struct crash_change *change)
{
    struct entry *entry = entry_find(entries, change->folder, change->name);

    switch (change->kind) {
    case CHANGE_ADD:
    case CHANGE_FOLDER:
        entry_drop(entries, entry);
        entry_add(entries, change);
        break;
    case CHANGE_REMOVE:
        entry_drop(entries, entry);
        break;
    case CHANGE_MOVE:
        assert_non_null(entry);
        entry_drop(entries, entry_find(entries, change->folder, change->to));
        entry = entry_find(entries, change->folder, change->name);
        (void)snprintf(entry->name, sizeof entry->name, "%s", change->to);
        break;
    }
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Of each folder the durable changes, and as many more, in their order, as the kind says. */
static void changes_apply(const struct crash_disk *disk, enum crash_kind kind, uint32_t seed,
                          struct entries *entries)
{
    char ended[32][PATH_MAX_SIZE]; /* folders whose later changes are lost */
    size_t ended_count = 0;

    for (size_t i = 0; i < disk->change_count; i++) {
        const struct crash_change *change = &disk->changes[i];
        bool lost = false;
        for (size_t k = 0; k < ended_count; k++) {
            lost = lost || strcmp(ended[k], change->folder) == 0;
        }
        bool ends = kind == CRASH_LOSE || (kind == CRASH_MIX && draw(&seed) % 3 == 0);
        if (!lost && !change->durable && ends) {
            assert_true(ended_count < 32);
            (void)snprintf(ended[ended_count++], PATH_MAX_SIZE, "%s", change->folder);
            lost = true;
        }
        if (!lost) {
            change_apply(entries, change);
        }
    }
}

/* What the live file holds; false: it has no name any more, and so is not found. */
static bool live_load(const struct crash_disk *disk, const char *folder, ino_t number,
                      struct buf *content)
{
    char path[LIVE_PATH_SIZE];
    const struct dirent *entry;
    bool found = false;

    (void)snprintf(path, sizeof path, "%s/%s", disk->folder.path, folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (!found && (entry = readdir(dir)) != NULL) {
        found = entry->d_ino == number;
        if (found) {
            (void)snprintf(path, sizeof path, "%s/%s/%s", disk->folder.path, folder, entry->d_name);
            file_load(path, content);
        }
    }
    (void)closedir(dir);
    return found;
}

/* Octets of `live` and `durable`, page by page one or the other. */
static void pages_mix(struct buf *live, const struct buf *durable, uint32_t *seed)
{
    enum { PAGE = 512 };

    for (size_t at = 0; at < live->size; at += PAGE) {
        size_t size = live->size - at < PAGE ? live->size - at : PAGE;
        if (draw(seed) % 2) {
            continue;
        }
        for (size_t i = at; i < at + size; i++) {
            live->data[i] = i < durable->size ? durable->data[i] : 0;
        }
    }
}

static void file_make(const struct crash_disk *disk, const struct entry *entry,
                      enum crash_kind kind, uint32_t *seed, const char *path)
{
    const struct crash_inode *inode = NULL;
    struct buf content = {0};

    for (size_t i = 0; i < disk->inode_count; i++) {
        inode = disk->inodes[i].number == entry->inode ? &disk->inodes[i] : inode;
    }
    assert_non_null(inode);
    uint32_t dice = kind == CRASH_MIX ? draw(seed) % 3 : 0;
    bool live = kind == CRASH_KEEP || dice > 0;
    if (live && live_load(disk, entry->folder, entry->inode, &content)) {
        if (dice == 2) {
            pages_mix(&content, &inode->durable, seed);
        }
        file_store(path, buf_bytes(&content));
    } else {
        file_store(path, bytes_of(inode->durable.size ? inode->durable.data : (const uint8_t *)"",
                                  inode->durable.size));
    }
    buf_fini(&content);
}

/* Folders that were not made through the disk. */
static void folders_copy(const struct crash_disk *disk, const struct folder *to, const char *below)
{
    char path[LIVE_PATH_SIZE];
    const struct dirent *entry;

    (void)snprintf(path, sizeof path, "%s/%s", disk->folder.path, below);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char sub[PATH_MAX_SIZE];
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.' || entry->d_name[0] == 'p') {
            continue;
        }
        (void)snprintf(sub, sizeof sub, "%.200s%s%.200s", below, below[0] ? "/" : "",
                       entry->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", to->path, sub);
        assert_int_equal(mkdir(path, 0700), 0);
        folders_copy(disk, to, sub);
    }
    (void)closedir(dir);
}

void crash_disk_restart(const struct crash_disk *disk, enum crash_kind kind, uint32_t seed,
                        const struct folder *to)
{
    struct entries entries = {0};
    char path[LIVE_PATH_SIZE];

    folders_copy(disk, to, "");
    changes_apply(disk, kind, seed, &entries);
    for (size_t i = 0; i < entries.count; i++) {
        if (entries.list[i].folder_itself) {
            (void)snprintf(path, sizeof path, "%s/%s/%s", to->path, entries.list[i].folder,
                           entries.list[i].name);
            assert_int_equal(mkdir(path, 0700), 0);
        }
    }
    for (size_t i = 0; i < entries.count; i++) {
        const struct entry *entry = &entries.list[i];
        (void)snprintf(path, sizeof path, "%s/%s", to->path, entry->folder);
        if (!entry->folder_itself && access(path, F_OK) == 0) {
            (void)snprintf(path, sizeof path, "%s/%s/%s", to->path, entry->folder, entry->name);
            file_make(disk, entry, kind, &seed, path);
        }
    }
    free(entries.list);
}

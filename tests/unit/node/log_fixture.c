#define _GNU_SOURCE
#include "tests/unit/node/log_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/log/segment_list.h"
#include "node/log/txlog_format.h"
#include "tests/lib/check.h"

void folder_make(struct folder *folder)
{
    /* In memory where that is possible: thousands of small logs are made and synced. */
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

    (void)snprintf(folder->path, sizeof folder->path, "%s/quoin-log-XXXXXX", base);
    assert_non_null(mkdtemp(folder->path));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void folder_remove(const struct folder *folder)
{
    assert_int_equal(nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void file_load(const char *path, struct buf *content)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    buf_clear(content);
    assert_int_equal(buf_reserve(content, (size_t)st.st_size + 1), QN_OK);
    assert_int_equal(read(fd, content->data, (size_t)st.st_size), st.st_size);
    content->size = (size_t)st.st_size;
    (void)close(fd);
}

void file_store(const char *path, struct bytes content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content.data, content.size), content.size);
    (void)close(fd);
}

void folder_copy(const struct folder *from, const struct folder *to)
{
    DIR *dir = opendir(from->path);
    const struct dirent *entry;
    struct buf content = {0};

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[PATH_MAX_SIZE * 2];
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", from->path, entry->d_name);
        file_load(path, &content);
        (void)snprintf(path, sizeof path, "%s/%s", to->path, entry->d_name);
        file_store(path, buf_bytes(&content));
    }
    (void)closedir(dir);
    buf_fini(&content);
}

size_t folder_count(const struct folder *folder, const char *suffix)
{
    DIR *dir = opendir(folder->path);
    const struct dirent *entry;
    size_t count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        size_t size = strlen(entry->d_name);
        if (size >= strlen(suffix) && strcmp(entry->d_name + size - strlen(suffix), suffix) == 0) {
            count++;
        }
    }
    (void)closedir(dir);
    return count;
}

void folder_segment(const struct folder *folder, size_t n, char path[PATH_MAX_SIZE])
{
    struct segment_list list = {0};
    char name[SEGMENT_NAME_SIZE];

    assert_int_equal(segment_list_read(folder->path, &list, NULL), QN_OK);
    assert_true(n < list.count);
    segment_name_format(list.files[n].first_lsn, name);
    (void)snprintf(path, PATH_MAX_SIZE, "%.400s/%s", folder->path, name);
    segment_list_fini(&list);
}

static int fake_create(void *arg, int dir_fd, const char *name)
{
    struct fixture *f = arg;

    (void)pthread_mutex_lock(&f->lock);
    f->creations++;
    bool refused = f->no_files;
    (void)pthread_cond_broadcast(&f->moved);
    (void)pthread_mutex_unlock(&f->lock);
    if (refused) {
        errno = EMFILE;
        return -1;
    }
    return file_io_system()->create(NULL, dir_fd, name);
}

static ssize_t fake_write_at(void *arg, int fd, const void *data, size_t size, off_t offset)
{
    struct fixture *f = arg;

    (void)pthread_mutex_lock(&f->lock);
    f->writes++;
    bool fails = f->writes == f->fail_write_at;
    bool halves = f->short_writes;
    bool interrupts = halves && f->writes % 5 == 0;
    (void)pthread_mutex_unlock(&f->lock);
    if (fails || interrupts) {
        errno = fails ? EIO : EINTR;
        return -1;
    }
    return pwrite(fd, data, halves && size > 1 ? size / 2 : size, offset);
}

static int fake_sync(void *arg, int fd)
{
    struct fixture *f = arg;

    (void)fd;
    (void)pthread_mutex_lock(&f->lock);
    f->syncs++;
    bool fails = f->syncs == f->fail_sync_at;
    (void)pthread_cond_broadcast(&f->moved);
    while (f->held) {
        (void)pthread_cond_wait(&f->moved, &f->lock);
    }
    (void)pthread_mutex_unlock(&f->lock);
    errno = EIO;
    return fails ? -1 : 0;
}

static int fake_allocate(void *arg, int fd, off_t size)
{
    struct fixture *f = arg;

    (void)pthread_mutex_lock(&f->lock);
    f->allocations++;
    bool full = f->full || f->full_until_removed;
    (void)pthread_cond_broadcast(&f->moved);
    (void)pthread_mutex_unlock(&f->lock);
    return full ? ENOSPC : (ftruncate(fd, size) == 0 ? 0 : errno);
}

static int fake_sync_dir(void *arg, int fd)
{
    struct fixture *f = arg;

    (void)fd;
    (void)pthread_mutex_lock(&f->lock);
    bool fails = f->fail_sync_dir;
    (void)pthread_mutex_unlock(&f->lock);
    errno = EIO;
    return fails ? -1 : 0;
}

static int fake_remove(void *arg, int dir_fd, const char *name)
{
    struct fixture *f = arg;
    int result = file_io_system()->remove(NULL, dir_fd, name);
    int number = errno;

    (void)pthread_mutex_lock(&f->lock);
    f->full_until_removed = f->full_until_removed && (result != 0 || !strstr(name, ".log"));
    (void)pthread_mutex_unlock(&f->lock);
    errno = number;
    return result;
}

static void moved(void *arg)
{
    struct fixture *f = arg;

    (void)pthread_mutex_lock(&f->lock);
    (void)pthread_cond_broadcast(&f->moved);
    (void)pthread_mutex_unlock(&f->lock);
}

void fixture_reopen(struct fixture *f, uint64_t segment_size, uint64_t next_lsn)
{
    qn_error err = QN_ERROR_INIT;
    struct txlog_options options = {.dir = f->folder.path,
                                    .segment_size_bytes = segment_size,
                                    .next_lsn = next_lsn,
                                    .notify = moved,
                                    .arg = f};

    f->lsn = next_lsn;
    enum qn_status status = txlog_open_with(&options, &f->io, 1, &f->log, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, QN_OK);
}

void fixture_open(struct fixture *f, uint64_t segment_size)
{
    *f = (struct fixture){.io = *file_io_system()};
    f->io.arg = f;
    f->io.create = fake_create;
    f->io.write_at = fake_write_at;
    f->io.sync = fake_sync;
    f->io.sync_dir = fake_sync_dir;
    f->io.remove = fake_remove;
    f->io.allocate = fake_allocate;
    folder_make(&f->folder);
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_cond_init(&f->moved, NULL);
    fixture_reopen(f, segment_size, 0);
}

void fixture_close(struct fixture *f)
{
    (void)txlog_close(f->log);
    folder_remove(&f->folder);
    (void)pthread_cond_destroy(&f->moved);
    (void)pthread_mutex_destroy(&f->lock);
}

/* Octet `i` of the body of the record with this index; never 0, so that a cut is seen. */
static uint8_t octet_of(uint64_t index, size_t i)
{
    return (uint8_t)((index * 31 + i * 7) % 251 + 1);
}

enum qn_status fixture_append(struct fixture *f, uint32_t partition, size_t size)
{
    uint8_t *body = malloc(size + 1);
    uint64_t index = f->index + 1;

    assert_non_null(body);
    for (size_t i = 0; i < size; i++) {
        body[i] = octet_of(index, i);
    }
    struct record record = {.type = RECORD_WRITE,
                            .partition = partition,
                            .epoch = 1,
                            .index = index,
                            .effects = bytes_of(body, size / 2),
                            .result = bytes_of(body + size / 2, size - size / 2)};
    enum qn_status status = txlog_append(f->log, &record, &f->lsn);
    f->index = status == QN_OK ? index : f->index;
    free(body);
    return status;
}

void fixture_wait(struct fixture *f)
{
    txlog_flush(f->log);
    (void)pthread_mutex_lock(&f->lock);
    while (txlog_durable(f->log) < f->lsn && !txlog_failed(f->log, NULL)) {
        (void)pthread_cond_wait(&f->moved, &f->lock);
    }
    (void)pthread_mutex_unlock(&f->lock);
}

void fixture_put(struct fixture *f, uint32_t partition, size_t size)
{
    assert_int_equal(fixture_append(f, partition, size), QN_OK);
    fixture_wait(f);
}

void fixture_hold(struct fixture *f, bool held)
{
    (void)pthread_mutex_lock(&f->lock);
    f->held = held;
    (void)pthread_cond_broadcast(&f->moved);
    (void)pthread_mutex_unlock(&f->lock);
}

static void body_check(const struct record *record)
{
    size_t half = record->effects.size, size = half + record->result.size;

    for (size_t i = 0; i < size; i++) {
        uint8_t octet = i < half ? record->effects.data[i] : record->result.data[i - half];
        if (octet != octet_of(record->index, i)) {
            fail_msg("octet %zu of record %llu differs", i, (unsigned long long)record->index);
        }
    }
}

static enum qn_status take_record(void *arg, const struct record *record)
{
    struct found *found = arg;

    body_check(record);
    assert_true(record->partition < 8);
    found->indexes = realloc(found->indexes, (found->count + 1) * sizeof *found->indexes);
    assert_non_null(found->indexes);
    assert_true(found->count == 0 || found->indexes[found->count - 1] < record->index);
    found->indexes[found->count++] = record->index;
    found->per_partition[record->partition]++;
    return QN_OK;
}

static void take_damage(void *arg, const struct txlog_damage *damage)
{
    struct found *found = arg;

    found->damages++;
    found->whole_lane = found->whole_lane || damage->whole_lane;
    found->damaged_partition = damage->partition;
    found->damage_offset = damage->offset;
    (void)snprintf(found->damage_file, sizeof found->damage_file, "%s", damage->file);
    assert_true(strlen(damage->text) > 0);
}

static void take_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    struct found *found = arg;

    found->progress++;
    assert_true(done_bytes <= total_bytes);
}

enum qn_status recover(const struct folder *folder, struct found *found)
{
    return recover_with(folder, &(struct known){0}, found);
}

enum qn_status recover_with(const struct folder *folder, const struct known *known,
                            struct found *found)
{
    struct txlog_visitor visitor = {.arg = found,
                                    .record = take_record,
                                    .damage = take_damage,
                                    .progress = take_progress,
                                    .needed_from = known->needed_from,
                                    .known_end = known->known_end,
                                    .read_only = known->read_only};

    *found = (struct found){.err = QN_ERROR_INIT};
    return txlog_recover(folder->path, &visitor, &found->report, &found->err);
}

void found_fini(struct found *found)
{
    free(found->indexes);
    found->indexes = NULL;
}

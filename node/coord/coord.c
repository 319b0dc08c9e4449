#define _GNU_SOURCE
#include "node/coord/coord.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>

#include "node/coord/file.h"

enum {
    COORD_FORMAT = 1,
    FILE_SIZE_MAX = 16 * 1024 * 1024,
    CAPACITY_FIRST = 16,
    NAME_MAX_SIZE = 128,
};

static const char file_name[] = "coord";

struct coord {
    char *dir;
    uint64_t incarnation;
    uint64_t epoch;   /* the highest that partitions were opened in */
    uint64_t next_id; /* of the next cache */
    struct coord_cache *caches;
    size_t count;
    size_t capacity;
};

static enum qn_status damaged(const struct coord *coord, const char *why, qn_error *err)
{
    return qn_error_set(err, QN_CORRUPT, "%.160s/%s %s: restore the data directory from a backup",
                        coord->dir, file_name, why);
}

static enum qn_status cache_line(struct buf *text, const struct coord_cache *cache)
{
    struct buf value = {0};
    enum qn_status status = lines_add_number(&value, "cache", cache->id);

    if (status == QN_OK) {
        value.size--; /* the name goes on in the same line */
        status = lines_add(&value, "", bytes_of_text(cache->name));
    }
    if (status == QN_OK) {
        status = buf_append(text, value.data, value.size);
    }
    buf_fini(&value);
    return status;
}

static enum qn_status encode(const struct coord *coord, struct buf *text)
{
    enum qn_status status = lines_add_number(text, "quoin-coord", COORD_FORMAT);

    status = status ? status : lines_add_number(text, "incarnation", coord->incarnation);
    status = status ? status : lines_add_number(text, "epoch", coord->epoch);
    status = status ? status : lines_add_number(text, "next-cache", coord->next_id);
    for (size_t i = 0; i < coord->count && status == QN_OK; i++) {
        status = cache_line(text, &coord->caches[i]);
    }
    return status ? status : lines_seal(text);
}

static enum qn_status save(const struct coord *coord, qn_error *err)
{
    struct buf text = {0};
    enum qn_status status = encode(coord, &text);

    if (status == QN_OK) {
        status = file_replace(coord->dir, file_name, buf_bytes(&text), err);
    } else {
        status = qn_error_set(err, status, "out of memory while writing %.160s/%s", coord->dir,
                              file_name);
    }
    buf_fini(&text);
    return status;
}

static bool name_valid(struct bytes name)
{
    if (name.size == 0 || name.size > NAME_MAX_SIZE) {
        return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
            return false;
        }
    }
    return true;
}

static enum qn_status cache_add(struct coord *coord, uint32_t id, struct bytes name)
{
    if (coord->count == coord->capacity) {
        size_t capacity = coord->capacity ? coord->capacity * 2 : CAPACITY_FIRST;
        struct coord_cache *caches = realloc(coord->caches, capacity * sizeof *caches);
        if (!caches) {
            return QN_MEMORY_FULL;
        }
        coord->caches = caches;
        coord->capacity = capacity;
    }
    struct coord_cache *cache = &coord->caches[coord->count++];
    *cache = (struct coord_cache){.id = id};
    memcpy(cache->name, name.data, name.size);
    return QN_OK;
}

/* Read the line of a cache: its id, a blank, its name. */
static enum qn_status cache_parse(struct coord *coord, struct bytes line)
{
    const uint8_t *blank = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;
    uint64_t id, last = coord->count > 0 ? coord->caches[coord->count - 1].id : 0;

    if (!blank) {
        return QN_CORRUPT;
    }
    size_t digits = (size_t)(blank - line.data);
    struct bytes name = bytes_of(blank + 1, line.size - digits - 1);
    if (!number_parse(bytes_of(line.data, digits), &id) || id <= last || id >= coord->next_id ||
        !name_valid(name)) {
        return QN_CORRUPT;
    }
    return cache_add(coord, (uint32_t)id, name);
}

static enum qn_status decode(struct coord *coord, struct bytes text, qn_error *err)
{
    uint64_t format;
    struct bytes lines, line;

    if (lines_unseal(text, &lines) != QN_OK || !lines_take_number(&lines, "quoin-coord", &format)) {
        return damaged(coord, "is damaged", err);
    }
    if (format != COORD_FORMAT) {
        return qn_error_set(err, QN_CORRUPT,
                            "%.160s/%s has format %" PRIu64 ", this quoind knows %d: start the "
                            "version that wrote it",
                            coord->dir, file_name, format, COORD_FORMAT);
    }
    if (!lines_take_number(&lines, "incarnation", &coord->incarnation) ||
        !lines_take_number(&lines, "epoch", &coord->epoch) ||
        !lines_take_number(&lines, "next-cache", &coord->next_id) || coord->next_id == 0 ||
        coord->next_id > (uint64_t)UINT32_MAX + 1) {
        return damaged(coord, "is damaged", err);
    }
    enum qn_status status = QN_OK;
    while (status == QN_OK && lines_take(&lines, "cache", &line)) {
        status = cache_parse(coord, line);
    }
    if (status == QN_MEMORY_FULL) {
        return qn_error_set(err, status, "out of memory");
    }
    return status == QN_OK && lines.size == 0 ? QN_OK : damaged(coord, "is damaged", err);
}

/* Are there logs in the directory? Then it has been in use, and a missing file is damage. */
static bool logs_there(const char *path)
{
    static const char lane[] = "lane-";
    DIR *dir = opendir(path);
    const struct dirent *entry = NULL;

    while (dir && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, lane, sizeof lane - 1) == 0) {
            break;
        }
    }
    bool there = entry != NULL;
    if (dir) {
        (void)closedir(dir);
    }
    return there;
}

static enum qn_status load(struct coord *coord, qn_error *err)
{
    struct buf text = {0};
    enum qn_status status = file_read(coord->dir, file_name, FILE_SIZE_MAX, &text, err);

    if (status == QN_ABSENT) {
        return logs_there(coord->dir) ? damaged(coord, "is missing", err) : QN_OK;
    }
    if (status == QN_TOO_LARGE) {
        qn_error_clear(err);
        status = damaged(coord, "is too large", err);
    }
    if (status == QN_OK) {
        status = decode(coord, buf_bytes(&text), err);
    }
    buf_fini(&text);
    return status;
}

enum qn_status coord_open(const char *dir, struct coord **coord, qn_error *err)
{
    struct coord *made = calloc(1, sizeof *made);

    if (!made || !(made->dir = strdup(dir))) {
        coord_close(made);
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->next_id = 1;
    enum qn_status status = load(made, err);
    if (status == QN_OK) {
        made->incarnation++;
        status = save(made, err);
    }
    if (status != QN_OK) {
        coord_close(made);
        return status;
    }
    *coord = made;
    return QN_OK;
}

void coord_close(struct coord *coord)
{
    if (coord) {
        free(coord->caches);
        free(coord->dir);
        free(coord);
    }
}

uint64_t coord_epoch_promised(const struct coord *coord)
{
    return coord->epoch;
}

uint64_t coord_incarnation(const struct coord *coord)
{
    return coord->incarnation;
}

enum qn_status coord_epoch(struct coord *coord, uint64_t above, uint64_t *epoch, qn_error *err)
{
    uint64_t highest = above > coord->epoch ? above : coord->epoch;

    if (highest == UINT64_MAX) {
        return damaged(coord, "or a log names the last epoch there can be", err);
    }
    /* Raised in memory first: should the file have taken it although the write was reported as
     * failed, it is still not given out twice. */
    coord->epoch = highest + 1;
    enum qn_status status = save(coord, err);
    if (status == QN_OK) {
        *epoch = coord->epoch;
    }
    return status;
}

uint32_t coord_cache_find(const struct coord *coord, struct bytes name)
{
    for (size_t i = 0; i < coord->count; i++) {
        if (bytes_equal(bytes_of_text(coord->caches[i].name), name)) {
            return coord->caches[i].id;
        }
    }
    return 0;
}

/* Assign the next id and write it down. After a failed write the cache is forgotten, its id is
 * not: the file may hold it all the same. */
static enum qn_status cache_create(struct coord *coord, struct bytes name, uint32_t *id,
                                   qn_error *err)
{
    uint32_t assigned = (uint32_t)coord->next_id;

    if (cache_add(coord, assigned, name) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    coord->next_id++;
    enum qn_status status = save(coord, err);
    if (status != QN_OK) {
        coord->count--;
        return status;
    }
    *id = assigned;
    return QN_OK;
}

enum qn_status coord_cache_ensure(struct coord *coord, struct bytes name, uint32_t *id,
                                  qn_error *err)
{
    uint32_t found = coord_cache_find(coord, name);

    if (found != 0) {
        *id = found;
        return QN_OK;
    }
    if (!name_valid(name)) {
        return qn_error_set(err, QN_INVALID,
                            "not a name of a cache: 1 to %d letters, digits, '.', '_' or '-'",
                            NAME_MAX_SIZE);
    }
    if (coord->count >= COORD_CACHES_MAX) {
        return qn_error_set(err, QN_MEMORY_FULL, "there are %d caches, which is the limit",
                            COORD_CACHES_MAX);
    }
    return cache_create(coord, name, id, err);
}

const struct coord_cache *coord_caches(const struct coord *coord, size_t *count)
{
    *count = coord->count;
    return coord->caches;
}

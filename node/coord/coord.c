#define _GNU_SOURCE
#include "node/coord/coord.h"

#include <dirent.h>
#include <stdlib.h>

#include "node/coord/coord_internal.h"
#include "node/coord/file.h"

enum {
    FILE_SIZE_MAX = 16 * 1024 * 1024,
    CAPACITY_FIRST = 16,
};

enum qn_status coord_damaged(const struct coord *coord, const char *why, qn_error *err)
{
    return qn_error_set(err, QN_CORRUPT,
                        "%.160s/" COORD_FILE_NAME " %s: restore the data directory from a backup",
                        coord->dir, why);
}

static enum qn_status save(const struct coord *coord, qn_error *err)
{
    struct buf text = {0};
    enum qn_status status = coord_encode(coord, &text);

    if (status == QN_OK) {
        status = file_replace(coord->dir, COORD_FILE_NAME, buf_bytes(&text), err);
    } else {
        status = qn_error_set(err, status, "out of memory while writing %.160s/" COORD_FILE_NAME,
                              coord->dir);
    }
    buf_fini(&text);
    return status;
}

static bool name_valid(struct bytes name)
{
    if (name.size == 0 || name.size > COORD_CACHE_NAME_MAX) {
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

bool coord_definition_valid(const struct coord_definition *definition)
{
    return name_valid(definition->name) && definition->service < COORD_SERVICES &&
           definition->ttl_ms >= 0;
}

enum qn_status coord_cache_add(struct coord *coord, uint32_t id,
                               const struct coord_definition *definition)
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
    *cache = (struct coord_cache){.id = id,
                                  .service = definition->service,
                                  .ttl_ms = definition->ttl_ms,
                                  .size_max_bytes = definition->size_max_bytes};
    memcpy(cache->name, definition->name.data, definition->name.size);
    return QN_OK;
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
    enum qn_status status = file_read(coord->dir, COORD_FILE_NAME, FILE_SIZE_MAX, &text, err);

    if (status == QN_ABSENT) {
        return logs_there(coord->dir) ? coord_damaged(coord, "is missing", err) : QN_OK;
    }
    if (status == QN_TOO_LARGE) {
        qn_error_clear(err);
        status = coord_damaged(coord, "is too large", err);
    }
    if (status == QN_OK) {
        status = coord_decode(coord, buf_bytes(&text), err);
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
    made->clean = true;
    enum qn_status status = load(made, err);
    if (status == QN_OK) {
        made->incarnation++;
        made->was_clean = made->clean;
        made->clean = false;
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

bool coord_was_clean(const struct coord *coord)
{
    return coord->was_clean;
}

enum qn_status coord_stopped(struct coord *coord, qn_error *err)
{
    coord->clean = true;
    return save(coord, err);
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
        return coord_damaged(coord, "or a log names the last epoch there can be", err);
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

/* The place of a cache; `count` = there is none of that name. */
static size_t cache_place(const struct coord *coord, struct bytes name)
{
    size_t i = 0;

    while (i < coord->count && !bytes_equal(bytes_of_text(coord->caches[i].name), name)) {
        i++;
    }
    return i;
}

const struct coord_cache *coord_cache_find(const struct coord *coord, struct bytes name)
{
    size_t place = cache_place(coord, name);

    return place < coord->count ? &coord->caches[place] : NULL;
}

/* Assign the next id and write it down. After a failed write the cache is forgotten, its id is
 * not: the file may hold it all the same. */
static enum qn_status cache_create(struct coord *coord, const struct coord_definition *definition,
                                   qn_error *err)
{
    if (coord_cache_add(coord, (uint32_t)coord->next_id, definition) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    coord->next_id++;
    enum qn_status status = save(coord, err);
    if (status != QN_OK) {
        coord->count--;
    }
    return status;
}

static enum qn_status definition_check(const struct coord_definition *definition, qn_error *err)
{
    if (!name_valid(definition->name)) {
        return qn_error_set(err, QN_INVALID,
                            "not a name of a cache: 1 to %d letters, digits, '.', '_' or '-'",
                            COORD_CACHE_NAME_MAX);
    }
    if (!coord_definition_valid(definition)) {
        return qn_error_set(err, QN_INVALID,
                            "not a definition of a cache: the durability is 0 (disk) or 1 "
                            "(memory), the time to live is not negative");
    }
    return QN_OK;
}

static enum qn_status room_check(const struct coord *coord, qn_error *err)
{
    if (coord->count >= COORD_CACHES_MAX) {
        return qn_error_set(err, QN_MEMORY_FULL, "there are %d caches, which is the limit",
                            COORD_CACHES_MAX);
    }
    if (coord->next_id >= COORD_CACHE_IDS_MAX) {
        return qn_error_set(err, QN_MEMORY_FULL,
                            "%d caches have been created, which is the limit of a data directory: "
                            "clear caches instead of dropping them",
                            COORD_CACHE_IDS_MAX - 1);
    }
    return QN_OK;
}

enum qn_status coord_cache_ensure(struct coord *coord, const struct coord_definition *definition,
                                  const struct coord_cache **cache, qn_error *err)
{
    const struct coord_cache *found = coord_cache_find(coord, definition->name);

    if (found) {
        *cache = found;
        return QN_OK;
    }
    enum qn_status status = definition_check(definition, err);
    if (status == QN_OK) {
        status = room_check(coord, err);
    }
    if (status == QN_OK) {
        status = cache_create(coord, definition, err);
    }
    if (status == QN_OK) {
        *cache = &coord->caches[coord->count - 1];
    }
    return status;
}

static void cache_take_out(struct coord *coord, size_t place)
{
    size_t behind = coord->count - place - 1;

    memmove(&coord->caches[place], &coord->caches[place + 1], behind * sizeof *coord->caches);
    coord->count--;
}

/* There is room, since it was taken out from there. */
static void cache_put_back(struct coord *coord, size_t place, const struct coord_cache *cache)
{
    size_t behind = coord->count - place;

    memmove(&coord->caches[place + 1], &coord->caches[place], behind * sizeof *coord->caches);
    coord->caches[place] = *cache;
    coord->count++;
}

enum qn_status coord_cache_drop(struct coord *coord, struct bytes name, uint32_t *id, qn_error *err)
{
    size_t place = cache_place(coord, name);

    if (place == coord->count) {
        return qn_error_set(err, QN_UNKNOWN_CACHE, "there is no cache \"%.*s\"", (int)name.size,
                            (const char *)name.data);
    }
    struct coord_cache dropped = coord->caches[place];
    cache_take_out(coord, place);
    enum qn_status status = save(coord, err);
    if (status == QN_OK) {
        *id = dropped.id;
        return QN_OK;
    }
    /* The file may hold the new list all the same. Then the next start would clear the cache, and
     * with it what is acknowledged from now on: so the old list must stand there. */
    cache_put_back(coord, place, &dropped);
    if (save(coord, NULL) != QN_OK) {
        return QN_IO;
    }
    return status == QN_DISK_FULL ? status : QN_OVERLOADED; /* nothing has changed: try again */
}

uint32_t coord_cache_next(const struct coord *coord)
{
    return (uint32_t)coord->next_id;
}

const struct coord_cache *coord_caches(const struct coord *coord, size_t *count)
{
    *count = coord->count;
    return coord->caches;
}

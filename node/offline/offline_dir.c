#define _GNU_SOURCE
#include "node/offline/offline_dir.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "node/coord/coord.h"
#include "node/coord/file.h"
#include "node/log/segment_list.h"

enum { COORD_SIZE_MAX = 64 * 1024 * 1024, NAME_SIZE = 64 };

#define COORD_NAME "coord"

void offline_damage(struct offline_dir *dir, const char *path, uint64_t offset, const char *what)
{
    dir->damages++;
    dir->visitor->damage(dir->visitor->arg, path, offset, what);
}

void offline_damage_of(struct offline_dir *dir, const char *path, const qn_error *why)
{
    offline_damage(dir, path, 0, why->text[0] ? why->text : "its contents make no sense");
}

void offline_fact(const struct offline_dir *dir, const char *name, const char *format, ...)
{
    char text[OFFLINE_TEXT_SIZE];
    va_list arguments;

    if (dir->visitor->fact) {
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        dir->visitor->fact(dir->visitor->arg, name, text);
    }
}

void offline_file(const struct offline_dir *dir, const char *path, const char *format, ...)
{
    char text[OFFLINE_TEXT_SIZE];
    va_list arguments;

    if (dir->visitor->file) {
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        dir->visitor->file(dir->visitor->arg, path, text);
    }
}

static enum qn_status superblock_open(struct offline_dir *dir)
{
    struct superblock *block = &dir->block;
    char path[OFFLINE_PATH_SIZE];
    qn_error why = QN_ERROR_INIT;
    enum qn_status status = superblock_read(dir->path, block, &why);

    if (status == QN_ABSENT) {
        return qn_error_set(dir->err, QN_ABSENT,
                            "%.200s is no data directory: it has no superblock", dir->path);
    }
    if (status == QN_CORRUPT) {
        (void)snprintf(path, sizeof path, "%s/superblock", dir->path);
        offline_damage_of(dir, path, &why);
        return QN_CORRUPT;
    }
    if (status != QN_OK) {
        return qn_error_set(dir->err, status, "%s", why.text);
    }
    dir->partition_count = block->partitions * COORD_SERVICES;
    offline_fact(dir, "cluster", "%s", block->cluster_name);
    offline_fact(dir, "cluster-id", "%016" PRIx64, block->cluster);
    offline_fact(dir, "disk-id", "%016" PRIx64, block->disk);
    offline_fact(dir, "node", "%" PRIu32, block->node);
    offline_fact(dir, "format", "%" PRIu32, block->format);
    offline_fact(dir, "partitions", "%" PRIu32, block->partitions);
    offline_fact(dir, "lanes", "%" PRIu32, block->lanes);
    return QN_OK;
}

/* A line of the coordination file as a fact: whatever its lines are, they are "key value". */
static void coord_line(struct offline_dir *dir, struct bytes line)
{
    const uint8_t *blank = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;
    char name[NAME_SIZE];
    uint64_t number;

    if (!blank) {
        return;
    }
    int key = (int)(blank - line.data);
    struct bytes value = bytes_of(blank + 1, line.size - (size_t)key - 1);
    (void)snprintf(name, sizeof name, "coord.%.*s", key, (const char *)line.data);
    offline_fact(dir, name, "%.*s", (int)value.size, (const char *)value.data);
    if (strcmp(name, "coord.epoch") == 0 && number_parse(value, &number)) {
        dir->opened = number > 0;
    }
}

static enum qn_status coord_read(struct offline_dir *dir)
{
    char path[OFFLINE_PATH_SIZE];
    struct buf text = {0};
    struct bytes lines;
    enum qn_status status = file_read(dir->path, COORD_NAME, COORD_SIZE_MAX, &text, dir->err);

    (void)snprintf(path, sizeof path, "%s/" COORD_NAME, dir->path);
    if (status == QN_ABSENT) {
        return QN_OK; /* a node that was never started up to there */
    }
    if (status != QN_OK) {
        return status;
    }
    if (lines_unseal(buf_bytes(&text), &lines) != QN_OK) {
        offline_damage(dir, path, 0, "its checksum is not that of its lines");
        lines = (struct bytes){0};
    }
    while (lines.size > 0) {
        const uint8_t *end = memchr(lines.data, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.data) : lines.size;
        coord_line(dir, bytes_of(lines.data, size));
        size += end != NULL;
        lines = bytes_of(lines.data + size, lines.size - size);
    }
    buf_fini(&text);
    return QN_OK;
}

enum qn_status offline_dir_open(struct offline_dir *dir, qn_error *err)
{
    long pid = 0;

    dir->err = err;
    if (datadir_locked(dir->path, &pid)) {
        return qn_error_set(err, QN_BUSY,
                            "%.160s is in use by process %ld: stop that first, or look at a copy",
                            dir->path, pid);
    }
    enum qn_status status = superblock_open(dir);
    return status == QN_OK ? coord_read(dir) : status;
}

/* Nothing at all is there of a lane that must be there. */
static enum qn_status missing_check(struct offline_dir *dir, const struct offline_lane *lane)
{
    struct segment_list list = {0};
    enum qn_status status = segment_list_read(lane->log_path, &list, dir->err);

    if (status == QN_OK && list.count == 0 && dir->opened) {
        offline_damage(dir, lane->log_path, 0, "the log is missing, yet partitions were opened");
    }
    segment_list_fini(&list);
    return status;
}

enum qn_status offline_lane_open(struct offline_dir *dir, uint32_t number,
                                 struct offline_lane *lane)
{
    const struct superblock *block = &dir->block;
    char path[OFFLINE_PATH_SIZE];
    qn_error why = QN_ERROR_INIT;

    *lane = (struct offline_lane){.number = number,
                                  .owner = lane_owner(block->disk, number, block->lanes)};
    if (!lane_path(dir->path, number, block->lanes, lane->path, sizeof lane->path) ||
        !lane_log_path(dir->path, number, block->lanes, lane->log_path, sizeof lane->log_path)) {
        return qn_error_set(dir->err, QN_INVALID, "the path of the data directory is too long");
    }
    enum qn_status status = manifest_read(lane->path, lane->owner, &lane->manifest, &why);
    if (status == QN_CORRUPT) {
        (void)snprintf(path, sizeof path, "%.4000s/manifest", lane->path);
        offline_damage_of(dir, path, &why);
        return QN_OK;
    }
    if (status == QN_ABSENT) {
        return missing_check(dir, lane);
    }
    return status == QN_OK ? QN_OK : qn_error_set(dir->err, status, "%s", why.text);
}

void offline_lane_close(struct offline_lane *lane)
{
    manifest_fini(&lane->manifest);
}

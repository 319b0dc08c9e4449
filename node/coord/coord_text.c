/* The text of the coord file. */
#include <inttypes.h>
#include <stdio.h>

#include "node/coord/coord_internal.h"
#include "node/coord/file.h"

enum {
    COORD_FORMAT = 2,
    COORD_FORMAT_OLD = 1, /* caches with id and name only, no note of a clean stop */
    CACHE_LINE_MAX = COORD_CACHE_NAME_MAX + 100,
};

static enum qn_status cache_line(struct buf *text, const struct coord_cache *cache)
{
    char value[CACHE_LINE_MAX];
    int size =
        snprintf(value, sizeof value, "%" PRIu32 " %" PRIu32 " %" PRId64 " %" PRIu64 " %s",
                 cache->id, cache->service, cache->ttl_ms, cache->size_max_bytes, cache->name);

    return lines_add(text, "cache", bytes_of(value, (size_t)size));
}

enum qn_status coord_encode(const struct coord *coord, struct buf *text)
{
    enum qn_status status = lines_add_number(text, "quoin-coord", COORD_FORMAT);

    status = status ? status : lines_add_number(text, "incarnation", coord->incarnation);
    status = status ? status : lines_add_number(text, "epoch", coord->epoch);
    status = status ? status : lines_add_number(text, "clean", coord->clean);
    status = status ? status : lines_add_number(text, "next-cache", coord->next_id);
    for (size_t i = 0; i < coord->count && status == QN_OK; i++) {
        status = cache_line(text, &coord->caches[i]);
    }
    return status ? status : lines_seal(text);
}

/* Take a number and the blank behind it off `line`. */
static bool field_take(struct bytes *line, uint64_t max, uint64_t *number)
{
    const uint8_t *blank = line->size > 0 ? memchr(line->data, ' ', line->size) : NULL;

    if (!blank) {
        return false;
    }
    size_t digits = (size_t)(blank - line->data);
    if (!number_parse(bytes_of(line->data, digits), number) || *number > max) {
        return false;
    }
    *line = bytes_of(blank + 1, line->size - digits - 1);
    return true;
}

/* Read the line of a cache. */
static enum qn_status cache_parse(struct coord *coord, uint64_t format, struct bytes line)
{
    uint64_t last = coord->count > 0 ? coord->caches[coord->count - 1].id : 0;
    uint64_t id, service = 0, ttl_ms = 0, size_max_bytes = 0;

    if (!field_take(&line, UINT32_MAX, &id) || id <= last || id >= coord->next_id) {
        return QN_CORRUPT;
    }
    if (format != COORD_FORMAT_OLD && (!field_take(&line, COORD_SERVICES - 1, &service) ||
                                       !field_take(&line, INT64_MAX, &ttl_ms) ||
                                       !field_take(&line, UINT64_MAX, &size_max_bytes))) {
        return QN_CORRUPT;
    }
    struct coord_definition definition = {.name = line,
                                          .service = (uint32_t)service,
                                          .ttl_ms = (int64_t)ttl_ms,
                                          .size_max_bytes = size_max_bytes};
    return coord_definition_valid(&definition) ? coord_cache_add(coord, (uint32_t)id, &definition)
                                               : QN_CORRUPT;
}

/* All before the caches. There was no service but `disk` in the old format, for which any end is
 * clean enough. */
static bool head_take(struct coord *coord, uint64_t format, struct bytes *lines)
{
    uint64_t clean = 1;

    if (!lines_take_number(lines, "incarnation", &coord->incarnation) ||
        !lines_take_number(lines, "epoch", &coord->epoch) ||
        (format != COORD_FORMAT_OLD && !lines_take_number(lines, "clean", &clean)) || clean > 1 ||
        !lines_take_number(lines, "next-cache", &coord->next_id)) {
        return false;
    }
    coord->clean = clean == 1;
    return coord->next_id > 0 && coord->next_id <= COORD_CACHE_IDS_MAX;
}

enum qn_status coord_decode(struct coord *coord, struct bytes text, qn_error *err)
{
    uint64_t format;
    struct bytes lines, line;

    if (lines_unseal(text, &lines) != QN_OK || !lines_take_number(&lines, "quoin-coord", &format)) {
        return coord_damaged(coord, "is damaged", err);
    }
    if (format != COORD_FORMAT && format != COORD_FORMAT_OLD) {
        return qn_error_set(err, QN_CORRUPT,
                            "%.160s/" COORD_FILE_NAME " has format %" PRIu64
                            ", this quoind knows %d: start the version that wrote it",
                            coord->dir, format, COORD_FORMAT);
    }
    if (!head_take(coord, format, &lines)) {
        return coord_damaged(coord, "is damaged", err);
    }
    enum qn_status status = QN_OK;
    while (status == QN_OK && lines_take(&lines, "cache", &line)) {
        status = cache_parse(coord, format, line);
    }
    if (status == QN_MEMORY_FULL) {
        return qn_error_set(err, status, "out of memory");
    }
    return status == QN_OK && lines.size == 0 ? QN_OK : coord_damaged(coord, "is damaged", err);
}

#include <string.h>

#include "node/admin/admin.h"
#include "wire/assert.h"

static const char other_name[] = "_other";

const struct admin_figure admin_figures[ADMIN_FIGURES] = {
#define FIGURE_ROW(field, kind, metric, text)                                                      \
    {#field, metric, text, ADMIN_##kind, offsetof(struct admin_snapshot, field)},
    ADMIN_FIGURE_MAP(FIGURE_ROW)
#undef FIGURE_ROW
};

uint64_t admin_figure_of(const struct admin_snapshot *snapshot, const struct admin_figure *figure)
{
    uint64_t value;

    memcpy(&value, (const uint8_t *)snapshot + figure->offset, sizeof value);
    return value;
}

void admin_figures_each(const struct admin_snapshot *snapshot,
                        void (*fn)(void *arg, const struct admin_figure *figure, uint64_t value),
                        void *arg)
{
    for (size_t i = 0; i < ADMIN_FIGURES; i++) {
        uint64_t value = admin_figure_of(snapshot, &admin_figures[i]);
        if (value != ADMIN_UNKNOWN) {
            fn(arg, &admin_figures[i], value);
        }
    }
}

static struct admin_cache *row_find(const struct admin_snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->cache_count; i++) {
        if (strcmp(snapshot->cache_rows[i].name, name) == 0) {
            return &snapshot->cache_rows[i];
        }
    }
    return NULL;
}

static struct admin_cache *row_take(struct admin_snapshot *snapshot, const char *name)
{
    struct admin_cache *row = &snapshot->cache_rows[snapshot->cache_count++];
    size_t size = strlen(name);

    qn_assert(size < sizeof row->name);
    memcpy(row->name, name, size + 1);
    return row;
}

/* A cache may be called "_other" itself: then that row is the common one. */
struct admin_cache *admin_cache_row(struct admin_snapshot *snapshot, const char *name)
{
    struct admin_cache *row = row_find(snapshot, name);

    if (row || snapshot->cache_room == 0) {
        return row;
    }
    if (snapshot->cache_count + 1 < snapshot->cache_room) {
        return row_take(snapshot, name);
    }
    row = row_find(snapshot, other_name);
    return row ? row : row_take(snapshot, other_name);
}

size_t admin_caches_own(const struct admin_snapshot *snapshot)
{
    return snapshot->cache_count - (row_find(snapshot, other_name) != NULL);
}

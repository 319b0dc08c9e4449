#define _GNU_SOURCE
#include "tests/unit/node/directory_fixture.h"

#include <stdio.h>

#include "tests/lib/check.h"

static void open_all(struct place *place)
{
    assert_int_equal(coord_open(place->folder.path, &place->coord, NULL), QN_OK);
    struct directory_options options = {.node = 7,
                                        .cluster = 99,
                                        .hash_partitions = PLACE_PARTITIONS,
                                        .service_count = DIRECTORY_SERVICES,
                                        .shard_count = PLACE_SHARDS,
                                        .caches_create = true,
                                        .coord = place->coord};
    assert_int_equal(directory_init(&place->directory, &options), QN_OK);
}

static void close_all(struct place *place)
{
    directory_fini(&place->directory);
    coord_close(place->coord);
}

void place_make(struct place *place)
{
    folder_make(&place->folder);
    open_all(place);
}

void place_reopen(struct place *place)
{
    close_all(place);
    open_all(place);
}

void place_remove(struct place *place)
{
    close_all(place);
    folder_remove(&place->folder);
}

static void away(const struct place *place, char hidden[PATH_MAX_SIZE + 8])
{
    (void)snprintf(hidden, PATH_MAX_SIZE + 8, "%s-away", place->folder.path);
}

void place_break(struct place *place)
{
    char hidden[PATH_MAX_SIZE + 8];

    away(place, hidden);
    assert_int_equal(rename(place->folder.path, hidden), 0);
}

void place_mend(struct place *place)
{
    char hidden[PATH_MAX_SIZE + 8];

    away(place, hidden);
    assert_int_equal(rename(hidden, place->folder.path), 0);
}

struct wire_cache cache_named(const char *name)
{
    return (struct wire_cache){.name = bytes_of_text(name)};
}

/* Objects: a struct goes into the grid and comes back, and one field is read without the rest.
 *
 *     quoin generate garage.cfg      writes garage.h and garage.c
 *     objects quoin://localhost:7100 [cache] */
#include <inttypes.h>
#include <stdio.h>

#include <quoin/pof.h>

#include "garage.h"

/* The age of the owner, straight from the octets: property 1 of the object in property 3. */
static int64_t age_of_owner(const qn_value *value)
{
    static const int32_t steps[] = {3, 1};
    struct pof_target target = {0};
    struct pof_reader reader;

    if (qn_value_pof(value, &reader) != QN_OK ||
        pof_path_find(reader.rest, (struct pof_path){steps, 2}, &target) != QN_OK ||
        !target.found) {
        return -1;
    }
    return target.value.as.integer;
}

int main(int argc, char **argv)
{
    struct bytes options[] = {bytes_of_text("tow bar"), bytes_of_text("roof rack")};
    struct owner ada = {.name = bytes_of_text("Ada"), .age = 36};
    struct car s60 = {.make = bytes_of_text("Volvo"),
                      .year = 2021,
                      .options = options,
                      .options_count = 2,
                      .owner = &ada};
    struct car back;
    struct buf octets = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    qn_error err = QN_ERROR_INIT;
    qn_value *value = NULL;

    arena_init(&arena, 0);
    qn_client *grid = qn_connect(argc > 1 ? argv[1] : NULL, &err);
    qn_cache *cars = qn_open_create(grid, argc > 2 ? argv[2] : "cars", &err);
    qn_put(cars, qn_str("s60"), qn_pof(&octets, &car_struct, &s60, &err), NULL, &err);
    qn_get(cars, qn_str("s60"), NULL, &value, &err);
    if (qn_value_object(value, &car_struct, &back, &memory, &err) == QN_OK) {
        printf("%.*s of %" PRId32 ", %" PRIu32 " options, owned by %.*s, %" PRId64 "\n",
               (int)back.make.size, (const char *)back.make.data, back.year, back.options_count,
               (int)back.owner->name.size, (const char *)back.owner->name.data,
               age_of_owner(value));
    } else {
        fprintf(stderr, "%s\n", qn_explain(&err));
    }
    qn_value_release(value); /* texts in `back` end with it */
    arena_fini(&arena);
    buf_fini(&octets);
    qn_close(grid);
    return qn_error_failed(&err);
}

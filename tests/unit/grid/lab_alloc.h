/* An allocator that refuses on demand. */
#ifndef QUOIN_TESTS_UNIT_GRID_LAB_ALLOC_H
#define QUOIN_TESTS_UNIT_GRID_LAB_ALLOC_H

#include "grid/base/alloc.h"

struct lab_alloc {
    struct alloc alloc; /* hand out `&lab->alloc` */
    struct alloc heap;
    size_t grants; /* requests still granted, SIZE_MAX = all */
    size_t refused;
};

void lab_alloc_init(struct lab_alloc *lab);

#endif

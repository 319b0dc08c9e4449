/* Which segments a lane's directory holds. */
#ifndef QUOIN_NODE_LOG_SEGMENT_LIST_H
#define QUOIN_NODE_LOG_SEGMENT_LIST_H

#include "wire/bytes.h"

struct segment_file {
    uint64_t first_lsn;
    uint64_t size; /* octets of the file */
};

struct segment_list {
    struct segment_file *files; /* ascending by LSN */
    size_t count;
    size_t capacity;
};

/* Find them. Files of other names are none of ours and are left alone; a directory that is not
 * there holds none. `*list` must be all zero. QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status segment_list_read(const char *dir, struct segment_list *list,
                                             qn_error *err);
void segment_list_fini(struct segment_list *list);

#endif

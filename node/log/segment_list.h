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

/* Add the newest segment; one of the same first LSN, which was empty, is replaced. QN_MEMORY_FULL:
 * nothing changed. */
QN_MUST_USE enum qn_status segment_list_add(struct segment_list *list,
                                            const struct segment_file *file);

/* Take the oldest away; there must be one. */
void segment_list_drop(struct segment_list *list);

/* How many of the oldest segments hold nothing from `lsn` on. Never all: where the newest ends is
 * not known here. */
size_t segment_list_below(const struct segment_list *list, uint64_t lsn);

void segment_list_fini(struct segment_list *list);

#endif

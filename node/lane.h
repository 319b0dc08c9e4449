/* The folders of the lanes: `<data>/lane-<i>of<n>/`, with the log in `log/` and the `manifest`.
 *
 * The number of lanes is part of the name, so that an old and a new division can stand side by side
 * while the number is changed (node/relane.h); the superblock says which one counts. */
#ifndef QUOIN_NODE_LANE_H
#define QUOIN_NODE_LANE_H

#include "wire/bytes.h"

/* "<data>/lane-<lane>of<lanes>"; false when it does not fit into `size`. */
bool lane_path(const char *data, uint32_t lane, uint32_t lanes, char *path, size_t size);

/* "<data>/lane-<lane>of<lanes>/log"; false when it does not fit into `size`. */
bool lane_log_path(const char *data, uint32_t lane, uint32_t lanes, char *path, size_t size);

/* Disk and lane in one number, which stands in segments and manifest: neither those of another data
 * directory nor those of another lane, or of another number of lanes, are taken for ours. */
uint64_t lane_owner(uint64_t disk, uint32_t lane, uint32_t lanes);

/* Make the folder of a lane, durably; one that is there is fine. QN_IO, QN_INVALID (the path is too
 * long), QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status lane_make(const char *data, uint32_t lane, uint32_t lanes,
                                     qn_error *err);

/* Remove the lanes of every other number of lanes, and what is in them. Only folders whose name has
 * exactly that form are touched. Failing to remove is told to nobody: the next start does it. */
void lanes_clean(const char *data, uint32_t lanes);

#endif

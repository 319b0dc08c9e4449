/* The entries of the fake grid, in versions: what is there now, and the views that were published.
 *
 * Entries of all caches and partitions lie in one map whose slots never move, so that a slot's
 * number is a place to go on from, in any view. */
#ifndef QUOIN_TESTS_CLIENT_FAKE_DATA_H
#define QUOIN_TESTS_CLIENT_FAKE_DATA_H

#include "wire/message/message.h"

struct fake_entry {
    uint32_t cache;
    struct buf key; /* empty = free slot */
    struct buf value;
    uint32_t flags;
    int64_t ttl_ms; /* 0 = for ever; time does not pass here */
    bool is_there;
    uint64_t version;
};

struct fake_view;

struct fake_data {
    struct fake_entry *map;
    struct fake_view *views; /* the published one first */
    size_t entry_count;
};

void fake_data_init(struct fake_data *data);
void fake_data_fini(struct fake_data *data);

/* The place of a key; made if need be. */
struct fake_entry *fake_data_slot(struct fake_data *data, uint32_t cache, struct bytes key);

/* Set or remove the entry in a slot. */
void fake_data_put(struct fake_data *data, struct fake_entry *entry, const struct wire_op *op,
                   uint64_t version);
void fake_data_remove(struct fake_data *data, struct fake_entry *entry, uint64_t version);

/* Remove all of a cache in a partition (or in all, with `partition_count` 0). */
void fake_data_clear(struct fake_data *data, uint32_t cache, uint32_t partition,
                     uint32_t partition_count, uint64_t version);

/* Make what is there now the published view, under this number. */
void fake_data_publish(struct fake_data *data, uint64_t view);
uint64_t fake_data_published(const struct fake_data *data); /* 0 = nothing yet */

/* Forget all views but the published one. */
void fake_data_forget_views(struct fake_data *data);

/* Entries of a cache in a partition of the published view. */
uint64_t fake_data_count(const struct fake_data *data, uint32_t cache, uint32_t partition,
                         uint32_t partition_count);

/* Rows for a SCAN, into `rows`. QN_CURSOR_EXPIRED: there is no such view. */
enum qn_status fake_data_scan(const struct fake_data *data, const struct wire_op *op,
                              uint32_t partition_count, struct buf *rows, struct buf *token,
                              struct wire_result *result);

#endif

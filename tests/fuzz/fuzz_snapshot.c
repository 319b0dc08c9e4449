/* Any octets as a snapshot: restoring them ends without a crash, in a partition that is either
 * whole and goes on, or damaged and takes part in nothing. What was taken over can be taken down
 * again, and is the same then.
 *
 * First octet: bit 0 = the octets end with a last item that fits them, bit 1 = they begin with a
 * sound head, bit 2 = they come in two parts. */
#include "grid/replica/inspect.h"
#include "grid/replica/replica.h"
#include "grid/replica/snapshot_format.h"
#include "wire/assert.h"

enum {
    SOUND_END = 1,
    SOUND_HEAD = 2,
    TWO_PARTS = 4,
    INPUT_MAX = 64 * 1024,
    INDEX = 1000,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct replica *create(struct alloc *alloc)
{
    struct replica_options options = {
        .partition = 1,
        .node = 1,
        .incarnation = 1,
        .min_isr = 1,
        .alone = true,
        .durable = true,
        .limits = {.key_size_max_bytes = 1024,
                   .value_size_max_bytes = 1024,
                   .uncommitted_max_bytes = 65536,
                   .session_ttl_ms = 1000,
                   .session_results_max = 8,
                   .session_bytes_max = 1024,
                   .pins_max = 2},
        .alloc = alloc,
    };
    struct replica *replica = NULL;
    enum qn_status status = replica_create(&options, &replica);

    qn_assert(status == QN_OK);
    return replica;
}

static void add_item(struct buf *octets, uint32_t kind, const uint64_t *numbers, size_t size)
{
    uint8_t item[SNAPSHOT_ITEM_HEADER + SNAPSHOT_END_SIZE];

    put_u32(item, kind);
    put_u32(item + 4, (uint32_t)size);
    for (size_t i = 0; i < size / 8; i++) {
        put_u64(item + SNAPSHOT_ITEM_HEADER + 8 * i, numbers[i]);
    }
    if (kind == SNAPSHOT_HEAD) {
        put_u32(item + SNAPSHOT_ITEM_HEADER, SNAPSHOT_FORM);
    }
    enum qn_status status = buf_append(octets, item, SNAPSHOT_ITEM_HEADER + size);
    qn_assert(status == QN_OK);
}

/* Items and their digest, as far as they are whole. */
static void add_end(struct buf *octets)
{
    struct bytes left = buf_bytes(octets);
    uint64_t numbers[2] = {0};

    while (left.size >= SNAPSHOT_ITEM_HEADER) {
        size_t whole = SNAPSHOT_ITEM_HEADER + (size_t)get_u32(left.data + 4);
        if (whole > left.size) {
            break;
        }
        numbers[0]++;
        numbers[1] = snapshot_digest(numbers[1], bytes_of(left.data, whole));
        left = bytes_of(left.data + whole, left.size - whole);
    }
    octets->size -= left.size;
    add_item(octets, SNAPSHOT_END, numbers, SNAPSHOT_END_SIZE);
}

static enum qn_status restore(struct replica *replica, const struct replica_snapshot *snapshot,
                              struct bytes octets, size_t cut)
{
    enum qn_status status = replica_restore(replica, snapshot);

    qn_assert(status == QN_OK);
    if (cut > 0) {
        status = replica_restore_part(replica, bytes_of(octets.data, cut));
        octets = bytes_of(octets.data + cut, octets.size - cut);
    }
    return status == QN_OK ? replica_restore_part(replica, octets) : status;
}

/* Lead with what is there, and read it all. */
static void go_on(struct replica *replica, bool sound)
{
    struct configuration configuration = configuration_alone(1, 1, UINT32_MAX, 1);
    struct replica_event event = {
        .kind = REPLICA_CONFIGURATION, .partition = 1, .configuration = &configuration};
    struct replica_actions actions;
    struct replica_stats stats;
    enum qn_status status = replica_step(replica, &event, &actions);

    qn_assert(status == QN_OK);
    replica_stats(replica, &stats);
    qn_assert(stats.role == (sound ? REPLICA_OPENING : REPLICA_FAULTED));
    if (sound) {
        event = (struct replica_event){.kind = REPLICA_DURABLE,
                                       .partition = 1,
                                       .durable_epoch = UINT32_MAX,
                                       .durable_index = INDEX + 1};
        status = replica_step(replica, &event, &actions);
        qn_assert(status == QN_OK);
        event = (struct replica_event){
            .kind = REPLICA_TICK, .partition = 1, .append = true, .wall_ms = INT64_MAX};
        status = replica_step(replica, &event, &actions);
        qn_assert(status == QN_OK);
    }
}

/* Take the state down and over again: it must be the same. */
static void go_round(struct replica *replica, struct alloc *alloc)
{
    struct replica_digest before, after;
    struct replica_snapshot snapshot;
    struct buf octets = {0};
    bool done = false;
    enum qn_status status = replica_snapshot_begin(replica, 0, &snapshot, &octets);

    qn_assert(status == QN_OK);
    while (!done) {
        status = replica_snapshot_next(replica, 10, 100, &octets, &done);
        qn_assert(status == QN_OK);
    }
    replica_snapshot_end(replica);
    struct replica *copy = create(alloc);
    status = restore(copy, &snapshot, buf_bytes(&octets), 0);
    qn_assert(status == QN_OK);
    replica_inspect(replica, &before);
    replica_inspect(copy, &after);
    qn_assert(before.entries == after.entries);
    qn_assert(before.sessions == after.sessions);
    qn_assert(before.outcomes == after.outcomes);
    replica_destroy(copy);
    buf_fini(&octets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct replica_snapshot snapshot = {.partition = 1, .index = INDEX, .epoch = 3};
    struct buf octets = {0};
    struct alloc alloc;

    if (size == 0 || size > INPUT_MAX) {
        return 0;
    }
    if (data[0] & SOUND_HEAD) {
        add_item(&octets, SNAPSHOT_HEAD, NULL, SNAPSHOT_HEAD_SIZE);
    }
    enum qn_status status = buf_append(&octets, data + 1, size - 1);
    qn_assert(status == QN_OK);
    if (data[0] & SOUND_END) {
        add_end(&octets);
    }
    alloc_init(&alloc);
    struct replica *replica = create(&alloc);
    size_t cut = data[0] & TWO_PARTS ? octets.size / 2 : 0;
    bool sound = restore(replica, &snapshot, buf_bytes(&octets), cut) == QN_OK;
    struct replica_stats stats;
    replica_stats(replica, &stats);
    bool whole = sound && stats.last_index == INDEX;
    if (whole) {
        go_round(replica, &alloc);
    }
    go_on(replica, whole);
    replica_destroy(replica);
    qn_assert(alloc.bytes == 0);
    buf_fini(&octets);
    return 0;
}

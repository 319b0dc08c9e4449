#include "grid/lease/grants.h"

#include "grid/base/mutants.h"
#include "wire/assert.h"

enum { SENT_KEPT = 8 /* beacons to one node whose answers still count */ };

/* A member whose grant this node needs, of a partition that it leads. */
struct lessor {
    uint32_t node;
    int64_t until_ms;
};

struct row {
    uint64_t promised;
    uint64_t leading; /* epoch; 0 = another node leads */
    uint32_t lineage;
    uint8_t member_count;
    uint8_t copy_count;
    struct lessor members[CONFIGURATION_REPLICAS_MAX];
    uint16_t copies[CONFIGURATION_REPLICAS_MAX];
    uint64_t commit;
    uint64_t last;
    /* what was granted */
    int64_t granted_until_ms;
    uint64_t granted_epoch;
    uint32_t leader; /* heard of last */
    uint64_t heard_epoch;
    int64_t heard_ms;
    uint64_t leader_commit;
    uint64_t proof_index;
    int64_t proof_ms;
};

/* Of another node: its clock value to be carried back to it. */
struct partner {
    uint32_t node;
    int64_t clock_ms; /* INT64_MIN = none */
};

struct grants {
    struct grants_options options;
    size_t row_count;
    struct row *rows;
    struct partner *partners;
    size_t partner_count;
    size_t partner_capacity;
};

static size_t rows_of(const struct grants_options *options)
{
    uint32_t count = options->partition_count;

    return options->lane < count ? (count - options->lane - 1) / options->lane_count + 1 : 0;
}

enum qn_status grants_create(const struct grants_options *options, struct grants **grants)
{
    struct grants *made = alloc_get_zeroed(options->alloc, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->options = *options;
    made->row_count = rows_of(options);
    made->rows = alloc_get_zeroed(options->alloc, made->row_count * sizeof *made->rows);
    if (!made->rows) {
        grants_destroy(made);
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < made->row_count; i++) {
        /* The process before may have granted something just before it ended (B.9.5). */
        made->rows[i].granted_until_ms =
            MUTANT(LEASEFORGET) ? INT64_MIN : options->started_ms + options->grant_ms;
        made->rows[i].granted_epoch = UINT64_MAX;
        made->rows[i].heard_ms = options->started_ms;
        made->rows[i].proof_ms = INT64_MIN;
    }
    *grants = made;
    return QN_OK;
}

void grants_destroy(struct grants *grants)
{
    if (!grants) {
        return;
    }
    struct alloc *alloc = grants->options.alloc;
    alloc_put(alloc, grants->rows, grants->row_count * sizeof *grants->rows);
    alloc_put(alloc, grants->partners, grants->partner_capacity * sizeof *grants->partners);
    alloc_put(alloc, grants, sizeof *grants);
}

static struct row *row_of(const struct grants *grants, uint32_t partition)
{
    const struct grants_options *options = &grants->options;

    if (partition >= options->partition_count || partition % options->lane_count != options->lane) {
        return NULL;
    }
    return &grants->rows[partition / options->lane_count];
}

/* -- the shard -- */

static int64_t lease_of(const struct row *row, uint32_t node)
{
    for (size_t i = 0; i < row->member_count; i++) {
        if (row->members[i].node == node) {
            return row->members[i].until_ms;
        }
    }
    return INT64_MIN;
}

void grants_note(struct grants *grants, uint32_t partition, uint64_t promised, uint64_t leading,
                 uint32_t lineage, const uint32_t *members, size_t member_count)
{
    struct row *row = row_of(grants, partition);
    struct lessor kept[CONFIGURATION_REPLICAS_MAX] = {0};

    qn_assert(row && member_count <= CONFIGURATION_REPLICAS_MAX);
    for (size_t i = 0; i < member_count; i++) {
        kept[i] = (struct lessor){
            .node = members[i],
            .until_ms = row->leading == leading ? lease_of(row, members[i]) : INT64_MIN,
        };
    }
    memcpy(row->members, kept, sizeof kept);
    row->member_count = (uint8_t)member_count;
    row->promised = promised;
    row->leading = leading;
    row->lineage = lineage;
}

void grants_publish(struct grants *grants, uint32_t partition, const uint16_t *copies,
                    size_t copy_count, uint64_t commit, uint64_t last)
{
    struct row *row = row_of(grants, partition);

    qn_assert(row && copy_count <= CONFIGURATION_REPLICAS_MAX);
    memcpy(row->copies, copies, copy_count * sizeof *copies);
    row->copy_count = (uint8_t)copy_count;
    row->commit = commit;
    row->last = last;
}

static int64_t lease_until(const struct row *row)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < row->member_count; i++) {
        least = row->members[i].until_ms < least ? row->members[i].until_ms : least;
    }
    return least;
}

struct grants_view grants_view(const struct grants *grants, uint32_t partition)
{
    const struct row *row = row_of(grants, partition);

    qn_assert(row);
    return (struct grants_view){
        .lease_until_ms =
            grants->options.lease_ms > 0 || row->member_count == 0 ? lease_until(row) : INT64_MIN,
        .granted_until_ms = row->granted_until_ms,
        .proof_index = row->proof_index,
        .proof_ms = row->proof_ms,
        .leader_commit = row->leader_commit,
    };
}

void grants_released(struct grants *grants, uint32_t partition, uint64_t epoch)
{
    struct row *row = row_of(grants, partition);

    if (row && row->granted_epoch <= epoch) {
        row->granted_until_ms = INT64_MIN;
    }
}

/* -- the beacon thread -- */

static struct partner *partner_of(const struct grants *grants, uint32_t node)
{
    for (size_t i = 0; i < grants->partner_count; i++) {
        if (grants->partners[i].node == node) {
            return &grants->partners[i];
        }
    }
    return NULL;
}

static bool has_copy(const struct row *row, uint32_t node)
{
    for (size_t i = 0; i < row->copy_count; i++) {
        if (row->copies[i] == node) {
            return true;
        }
    }
    return false;
}

size_t grants_beacon(const struct grants *grants, uint32_t to, int64_t now_ms,
                     struct wire_peer *rows, size_t room)
{
    const struct partner *partner = partner_of(grants, to);
    size_t count = 0;

    for (size_t i = 0; i < grants->row_count; i++) {
        const struct row *row = &grants->rows[i];
        if (row->leading == 0 || !has_copy(row, to)) {
            continue;
        }
        if (count < room) {
            bool proves = partner && lease_until(row) > now_ms;
            rows[count] = (struct wire_peer){
                .kind = WIRE_PEER_BEACON_ROW,
                .partition = grants->options.lane + (uint32_t)i * grants->options.lane_count,
                .lineage = row->lineage,
                .epoch = row->leading,
                .index = row->last,
                .commit = row->commit,
                .proof_ms = proves ? partner->clock_ms : INT64_MIN,
            };
        }
        count++;
    }
    return count;
}

bool grants_receive(struct grants *grants, uint32_t from, const struct wire_peer *beacon,
                    int64_t now_ms)
{
    struct row *row = row_of(grants, beacon->partition);

    if (!row || row->promised != beacon->epoch || row->leading > 0) {
        return false;
    }
    row->granted_until_ms = now_ms + grants->options.grant_ms;
    row->granted_epoch = beacon->epoch;
    row->leader = from;
    row->heard_epoch = beacon->epoch;
    row->heard_ms = now_ms;
    row->leader_commit = beacon->commit;
    if (beacon->proof_ms > row->proof_ms && beacon->proof_ms <= now_ms) {
        row->proof_ms = beacon->proof_ms;
        row->proof_index = beacon->commit;
    }
    return true;
}

static bool is_refused(const struct wire_peer *refused, size_t count, uint32_t partition,
                       uint64_t epoch)
{
    for (size_t i = 0; i < count; i++) {
        if (refused[i].partition == partition && refused[i].epoch == epoch) {
            return true;
        }
    }
    return false;
}

/* Remember the clock value of a node. Without memory nothing is proved to it. */
static void remember_clock(struct grants *grants, uint32_t node, int64_t clock_ms)
{
    struct partner *partner = partner_of(grants, node);

    if (!partner && grants->partner_count == grants->partner_capacity) {
        size_t capacity = grants->partner_capacity > 0 ? grants->partner_capacity * 2 : SENT_KEPT;
        struct partner *list = alloc_get(grants->options.alloc, capacity * sizeof *list);
        if (!list) {
            return;
        }
        if (grants->partner_count > 0) {
            memcpy(list, grants->partners, grants->partner_count * sizeof *list);
        }
        alloc_put(grants->options.alloc, grants->partners,
                  grants->partner_capacity * sizeof *grants->partners);
        grants->partners = list;
        grants->partner_capacity = capacity;
    }
    if (!partner) {
        partner = &grants->partners[grants->partner_count++];
        *partner = (struct partner){.node = node, .clock_ms = INT64_MIN};
    }
    if (clock_ms > partner->clock_ms) {
        partner->clock_ms = clock_ms;
    }
}

void grants_acknowledge(struct grants *grants, uint32_t from, int64_t sent_ms, int64_t clock_ms,
                        const struct wire_peer *rows, size_t row_count,
                        const struct wire_peer *refused, size_t refused_count)
{
    int64_t until_ms = sent_ms + grants->options.lease_ms;

    for (size_t i = 0; i < row_count; i++) {
        struct row *row = row_of(grants, rows[i].partition);
        if (!row || row->leading != rows[i].epoch ||
            is_refused(refused, refused_count, rows[i].partition, rows[i].epoch)) {
            continue;
        }
        for (size_t k = 0; k < row->member_count; k++) {
            struct lessor *member = &row->members[k];
            if (member->node == from && until_ms > member->until_ms) {
                member->until_ms = until_ms;
            }
        }
    }
    remember_clock(grants, from, clock_ms);
}

size_t grants_suspects(struct grants *grants, int64_t now_ms, struct wire_peer *out, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < grants->row_count && count < room; i++) {
        struct row *row = &grants->rows[i];
        if (row->leading > 0 || row->promised == 0 ||
            now_ms - row->heard_ms < grants->options.grant_ms) {
            continue;
        }
        out[count++] = (struct wire_peer){
            .kind = WIRE_PEER_SUSPECT,
            .partition = grants->options.lane + (uint32_t)i * grants->options.lane_count,
            .epoch = row->promised,
            .sent_ms = now_ms - row->heard_ms,
        };
        row->heard_ms = now_ms; /* and again after as long */
    }
    return count;
}

#include "grid/control/configuration.h"

#include "grid/base/mutants.h"
#include "wire/hash.h"

enum {
    PAGE_FORMAT = 1,
    PAGE_HEADER_SIZE = 12,
    PAGE_FOOTER_SIZE = 4,
};

static bool in(replica_set set, int place)
{
    return place >= 0 && replica_set_has(set, (unsigned)place);
}

static replica_set all_of(const struct configuration *c)
{
    return (replica_set)((1u << c->replica_count) - 1u);
}

int configuration_place(const struct configuration *configuration, uint32_t node)
{
    for (int i = 0; i < configuration->replica_count; i++) {
        if (configuration->replicas[i] == node) {
            return i;
        }
    }
    return -1;
}

bool configuration_in(const struct configuration *configuration, replica_set set, uint32_t node)
{
    return in(set, configuration_place(configuration, node));
}

unsigned replica_set_count(replica_set set)
{
    unsigned count = 0;

    for (; set != 0; set = (replica_set)(set & (set - 1u))) {
        count++;
    }
    return count;
}

/* Rule R-ELR (B.4): who has left the ISR while it was too small is complete still. */
static replica_set next_elr(const struct configuration *now, replica_set isr, replica_set unclean,
                            unsigned min_isr)
{
    if (replica_set_count(isr) >= min_isr && !MUTANT(ELRKEEP)) {
        return 0;
    }
    return (replica_set)((now->elr | now->isr) & ~isr & ~unclean);
}

static struct configuration after(const struct configuration *now)
{
    struct configuration next = *now;

    next.version++;
    return next;
}

enum qn_status configuration_elect(const struct configuration *now, uint32_t leader,
                                   uint32_t incarnation, replica_set isr, bool from_elr,
                                   replica_set unclean, unsigned min_isr,
                                   struct configuration *next)
{
    int place = configuration_place(now, leader);
    replica_set chosen = (replica_set)(from_elr && place >= 0 ? 1u << place : isr);
    bool eligible = from_elr ? in(now->elr, place) : in(now->isr, place);

    if (!eligible || !in(chosen, place) || (!from_elr && (chosen & ~now->isr) != 0) ||
        incarnation == 0) {
        return QN_INVALID;
    }
    struct configuration made = after(now);
    made.epoch++;
    made.leader = (uint16_t)leader;
    made.leader_incarnation = incarnation;
    made.elr = next_elr(now, chosen, unclean, min_isr);
    made.isr = chosen;
    *next = made;
    return QN_OK;
}

enum qn_status configuration_shrink(const struct configuration *now, replica_set gone,
                                    replica_set unclean, unsigned min_isr,
                                    struct configuration *next)
{
    if (gone == 0 || (gone & ~now->isr) != 0 || in(gone, configuration_place(now, now->leader))) {
        return QN_INVALID;
    }
    struct configuration made = after(now);
    made.isr = (replica_set)(now->isr & ~gone);
    made.elr = next_elr(now, made.isr, unclean, min_isr);
    *next = made;
    return QN_OK;
}

enum qn_status configuration_expand(const struct configuration *now, uint32_t node,
                                    unsigned min_isr, struct configuration *next)
{
    int place = configuration_place(now, node);

    if (place < 0 || in(now->isr, place)) {
        return QN_INVALID;
    }
    struct configuration made = after(now);
    made.isr = (replica_set)(now->isr | 1u << place);
    made.elr = next_elr(now, made.isr, 0, min_isr);
    *next = made;
    return QN_OK;
}

enum qn_status configuration_cancel(const struct configuration *now, struct configuration *next)
{
    *next = after(now);
    return QN_OK;
}

static bool distinct(const uint16_t *nodes, uint8_t count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < i; k++) {
            if (nodes[i] == nodes[k]) {
                return false;
            }
        }
        if (nodes[i] == 0) {
            return false;
        }
    }
    return true;
}

enum qn_status configuration_place_copies(const struct configuration *now, const uint16_t *target,
                                          uint8_t count, struct configuration *next)
{
    if (count == 0 || count > CONFIGURATION_REPLICAS_MAX || !distinct(target, count)) {
        return QN_INVALID;
    }
    struct configuration made = after(now);
    memset(made.target, 0, sizeof made.target);
    memcpy(made.target, target, count * sizeof *target);
    made.target_count = count;
    for (unsigned i = 0; i < count; i++) {
        if (configuration_place(&made, target[i]) < 0 &&
            made.replica_count < CONFIGURATION_REPLICAS_MAX) {
            made.replicas[made.replica_count++] = target[i];
        }
    }
    *next = made;
    return QN_OK;
}

/* The set without place `gone`, those behind it moved down. */
static replica_set close_gap(replica_set set, int gone)
{
    unsigned below = set & ((1u << gone) - 1u);
    unsigned above = (unsigned)set >> (gone + 1) << gone;

    return (replica_set)(below | above);
}

enum qn_status configuration_remove(const struct configuration *now, uint32_t node,
                                    struct configuration *next)
{
    int place = configuration_place(now, node);

    if (place < 0 || now->leader == node || in(now->isr | now->elr, place)) {
        return QN_INVALID;
    }
    struct configuration made = after(now);
    for (int i = place; i + 1 < now->replica_count; i++) {
        made.replicas[i] = made.replicas[i + 1];
    }
    made.replicas[--made.replica_count] = 0;
    made.isr = close_gap(now->isr, place);
    made.elr = close_gap(now->elr, place);
    *next = made;
    return QN_OK;
}

enum qn_status configuration_unclean(const struct configuration *now, uint32_t node,
                                     unsigned min_isr, struct configuration *next)
{
    int place = configuration_place(now, node);

    if (place < 0 || now->leader == node || !in(now->isr | now->elr, place)) {
        return QN_INVALID;
    }
    replica_set it = (replica_set)(1u << place);
    struct configuration made = after(now);
    made.isr = (replica_set)(now->isr & ~it);
    if (made.isr == 0) {
        return QN_INVALID;
    }
    made.elr = next_elr(now, made.isr, it, min_isr);
    *next = made;
    return QN_OK;
}

enum qn_status configuration_force(const struct configuration *now, uint32_t node,
                                   uint32_t incarnation, struct configuration *next)
{
    int place = configuration_place(now, node);

    if (place < 0 || now->lineage == UINT8_MAX || incarnation == 0) {
        return QN_INVALID;
    }
    struct configuration made = after(now);
    made.epoch++;
    made.lineage++;
    made.leader = (uint16_t)node;
    made.leader_incarnation = incarnation;
    made.isr = (replica_set)(1u << place);
    made.elr = 0;
    *next = made;
    return QN_OK;
}

enum qn_status configuration_first(const uint16_t *replicas, uint8_t count,
                                   struct configuration *first)
{
    if (count == 0 || count > CONFIGURATION_REPLICAS_MAX || !distinct(replicas, count)) {
        return QN_INVALID;
    }
    struct configuration made = {
        .epoch = 1,
        .version = 1,
        .lineage = 1,
        .leader = replicas[0],
        .replica_count = count,
        .target_count = count,
    };
    memcpy(made.replicas, replicas, count * sizeof *replicas);
    memcpy(made.target, replicas, count * sizeof *replicas);
    made.isr = all_of(&made);
    *first = made;
    return QN_OK;
}

/* -- I14 -- */

static bool same_copies(const struct configuration *a, const struct configuration *b)
{
    return a->replica_count == b->replica_count &&
           memcmp(a->replicas, b->replicas, sizeof a->replicas) == 0;
}

static bool equal(const struct configuration *a, const struct configuration *b)
{
    return a->epoch == b->epoch && a->version == b->version && a->lineage == b->lineage &&
           a->leader == b->leader && a->leader_incarnation == b->leader_incarnation &&
           same_copies(a, b) && a->isr == b->isr && a->elr == b->elr &&
           a->target_count == b->target_count &&
           memcmp(a->target, b->target, sizeof a->target) == 0;
}

/* Sets of an ELR that the rule allows: all that it says, or fewer by some that are unclean. */
static bool elr_allowed(const struct configuration *now, const struct configuration *next,
                        unsigned min_isr)
{
    replica_set most = next_elr(now, next->isr, 0, min_isr);

    return (next->elr & ~most) == 0;
}

static bool legal_elect(const struct configuration *now, const struct configuration *next)
{
    int place = configuration_place(now, next->leader);
    bool of_isr = in(now->isr, place) && (next->isr & ~now->isr) == 0 && in(next->isr, place);
    bool of_elr = in(now->elr, place) && next->isr == (replica_set)(1u << place);

    return next->lineage == now->lineage && (of_isr || of_elr);
}

static bool legal_force(const struct configuration *now, const struct configuration *next)
{
    int place = configuration_place(now, next->leader);

    return next->lineage == now->lineage + 1 && place >= 0 &&
           next->isr == (replica_set)(1u << place) && next->elr == 0;
}

static bool legal_sets(const struct configuration *now, const struct configuration *next)
{
    replica_set added = (replica_set)(next->isr & ~now->isr);
    replica_set removed = (replica_set)(now->isr & ~next->isr);
    int leader = configuration_place(now, now->leader);

    if (added != 0 && removed != 0) {
        return false;
    }
    return replica_set_count(added) <= 1 && !in(removed, leader);
}

static bool legal_copies(const struct configuration *now, const struct configuration *next)
{
    struct configuration made;

    if (configuration_place_copies(now, next->target, next->target_count, &made) == QN_OK &&
        equal(&made, next)) {
        return true;
    }
    for (int i = 0; i < now->replica_count; i++) {
        if (configuration_remove(now, now->replicas[i], &made) == QN_OK && equal(&made, next)) {
            return true;
        }
    }
    return false;
}

static const char *illegal(const struct configuration *now, const struct configuration *next,
                           unsigned min_isr)
{
    if (next->version != now->version + 1) {
        return "the version is not the next one";
    }
    if (!same_copies(now, next) || next->target_count != now->target_count ||
        memcmp(next->target, now->target, sizeof now->target) != 0) {
        return legal_copies(now, next) ? NULL : "copies changed otherwise than by place or remove";
    }
    if (next->epoch != now->epoch) {
        if (next->epoch != now->epoch + 1) {
            return "the epoch is neither the same nor the next one";
        }
        if (legal_force(now, next)) {
            return NULL;
        }
        if (!legal_elect(now, next)) {
            return "elected from outside of ISR and ELR, or with a wrong ISR";
        }
    } else if (next->leader != now->leader || next->lineage != now->lineage ||
               next->leader_incarnation != now->leader_incarnation) {
        return "another leader or lineage in the same epoch";
    } else if (!legal_sets(now, next)) {
        return "the ISR changed otherwise than by shrink or expand";
    }
    return elr_allowed(now, next, min_isr) ? NULL : "the ELR is not what its rule says";
}

bool configuration_legal(const struct configuration *now, const struct configuration *next,
                         unsigned min_isr, const char **why)
{
    const char *wrong = illegal(now, next, min_isr);

    if (wrong && why) {
        *why = wrong;
    }
    return wrong == NULL;
}

/* -- octets -- */

void configuration_encode(const struct configuration *configuration,
                          uint8_t octets[CONFIGURATION_SIZE])
{
    const struct configuration *c = configuration;

    memset(octets, 0, CONFIGURATION_SIZE);
    put_u32(octets, c->epoch);
    put_u32(octets + 4, c->version);
    put_u32(octets + 8, c->leader_incarnation);
    octets[12] = c->lineage;
    octets[13] = (uint8_t)(c->replica_count | c->target_count << 4);
    octets[14] = c->isr;
    octets[15] = c->elr;
    put_u16(octets + 16, c->leader);
    for (unsigned i = 0; i < CONFIGURATION_REPLICAS_MAX; i++) {
        put_u16(octets + 18 + 2 * i, c->replicas[i]);
        put_u16(octets + 28 + 2 * i, c->target[i]);
    }
}

static bool sound(const struct configuration *c)
{
    return c->replica_count > 0 && c->replica_count <= CONFIGURATION_REPLICAS_MAX &&
           c->target_count <= CONFIGURATION_REPLICAS_MAX && c->epoch > 0 && c->version > 0 &&
           c->lineage > 0 && distinct(c->replicas, c->replica_count) &&
           distinct(c->target, c->target_count) && ((c->isr | c->elr) & ~all_of(c)) == 0 &&
           (c->isr & c->elr) == 0 && c->isr != 0 && configuration_place(c, c->leader) >= 0;
}

enum qn_status configuration_decode(struct bytes octets, struct configuration *configuration)
{
    const uint8_t *at = octets.data;

    if (octets.size != CONFIGURATION_SIZE) {
        return QN_MALFORMED;
    }
    struct configuration c = {
        .epoch = get_u32(at),
        .version = get_u32(at + 4),
        .leader_incarnation = get_u32(at + 8),
        .lineage = at[12],
        .replica_count = at[13] & 15,
        .target_count = at[13] >> 4,
        .isr = at[14],
        .elr = at[15],
        .leader = get_u16(at + 16),
    };
    for (unsigned i = 0; i < CONFIGURATION_REPLICAS_MAX; i++) {
        c.replicas[i] = get_u16(at + 18 + 2 * i);
        c.target[i] = get_u16(at + 28 + 2 * i);
    }
    if (!sound(&c)) {
        return QN_MALFORMED;
    }
    *configuration = c;
    return QN_OK;
}

enum qn_status configuration_page_encode(uint32_t first, const struct configuration *list,
                                         uint32_t count, struct buf *out)
{
    size_t size = PAGE_HEADER_SIZE + (size_t)count * CONFIGURATION_SIZE;
    uint8_t *at;
    enum qn_status status = buf_extend(out, size + PAGE_FOOTER_SIZE, &at);

    if (status != QN_OK) {
        return status;
    }
    put_u32(at, PAGE_FORMAT);
    put_u32(at + 4, first);
    put_u32(at + 8, count);
    for (uint32_t i = 0; i < count; i++) {
        configuration_encode(&list[i], at + PAGE_HEADER_SIZE + (size_t)i * CONFIGURATION_SIZE);
    }
    put_u32(at + size, crc32c(0, bytes_of(at, size)));
    return QN_OK;
}

enum qn_status configuration_page_decode(struct bytes page, uint32_t *first,
                                         struct configuration *list, uint32_t room, uint32_t *count)
{
    if (page.size < PAGE_HEADER_SIZE + PAGE_FOOTER_SIZE) {
        return QN_MALFORMED;
    }
    if (get_u32(page.data) != PAGE_FORMAT) {
        return QN_UNSUPPORTED;
    }
    uint32_t found = get_u32(page.data + 8);
    size_t size = PAGE_HEADER_SIZE + (size_t)found * CONFIGURATION_SIZE;
    if (found > room || page.size != size + PAGE_FOOTER_SIZE ||
        get_u32(page.data + size) != crc32c(0, bytes_of(page.data, size))) {
        return QN_MALFORMED;
    }
    for (uint32_t i = 0; i < found; i++) {
        const uint8_t *at = page.data + PAGE_HEADER_SIZE + (size_t)i * CONFIGURATION_SIZE;
        if (configuration_decode(bytes_of(at, CONFIGURATION_SIZE), &list[i]) != QN_OK) {
            return QN_MALFORMED;
        }
    }
    *first = get_u32(page.data + 4);
    *count = found;
    return QN_OK;
}

/* What a run of the model may do, and which rules of the protocol it keeps.
 *
 * A mutant is the protocol without one of its rules. Searching one must find a violation: this is
 * what shows that the search is able to find any. */
#ifndef QUOIN_TESTS_MODEL_RULES_H
#define QUOIN_TESTS_MODEL_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The largest bounds; the state has room for so much and no more. */
enum {
    NODES_MAX = 5,
    EPOCHS_MAX = 6,
    VERSIONS_MAX = 14,
    WRITES_MAX = 6,
    CRASHES_MAX = 9,
    READS_MAX = 9,
    LOG_MAX = EPOCHS_MAX + WRITES_MAX,
};

/* Rules that can be taken away (sections of protocol.md). */
enum rule {
    RULE_PENDING_COUNTS,     /* B.7.5: members being added must have acknowledged too */
    RULE_REMOVED_COUNTS,     /* B.7.5: a member counts until its removal is confirmed */
    RULE_CAUGHT_UP_FIRST,    /* B.4: only a replica with all that is committed is added */
    RULE_FENCE,              /* B.6: a replica refuses epochs below the one it promised */
    RULE_NEW_EPOCH_TO_LEAD,  /* B.9: a restarted leader does not resume its epoch */
    RULE_TRUNCATE_AT_FORK,   /* B.9: cut where the logs part, not at the own commit index */
    RULE_ELECT_COMPLETE,     /* B.4: leaders come from the in-sync set or the ELR */
    RULE_CLEAR_ELR,          /* B.4: the ELR ends once the in-sync set is large enough again */
    RULE_UNCLEAN_LEAVES,     /* B.7: what may have lost entries leaves the sets first */
    RULE_ACKS_OF_THIS_LIFE,  /* B.4: the added member is still the one that acknowledged */
    RULE_READ_AFTER_START,   /* B.7.1: no read before the own EPOCH_START is committed */
    RULE_READ_ASKS_ALL,      /* B.12: every member confirms a read, not a majority */
    RULE_READ_ASKS_ELR,      /* B.12: and the ELR as well */
    RULE_LEASE_ASKS_ELR,     /* B.12: the same for leases */
    RULE_LEASE_WAIT,         /* B.9.5: a new leader waits for the grants it has given */
    RULE_LEASE_RESTART,      /* B.9.5: grants count across a restart */
    RULE_LEASE_EXPAND_LATER, /* B.9.5: nobody is added during that wait */
    RULES_COUNT,
};

struct rules {
    uint8_t node_count;  /* all are replicas of the one partition */
    uint8_t epoch_max;   /* highest epoch */
    uint8_t version_max; /* configurations, the first one included */
    uint8_t write_max;
    uint8_t crash_max;
    uint8_t read_max; /* linearizable reads by read-index, one at a time */
    uint8_t min_isr;  /* members without which no write is accepted */
    bool memory_acks; /* replicas acknowledge before they have synced */
    bool disk_loss;   /* one of the crashes may take the disk with it */
    bool leases;
    bool lean;       /* fewer kinds of steps, for deep searches of leases: see README.md */
    uint32_t broken; /* bit set of enum rule */
};

/* Three nodes, two epochs, four configurations, one write: seconds to search. */
struct rules rules_default(void);

static inline bool keeps(const struct rules *rules, enum rule rule)
{
    return !(rules->broken >> rule & 1);
}

/* Log entries that fit: one start for each epoch, and the writes. */
static inline unsigned log_max(const struct rules *rules)
{
    return (unsigned)rules->epoch_max + rules->write_max;
}

/* Break the rule that the mutant is named after, with the settings under which that matters.
 * Returns false if no mutant has this name. */
bool rules_mutate(struct rules *rules, const char *mutant);

/* The name of the mutant nearest to a misspelt one, or NULL. */
const char *rules_nearest_mutant(const char *name);

/* One line per mutant: name, rule removed. */
void rules_list_mutants(FILE *out);

#endif

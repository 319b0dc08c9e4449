#include "tests/model/rules.h"

#include <stddef.h>
#include <string.h>

#include "wire/suggest.h"

enum setting {
    SETTING_NONE,
    SETTING_MEMORY,
    SETTING_DISK_LOSS,
    SETTING_MIN_ISR_1,
    SETTING_LEASES,
};

struct mutant {
    const char *name;
    enum rule broken;
    enum setting setting; /* without it the rule does not matter */
    const char *rule;     /* the rule that is gone */
};

static const struct mutant mutants[] = {
    {"nounion", RULE_PENDING_COUNTS, SETTING_NONE,
     "a commit needs the members being added as well"},
    {"eagershrink", RULE_REMOVED_COUNTS, SETTING_NONE,
     "a member counts until its removal is confirmed"},
    {"expandearly", RULE_CAUGHT_UP_FIRST, SETTING_NONE,
     "only a replica with everything committed is added"},
    {"nofence", RULE_FENCE, SETTING_NONE, "replicas refuse lower epochs"},
    {"resume", RULE_NEW_EPOCH_TO_LEAD, SETTING_NONE, "a restarted leader needs a new epoch"},
    {"truncommit", RULE_TRUNCATE_AT_FORK, SETTING_NONE, "logs are cut where they part"},
    {"unclean", RULE_ELECT_COMPLETE, SETTING_NONE, "leaders come from the in-sync set or the ELR"},
    {"elrkeep", RULE_CLEAR_ELR, SETTING_NONE,
     "the ELR ends when the in-sync set has min_isr members again"},
    {"memnorule", RULE_UNCLEAN_LEAVES, SETTING_MEMORY,
     "an unclean restart leaves the sets first (memory acks)"},
    {"memnoinc", RULE_ACKS_OF_THIS_LIFE, SETTING_MEMORY,
     "an addition checks the incarnation (memory acks)"},
    {"wipenorule", RULE_UNCLEAN_LEAVES, SETTING_DISK_LOSS,
     "a node with an empty disk leaves the sets first"},
    {"wipenoinc", RULE_ACKS_OF_THIS_LIFE, SETTING_DISK_LOSS,
     "an addition checks the incarnation (lost disk)"},
    {"readnostart", RULE_READ_AFTER_START, SETTING_NONE,
     "reads wait until the own EPOCH_START is committed"},
    {"majread", RULE_READ_ASKS_ALL, SETTING_MIN_ISR_1,
     "all members confirm a read, not a majority (min_isr 1)"},
    {"readnoelr", RULE_READ_ASKS_ELR, SETTING_NONE, "the ELR confirms a read too"},
    {"leasenoelr", RULE_LEASE_ASKS_ELR, SETTING_LEASES, "a lease needs the ELR too"},
    {"leasenowait", RULE_LEASE_WAIT, SETTING_LEASES, "a new leader waits out its own grants"},
    {"leaseforget", RULE_LEASE_RESTART, SETTING_LEASES,
     "grants count across a restart of the grantor"},
    {"leaseexpand", RULE_LEASE_EXPAND_LATER, SETTING_LEASES,
     "a leader that still waits adds nobody"},
};

enum { MUTANTS_COUNT = sizeof mutants / sizeof mutants[0] };

struct rules rules_default(void)
{
    return (struct rules){
        .node_count = 3, .epoch_max = 2, .version_max = 4, .write_max = 1, .min_isr = 2};
}

static void apply_setting(struct rules *rules, enum setting setting)
{
    switch (setting) {
    case SETTING_NONE:
        break;
    case SETTING_MEMORY:
        rules->memory_acks = true;
        break;
    case SETTING_DISK_LOSS:
        rules->disk_loss = true;
        break;
    case SETTING_MIN_ISR_1:
        rules->min_isr = 1;
        break;
    case SETTING_LEASES:
        rules->leases = true;
        break;
    }
}

bool rules_mutate(struct rules *rules, const char *mutant)
{
    for (size_t i = 0; i < MUTANTS_COUNT; i++) {
        if (strcmp(mutants[i].name, mutant) == 0) {
            rules->broken |= 1U << mutants[i].broken;
            apply_setting(rules, mutants[i].setting);
            return true;
        }
    }
    return false;
}

const char *rules_nearest_mutant(const char *name)
{
    struct suggest suggest = {.word = name};
    for (size_t i = 0; i < MUTANTS_COUNT; i++) {
        suggest_offer(&suggest, mutants[i].name);
    }
    return suggest.nearest;
}

void rules_list_mutants(FILE *out)
{
    for (size_t i = 0; i < MUTANTS_COUNT; i++) {
        fprintf(out, "%-12s %s\n", mutants[i].name, mutants[i].rule);
    }
}

/* Rules that the simulator can take out, to show that it notices.
 *
 * In every ordinary build `MUTANT(name)` is the constant 0 and the compiler drops what it guards.
 * The simulator's build of the grid defines QUOIN_MUTANTS and sets `quoin_mutant` from its command
 * line. */
#ifndef QUOIN_GRID_BASE_MUTANTS_H
#define QUOIN_GRID_BASE_MUTANTS_H

/* X(name, the rule that is taken out). The first are those of protocol.md B.19. */
#define QUOIN_MUTANT_MAP(X)                                                                        \
    X(NONE, "nothing: the rules as they are")                                                      \
    X(NOUNION, "the commit set is the current ISR together with the members being added")          \
    X(EXPANDEARLY, "a member is added only when it has everything committed")                      \
    X(NOFENCE, "replicas refuse lower epochs")                                                     \
    X(RESUME, "a restarted leader needs a new epoch")                                              \
    X(TRUNCOMMIT, "logs are cut where the epochs part, not at the own commit index")               \
    X(ELRKEEP, "the ELR is cleared when the ISR has min_isr members again")                        \
    X(READNOSTART, "reads wait until the own EPOCH_START is committed")                            \
    X(MAJREAD, "a read is confirmed by all that could be elected, not by a majority")              \
    X(READNOELR, "those who confirm a read include the ELR")                                       \
    X(LEASENOELR, "those who give a lease include the ELR")                                        \
    X(LEASENOWAIT, "a new leader waits until its own grants have run out")                         \
    X(LEASEFORGET, "a process that has just begun waits for what it may have granted")             \
    X(LEASEEXPAND, "no member is added while the leader still waits for its grants")               \
    X(ACKEARLY, "a copy acknowledges what is on its disk, not what it has received")               \
    X(MISMATCHLOST, "decisions without effects are remembered for repetitions")                    \
    X(STALEEPOCH, "requests stamped with another epoch are refused")                               \
    X(DIRTYREAD, "reads see committed versions only")                                              \
    X(OLDDURABLE, "what became durable counts only for the record it belonged to")                 \
    X(NOINCARNATION, "frames of an older incarnation are dropped")                                 \
    X(PROMISELATE, "a promise is on disk before anything depends on it")                           \
    X(SKIPCOUNT, "fewer than min_isr copies refuse a write before it is appended")                 \
    X(TOKENLESS, "a session read waits until the copy has applied the token")

enum quoin_mutant {
#define QUOIN_MUTANT_ENUM(name, text) MUTANT_##name,
    QUOIN_MUTANT_MAP(QUOIN_MUTANT_ENUM)
#undef QUOIN_MUTANT_ENUM
};

#ifdef QUOIN_MUTANTS
extern int quoin_mutant; /* of the simulator: set before anything runs */
#define MUTANT(name) (quoin_mutant == MUTANT_##name)
#else
#define MUTANT(name) 0
#endif

#endif

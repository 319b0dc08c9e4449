/* What must hold in every state, and the names of what does not. */
#ifndef QUOIN_TESTS_MODEL_CHECK_H
#define QUOIN_TESTS_MODEL_CHECK_H

#include "tests/model/state.h"

/* X(name, text). The first ones are found in a state, the others while a step is taken. */
#define VIOLATION_MAP(X)                                                                           \
    X(VIOLATION_NONE, "none")                                                                      \
    X(VIOLATION_DIRTY_APPLY, "a replica applied an entry that is not the committed one")           \
    X(VIOLATION_INCOMPLETE, "a member of the in-sync set or the ELR lacks a committed entry")      \
    X(VIOLATION_LOG_MATCHING, "two logs agree on an entry and differ before it")                   \
    X(VIOLATION_SAME_ID, "two different entries with the same epoch and index")                    \
    X(VIOLATION_LEASE_READ, "a leader with a lease would answer a read with old data")             \
    X(VIOLATION_LOST_WRITE, "two different entries committed at one index")                        \
    X(VIOLATION_CUT_COMMITTED, "a replica cuts its log below its own commit index")                \
    X(VIOLATION_NOT_PREFIX, "a replica's log is not the beginning of its leader's")                \
    X(VIOLATION_STALE_READ, "a linearizable read is answered with old data")

enum violation {
#define X(name, text) name,
    VIOLATION_MAP(X)
#undef X
};

/* One line, static. */
const char *violation_text(enum violation violation);

/* The first invariant that does not hold in this state, or VIOLATION_NONE. */
enum violation check_state(const struct state *state, const struct rules *rules);

#endif

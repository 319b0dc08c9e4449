/* What can happen next: the successors of a state.
 *
 * Each function adds the steps of one part of the system. A step is one action that the real system
 * does at once: one message handled, one write of the page, one crash. */
#ifndef QUOIN_TESTS_MODEL_STEP_H
#define QUOIN_TESTS_MODEL_STEP_H

#include <stddef.h>

#include "tests/model/check.h"

/* X(name, text, is it rare in walks?). In the text: a, b, c the numbers of the step, S b or c as a
 * set of nodes (%a %b %c %B %C). */
#define STEP_MAP(X)                                                                                \
    X(STEP_ELECT, "controller: epoch %a, leader %b, in-sync set %C", true)                         \
    X(STEP_ELECT_ELR, "controller: epoch %a, leader %b from the ELR", true)                        \
    X(STEP_ELECT_UNCLEAN, "controller: epoch %a, leader %b although incomplete", true)             \
    X(STEP_REMOVE, "controller: removes %a from the in-sync set", true)                            \
    X(STEP_UNCLEAN_OUT, "controller: takes unclean node %a out of in-sync set and ELR", true)      \
    X(STEP_READMIT, "node %a is readmitted as a learner", false)                                   \
    X(STEP_CHANGE_LOST, "page: the change under way is lost or refused", false)                    \
    X(STEP_CHANGE_DONE, "page: the leader's change is applied, in-sync set %B", false)             \
    X(STEP_CRASH, "node %a crashes and keeps its log", true)                                       \
    X(STEP_CRASH_TAIL, "node %a crashes and loses what it had not synced", true)                   \
    X(STEP_CRASH_DISK, "node %a crashes and loses its disk", true)                                 \
    X(STEP_RESTART, "node %a restarts", false)                                                     \
    X(STEP_GRANT_ENDS, "node %a: its grant to epoch %b ends", false)                               \
    X(STEP_LEAD, "node %a leads epoch %b by configuration %c", false)                              \
    X(STEP_STEP_DOWN, "node %a sees epoch %b and steps down", false)                               \
    X(STEP_SEE, "node %a sees configuration %b", false)                                            \
    X(STEP_WRITE, "node %a appends write %b in epoch %c", false)                                   \
    X(STEP_SYNC, "node %a syncs its log up to %b", false)                                          \
    X(STEP_ACK, "node %a receives from %c: acknowledged up to %b", false)                          \
    X(STEP_COMMIT, "node %a commits up to %b in epoch %c", false)                                  \
    X(STEP_ASK_REMOVE, "node %a asks to remove %b", true)                                          \
    X(STEP_ASK_ADD, "node %a asks to add %b", false)                                               \
    X(STEP_ANSWER, "node %a answers clients up to %b", false)                                      \
    X(STEP_LEASE_ENDS, "node %a: its lease from %b ends", false)                                   \
    X(STEP_LEASE, "node %a receives a lease from %b", false)                                       \
    X(STEP_READ, "node %a begins a linearizable read at %b", false)                                \
    X(STEP_READ_EARLY, "node %a begins a read before its epoch's start is committed", false)       \
    X(STEP_READ_ANSWER, "node %a answers the read", false)                                         \
    X(STEP_RECONCILE, "node %a reconciles with epoch %b, keeps %c", false)                         \
    X(STEP_APPEND, "node %a appends %b from epoch %c", false)                                      \
    X(STEP_ACK_AGAIN, "node %a acknowledges %b again", false)                                      \
    X(STEP_LEARN, "node %a learns of commit %b", false)                                            \
    X(STEP_CONFIRM, "node %a confirms the read", false)

enum step_kind {
#define X(name, text, rare) name,
    STEP_MAP(X)
#undef X
};

struct step {
    uint8_t kind; /* enum step_kind */
    uint8_t a;
    uint8_t b;
    uint8_t c;
};

struct successor {
    struct state state;
    struct step step;
    enum violation violation; /* found while the step was taken; the state is checked separately */
};

enum { SUCCESSORS_MAX = 1024, STEP_TEXT_MAX = 96 };

/* The successors found so far of one state. */
struct successors {
    const struct rules *rules;
    const struct state *from;
    size_t count;
    struct successor list[SUCCESSORS_MAX];
};

/* All successors of `from`, in an order that depends on nothing but `from` and `rules`, which are
 * borrowed as long as the list is used. */
void steps_from(struct successors *out, const struct rules *rules, const struct state *from);

/* A copy of the state to change. It counts once step_done is called, otherwise it is forgotten. */
struct successor *step_begin(struct successors *out);
void step_done(struct successors *out, enum step_kind kind, unsigned a, unsigned b, unsigned c);

/* Write the step as a line of text, without its end. */
void step_text(struct step step, char text[STEP_TEXT_MAX]);

/* Walks take such a step less often, in order to get far between two of them. */
bool step_is_rare(struct step step);

/* Part by part. */
void steps_of_controller(struct successors *out);
void steps_of_page(struct successors *out);
void steps_of_process(struct successors *out, unsigned node); /* crash, restart */
void steps_of_becoming_leader(struct successors *out, unsigned node);
void steps_of_leader(struct successors *out, unsigned node);
void steps_of_grants(struct successors *out, unsigned node);
void steps_of_leases(struct successors *out, unsigned leader);
void steps_of_reads(struct successors *out, unsigned leader);
void steps_of_follower(struct successors *out, unsigned node);

#endif

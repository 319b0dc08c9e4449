/* The plainest thing that can be right about one cache of one partition: what each key holds, and
 * the list of records that led there, cut at a crash. */
#ifndef QUOIN_TESTS_UNIT_GRID_REPLICA_MODEL_H
#define QUOIN_TESTS_UNIT_GRID_REPLICA_MODEL_H

#include "wire/message/message.h"

enum {
    MODEL_KEYS = 10,
    MODEL_LOG_MAX = 12000,
};

/* A key's content: absent when `version` is 0. */
struct cell {
    uint64_t version;
    unsigned value;
    int64_t expires_at_ms; /* INT64_MAX = never */
};

/* A record that is expected in the log. */
struct step {
    unsigned keys;   /* bit k: it changes key k */
    struct cell now; /* to this */
    int64_t wall_ms; /* its partition time */
};

/* One change of a client, and how it ends. */
struct call {
    struct wire_op op;
    int key;
    unsigned value;
    char text[16];
    bool executed;     /* the model knows how it ends: */
    int status;        /*   like this */
    uint64_t version;  /*   with this version */
    struct cell old;   /*   and this before it */
    uint64_t index;    /* of its record; 0 = without effects */
    uint64_t rests_on; /* a decision without effects: what must be committed before it is told */
    bool answered;
    bool taken;
};

struct model {
    struct step log[MODEL_LOG_MAX + 1]; /* by index */
    uint64_t log_count;
    struct cell newest[MODEL_KEYS];
};

const char *model_key(int key);
/* The key of these octets; -1 when it is none. */
int model_key_of(struct bytes key);

/* Add a record that changes these keys; its time is at least that of the one before. */
void model_append(struct model *model, unsigned keys, struct cell now, int64_t wall_ms);

/* The keys that hold something: what a clear changes. */
unsigned model_held(const struct model *model);

/* The records behind `count` never happened. */
void model_cut(struct model *model, uint64_t count);

/* What a key held after record `index`, whatever the time. */
struct cell model_at(const struct model *model, int key, uint64_t index);

/* How many keys held something then. */
unsigned model_count_at(const struct model *model, uint64_t index);

/* Partition time after record `index`. */
int64_t model_time(const struct model *model, uint64_t index);

/* Has it something that has not expired? */
bool model_live(struct cell cell, int64_t time_ms);

/* Decide on a change, and add its record if it has effects. */
void model_execute(struct model *model, struct call *call, int64_t wall_ms);

/* A change that was not executed is withdrawn. */
void model_withdraw(struct model *model, struct call *call, int64_t wall_ms);

/* A number below `below`, from a seed that moves on. */
unsigned model_draw(uint64_t *random, unsigned below);

/* Any change, with the right version to expect mostly. Session and sequence are the caller's. */
void model_draw_call(const struct model *model, uint64_t *random, struct call *call);

#endif

/* What the public calls share: arguments, errors, one synchronous operation. */
#ifndef QUOIN_CLIENT_CALL_H
#define QUOIN_CLIENT_CALL_H

#include "client/driver.h"

/* An argument as a Binary: in `memory`, or where the caller has it. All zero is a valid empty one.
 */
struct arg {
    struct bytes binary;
    struct buf memory;
    uint32_t flags; /* enum value_flags */
};

/* QN_INVALID: not an argument; QN_TOO_LARGE: more than `size_max` octets; QN_MEMORY_FULL. `err`
 * says what (`verb` "put", `role` "key" or "value"). `arg_fini` also after a failure. */
QN_MUST_USE enum qn_status arg_encode(struct arg *arg, qn_arg given, size_t size_max,
                                      const char *verb, const char *role, qn_error *err);

/* Compress a value when the client's settings ask for that and it pays. */
void arg_compress(struct arg *arg, qn_client *client);

/* Make it independent of the caller's memory. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status arg_own(struct arg *arg);
void arg_fini(struct arg *arg);

/* A key for people: "alice" in quotes, 42, or 0x and octets; cut when it is long. */
void key_describe(struct bytes binary, char *out, size_t size);

/* What is asked of an entry. */
struct request {
    qn_cache *cache;
    uint32_t kind;
    qn_arg key;
    qn_arg value; /* ignored unless the kind has one */
    uint64_t expected_version;
    int64_t ttl_ms;            /* of TOUCH */
    const qn_options *options; /* may be NULL */
};

/* A request whose arguments are encoded. */
struct encoded {
    struct arg key;
    struct arg value;
    qn_options options; /* all of them */
};

bool request_has_value(uint32_t kind);

/* The options that a caller gave, whatever version of the struct it knows; NULL = defaults. */
qn_options options_known(const qn_options *given);

/* Check a request and encode it. QN_INVALID, QN_TOO_LARGE, QN_MEMORY_FULL. `encoded_fini` also
 * after a failure. */
QN_MUST_USE enum qn_status request_encode(const struct request *request, struct encoded *encoded,
                                          qn_error *err);
void encoded_fini(struct encoded *encoded);

/* Check handle and options only. */
QN_MUST_USE enum qn_status request_check(const struct request *request, qn_options *options,
                                         qn_error *err);

/* The operation; its key and value are those of `encoded`. */
struct session_op request_op(const struct request *request, const struct encoded *encoded);

/* Explain a failed call in `err` and return its status; an answer (>= 0) is returned as it is.
 * `cache` may be NULL. Reads the session: mutex held. */
enum qn_status call_explain(const struct call *call, const qn_client *client, const char *cache,
                            qn_error *err);

/* Set the time that it has: `timeout_ms` from `now_ms`; and its weight against the limits. */
void call_begin(struct call *call, int64_t now_ms, int64_t timeout_ms);

/* Run one operation to its end. Mutex held before and after. */
void call_run(qn_client *client, struct call *call, int64_t timeout_ms);

/* What a call is about, for people: "accounts/"alice"", only one of both, or nothing. */
void call_subject(const struct call *call, const char *cache, char *out, size_t size);

/* The name of a change of `client` that failed with an unknown outcome; false, and "": it is none.
 */
bool call_change_id(const struct call *call, struct client_id client, char text[QN_CHANGE_ID_MAX]);

/* Unpack the value of a finished call. Returns the call's status; QN_CORRUPT and QN_MEMORY_FULL:
 * the value is gone, and `err` says so. The mutex is not needed. */
enum qn_status call_unpack(struct call *call, const char *cache, qn_error *err);

/* The answer is there, but can not be handed out: make the call fail with `status`. */
void call_spoil(struct call *call, enum qn_status status);

/* Wait until the partitions are known. Mutex held. */
QN_MUST_USE enum qn_status table_await(qn_client *client, int64_t timeout_ms, qn_error *err);

/* Release what a finished call holds. */
void call_fini(struct call *call);

/* What an operation is called in texts: "put", "get" ... */
const char *call_verb(uint32_t kind);

/* A call of an asynchronous operation is finished; `op` may be freed. Mutex held (op.c). */
void op_finished(qn_op *op);

/* The client closes: callbacks that were not dispatched never will be (op.c). */
void ops_forget(qn_client *client);

/* What is asked of every node. */
struct node_request {
    uint32_t kind; /* SESSION_OP_STATUS and on */
    uint32_t level;
    bool all_shards; /* of each node; else its first */
    struct bytes key;
    struct bytes value;
    int64_t timeout_ms; /* 0 = the client's */
    /* Called for each answer, without the mutex; NULL = nobody wants to know. */
    enum qn_status (*take)(void *arg, uint32_t node, const struct wire_message *message);
    void *arg;
};

/* Ask all nodes at once and wait for all. The first failure, explained in `err`: the answers of the
 * others were taken all the same (nodes.c). */
QN_MUST_USE enum qn_status nodes_ask(qn_client *client, const struct node_request *request,
                                     qn_error *err);

/* The handles of its caches go with the client (caches.c). */
void caches_free(qn_client *client);

/* The client closes: its cursors stay behind without it (cursor.c). */
void cursors_forget(qn_client *client);

#endif

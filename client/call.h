/* What the public calls share: arguments, errors, one synchronous operation. */
#ifndef QUOIN_CLIENT_CALL_H
#define QUOIN_CLIENT_CALL_H

#include "client/driver.h"

/* An argument as a Binary: in `memory`, or where the caller has it. All zero is a valid empty one.
 */
struct arg {
    struct bytes binary;
    struct buf memory;
};

/* QN_INVALID: not an argument; QN_TOO_LARGE: more than `size_max` octets; QN_MEMORY_FULL. `err`
 * says what (`verb` "put", `role` "key" or "value"). `arg_fini` also after a failure. */
QN_MUST_USE enum qn_status arg_encode(struct arg *arg, qn_arg given, size_t size_max,
                                      const char *verb, const char *role, qn_error *err);

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
    const qn_options *options; /* may be NULL */
};

bool request_has_value(uint32_t kind);

/* Check what does not need the mutex: handle, options. QN_INVALID. */
QN_MUST_USE enum qn_status request_check(const struct request *request, qn_error *err);
int64_t options_timeout_ms(const qn_options *options, const qn_client *client);

/* Explain a failed call in `err` and return its status; an answer (>= 0) is returned as it is.
 * `cache` may be NULL. Reads the session: mutex held. */
enum qn_status call_explain(const struct call *call, const qn_client *client, const char *cache,
                            qn_error *err);

/* Set the time that it has: `timeout_ms` from `now_ms`; and its weight against the limits. */
void call_begin(struct call *call, int64_t now_ms, int64_t timeout_ms);

/* Run one operation to its end. Mutex held before and after. */
void call_run(qn_client *client, struct call *call, int64_t timeout_ms);

/* Release what a finished call holds. */
void call_fini(struct call *call);

/* What an operation is called in texts: "put", "get" ... */
const char *call_verb(uint32_t kind);

/* A call of an asynchronous operation is finished; `op` may be freed. Mutex held (op.c). */
void op_finished(qn_op *op);

/* The client closes: callbacks that were not dispatched never will be (op.c). */
void ops_forget(qn_client *client);

#endif

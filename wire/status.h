/* The one status of Quoin, its text, and the error that explains it.
 *
 * Part of the public interface: quoin.h includes this file, so it includes nothing of ours. Numbers
 * travel on the wire and are never reused. Answers are >= 0, failures < 0. The rows follow the
 * error table of the replication protocol (B.20). */
#ifndef QUOIN_WIRE_STATUS_H
#define QUOIN_WIRE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Did the operation take effect? The class of the operation, not of one attempt. */
enum qn_certainty {
    QN_NOT_APPLIED = 0, /* it did not, and never will */
    QN_APPLIED = 1,     /* it did */
    QN_UNKNOWN = 2,     /* it may have: no answer came back */
};

/* X(name, number on the wire, may the caller retry?, certainty it proves for a change, text) */
#define QN_STATUS_MAP(X)                                                                           \
    X(QN_OK, 0, false, QN_APPLIED, "ok")                                                           \
    X(QN_ABSENT, 1, false, QN_NOT_APPLIED, "no entry under this key")                              \
    X(QN_CONFLICT, 2, false, QN_NOT_APPLIED, "the entry has another version")                      \
    X(QN_EXISTS, 3, false, QN_NOT_APPLIED, "there is an entry under this key")                     \
    X(QN_NOT_LEADER, -1, true, QN_NOT_APPLIED, "this node does not lead the partition")            \
    X(QN_STALE_EPOCH, -2, true, QN_NOT_APPLIED,                                                    \
      "the request was routed with an older configuration")                                        \
    X(QN_DEADLINE, -3, true, QN_NOT_APPLIED, "no answer before the deadline")                      \
    X(QN_NO_LEADER, -4, true, QN_NOT_APPLIED, "the partition has no leader")                       \
    X(QN_RECOVERING, -5, true, QN_NOT_APPLIED, "the partition is still being recovered")           \
    X(QN_NOT_ENOUGH_REPLICAS, -6, true, QN_NOT_APPLIED, "too few in-sync copies")                  \
    X(QN_NO_COORDINATOR, -7, true, QN_NOT_APPLIED, "the coordination service is away")             \
    X(QN_OVERLOADED, -8, true, QN_NOT_APPLIED, "the node has more work than it accepts")           \
    X(QN_DISK_FULL, -9, true, QN_NOT_APPLIED, "the node's disk is full")                           \
    X(QN_TOO_LARGE, -10, false, QN_NOT_APPLIED, "key or value exceeds its limit")                  \
    X(QN_SCHEMA, -11, false, QN_NOT_APPLIED, "the request does not fit the cache's definition")    \
    X(QN_AUTH, -12, false, QN_NOT_APPLIED, "not authenticated")                                    \
    X(QN_ACL, -13, false, QN_NOT_APPLIED, "not permitted")                                         \
    X(QN_LEASE_LOST, -14, true, QN_NOT_APPLIED, "the leader could not confirm that it leads")      \
    X(QN_INDETERMINATE, -15, true, QN_UNKNOWN, "the outcome is not known")                         \
    X(QN_SESSION_EXPIRED, -16, false, QN_UNKNOWN, "the client's session has ended")                \
    X(QN_STALE_SEQ, -17, false, QN_UNKNOWN, "the request is older than those already settled")     \
    X(QN_LINEAGE_CHANGED, -18, false, QN_UNKNOWN, "data loss was accepted by an operator")         \
    X(QN_CORRUPT, -19, true, QN_NOT_APPLIED, "damaged data")                                       \
    X(QN_EP_FAILED, -20, false, QN_NOT_APPLIED, "the entry processor failed")                      \
    X(QN_EP_TIMEOUT, -21, false, QN_NOT_APPLIED, "the entry processor exceeded its budget")        \
    X(QN_MEMORY_FULL, -22, true, QN_NOT_APPLIED, "the memory limit is reached")                    \
    X(QN_MODULE_MISSING, -23, false, QN_NOT_APPLIED, "the node lacks this module")                 \
    X(QN_CURSOR_EXPIRED, -24, false, QN_NOT_APPLIED, "the cursor has expired")                     \
    X(QN_FORKED, -25, false, QN_NOT_APPLIED, "the client belongs to the parent process")           \
    X(QN_BUSY, -26, true, QN_NOT_APPLIED, "too many operations in flight")                         \
    X(QN_UNREACHABLE, -27, true, QN_NOT_APPLIED, "no node answers")                                \
    X(QN_INVALID, -28, false, QN_NOT_APPLIED, "invalid argument")                                  \
    X(QN_UNSUPPORTED, -29, false, QN_NOT_APPLIED, "the other side does not know this request")     \
    X(QN_CLUSTER, -30, false, QN_NOT_APPLIED, "the node belongs to another cluster")               \
    X(QN_IO, -31, false, QN_NOT_APPLIED, "input/output error")                                     \
    X(QN_CLOSED, -32, false, QN_NOT_APPLIED, "closed")                                             \
    X(QN_UNKNOWN_CACHE, -33, false, QN_NOT_APPLIED, "no cache of this name")                       \
    X(QN_WRONG_TYPE, -34, false, QN_NOT_APPLIED, "the value has another type")                     \
    X(QN_MALFORMED, -35, false, QN_NOT_APPLIED, "malformed data")                                  \
    X(QN_WITHDRAWN, -36, false, QN_NOT_APPLIED, "settled as not applied before it arrived")

enum qn_status {
#define QN_STATUS_ENUM(name, number, retry, certainty, text) name = number,
    QN_STATUS_MAP(QN_STATUS_ENUM)
#undef QN_STATUS_ENUM
};

/* Name ("QN_OK") and text of a status; "QN_?" and "unknown status" for a number of another version.
 */
const char *qn_status_name(enum qn_status status);
const char *qn_status_text(enum qn_status status);

/* May the same request be sent again with a chance of another outcome? Not the same as "safe to
 * repeat": a change of unknown outcome is repeated only under its own request id. */
bool qn_status_retry(enum qn_status status);

/* What a status received from the server says about a change. */
enum qn_certainty qn_status_certainty(enum qn_status status);

/* Is this number a status we know? */
bool qn_status_known(int32_t number);

enum {
    QN_ERROR_TEXT_MAX = 320,
    QN_CHANGE_ID_MAX = 96, /* octets of a change's name, NUL included */
};

/* Detail for the person who must act. The caller owns it and may pass NULL instead. Sticky: a call
 * given an error that already holds a failure does nothing and returns that failure. */
typedef struct qn_error {
    size_t size;                  /* of this struct as the caller knows it; 0 = first version */
    enum qn_status status;        /* QN_OK or the first failure */
    enum qn_certainty certainty;  /* of that failure */
    int32_t server_status;        /* the server's own code, 0 when the failure is local */
    int32_t partition;            /* -1 when none is concerned */
    uint32_t node;                /* 0 when none is concerned */
    char text[QN_ERROR_TEXT_MAX]; /* one line; names the key, node or file and what to do */
    /* Ends the first version. */
    char change_id[QN_CHANGE_ID_MAX]; /* of a change of unknown outcome, for qn_outcome; else "" */
} qn_error;

#define QN_ERROR_INIT                                                                              \
    {                                                                                              \
        .size = sizeof(qn_error), .partition = -1                                                  \
    }

/* Re-arm an error so that the next calls run. NULL allowed. Nothing behind `size` is touched. */
void qn_error_clear(qn_error *err);

/* Does `err` already hold a failure? False for NULL. */
bool qn_error_failed(const qn_error *err);

/* Fill `err` (NULL allowed) unless it already holds a failure; certainty is taken from the status.
 * Returns `status`, so that a failing function can end with it. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum qn_status
qn_error_set(qn_error *err, enum qn_status status, const char *format, ...);

/* Name the change that `err` says has an unknown outcome. Nothing happens when the caller's struct
 * has no room for it, or `err` is NULL. */
void qn_error_set_change(qn_error *err, const char *change_id);

/* That name; "" when there is none. Lives as long as `err`. */
const char *qn_change_id(const qn_error *err);

#endif

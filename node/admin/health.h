/* The four questions of health, answered from a snapshot. Pure functions. */
#ifndef QUOIN_NODE_ADMIN_HEALTH_H
#define QUOIN_NODE_ADMIN_HEALTH_H

#include "node/admin/admin.h"
#include "node/admin/text.h"

enum health_question {
    HEALTH_LIVE,    /* does the process respond? The only one that may restart a node */
    HEALTH_STARTED, /* is recovery over? */
    HEALTH_READY,   /* is every partition served that should be? */
    HEALTH_SAFE,    /* may this node stop now? */
};

bool health_yes(enum health_question question, const struct admin_snapshot *snapshot);

/* One line: "ok", or the reason why not. */
void health_write_text(struct text *text, enum health_question question,
                       const struct admin_snapshot *snapshot);

/* A JSON object: "ok" and "reason" of this question, then every figure of one number; the first
 * of them are the four answers. */
void health_write_json(struct text *text, enum health_question question,
                       const struct admin_snapshot *snapshot);

#endif

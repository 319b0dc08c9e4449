#include "node/admin/health.h"

bool health_yes(enum health_question question, const struct admin_snapshot *snapshot)
{
    switch (question) {
    case HEALTH_LIVE:
        return snapshot->live;
    case HEALTH_STARTED:
        return snapshot->started;
    case HEALTH_READY:
        return snapshot->ready;
    case HEALTH_SAFE:
        return snapshot->safe;
    }
    return false;
}

static const char *fallback(enum health_question question)
{
    switch (question) {
    case HEALTH_LIVE:
        return "the node does not move";
    case HEALTH_STARTED:
        return "the node is starting";
    case HEALTH_READY:
        return "not every partition is served";
    case HEALTH_SAFE:
        return "stopping this node would lose or block something";
    }
    return "no";
}

/* A snapshot has one reason for whatever is wrong; where the answer is yes it does not belong. */
static const char *reason_of(enum health_question question, const struct admin_snapshot *snapshot)
{
    if (health_yes(question, snapshot)) {
        return "";
    }
    return snapshot->reason[0] ? snapshot->reason : fallback(question);
}

void health_write_text(struct text *text, enum health_question question,
                       const struct admin_snapshot *snapshot)
{
    struct bytes rest = bytes_of_text(reason_of(question, snapshot));
    char out[ESCAPE_MAX];

    if (rest.size == 0) {
        rest = bytes_of_text("ok");
    }
    while (rest.size > 0) {
        int size = (int)escape_next(&rest, ESCAPE_PLAIN, out);
        text_add(text, "%.*s", size, out);
    }
    text_add(text, "\n");
}

void health_write_json(struct text *text, enum health_question question,
                       const struct admin_snapshot *snapshot)
{
    text_object_begin(text);
    text_member_bool(text, "ok", health_yes(question, snapshot));
    text_member_text(text, "reason", reason_of(question, snapshot));
    text_member_number(text, "node", snapshot->node);
    text_member_text(text, "version", snapshot->version);
    text_member_bool(text, "live", snapshot->live);
    text_member_bool(text, "started", snapshot->started);
    text_member_bool(text, "ready", snapshot->ready);
    text_member_bool(text, "safe", snapshot->safe);
    text_member_number(text, "partitions", snapshot->partitions);
    text_member_number(text, "partitions_leading", snapshot->partitions_leading);
    text_member_number(text, "partitions_faulted", snapshot->partitions_faulted);
    text_member_number(text, "entries", snapshot->entries);
    text_member_number(text, "entry_bytes", snapshot->entry_bytes);
    text_member_number(text, "uncommitted_bytes", snapshot->uncommitted_bytes);
    text_member_number(text, "memory_bytes", snapshot->memory_bytes);
    text_member_number(text, "sessions", snapshot->sessions);
    text_member_number(text, "recovery_ms", snapshot->recovery_ms);
    text_object_end(text);
}

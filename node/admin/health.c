#include "node/admin/health.h"

bool health_yes(enum health_question question, const struct admin_snapshot *snapshot)
{
    switch (question) {
    case HEALTH_LIVE:
        return snapshot->live != 0;
    case HEALTH_STARTED:
        return snapshot->started != 0;
    case HEALTH_READY:
        return snapshot->ready != 0;
    case HEALTH_SAFE:
        return snapshot->safe != 0;
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

static void figure_add(void *arg, const struct admin_figure *figure, uint64_t value)
{
    if (figure->kind == ADMIN_BOOL) {
        text_member_bool(arg, figure->name, value != 0);
    } else {
        text_member_number(arg, figure->name, value);
    }
}

void health_write_json(struct text *text, enum health_question question,
                       const struct admin_snapshot *snapshot)
{
    text_object_begin(text);
    text_member_bool(text, "ok", health_yes(question, snapshot));
    text_member_text(text, "reason", reason_of(question, snapshot));
    text_member_number(text, "node", snapshot->node);
    text_member_text(text, "version", snapshot->version);
    admin_figures_each(snapshot, figure_add, text);
    text_object_end(text);
}

#define _GNU_SOURCE
#include "client/cli/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/text.h"

/* The facts that facts_print shows in its own words. */
static const char *const facts_shown[] = {
    "version",
    "cluster",
    "shards",
    "live",
    "started",
    "ready",
    "safe",
    "reason",
    "partitions",
    "leading",
    "faulted",
    "partitions_held",
    "caches",
    "entries",
    "entry_bytes",
    "table_bytes",
    "memory_bytes",
    "memory_unclean",
    "memory_limit_bytes",
    "uncommitted_bytes",
    "sessions",
    "inflight",
    "views_pinned",
    "history_bytes",
    "log_bytes",
    "log_records",
    "log_syncs",
    "log_disk_bytes",
    "disk_full",
    "snapshots",
    "log_replay_bytes",
    "snapshot_age_ms",
    "uptime_ms",
    "incarnation",
    "snapshot_bytes",
    "snapshots_failed",
    "recovery_ms",
    "replies_dropped",
    "records_recovered",
    "frames_rejected",
    "cursors_expired",
    "log_messages_dropped",
};

/* What is worth a line only when it has happened. */
static const struct {
    const char *name;
    const char *text;
} facts_troubles[] = {
    {"disk_full", "no space for more log: changes are, or soon will be, refused"},
    {"snapshots_failed", "snapshots could not be written"},
    {"memory_unclean", "changes of caches with durability=memory may be missing since a crash"},
    {"replies_dropped", "answers were given up because their client did not take them"},
    {"frames_rejected", "messages were damaged, too large or foreign"},
    {"cursors_expired", "scans lost their view before their end"},
    {"log_messages_dropped", "lines of the node's own log were left out"},
};

void facts_fini(struct facts *facts)
{
    free(facts->list);
    *facts = (struct facts){.list = NULL};
}

static bool facts_reserve(struct facts *facts)
{
    if (facts->count < facts->capacity) {
        return true;
    }
    size_t capacity = facts->capacity > 0 ? 2 * facts->capacity : 32;
    struct fact *list = realloc(facts->list, capacity * sizeof *list);
    if (list == NULL) {
        facts->no_memory = true;
        return false;
    }
    facts->list = list;
    facts->capacity = capacity;
    return true;
}

void facts_add(void *arg, uint32_t node, const char *name, const char *text, int64_t number)
{
    struct facts *facts = arg;
    if (!facts_reserve(facts)) {
        return;
    }
    struct fact *fact = &facts->list[facts->count++];
    *fact = (struct fact){.node = node, .is_text = text != NULL, .number = number};
    snprintf(fact->name, sizeof fact->name, "%s", name);
    snprintf(fact->text, sizeof fact->text, "%s", text != NULL ? text : "");
}

static const struct fact *facts_find(const struct facts *facts, uint32_t node, const char *name)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        if (fact->node == node && strcmp(fact->name, name) == 0) {
            return fact;
        }
    }
    return NULL;
}

int64_t facts_number(const struct facts *facts, uint32_t node, const char *name, int64_t otherwise)
{
    const struct fact *fact = facts_find(facts, node, name);
    return fact != NULL && !fact->is_text ? fact->number : otherwise;
}

const char *facts_text(const struct facts *facts, uint32_t node, const char *name,
                       const char *otherwise)
{
    const struct fact *fact = facts_find(facts, node, name);
    return fact != NULL && fact->is_text ? fact->text : otherwise;
}

uint32_t facts_next_node(const struct facts *facts, uint32_t node)
{
    bool passed = node == 0;
    for (size_t i = 0; i < facts->count; i++) {
        uint32_t at = facts->list[i].node;
        bool again = i > 0 && facts->list[i - 1].node == at;
        if (passed && at != node && !again) {
            return at;
        }
        passed = passed || at == node;
    }
    return 0;
}

bool facts_all_ready(const struct facts *facts)
{
    uint32_t node = facts_next_node(facts, 0);
    bool ready = node != 0;
    for (; node != 0; node = facts_next_node(facts, node)) {
        ready = ready && facts_number(facts, node, "ready", 0) == 1;
    }
    return ready;
}

static bool is_shown(const char *name)
{
    for (size_t i = 0; i < sizeof facts_shown / sizeof *facts_shown; i++) {
        if (strcmp(facts_shown[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- one node on one screen ---- */

struct facts_view {
    const struct facts *facts;
    uint32_t node;
    bool color;
    FILE *to;
    char texts[6][TEXT_NUMBER_MAX];
};

static uint64_t number_of(const struct facts_view *view, const char *name)
{
    int64_t number = facts_number(view->facts, view->node, name, 0);
    return number > 0 ? (uint64_t)number : 0;
}

static const char *grouped(struct facts_view *view, int at, const char *name)
{
    return text_grouped(number_of(view, name), view->texts[at]);
}

static const char *size(struct facts_view *view, int at, const char *name)
{
    return text_size(number_of(view, name), view->texts[at]);
}

/* Ready is what counts; whether the node may be stopped is another question. */
static void print_verdict(const struct facts_view *view)
{
    bool safe = number_of(view, "safe") == 1;
    bool ready = number_of(view, "ready") == 1;
    const char *word = !ready ? "NOT READY" : safe ? "ready, safe to stop" : "ready";
    const char *paint = ready ? "\033[32m" : "\033[31m";
    const char *reason = facts_text(view->facts, view->node, "reason", "");
    fprintf(view->to, "node %" PRIu32 " is %s%s%s%s%s%s\n", view->node, view->color ? paint : "",
            word, view->color ? "\033[0m" : "", ready && !safe ? ", but not safe to stop" : "",
            *reason != '\0' ? ": " : "", reason);
}

static void print_process(struct facts_view *view)
{
    fprintf(view->to, "  version     %s, up %s, start number %s\n",
            facts_text(view->facts, view->node, "version", "?"),
            text_uptime(number_of(view, "uptime_ms"), view->texts[0]),
            grouped(view, 1, "incarnation"));
    fprintf(view->to, "  cluster     %s; %s shards here\n",
            facts_text(view->facts, view->node, "cluster", "?"), grouped(view, 0, "shards"));
    fprintf(view->to, "  recovery    %s records in %.2f s\n", grouped(view, 0, "records_recovered"),
            (double)number_of(view, "recovery_ms") / 1000);
}

static void print_data(struct facts_view *view)
{
    fprintf(view->to, "  partitions  %s of %s led, %s faulted; a set for disk and one for memory\n",
            grouped(view, 0, "leading"), grouped(view, 1, "partitions"),
            grouped(view, 2, "faulted"));
    uint64_t entries = number_of(view, "entries");
    uint64_t octets = number_of(view, "entry_bytes") + number_of(view, "table_bytes");
    fprintf(view->to, "  entries     %s in %s caches", grouped(view, 0, "entries"),
            grouped(view, 1, "caches"));
    if (entries > 0) {
        fprintf(view->to, ", %" PRIu64 " octets each", octets / entries);
    }
    fputc('\n', view->to);
    fprintf(view->to, "  memory      %s of %s: entries %s, tables %s, older versions %s\n",
            size(view, 0, "memory_bytes"), size(view, 1, "memory_limit_bytes"),
            size(view, 2, "entry_bytes"), size(view, 3, "table_bytes"),
            size(view, 4, "history_bytes"));
    fprintf(view->to, "  requests    %s under way, %s sessions, %s views kept for scans\n",
            grouped(view, 0, "inflight"), grouped(view, 1, "sessions"),
            grouped(view, 2, "views_pinned"));
}

static void print_disk(struct facts_view *view)
{
    fprintf(view->to, "  log         %s on disk, %s for a start to read, %s not yet there\n",
            size(view, 0, "log_disk_bytes"), size(view, 1, "log_replay_bytes"),
            size(view, 2, "uncommitted_bytes"));
    fprintf(view->to, "  written     %s since the start: %s records, %s syncs\n",
            size(view, 0, "log_bytes"), grouped(view, 1, "log_records"),
            grouped(view, 2, "log_syncs"));
    fprintf(view->to, "  snapshots   %s of partitions since the start, %s",
            grouped(view, 0, "snapshots"), size(view, 1, "snapshot_bytes"));
    int64_t age_ms = facts_number(view->facts, view->node, "snapshot_age_ms", -1);
    if (age_ms >= 0) {
        fprintf(view->to, "; the last %s ago", text_uptime((uint64_t)age_ms, view->texts[2]));
    }
    fputc('\n', view->to);
}

static void print_troubles(struct facts_view *view)
{
    for (size_t i = 0; i < sizeof facts_troubles / sizeof *facts_troubles; i++) {
        uint64_t count = number_of(view, facts_troubles[i].name);
        if (count == 1) {
            fprintf(view->to, "  ! %s\n", facts_troubles[i].text);
        } else if (count > 1) {
            fprintf(view->to, "  ! %s: %s\n", facts_troubles[i].text,
                    text_grouped(count, view->texts[0]));
        }
    }
}

static void print_others(const struct facts_view *view)
{
    for (size_t i = 0; i < view->facts->count; i++) {
        const struct fact *fact = &view->facts->list[i];
        if (fact->node != view->node || is_shown(fact->name)) {
            continue;
        }
        if (fact->is_text) {
            fprintf(view->to, "  %-11s %s\n", fact->name, fact->text);
        } else {
            fprintf(view->to, "  %-11s %" PRId64 "\n", fact->name, fact->number);
        }
    }
}

void facts_print(const struct facts *facts, uint32_t node, bool color, FILE *to)
{
    struct facts_view view = {.facts = facts, .node = node, .color = color, .to = to};
    print_verdict(&view);
    print_process(&view);
    print_data(&view);
    print_disk(&view);
    print_troubles(&view);
    print_others(&view);
}

json_t *facts_json(const struct facts *facts, uint32_t node)
{
    json_t *document = json_object();
    json_object_set_new(document, "node", json_integer(node));
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        if (fact->node == node) {
            json_t *value =
                fact->is_text ? json_string(fact->text) : json_integer((json_int_t)fact->number);
            json_object_set_new(document, fact->name, value);
        }
    }
    return document;
}

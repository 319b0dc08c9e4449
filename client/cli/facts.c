#define _GNU_SOURCE
#include "client/cli/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/text.h"

/* The facts that facts_print shows in its own words. */
static const char *const facts_shown[] = {
    "version",     "ready",       "safe",         "reason",
    "partitions",  "leading",     "faulted",      "entries",
    "entry_bytes", "table_bytes", "memory_bytes", "uncommitted_bytes",
    "sessions",    "log_bytes",   "log_records",  "log_syncs",
    "uptime_ms",   "incarnation", "recovery_ms",  "records_recovered",
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

static void print_verdict(const struct facts_view *view)
{
    bool safe = number_of(view, "safe") == 1;
    bool ready = number_of(view, "ready") == 1;
    const char *word = safe ? "safe" : ready ? "NOT SAFE" : "NOT READY";
    const char *paint = safe ? "\033[32m" : ready ? "\033[33m" : "\033[31m";
    const char *reason = facts_text(view->facts, view->node, "reason", "");
    fprintf(view->to, "node %" PRIu32 " is %s%s%s%s%s\n", view->node, view->color ? paint : "",
            word, view->color ? "\033[0m" : "", *reason != '\0' ? ": " : "", reason);
}

static void print_process(struct facts_view *view)
{
    fprintf(view->to, "  version     %s, up %s, start number %s\n",
            facts_text(view->facts, view->node, "version", "?"),
            text_uptime(number_of(view, "uptime_ms"), view->texts[0]),
            grouped(view, 1, "incarnation"));
    fprintf(view->to, "  recovery    %s records in %.2f s\n", grouped(view, 0, "records_recovered"),
            (double)number_of(view, "recovery_ms") / 1000);
}

static void print_data(struct facts_view *view)
{
    fprintf(view->to, "  partitions  %s of %s led, %s faulted\n", grouped(view, 0, "leading"),
            grouped(view, 1, "partitions"), grouped(view, 2, "faulted"));
    uint64_t entries = number_of(view, "entries");
    uint64_t octets = number_of(view, "entry_bytes") + number_of(view, "table_bytes");
    fprintf(view->to, "  entries     %s, %" PRIu64 " octets each\n", grouped(view, 0, "entries"),
            entries > 0 ? octets / entries : 0);
    fprintf(view->to, "  memory      %s: entries %s, tables %s, not yet committed %s\n",
            size(view, 0, "memory_bytes"), size(view, 1, "entry_bytes"),
            size(view, 2, "table_bytes"), size(view, 3, "uncommitted_bytes"));
    fprintf(view->to, "  log         %s written since the start: %s records, %s syncs\n",
            size(view, 0, "log_bytes"), grouped(view, 1, "log_records"),
            grouped(view, 2, "log_syncs"));
    fprintf(view->to, "  sessions    %s\n", grouped(view, 0, "sessions"));
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

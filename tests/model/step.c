#include "tests/model/step.h"

#include <stdio.h>
#include <string.h>

#include "wire/assert.h"

struct successor *step_begin(struct successors *out)
{
    qn_assert(out->count < SUCCESSORS_MAX);
    struct successor *next = &out->list[out->count];
    next->state = *out->from;
    next->violation = VIOLATION_NONE;
    return next;
}

void step_done(struct successors *out, enum step_kind kind, unsigned a, unsigned b, unsigned c)
{
    out->list[out->count++].step =
        (struct step){.kind = (uint8_t)kind, .a = (uint8_t)a, .b = (uint8_t)b, .c = (uint8_t)c};
}

static bool takes_part(const struct replica *replica)
{
    return replica->up && !replica->unclean;
}

static void steps_of_node(struct successors *out, unsigned node)
{
    const struct replica *replica = &out->from->node[node];
    steps_of_process(out, node);
    if (!takes_part(replica)) {
        return;
    }
    if (out->rules->leases) {
        steps_of_grants(out, node);
    }
    steps_of_becoming_leader(out, node);
    if (replica->leads) {
        steps_of_leader(out, node);
        if (out->rules->leases) {
            steps_of_leases(out, node);
        }
        steps_of_reads(out, node);
    }
    steps_of_follower(out, node);
}

void steps_from(struct successors *out, const struct rules *rules, const struct state *from)
{
    out->rules = rules;
    out->from = from;
    out->count = 0;
    steps_of_controller(out);
    if (from->change.in_flight) {
        steps_of_page(out);
    }
    for (unsigned i = 0; i < rules->node_count; i++) {
        steps_of_node(out, i);
    }
}

/* ---- Text ---- */

static const char *const texts[] = {
#define X(name, text, rare) [name] = text,
    STEP_MAP(X)
#undef X
};

bool step_is_rare(struct step step)
{
    static const bool rare_kinds[] = {
#define X(name, text, rare) [name] = rare,
        STEP_MAP(X)
#undef X
    };
    return rare_kinds[step.kind];
}

static char *put_number(char *at, unsigned number)
{
    return at + snprintf(at, 4, "%u", number & 0xff);
}

static char *put_set(char *at, uint8_t set)
{
    const char *separator = "";
    *at++ = '{';
    for (unsigned i = 0; i < NODES_MAX; i++) {
        if (has(set, i)) {
            at += snprintf(at, 5, "%s%u", separator, i);
            separator = ",";
        }
    }
    *at++ = '}';
    return at;
}

static char *put_field(char *at, char field, struct step step)
{
    switch (field) {
    case 'a':
        return put_number(at, step.a);
    case 'b':
        return put_number(at, step.b);
    case 'c':
        return put_number(at, step.c);
    case 'B':
        return put_set(at, step.b);
    default:
        qn_assert(field == 'C');
        return put_set(at, step.c);
    }
}

void step_text(struct step step, char text[STEP_TEXT_MAX])
{
    char *at = text;
    for (const char *from = texts[step.kind]; *from != '\0'; from++) {
        if (*from == '%') {
            at = put_field(at, *++from, step);
        } else {
            *at++ = *from;
        }
    }
    *at = '\0';
    qn_assert(at < text + STEP_TEXT_MAX);
}

/* Links: their queues, greetings, and what they have to do at a moment. */
#include <stdlib.h>

#include "client/session_parts.h"
#include "wire/assert.h"

/* ---- links ---- */

static struct link *link_create(struct bytes endpoint)
{
    struct link *link = calloc(1, sizeof *link);

    if (!link) {
        return NULL;
    }
    link->endpoint = malloc(endpoint.size + 1);
    if (!link->endpoint) {
        free(link);
        return NULL;
    }
    memcpy(link->endpoint, endpoint.data, endpoint.size);
    link->endpoint[endpoint.size] = '\0';
    list_init(&link->messages);
    for (int i = 0; i < LANE_COUNT; i++) {
        list_init(&link->lanes[i].queue);
    }
    return link;
}

void link_destroy(struct link *link)
{
    qn_assert(list_empty(&link->messages));
    free(link->endpoint);
    free(link);
}

static bool link_is_gone(const struct link *link)
{
    return link->state == LINK_LEAVING || link->state == LINK_RETIRED;
}

/* A place in the table of links: a new one, or that of a link that has been disconnected. */
static int32_t link_place(const struct session *s)
{
    for (uint32_t i = 0; i < s->link_count; i++) {
        if (s->links[i]->state == LINK_RETIRED) {
            return (int32_t)i;
        }
    }
    return s->link_count < LINKS_MAX ? (int32_t)s->link_count : NO_LINK;
}

int32_t link_find_or_add(struct session *s, struct bytes endpoint)
{
    for (uint32_t i = 0; i < s->link_count; i++) {
        if (!link_is_gone(s->links[i]) &&
            bytes_equal(bytes_of_text(s->links[i]->endpoint), endpoint)) {
            return (int32_t)i;
        }
    }
    int32_t place = link_place(s);
    struct link *link = place == NO_LINK ? NULL : link_create(endpoint);
    if (!link) {
        return NO_LINK;
    }
    if ((uint32_t)place < s->link_count) {
        link_destroy(s->links[place]);
    } else {
        s->link_count++;
    }
    s->links[place] = link;
    return place;
}

static bool link_is_wanted(const struct session *s, uint32_t link)
{
    for (size_t n = 0; n < s->node_count; n++) {
        for (uint32_t i = 0; i < s->nodes[n].shard_count; i++) {
            if (s->nodes[n].links[i] == link) {
                return true;
            }
        }
    }
    return s->links[link]->is_seed;
}

void links_retire(struct session *s)
{
    for (uint32_t i = 0; i < s->link_count; i++) {
        struct link *link = s->links[i];
        if (!link_is_gone(link) && !link_is_wanted(s, i)) {
            link_resend(s, i); /* into its queue, from where it finds another way */
            link->state = LINK_LEAVING;
            link->incarnation = 0;
            s->step_again = true;
        }
    }
}

bool session_link_blocked(const struct session *s, uint32_t link)
{
    return s->links[link]->state == LINK_CONNECTING;
}

const char *session_link_endpoint(const struct session *s, uint32_t link)
{
    return link < s->link_count ? s->links[link]->endpoint : "?";
}

int32_t link_ready_any(const struct session *s)
{
    for (uint32_t i = 0; i < s->link_count; i++) {
        if (s->links[i]->state == LINK_READY) {
            return (int32_t)i;
        }
    }
    return NO_LINK;
}

/* ---- who answers ---- */

static void link_mark_down(struct session *s, uint32_t link)
{
    if (!s->links[link]->is_down) {
        s->links[link]->is_down = true;
        s->reach_changed = true;
        session_trace(s, SESSION_LINK_DOWN, link);
    }
}

void link_mark_up(struct session *s, uint32_t link, bool is_again)
{
    s->links[link]->is_down = false;
    s->reach_changed = true;
    session_trace(s, is_again ? SESSION_LINK_BACK : SESSION_LINK_UP, link);
}

/* Down once `since_ms` is so long ago. Returns when that will be; INT64_MAX: it is down. */
static int64_t link_down_after(struct session *s, uint32_t link, int64_t since_ms)
{
    if (!s->links[link]->is_down && s->now_ms >= since_ms + LINK_DOWN_MS) {
        link_mark_down(s, link);
    }
    return s->links[link]->is_down ? INT64_MAX : since_ms + LINK_DOWN_MS;
}

void session_watch(struct session *s)
{
    s->watching = true;
    s->step_again = true;
}

/* ---- queues ---- */

static enum lane_kind lane_of(const struct session_op *op)
{
    if (op->kind >= SESSION_OP_CONNECT) {
        return LANE_CONTROL;
    }
    return session_op_is_change(op) ? LANE_CHANGE : LANE_READ;
}

size_t op_bytes(const struct session_op *op)
{
    return op->key.size + op->value.size + (op->kind == WIRE_OP_SCAN ? op->size_max : 0);
}

void link_enqueue(struct session *s, uint32_t link, struct session_op *op, bool in_front)
{
    struct lane *lane = &s->links[link]->lanes[lane_of(op)];

    op->state = OP_QUEUED;
    op->link = link;
    if (lane->count == 0) {
        lane->waiting_since_ms = s->now_ms;
    }
    lane->count++;
    lane->bytes += op_bytes(op);
    if (in_front) {
        list_push_front(&lane->queue, &op->place);
    } else {
        list_push_back(&lane->queue, &op->place);
    }
}

void link_dequeue(struct session *s, struct session_op *op)
{
    struct lane *lane = &s->links[op->link]->lanes[lane_of(op)];

    qn_assert(op->state == OP_QUEUED);
    qn_assert(lane->count > 0);
    lane->count--;
    lane->bytes -= op_bytes(op);
    list_remove(&op->place);
    op->state = OP_UNROUTED;
}

static void lane_reroute(struct session *s, struct lane *lane)
{
    struct list moved;

    list_init(&moved);
    while (!list_empty(&lane->queue)) {
        struct session_op *op = LIST_OWNER(lane->queue.next, struct session_op, place);
        link_dequeue(s, op);
        list_push_back(&moved, &op->place);
    }
    ops_route(s, &moved);
}

void links_reroute(struct session *s)
{
    for (uint32_t i = 0; i < s->link_count; i++) {
        if (s->links[i]->state != LINK_READY) {
            for (int lane = 0; lane < LANE_COUNT; lane++) {
                lane_reroute(s, &s->links[i]->lanes[lane]);
            }
        }
    }
}

/* ---- connection and greeting ---- */

int64_t session_unopened(struct session *s, uint32_t link)
{
    struct link *l = s->links[link];

    link_mark_down(s, link);
    l->state = LINK_CLOSED;
    l->open_at_ms = s->now_ms + backoff_ms(s, l->open_failures++);
    return l->open_at_ms;
}

void session_unsent(struct session *s, uint32_t link, uint64_t number)
{
    struct message *message = message_find(s->links[link], number);

    s->links[link]->state = LINK_CONNECTING;
    s->links[link]->open_at_ms = s->now_ms;
    s->links[link]->hello_out = false;
    if (message) {
        message_requeue(s, message, false);
    }
}

void session_writable(struct session *s, uint32_t link, int64_t now_ms)
{
    struct link *l = s->links[link];

    s->now_ms = now_ms;
    if (l->state == LINK_CONNECTING) {
        l->state = LINK_GREETING;
        l->open_failures = 0;
        l->hello_wanted = true;
        l->hello_out = false;
        l->heard_at_ms = now_ms;
        /* A link that was not writable has lost its connection, and with it what was under way. */
        link_resend(s, link);
    }
}

void link_greeted(struct session *s, uint32_t link, uint64_t incarnation)
{
    struct link *l = s->links[link];
    bool was_ready = l->state == LINK_READY;
    bool is_again = l->incarnation != 0;
    bool is_restarted = is_again && incarnation != l->incarnation;

    if (is_restarted) {
        link_resend(s, link); /* the process that had these requests is gone */
    }
    l->incarnation = incarnation;
    l->hello_out = false;
    l->state = LINK_READY;
    if (!was_ready || is_restarted) {
        link_mark_up(s, link, is_again);
    }
}

static void hello_send(struct session *s, uint32_t link)
{
    struct link *l = s->links[link];
    struct wire_message m = {.kind = WIRE_HELLO};
    uint64_t number = ++s->message_number;

    l->hello_at_ms = s->now_ms;
    if (frame_add(s, link, number, &m) == QN_OK) {
        l->asked_at_ms = l->hello_out ? l->asked_at_ms : s->now_ms;
        l->hello_number = number;
        l->hello_out = true;
        l->hello_wanted = false;
    }
}

/* ---- what is to be done now ---- */

/* At once when little is under way, so that single calls wait for nobody; otherwise in company. */
static bool lane_is_ready(const struct session *s, const struct lane *lane, enum lane_kind kind)
{
    if (lane->count == 0) {
        return false;
    }
    if (kind == LANE_CONTROL) {
        return lane->in_flight < CONTROL_MESSAGES_MAX;
    }
    if (lane->in_flight < (kind == LANE_READ ? LANE_READS_EAGER : LANE_CHANGES_EAGER)) {
        return true;
    }
    return lane->in_flight < LANE_MESSAGES_MAX &&
           (lane->count >= LANE_GATHER_COUNT || lane->bytes >= LANE_GATHER_BYTES ||
            s->now_ms - lane->waiting_since_ms >= LANE_LINGER_MS);
}

static void lanes_flush(struct session *s, uint32_t link)
{
    for (int kind = 0; kind < LANE_COUNT; kind++) {
        struct lane *lane = &s->links[link]->lanes[kind];
        bool more = true;
        while (more && lane_is_ready(s, lane, (enum lane_kind)kind)) {
            more = kind == LANE_CONTROL ? control_send(s, link)
                                        : requests_send(s, link, (enum lane_kind)kind);
        }
    }
}

/* Messages that waited too long go again, under the same ids and sequence numbers. */
static void messages_resend(struct session *s, struct link *link)
{
    struct list *next;

    for (struct list *at = link->messages.prev; at != &link->messages; at = next) {
        struct message *message = LIST_OWNER(at, struct message, place);
        next = at->prev;
        if (s->now_ms >= message->resend_at_ms) {
            message_requeue(s, message, true);
        }
    }
}

static int64_t later(int64_t a_ms, int64_t b_ms)
{
    return a_ms > b_ms ? a_ms : b_ms;
}

static int64_t sooner(int64_t a_ms, int64_t b_ms)
{
    return a_ms < b_ms ? a_ms : b_ms;
}

/* When the link's silence becomes suspicious; INT64_MAX while it owes nothing. */
static int64_t probe_at_ms(const struct link *link)
{
    if (list_empty(&link->messages)) {
        return INT64_MAX;
    }
    const struct message *oldest = LIST_OWNER(link->messages.next, struct message, place);
    int64_t at_ms = later(oldest->sent_at_ms, link->heard_at_ms) + SILENCE_PROBE_MS;
    return later(at_ms, link->hello_at_ms + SILENCE_PROBE_MS);
}

/* When it is greeted only to learn whether it is there; INT64_MAX = nobody wants to know. */
static int64_t watch_at_ms(const struct session *s, const struct link *link)
{
    return s->watching ? later(link->heard_at_ms, link->hello_at_ms) + WATCH_MS : INT64_MAX;
}

static int64_t ready_wake_ms(const struct session *s, const struct link *link)
{
    int64_t wake_at_ms = sooner(probe_at_ms(link), watch_at_ms(s, link));

    for (struct list *at = link->messages.next; at != &link->messages; at = at->next) {
        wake_at_ms = sooner(wake_at_ms, LIST_OWNER(at, struct message, place)->resend_at_ms);
    }
    for (int kind = 0; kind < LANE_CONTROL; kind++) {
        const struct lane *lane = &link->lanes[kind];
        if (lane->count > 0 && lane->in_flight < LANE_MESSAGES_MAX) {
            wake_at_ms = sooner(wake_at_ms, lane->waiting_since_ms + LANE_LINGER_MS);
        }
    }
    return link->hello_wanted ? sooner(wake_at_ms, s->now_ms + REFRESH_PAUSE_MS) : wake_at_ms;
}

static int64_t link_step_ready(struct session *s, uint32_t link)
{
    struct link *l = s->links[link];
    bool silent = s->now_ms >= probe_at_ms(l);
    bool stale = l->hello_wanted && !l->hello_out && s->now_ms - l->hello_at_ms >= REFRESH_PAUSE_MS;
    bool lost = l->hello_wanted && s->now_ms - l->hello_at_ms >= HELLO_AGAIN_MS;
    bool watched = s->now_ms >= watch_at_ms(s, l);
    int64_t down_at_ms = INT64_MAX;

    messages_resend(s, l);
    if (silent || stale || lost || watched) {
        hello_send(s, link);
    }
    if (l->hello_out) {
        down_at_ms = link_down_after(s, link, later(l->asked_at_ms, l->heard_at_ms));
    }
    lanes_flush(s, link);
    return sooner(down_at_ms, ready_wake_ms(s, l));
}

static int64_t link_step_greeting(struct session *s, uint32_t link)
{
    struct link *l = s->links[link];

    if (l->hello_wanted || s->now_ms - l->hello_at_ms >= HELLO_AGAIN_MS) {
        hello_send(s, link);
    }
    return sooner(l->hello_at_ms + HELLO_AGAIN_MS, link_down_after(s, link, l->heard_at_ms));
}

/* Before there is a table every seed is tried; later only links that are needed are opened. */
static bool link_is_needed(const struct session *s, const struct link *link)
{
    bool queued = false;

    for (int kind = 0; kind < LANE_COUNT; kind++) {
        queued = queued || link->lanes[kind].count > 0;
    }
    return queued || !s->partitions;
}

static int64_t link_step_closed(struct session *s, uint32_t link)
{
    struct link *l = s->links[link];

    if (!link_is_needed(s, l)) {
        return INT64_MAX;
    }
    if (s->now_ms < l->open_at_ms) {
        return l->open_at_ms;
    }
    if (action_room(s)) {
        s->actions[s->action_count++] =
            (struct session_action){.kind = SESSION_CONNECT, .link = link, .endpoint = l->endpoint};
        l->state = LINK_CONNECTING;
        l->open_at_ms = s->now_ms;
    }
    return INT64_MAX;
}

static int64_t link_step_leaving(struct session *s, uint32_t link)
{
    if (!action_room(s)) {
        return s->now_ms + BACKOFF_MAX_MS;
    }
    s->actions[s->action_count++] =
        (struct session_action){.kind = SESSION_DISCONNECT, .link = link};
    s->links[link]->state = LINK_RETIRED;
    return INT64_MAX;
}

int64_t link_step(struct session *s, uint32_t link)
{
    switch (s->links[link]->state) {
    case LINK_CLOSED:
        return link_step_closed(s, link);
    case LINK_CONNECTING:
        return link_down_after(s, link, s->links[link]->open_at_ms);
    case LINK_GREETING:
        return link_step_greeting(s, link);
    case LINK_READY:
        return link_step_ready(s, link);
    case LINK_LEAVING:
        return link_step_leaving(s, link);
    case LINK_RETIRED:
        break;
    }
    return INT64_MAX;
}

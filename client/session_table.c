/* What the session knows about the grid: nodes, their links, the leaders of partitions. */
#include <stdio.h>
#include <stdlib.h>

#include "client/session_parts.h"

static struct node *node_find_or_add(struct session *s, uint32_t id)
{
    for (size_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].id == id) {
            return &s->nodes[i];
        }
    }
    if (s->node_count == NODES_MAX) {
        return NULL;
    }
    struct node *node = &s->nodes[s->node_count];
    *node = (struct node){.id = id};
    s->node_count++;
    return node;
}

static bool endpoint_is_ours(struct bytes endpoint)
{
    return endpoint.size > 6 && endpoint.size < 280 && memcmp(endpoint.data, "tcp://", 6) == 0;
}

static void node_adopt(struct session *s, const struct wire_node *in)
{
    struct node *node = NULL;

    if (in->id == 0 || in->endpoint_count == 0 || in->endpoint_count > SHARDS_MAX) {
        return;
    }
    node = node_find_or_add(s, in->id);
    if (!node) {
        return;
    }
    node->shard_count = 0;
    for (size_t i = 0; i < in->endpoint_count; i++) {
        int32_t link =
            endpoint_is_ours(in->endpoints[i]) ? link_find_or_add(s, in->endpoints[i]) : NO_LINK;
        if (link == NO_LINK) {
            return;
        }
        node->links[node->shard_count++] = (uint32_t)link;
    }
}

/* Those that a table does not list have left. */
static void nodes_forget(struct session *s, const struct wire_message *message)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->node_count; i++) {
        bool is_listed = message->node_count == 0;
        for (size_t j = 0; j < message->node_count && !is_listed; j++) {
            is_listed = message->nodes[j].id == s->nodes[i].id;
        }
        if (is_listed) {
            s->nodes[kept++] = s->nodes[i];
        }
    }
    s->node_count = kept;
}

const struct node *table_node(const struct session *s, uint32_t id)
{
    for (size_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].id == id && s->nodes[i].shard_count > 0) {
            return &s->nodes[i];
        }
    }
    return NULL;
}

int32_t table_link(const struct session *s, uint32_t partition)
{
    const struct partition *p = &s->partitions[partition];
    const struct node *node = p->leader != 0 ? table_node(s, p->leader) : NULL;

    if (!node || p->shard >= node->shard_count) {
        return NO_LINK;
    }
    return (int32_t)node->links[p->shard];
}

void table_refuse(struct session *s, enum qn_status status, struct bytes text)
{
    size_t room = sizeof s->refusal_text - 1;
    size_t size = text.size < room ? text.size : room;
    bool is_new = s->refusal != status;

    s->refusal = status;
    if (size > 0) {
        memcpy(s->refusal_text, text.data, size);
    }
    s->refusal_text[size] = '\0';
    if (is_new) {
        session_trace(s, SESSION_NODE_REFUSED, 0);
    }
}

static bool partitions_create(struct session *s, size_t count, uint32_t hash_partitions)
{
    if (count == 0 || count > PARTITIONS_MAX || hash_partitions > count) {
        return false;
    }
    s->partitions = calloc(count, sizeof *s->partitions);
    if (!s->partitions) {
        return false;
    }
    s->partition_count = (uint32_t)count;
    s->hash_partitions = hash_partitions > 0 ? hash_partitions : s->partition_count;
    for (size_t i = 0; i < count; i++) {
        partition_init(&s->partitions[i]);
    }
    return true;
}

/* Epochs only grow: what is older than what we know is news from yesterday. */
static void partition_adopt(struct partition *p, const struct wire_partition *in)
{
    if (in->epoch >= p->epoch) {
        p->epoch = in->epoch;
        p->lineage = in->lineage;
        p->leader = in->leader;
        p->shard = in->shard;
    }
}

/* Those that were refused because of what has changed now need not wait any longer. */
static void refused_reroute(struct session *s)
{
    struct list moved;
    struct list *next;

    list_init(&moved);
    for (struct list *at = s->backing_off.next; at != &s->backing_off; at = next) {
        struct session_op *op = LIST_OWNER(at, struct session_op, place);
        next = at->next;
        bool has_leader = s->partitions[op->partition].leader != 0;
        bool is_newer = s->partitions[op->partition].epoch > op->attempt_epoch;
        if (op->kind < SESSION_OP_CONNECT && has_leader && is_newer) {
            list_remove(at);
            list_push_back(&moved, at);
        }
    }
    ops_route(s, &moved);
}

void table_adopt(struct session *s, const struct wire_message *message)
{
    if (message->partition_count == 0) {
        return; /* ours is current */
    }
    if (!s->partitions &&
        !partitions_create(s, message->partition_count, message->hash_partitions)) {
        return;
    }
    if (message->partition_count != s->partition_count ||
        (message->hash_partitions != 0 && message->hash_partitions != s->hash_partitions)) {
        table_refuse(s, QN_CLUSTER,
                     bytes_of_text("the number of partitions has changed: restart the program"));
        return;
    }
    for (size_t i = 0; i < message->node_count; i++) {
        node_adopt(s, &message->nodes[i]);
    }
    nodes_forget(s, message);
    for (size_t i = 0; i < message->partition_count; i++) {
        partition_adopt(&s->partitions[i], &message->partitions[i]);
    }
    s->reach_changed = true;
    links_retire(s);
    refused_reroute(s);
    links_reroute(s);
}

uint32_t session_partition_count(const struct session *s)
{
    return s->hash_partitions;
}

bool session_place(const struct session *s, uint32_t partition, struct session_place *place)
{
    if (partition >= s->partition_count) {
        return false;
    }
    const struct partition *p = &s->partitions[partition];
    int32_t link = table_link(s, partition);
    *place = (struct session_place){
        .epoch = p->epoch,
        .leader = p->leader,
        .shard = p->shard,
        .endpoint = link == NO_LINK ? NULL : s->links[link]->endpoint,
    };
    return true;
}

bool session_shard_at(const struct session *s, size_t i, struct session_shard *shard)
{
    for (size_t n = 0; n < s->node_count; n++) {
        const struct node *node = &s->nodes[n];
        if (i < node->shard_count) {
            *shard = (struct session_shard){
                .node = node->id,
                .shard = (uint32_t)i,
                .endpoint = s->links[node->links[i]]->endpoint,
            };
            return true;
        }
        i -= node->shard_count;
    }
    return false;
}

/* ---- can work be done? ---- */

static bool somebody_answers(const struct session *s)
{
    for (uint32_t i = 0; i < s->link_count; i++) {
        if (s->links[i]->incarnation != 0 && !s->links[i]->is_down) {
            return true;
        }
    }
    return false;
}

static enum session_reach reach_find(const struct session *s)
{
    if (!s->partitions || !somebody_answers(s)) {
        return SESSION_REACH_NONE;
    }
    for (uint32_t p = 0; p < s->partition_count; p++) {
        int32_t link = table_link(s, p);
        if (link == NO_LINK || s->links[link]->is_down) {
            return SESSION_REACH_SOME;
        }
    }
    return SESSION_REACH_ALL;
}

enum session_reach session_reach(struct session *s)
{
    if (s->reach_changed) {
        s->reach_changed = false;
        s->reach = reach_find(s);
    }
    return s->reach;
}

const char *session_refusal(const struct session *s, enum qn_status *status)
{
    *status = s->refusal;
    return s->refusal == QN_OK ? NULL : s->refusal_text;
}

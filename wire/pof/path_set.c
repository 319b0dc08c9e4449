#include <stdlib.h>

#include "wire/pof/path.h"
#include "wire/pof/path_walk.h"
#include "wire/pof/take.h"

#define NONE UINT32_MAX

/* A step that several paths share. Node 0 is the value itself. */
struct node {
    int32_t step;
    uint32_t child;   /* the first one; siblings ascend by step */
    uint32_t last;    /* the last one */
    uint32_t sibling; /* the next one of the same parent */
    uint32_t target;  /* the first path that ends here */
};

struct pof_path_set {
    size_t path_count;
    uint32_t node_count;
    struct node *nodes;
    uint32_t *same; /* for each path the next one that ends in the same node */
};

static uint32_t add_node(struct pof_path_set *set, int32_t step)
{
    set->nodes[set->node_count] =
        (struct node){.step = step, .child = NONE, .last = NONE, .sibling = NONE, .target = NONE};
    return set->node_count++;
}

/* The child of `parent` for `step`, which is made when it is not there. Paths come in order, so it
 * can only be the last one. */
static uint32_t child_for(struct pof_path_set *set, uint32_t parent, int32_t step)
{
    uint32_t last = set->nodes[parent].last;

    if (last != NONE && set->nodes[last].step == step) {
        return last;
    }
    uint32_t child = add_node(set, step);
    *(last == NONE ? &set->nodes[parent].child : &set->nodes[last].sibling) = child;
    set->nodes[parent].last = child;
    return child;
}

static void add_path(struct pof_path_set *set, const struct pof_path *path, uint32_t number)
{
    uint32_t node = 0;

    for (size_t i = 0; i < path->count; i++) {
        node = child_for(set, node, path->steps[i]);
    }
    set->same[number] = set->nodes[node].target;
    set->nodes[node].target = number;
}

/* How many nodes there can be; 0: a path is not valid. */
static size_t node_count_max(const struct pof_path *paths, size_t count)
{
    size_t nodes = 1;

    for (size_t i = 0; i < count; i++) {
        if (!path_is_valid(paths[i])) {
            return 0;
        }
        nodes += paths[i].count;
    }
    return nodes < NONE && count < NONE ? nodes : 0;
}

/* A path and its number among those given. */
struct numbered {
    const struct pof_path *path;
    uint32_t number;
};

static int compare_paths(const void *a, const void *b)
{
    const struct pof_path *left = ((const struct numbered *)a)->path;
    const struct pof_path *right = ((const struct numbered *)b)->path;

    for (size_t i = 0; i < left->count && i < right->count; i++) {
        if (left->steps[i] != right->steps[i]) {
            return left->steps[i] < right->steps[i] ? -1 : 1;
        }
    }
    return (left->count > right->count) - (left->count < right->count);
}

/* Make the tree. False: no memory. */
static bool add_paths(struct pof_path_set *set, const struct pof_path *paths)
{
    struct numbered *sorted = calloc(set->path_count + 1, sizeof *sorted);

    if (!sorted) {
        return false;
    }
    for (uint32_t i = 0; i < set->path_count; i++) {
        sorted[i] = (struct numbered){&paths[i], i};
    }
    qsort(sorted, set->path_count, sizeof *sorted, compare_paths);
    (void)add_node(set, 0);
    for (size_t i = 0; i < set->path_count; i++) {
        add_path(set, sorted[i].path, sorted[i].number);
    }
    free(sorted);
    return true;
}

struct pof_path_set *pof_path_set_create(const struct pof_path *paths, size_t count)
{
    size_t nodes_max = node_count_max(paths, count);
    struct pof_path_set *set = nodes_max > 0 ? calloc(1, sizeof *set) : NULL;

    if (!set) {
        return NULL;
    }
    set->path_count = count;
    set->nodes = calloc(nodes_max, sizeof *set->nodes);
    set->same = calloc(count + 1, sizeof *set->same);
    if (!set->nodes || !set->same || !add_paths(set, paths)) {
        pof_path_set_destroy(set);
        return NULL;
    }
    return set;
}

void pof_path_set_destroy(struct pof_path_set *set)
{
    if (set) {
        free(set->nodes);
        free(set->same);
        free(set);
    }
}

struct walk {
    const struct pof_path_set *set;
    struct pof_reader r;
    struct pof_target *targets;
    size_t left; /* paths that nothing is known of yet */
};

/* Give all paths that end in `node` the same answer. */
static void answer(struct walk *w, const struct node *node, const struct pof_target *target)
{
    for (uint32_t i = node->target; i != NONE; i = w->set->same[i]) {
        w->targets[i] = *target;
        w->left--;
    }
}

/* All paths through `node` lead nowhere: it is below something missing, or without parts. */
static void answer_below(struct walk *w, const struct node *node)
{
    for (uint32_t child = node->child; child != NONE; child = w->set->nodes[child].sibling) {
        const struct node *below = &w->set->nodes[child];
        answer(w, below, &(struct pof_target){.below_missing = true});
        answer_below(w, below);
    }
}

static enum qn_status visit(struct walk *w, const struct node *node);

/* A part is not there, nor anything below it. */
static void answer_nothing(struct walk *w, const struct node *node, const struct path_place *place)
{
    struct pof_target nothing = {.below_missing = true};

    if (place->room) {
        path_fill_nothing(place, &nothing);
    }
    answer(w, node, &nothing);
    answer_below(w, node);
}

/* Visit the parts of the container that the reader has gone into. */
static enum qn_status visit_parts(struct walk *w, const struct node *node)
{
    enum qn_status status = QN_OK;
    struct path_place part;

    for (uint32_t i = node->child; status == QN_OK && i != NONE && w->left > 0;
         i = w->set->nodes[i].sibling) {
        const struct node *child = &w->set->nodes[i];
        status = path_go_to(&w->r, child->step, &part);
        if (status == QN_ABSENT) {
            answer_nothing(w, child, &part);
            status = QN_OK;
        } else if (status == QN_OK) {
            status = visit(w, child);
        }
    }
    return status;
}

/* Take the head of the value, and go into it when it has parts that paths lead to; `*inside`: it
 * has. */
static enum qn_status go_into(struct walk *w, const struct node *node, struct path_place *place,
                              bool *inside)
{
    enum qn_status status = path_take_head(&w->r, place);

    *inside = false;
    if (status != QN_OK || node->child == NONE) {
        return status;
    }
    status = path_enter(&w->r, place);
    *inside = status == QN_OK;
    if (status == QN_WRONG_TYPE) {
        answer_below(w, node);
        return QN_OK;
    }
    return status;
}

/* The value is a target: its octets end here. */
static enum qn_status answer_value(struct walk *w, const struct node *node,
                                   const struct path_place *place)
{
    struct pof_target target;
    enum qn_status status = path_fill(&w->r, place, &target);

    if (status == QN_OK) {
        answer(w, node, &target);
    }
    return status;
}

/* Visit the value that the reader stands in front of. Afterwards it stands behind the value, or
 * anywhere when everything is known. */
static enum qn_status visit(struct walk *w, const struct node *node)
{
    struct path_place place;
    uint32_t depth = w->r.depth;
    bool inside = node->target == NONE && path_go_into_object(&w->r);
    enum qn_status status = inside ? QN_OK : go_into(w, node, &place, &inside);

    if (status == QN_OK && inside) {
        status = visit_parts(w, node);
    }
    if (status != QN_OK || w->left == 0) {
        return status;
    }
    status = inside ? pof_take_leave(&w->r, depth) : pof_take_rest(&w->r, &place.head);
    return status == QN_OK && node->target != NONE ? answer_value(w, node, &place) : status;
}

enum qn_status pof_path_set_find(const struct pof_path_set *set, struct bytes pof,
                                 struct pof_target *targets)
{
    struct walk w;

    w.set = set;
    w.targets = targets;
    w.left = set->path_count;
    pof_reader_init(&w.r, pof);
    return w.left > 0 ? visit(&w, &set->nodes[0]) : QN_OK;
}

/* Doubly linked lists whose links live in their members: adding and removing allocate nothing.
 *
 * A list is a ring through a `struct list` that is no member itself. A member that is in no list is
 * linked to itself, so that it may be removed at any time. One owner, no locks. */
#ifndef QUOIN_CLIENT_LIST_H
#define QUOIN_CLIENT_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev;
    struct list *next;
};

/* The struct of type `type` whose `field` is the link `node`. */
#define LIST_OWNER(node, type, field) ((type *)(void *)((char *)(node)-offsetof(type, field)))

static inline void list_init(struct list *list)
{
    list->prev = list;
    list->next = list;
}

static inline bool list_empty(const struct list *list)
{
    return list->next == list;
}

/* Insert `node`, which is in no list, in front of `at`: at the end when `at` is the list. */
static inline void list_push_back(struct list *at, struct list *node)
{
    node->prev = at->prev;
    node->next = at;
    at->prev->next = node;
    at->prev = node;
}

static inline void list_push_front(struct list *list, struct list *node)
{
    list_push_back(list->next, node);
}

static inline void list_remove(struct list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

/* Take the first member off; NULL when there is none. */
static inline struct list *list_pop_front(struct list *list)
{
    struct list *node = list->next;

    if (node == list) {
        return NULL;
    }
    list_remove(node);
    return node;
}

/* Move all members of `from` to the end of `to`. */
static inline void list_append(struct list *to, struct list *from)
{
    if (list_empty(from)) {
        return;
    }
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    list_init(from);
}

#endif

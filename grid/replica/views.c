#include "wire/assert.h"

#include "grid/replica/state.h"

void views_publish(struct replica *replica)
{
    struct views *views = &replica->views;

    views->publish_by_ms = INT64_MAX;
    views->published_at_ms = replica->now_ms;
    if (replica->commit_index > store_view(replica->store)) {
        store_publish(replica->store, replica->commit_index);
        views->published++;
    }
}

void views_show(struct replica *replica, uint64_t index)
{
    if (store_view(replica->store) < index) {
        views_publish(replica);
    }
}

void views_show_by(struct replica *replica, int64_t by_ms)
{
    if (by_ms < replica->views.publish_by_ms) {
        replica->views.publish_by_ms = by_ms;
    }
}

static bool due(const struct replica *replica)
{
    const struct views *views = &replica->views;
    int64_t soft_commit_ms = replica->options.limits.soft_commit_ms;

    if (replica->now_ms >= views->publish_by_ms) {
        return true;
    }
    return soft_commit_ms > 0 && replica->now_ms - views->published_at_ms >= soft_commit_ms &&
           replica->commit_index > store_view(replica->store);
}

/* The place of a view in the list; `pinned_count` when it is not there. */
static uint32_t find(const struct views *views, uint64_t view)
{
    uint32_t at = 0;

    while (at < views->pinned_count && views->pinned[at].view != view) {
        at++;
    }
    return at;
}

/* Take it off the list. */
static struct pinned take(struct views *views, uint32_t at)
{
    struct pinned taken = views->pinned[at];

    views->pinned_count--;
    memmove(&views->pinned[at], &views->pinned[at + 1],
            (views->pinned_count - at) * sizeof *views->pinned);
    return taken;
}

static void take_away_oldest(struct replica *replica)
{
    struct pinned taken = take(&replica->views, 0);

    store_unpin(replica->store, taken.view);
    replica->views.cursors_expired++;
}

void views_expire(struct replica *replica)
{
    struct views *views = &replica->views;

    while (views->pinned_count > 0 && views->pinned[0].deadline_ms <= replica->now_ms) {
        take_away_oldest(replica);
    }
}

static bool too_much_history(const struct replica *replica)
{
    return store_history_bytes(replica->store) > replica->options.limits.history_max_bytes;
}

/* Old versions need too much memory: show a newer view, then take from the cursors the one that was
 * not used for longest. */
static void limit_history(struct replica *replica)
{
    if (too_much_history(replica)) {
        views_publish(replica);
    }
    while (replica->views.pinned_count > 0 && too_much_history(replica)) {
        take_away_oldest(replica);
    }
}

void views_tick(struct replica *replica)
{
    if (due(replica)) {
        views_publish(replica);
    }
    views_expire(replica);
    limit_history(replica);
}

enum qn_status views_keep(struct replica *replica, uint64_t view, bool fresh)
{
    struct views *views = &replica->views;
    uint32_t at = find(views, view);
    struct pinned pinned = {.view = view};

    if (at < views->pinned_count) {
        pinned = take(views, at);
    } else if (views->pinned_count >= replica->options.limits.pins_max ||
               views->pinned_count >= STORE_PINS_MAX) {
        return QN_OVERLOADED;
    } else {
        enum qn_status status = store_pin(replica->store, view);
        if (status != QN_OK) {
            return status;
        }
    }
    pinned.cursors += fresh || pinned.cursors == 0;
    pinned.deadline_ms = replica->now_ms + replica->options.limits.pin_ttl_ms;
    views->pinned[views->pinned_count++] = pinned;
    return QN_OK;
}

void views_fini(struct replica *replica)
{
    while (replica->views.pinned_count > 0) {
        take_away_oldest(replica);
    }
    replica->views.publish_by_ms = INT64_MAX;
}

void views_leave(struct replica *replica, uint64_t view)
{
    struct views *views = &replica->views;
    uint32_t at = find(views, view);

    if (at < views->pinned_count && --views->pinned[at].cursors == 0) {
        (void)take(views, at);
        store_unpin(replica->store, view);
    }
}

/* What the log counts about itself. All of it under the log's lock. */
#include "node/admin/histogram.h"
#include "node/log/txlog_internal.h"

_Static_assert((int)TXLOG_BUCKETS == (int)ADMIN_BUCKETS, "one layout of buckets");

static struct wait_mark *mark_at(struct waits *waits, size_t n)
{
    return &waits->marks[(waits->first + n) % WAITS_MAX];
}

void txlog_waits_note(struct txlog *log, uint64_t records)
{
    struct waits *waits = &log->waits;

    if (!waits->open && waits->count < WAITS_MAX) {
        *mark_at(waits, waits->count++) = (struct wait_mark){.began_ns = txlog_now_ns()};
    }
    waits->open = true;
    struct wait_mark *last = mark_at(waits, waits->count - 1);
    last->lsn = log->next_lsn;
    last->records += records;
}

void txlog_waits_settle(struct txlog *log, uint64_t lsn, int64_t now_ns)
{
    struct waits *waits = &log->waits;

    while (waits->count > 0 && mark_at(waits, 0)->lsn <= lsn) {
        const struct wait_mark *mark = mark_at(waits, 0);
        uint64_t took_ns = now_ns > mark->began_ns ? (uint64_t)(now_ns - mark->began_ns) : 0;
        log->stats.append_buckets[admin_bucket(took_ns)] += mark->records;
        log->stats.append_ns += took_ns * mark->records;
        waits->first = (waits->first + 1) % WAITS_MAX;
        waits->count--;
    }
    waits->open = waits->open && waits->count > 0;
}

void txlog_sync_count(struct txlog *log, uint64_t records, uint64_t bytes, uint64_t took_ns)
{
    log->stats.records += records;
    log->stats.bytes += bytes;
    log->stats.syncs++;
    log->stats.sync_ns += took_ns;
    log->stats.sync_buckets[admin_bucket(took_ns)]++;
}

void txlog_stats(struct txlog *log, struct txlog_stats *stats)
{
    (void)pthread_mutex_lock(&log->lock);
    *stats = log->stats;
    stats->buffer_bytes =
        log->waiting.capacity + log->writing.capacity + sizeof *log + stats->buffer_bytes;
    stats->space_short = log->shortage == QN_DISK_FULL;
    stats->files_short = log->shortage == QN_OVERLOADED;
    (void)pthread_mutex_unlock(&log->lock);
}

#include "node/admin/metrics.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    NS_PER_S = 1000000000,
    MS_PER_S = 1000,
    SECONDS_SIZE = 32,
};

/* A page of metrics may cost the server that reads it so much and no more. */
enum {
    SERIES_MAX = 2000,
    RESULTS = 2,          /* ok, failed */
    CACHE_FAMILIES = 7,   /* cache_families */
    HISTOGRAM_SINGLE = 4, /* beside those of the operations */
    SERIES_OTHER = 32,    /* states, roles, versions, the process */
    HISTOGRAM_SERIES = (ADMIN_BUCKETS + 2) * (ADMIN_OP_MAX + HISTOGRAM_SINGLE),
    REQUEST_SERIES = RESULTS * ADMIN_OP_MAX * (ADMIN_CACHE_ROWS + 1),
    CACHE_SERIES = CACHE_FAMILIES * ADMIN_CACHE_ROWS,
    SERIES = ADMIN_FIGURES + SERIES_OTHER + 2 * ADMIN_LABELS_MAX + HISTOGRAM_SERIES +
             REQUEST_SERIES + CACHE_SERIES,
};
_Static_assert(SERIES <= SERIES_MAX, "fewer caches or operations can be told apart");

static void family(struct text *text, const char *name, const char *type, const char *help)
{
    text_add(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void series(struct text *text, const char *name, uint64_t value)
{
    text_add(text, "%s %" PRIu64 "\n", name, value);
}

/* A family of one series. */
static void gauge(struct text *text, const char *name, const char *help, uint64_t value)
{
    family(text, name, "gauge", help);
    series(text, name, value);
}

/* `name{label="value"} number`; `value` comes from anywhere. */
static void labelled(struct text *text, const char *name, const char *label, const char *value,
                     uint64_t number)
{
    text_add(text, "%s{%s=", name, label);
    text_add_quoted(text, value, ESCAPE_LABEL);
    text_add(text, "} %" PRIu64 "\n", number);
}

/* Seconds from nanoseconds or milliseconds by integers: every digit counts, and no locale turns the
 * point into a comma. */
static void seconds(struct text *text, uint64_t ns)
{
    text_add(text, "%" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_S, ns % NS_PER_S);
}

static void seconds_of_ms(struct text *text, uint64_t ms)
{
    text_add(text, "%" PRIu64 ".%03" PRIu64 "\n", ms / MS_PER_S, ms % MS_PER_S);
}

/* "0.0004" from 400 us: the usual form of `le`, without zeros at its end. */
static void bound_write(char out[SECONDS_SIZE], uint64_t ns)
{
    int size = snprintf(out, SECONDS_SIZE, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);

    while (size > 1 && out[size - 1] == '0' && out[size - 2] != '.') {
        out[--size] = '\0';
    }
}

static void figure_write(struct text *text, const struct admin_figure *figure, uint64_t value)
{
    family(text, figure->metric, figure->kind == ADMIN_COUNTER ? "counter" : "gauge", figure->text);
    if (figure->kind == ADMIN_GAUGE_MS) {
        text_add(text, "%s ", figure->metric);
        seconds_of_ms(text, value);
    } else {
        series(text, figure->metric, value);
    }
}

static void figures_write(struct text *text, const struct admin_snapshot *s)
{
    for (size_t i = 0; i < ADMIN_FIGURES; i++) {
        uint64_t value = admin_figure_of(s, &admin_figures[i]);
        if (admin_figures[i].metric && value != ADMIN_UNKNOWN) {
            figure_write(text, &admin_figures[i], value);
        }
    }
}

static void build_write(struct text *text, const struct admin_snapshot *s)
{
    family(text, "quoin_build_info", "gauge", "Version of the program; the value is always 1.");
    text_add(text, "quoin_build_info{version=");
    text_add_quoted(text, s->version, ESCAPE_LABEL);
    text_add(text, ",commit=");
    text_add_quoted(text, s->commit ? s->commit : "unknown", ESCAPE_LABEL);
    text_add(text, "} 1\n");
    if (s->config_hash[0]) {
        family(text, "quoin_config_info", "gauge",
               "Hash of the settings in force; the value is always 1.");
        labelled(text, "quoin_config_info", "hash", s->config_hash, 1);
    }
}

static void state_write(struct text *text, const struct admin_snapshot *s)
{
    static const char *const states[] = {
        [ADMIN_STARTING] = "starting",
        [ADMIN_RECOVERING] = "recovering",
        [ADMIN_SERVING] = "serving",
        [ADMIN_STOPPING] = "stopping",
    };

    family(text, "quoin_node_state", "gauge", "1 for the state that the node is in.");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        labelled(text, "quoin_node_state", "state", states[i], i == (size_t)s->state);
    }
}

static void partitions_write(struct text *text, const struct admin_snapshot *s)
{
    uint64_t known = s->leading + s->faulted;
    uint64_t opening = s->partitions_held > known ? s->partitions_held - known : 0;

    family(text, "quoin_partitions", "gauge",
           "Partitions held here, by what this node is to them.");
    labelled(text, "quoin_partitions", "role", "leader", s->leading);
    labelled(text, "quoin_partitions", "role", "opening", opening);
    labelled(text, "quoin_partitions", "role", "faulted", s->faulted);
    gauge(text, "quoin_partitions_without_leader", "Partitions held here that nobody leads.",
          opening + s->faulted);
}

/* A counter by the values of one label. */
static void counts_write(struct text *text, const char *name, const char *label, const char *help,
                         const struct admin_labelled *rows)
{
    if (!rows[0].label) {
        return;
    }
    family(text, name, "counter", help);
    for (size_t i = 0; i < ADMIN_LABELS_MAX && rows[i].label; i++) {
        labelled(text, name, label, rows[i].label, rows[i].count);
    }
}

/* The count is the sum of the buckets: whoever measures goes on while the snapshot is taken, and a
 * histogram must agree with itself. `label` is "op=\"get\"", or "". */
static void histogram_write(struct text *text, const char *name, const char *label,
                            const struct admin_histogram *histogram)
{
    const char *comma = label[0] ? "," : "", *open = label[0] ? "{" : "",
               *close = label[0] ? "}" : "";
    char bound[SECONDS_SIZE] = "+Inf";
    uint64_t count = 0;

    for (size_t b = 0; b < ADMIN_BUCKETS; b++) {
        count += histogram->buckets[b];
        if (b < ADMIN_BUCKETS - 1) {
            bound_write(bound, admin_bucket_bound_ns(b));
        } else {
            (void)snprintf(bound, sizeof bound, "+Inf");
        }
        text_add(text, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", name, label, comma, bound, count);
    }
    text_add(text, "%s_sum%s%s%s ", name, open, label, close);
    seconds(text, histogram->sum_ns);
    text_add(text, "%s_count%s%s%s %" PRIu64 "\n", name, open, label, close, count);
}

static void durations_write(struct text *text, const struct admin_snapshot *s)
{
    char label[64];

    family(text, "quoin_request_seconds", "histogram",
           "Time from the arrival of an operation in the node to its answer.");
    for (size_t i = 0; i < ADMIN_OP_MAX; i++) {
        if (s->ops[i].name) {
            (void)snprintf(label, sizeof label, "op=\"%s\"", s->ops[i].name);
            histogram_write(text, "quoin_request_seconds", label, &s->ops[i].duration);
        }
    }
    family(text, "quoin_commit_seconds", "histogram",
           "Time to publish a view (soft), and to write snapshots and switch to them (hard).");
    histogram_write(text, "quoin_commit_seconds", "kind=\"soft\"", &s->commit_soft);
    histogram_write(text, "quoin_commit_seconds", "kind=\"hard\"", &s->commit_hard);
    family(text, "quoin_log_append_seconds", "histogram",
           "Time to write records to the transaction log, without making them durable.");
    histogram_write(text, "quoin_log_append_seconds", "", &s->log_append);
    family(text, "quoin_log_fsync_seconds", "histogram",
           "Time to make what was written to the transaction log durable.");
    histogram_write(text, "quoin_log_fsync_seconds", "", &s->log_fsync);
}

static void requests_of(struct text *text, const char *cache, const char *op,
                        const struct admin_count *count)
{
    static const char *const results[RESULTS] = {"ok", "failed"};

    for (size_t r = 0; r < RESULTS; r++) {
        text_add(text, "quoin_requests_total{cache=");
        text_add_quoted(text, cache, ESCAPE_LABEL);
        text_add(text, ",op=\"%s\",result=\"%s\"} %" PRIu64 "\n", op, results[r],
                 r == 0 ? count->ok : count->failed);
    }
}

/* Of a cache, only the operations that it has seen: most caches see few of them. */
static void requests_write(struct text *text, const struct admin_snapshot *s)
{
    family(text, "quoin_requests_total", "counter",
           "Operations answered: ok, or failed with an error status. The cache is empty where none "
           "is concerned.");
    for (size_t i = 0; i < ADMIN_OP_MAX; i++) {
        const char *op = s->ops[i].name;
        if (!op) {
            continue;
        }
        requests_of(text, "", op, &s->ops[i].count);
        for (size_t c = 0; c < s->cache_count; c++) {
            const struct admin_count *count = &s->cache_rows[c].ops[i];
            if (count->ok > 0 || count->failed > 0) {
                requests_of(text, s->cache_rows[c].name, op, count);
            }
        }
    }
}

static const struct cache_family {
    const char *name;
    const char *type;
    const char *help;
    const char *label; /* beside that of the cache */
    size_t offset;
    bool zero_is_none;
} cache_families[CACHE_FAMILIES] = {
    {"quoin_entries", "gauge", "Entries held.", "", offsetof(struct admin_cache, entries), false},
    {"quoin_entry_bytes", "gauge", "Memory of the entries, everything included.", "",
     offsetof(struct admin_cache, entry_bytes), false},
    {"quoin_cache_limit_bytes", "gauge", "Memory that the entries of the cache may have.", "",
     offsetof(struct admin_cache, limit_bytes), true},
    {"quoin_hits_total", "counter", "Reads that found an entry.", "",
     offsetof(struct admin_cache, hits), false},
    {"quoin_misses_total", "counter", "Reads that found none.", "",
     offsetof(struct admin_cache, misses), false},
    {"quoin_expired_total", "counter", "Entries removed because their time was over.", "",
     offsetof(struct admin_cache, expired), false},
    {"quoin_evictions_total", "counter", "Entries given up for others.", ",reason=\"memory\"",
     offsetof(struct admin_cache, evicted), false},
};

static void cache_family_write(struct text *text, const struct cache_family *f,
                               const struct admin_snapshot *s)
{
    bool begun = false;

    for (size_t c = 0; c < s->cache_count; c++) {
        uint64_t value;
        memcpy(&value, (const uint8_t *)&s->cache_rows[c] + f->offset, sizeof value);
        if (value == 0 && f->zero_is_none) {
            continue;
        }
        if (!begun) {
            family(text, f->name, f->type, f->help);
            begun = true;
        }
        text_add(text, "%s{cache=", f->name);
        text_add_quoted(text, s->cache_rows[c].name, ESCAPE_LABEL);
        text_add(text, "%s} %" PRIu64 "\n", f->label, value);
    }
}

static void caches_write(struct text *text, const struct admin_snapshot *s)
{
    uint64_t own = admin_caches_own(s);

    family(text, "quoin_caches", "gauge",
           "Caches that exist: with a label of their own, or counted together as _other.");
    labelled(text, "quoin_caches", "label", "own", own);
    labelled(text, "quoin_caches", "label", "_other", s->caches > own ? s->caches - own : 0);
    for (size_t i = 0; i < CACHE_FAMILIES; i++) {
        cache_family_write(text, &cache_families[i], s);
    }
}

static void process_write(struct text *text, const struct admin_snapshot *s,
                          const struct process_figures *process)
{
    family(text, "process_start_time_seconds", "gauge", "Start of the process since the epoch.");
    text_add(text, "process_start_time_seconds ");
    seconds_of_ms(text, s->started_wall_ms > 0 ? (uint64_t)s->started_wall_ms : 0);
    family(text, "process_cpu_seconds_total", "counter", "CPU time, user and system.");
    text_add(text, "process_cpu_seconds_total ");
    seconds(text, process->cpu_ns);
    if (process->has_memory) {
        gauge(text, "process_resident_memory_bytes", "Memory resident in RAM.",
              process->resident_bytes);
        gauge(text, "process_virtual_memory_bytes", "Address space in use.",
              process->virtual_bytes);
    }
    if (process->has_fds) {
        gauge(text, "process_open_fds", "Open file descriptors.", process->open_fds);
    }
    if (process->max_fds > 0) {
        gauge(text, "process_max_fds", "File descriptors that may be open.", process->max_fds);
    }
}

void metrics_write(struct text *text, const struct admin_snapshot *snapshot,
                   const struct process_figures *process)
{
    build_write(text, snapshot);
    state_write(text, snapshot);
    figures_write(text, snapshot);
    partitions_write(text, snapshot);
    counts_write(text, "quoin_rejected_total", "reason", "Requests refused, by reason.",
                 snapshot->rejected);
    counts_write(text, "quoin_log_messages_total", "level", "Lines of the node's own log.",
                 snapshot->log_messages);
    requests_write(text, snapshot);
    durations_write(text, snapshot);
    caches_write(text, snapshot);
    process_write(text, snapshot, process);
}

#include "node/admin/metrics.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    BUCKET_FIRST_US = 50,
    NS_PER_S = 1000000000,
    MS_PER_S = 1000,
    SECONDS_SIZE = 32,
};

static void family(struct text *text, const char *name, const char *type, const char *help)
{
    text_add(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A family of one series. */
static void single(struct text *text, const char *name, const char *type, const char *help,
                   uint64_t value)
{
    family(text, name, type, help);
    text_add(text, "%s %" PRIu64 "\n", name, value);
}

static void gauge(struct text *text, const char *name, const char *help, uint64_t value)
{
    single(text, name, "gauge", help, value);
}

static void counter(struct text *text, const char *name, const char *help, uint64_t value)
{
    single(text, name, "counter", help, value);
}

/* Seconds from nanoseconds by integers: every digit counts, and no locale turns the point into a
 * comma. */
static void seconds(struct text *text, uint64_t ns)
{
    text_add(text, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}

/* "0.0004" from 400 us: the usual form of `le`, without zeros at its end. */
static void bound_write(char out[SECONDS_SIZE], uint64_t us)
{
    int size = snprintf(out, SECONDS_SIZE, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);

    while (size > 1 && out[size - 1] == '0' && out[size - 2] != '.') {
        out[--size] = '\0';
    }
}

static void state_write(struct text *text, const struct admin_snapshot *s)
{
    family(text, "quoin_build_info", "gauge", "Version of the program; the value is always 1.");
    text_add(text, "quoin_build_info{version=");
    text_add_quoted(text, s->version, ESCAPE_LABEL);
    text_add(text, "} 1\n");
    gauge(text, "quoin_up", "1 while the threads of the node move.", s->live);
    gauge(text, "quoin_ready", "1 when the node serves every partition it should.", s->ready);
    gauge(text, "quoin_cluster_safe", "1 when stopping this node would lose or block nothing.",
          s->safe);
    if (s->started) {
        family(text, "quoin_recovery_seconds", "gauge", "Time from start to serving.");
        text_add(text, "quoin_recovery_seconds %" PRIu64 ".%03" PRIu64 "\n",
                 s->recovery_ms / MS_PER_S, s->recovery_ms % MS_PER_S);
    }
}

static void partitions_write(struct text *text, const struct admin_snapshot *s)
{
    uint32_t known = s->partitions_leading + s->partitions_faulted;
    uint32_t opening = s->partitions > known ? s->partitions - known : 0;

    family(text, "quoin_partitions", "gauge",
           "Partitions held here, by what this node is to them.");
    text_add(text, "quoin_partitions{role=\"leader\"} %" PRIu32 "\n", s->partitions_leading);
    text_add(text, "quoin_partitions{role=\"opening\"} %" PRIu32 "\n", opening);
    text_add(text, "quoin_partitions{role=\"faulted\"} %" PRIu32 "\n", s->partitions_faulted);
    gauge(text, "quoin_partitions_without_leader", "Partitions held here that nobody leads.",
          opening + s->partitions_faulted);
}

static void memory_write(struct text *text, const struct admin_snapshot *s)
{
    gauge(text, "quoin_entries", "Entries held.", s->entries);
    gauge(text, "quoin_entry_bytes", "Memory of the entries, everything included.", s->entry_bytes);
    gauge(text, "quoin_client_table_bytes", "Memory of the table of client sessions.",
          s->table_bytes);
    gauge(text, "quoin_sessions", "Client sessions known.", s->sessions);
    gauge(text, "quoin_disk_full",
          "1 while there is no space for more log: changes are, or soon will be, refused.",
          s->disk_full);
    gauge(text, "quoin_uncommitted_bytes", "Changes that are not durable yet.",
          s->uncommitted_bytes);
    gauge(text, "quoin_memory_bytes", "Memory allocated by the grid.", s->memory_bytes);
}

static void log_figures_write(struct text *text, const struct admin_snapshot *s)
{
    counter(text, "quoin_log_bytes_total", "Octets written to the transaction log.", s->log_bytes);
    counter(text, "quoin_log_records_total", "Records written to the transaction log.",
            s->log_records);
    family(text, "quoin_log_fsync_seconds", "summary", "Time spent making the log durable.");
    text_add(text, "quoin_log_fsync_seconds_sum ");
    seconds(text, s->log_sync_ns);
    text_add(text, "\nquoin_log_fsync_seconds_count %" PRIu64 "\n", s->log_syncs);
    counter(text, "quoin_frames_rejected_total",
            "Messages that were damaged, too large or foreign.", s->frames_rejected);
}

static void requests_write(struct text *text, const struct admin_snapshot *s)
{
    family(text, "quoin_requests_total", "counter",
           "Operations answered: ok, or failed with an error status.");
    for (size_t i = 0; i < ADMIN_OP_MAX; i++) {
        const struct admin_op *op = &s->ops[i];
        if (op->name) {
            text_add(text, "quoin_requests_total{op=\"%s\",result=\"ok\"} %" PRIu64 "\n", op->name,
                     op->ok);
            text_add(text, "quoin_requests_total{op=\"%s\",result=\"failed\"} %" PRIu64 "\n",
                     op->name, op->failed);
        }
    }
}

/* The count is the sum of the buckets and not ok + failed: the shards go on counting while the
 * snapshot is taken, and a histogram must agree with itself. */
static void histogram_write(struct text *text, const struct admin_op *op)
{
    uint64_t count = 0, bound_us = BUCKET_FIRST_US;
    char bound[SECONDS_SIZE];

    for (size_t b = 0; b < ADMIN_BUCKETS - 1; b++) {
        count += op->buckets[b];
        bound_write(bound, bound_us);
        text_add(text, "quoin_request_seconds_bucket{op=\"%s\",le=\"%s\"} %" PRIu64 "\n", op->name,
                 bound, count);
        bound_us *= 2;
    }
    count += op->buckets[ADMIN_BUCKETS - 1];
    text_add(text, "quoin_request_seconds_bucket{op=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", op->name,
             count);
    text_add(text, "quoin_request_seconds_sum{op=\"%s\"} ", op->name);
    seconds(text, op->sum_ns);
    text_add(text, "\nquoin_request_seconds_count{op=\"%s\"} %" PRIu64 "\n", op->name, count);
}

static void latency_write(struct text *text, const struct admin_snapshot *s)
{
    family(text, "quoin_request_seconds", "histogram",
           "Time from the arrival of an operation in the node to its answer.");
    for (size_t i = 0; i < ADMIN_OP_MAX; i++) {
        if (s->ops[i].name) {
            histogram_write(text, &s->ops[i]);
        }
    }
}

static void process_write(struct text *text, const struct admin_snapshot *s,
                          const struct process_figures *process)
{
    uint64_t started_ms = s->started_wall_ms > 0 ? (uint64_t)s->started_wall_ms : 0;

    family(text, "process_start_time_seconds", "gauge", "Start of the process since the epoch.");
    text_add(text, "process_start_time_seconds %" PRIu64 ".%03" PRIu64 "\n", started_ms / MS_PER_S,
             started_ms % MS_PER_S);
    family(text, "process_cpu_seconds_total", "counter", "CPU time, user and system.");
    text_add(text, "process_cpu_seconds_total ");
    seconds(text, process->cpu_ns);
    text_add(text, "\n");
    if (process->has_resident) {
        gauge(text, "process_resident_memory_bytes", "Memory resident in RAM.",
              process->resident_bytes);
    }
    if (process->has_fds) {
        gauge(text, "process_open_fds", "Open file descriptors.", process->open_fds);
    }
}

void metrics_write(struct text *text, const struct admin_snapshot *snapshot,
                   const struct process_figures *process)
{
    state_write(text, snapshot);
    partitions_write(text, snapshot);
    memory_write(text, snapshot);
    log_figures_write(text, snapshot);
    requests_write(text, snapshot);
    latency_write(text, snapshot);
    process_write(text, snapshot, process);
}

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "node/admin/metrics.h"
#include "tests/lib/check.h"
#include "tests/unit/node_admin/exposition.h"

static struct admin_snapshot busy(void)
{
    struct admin_snapshot s = {.version = "0.1.0",
                               .live = true,
                               .started = true,
                               .ready = true,
                               .partitions = 16,
                               .partitions_leading = 13,
                               .partitions_faulted = 1,
                               .entries = 1000,
                               .entry_bytes = 161000,
                               .table_bytes = 4096,
                               .uncommitted_bytes = 77,
                               .memory_bytes = UINT64_MAX,
                               .sessions = 3,
                               .log_bytes = 123456,
                               .log_records = 1001,
                               .log_syncs = 12,
                               .log_sync_ns = 1500000001,
                               .frames_rejected = 9,
                               .recovery_ms = 2034,
                               .started_wall_ms = 1767322985678,
                               .ops = {{.name = "get", .ok = 20, .failed = 1, .sum_ns = 7},
                                       {.name = NULL, .ok = 99},
                                       {.name = "put", .ok = 3}}};
    for (size_t b = 0; b < ADMIN_BUCKETS; b++) {
        s.ops[0].buckets[b] = 1 + b % 2;
    }
    return s;
}

static char *render(struct text *text, const struct admin_snapshot *snapshot,
                    const struct process_figures *process)
{
    char problem[EXPOSITION_PROBLEM];

    metrics_write(text, snapshot, process);
    text_add(text, "%c", '\0');
    assert_false(text->failed);
    char *page = (char *)text->buf.data;
    if (!exposition_check(page, problem)) {
        fail_msg("%s", problem);
    }
    return page;
}

static const struct process_figures process_full = {.has_resident = true,
                                                    .has_fds = true,
                                                    .resident_bytes = 1 << 20,
                                                    .open_fds = 17,
                                                    .cpu_ns = 1000000};

static void check_value(const char *page, const char *series, double value)
{
    double got = exposition_value(page, series);

    if (!(fabs(got - value) <= fabs(value) * 1e-12)) {
        fail_msg("%s is %.17g and not %.17g", series, got, value);
    }
}

/* The page keeps to the format whatever the figures are. */
static void page_keeps_to_the_format(void **state)
{
    struct admin_snapshot empty = {.version = ""}, full = busy();
    struct process_figures unknown = {0};
    struct text one = {0}, two = {0};

    (void)state;
    (void)render(&one, &empty, &unknown);
    (void)render(&two, &full, &process_full);
    buf_fini(&one.buf);
    buf_fini(&two.buf);
}

/* Every figure of the snapshot is there under its name, in seconds and octets. */
static void figures_have_their_names_and_units(void **state)
{
    struct admin_snapshot s = busy();
    struct text text = {0};
    const char *page = render(&text, &s, &process_full);

    (void)state;
    check_value(page, "quoin_build_info{version=\"0.1.0\"}", 1);
    check_value(page, "quoin_up", 1);
    check_value(page, "quoin_ready", 1);
    check_value(page, "quoin_cluster_safe", 0);
    check_value(page, "quoin_recovery_seconds", 2.034);
    check_value(page, "quoin_partitions{role=\"leader\"}", 13);
    check_value(page, "quoin_partitions{role=\"opening\"}", 2);
    check_value(page, "quoin_partitions{role=\"faulted\"}", 1);
    check_value(page, "quoin_partitions_without_leader", 3);
    check_value(page, "quoin_entries", 1000);
    check_value(page, "quoin_entry_bytes", 161000);
    check_value(page, "quoin_client_table_bytes", 4096);
    check_value(page, "quoin_sessions", 3);
    check_value(page, "quoin_disk_full", 0);
    check_value(page, "quoin_uncommitted_bytes", 77);
    check_value(page, "quoin_log_bytes_total", 123456);
    check_value(page, "quoin_log_records_total", 1001);
    check_value(page, "quoin_log_fsync_seconds_sum", 1.500000001);
    check_value(page, "quoin_log_fsync_seconds_count", 12);
    check_value(page, "quoin_frames_rejected_total", 9);
    check_value(page, "process_start_time_seconds", 1767322985.678);
    check_value(page, "process_cpu_seconds_total", 0.001);
    check_value(page, "process_resident_memory_bytes", 1 << 20);
    check_value(page, "process_open_fds", 17);
    assert_non_null(strstr(page, "quoin_memory_bytes 18446744073709551615\n"));
    buf_fini(&text.buf);
}

/* Buckets are cumulative, from 50 us on, doubling; the last one is open. */
static void latency_is_a_histogram(void **state)
{
    struct admin_snapshot s = busy();
    struct text text = {0};
    const char *page = render(&text, &s, &process_full);

    (void)state;
    check_value(page, "quoin_requests_total{op=\"get\",result=\"ok\"}", 20);
    check_value(page, "quoin_requests_total{op=\"get\",result=\"failed\"}", 1);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"0.00005\"}", 1);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"0.0001\"}", 3);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"0.0512\"}", 16);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"13.1072\"}", 28);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"+Inf\"}", 30);
    check_value(page, "quoin_request_seconds_count{op=\"get\"}", 30);
    check_value(page, "quoin_request_seconds_sum{op=\"get\"}", 7e-9);
    check_value(page, "quoin_request_seconds_count{op=\"put\"}", 0);
    buf_fini(&text.buf);
}

/* What is not known is not there: no zero that means "no idea". */
static void unknown_figures_are_left_out(void **state)
{
    struct admin_snapshot s = {.version = "0.1.0"};
    struct process_figures unknown = {0};
    struct text text = {0};
    const char *page = render(&text, &s, &unknown);

    (void)state;
    assert_null(strstr(page, "quoin_recovery_seconds"));
    assert_null(strstr(page, "process_resident_memory_bytes"));
    assert_null(strstr(page, "process_open_fds"));
    buf_fini(&text.buf);
}

/* More partitions known than held (figures are read one after the other) is no underflow. */
static void partitions_never_underflow(void **state)
{
    struct admin_snapshot s = {.version = "0.1.0", .partitions = 1, .partitions_leading = 2};
    struct text text = {0};
    const char *page = render(&text, &s, &process_full);

    (void)state;
    check_value(page, "quoin_partitions{role=\"opening\"}", 0);
    check_value(page, "quoin_partitions_without_leader", 0);
    buf_fini(&text.buf);
}

/* The kernel's figures of this very process are plausible. */
static void process_figures_are_read(void **state)
{
    struct process_figures process = process_read();

    (void)state;
    if (!process.has_resident || !process.has_fds) {
        print_message("no /proc here: left out\n");
        return;
    }
    assert_true(process.resident_bytes > 100 * 1000);
    assert_true(process.open_fds >= 1);
    assert_true(process.cpu_ns > 0);
}

/* The checker itself refuses what Prometheus would refuse. */
static void checker_finds_faults(void **state)
{
    static const char *const faulty[] = {
        "a 1\n",
        "# HELP a x\n# TYPE a gauge\na 1",
        "# HELP a x\n# TYPE a counter\na 1\n",
        "# HELP a x\n# TYPE a gauge\nb 1\n",
        "# HELP a x\n# TYPE a gauge\na 1\na 2\n",
        "# HELP a x\n# TYPE a gauge\na{b=\"c\\x\"} 1\n",
        "# HELP a x\n# TYPE a gauge\na one\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"2\"} 1\na_bucket{le=\"1\"} 1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_count 2\n",
        "# HELP a x\n# TYPE a gauge\n# HELP a x\n# TYPE a gauge\n",
    };
    char problem[EXPOSITION_PROBLEM];

    (void)state;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        if (exposition_check(faulty[i], problem)) {
            fail_msg("accepted: %s", faulty[i]);
        }
    }
    assert_true(exposition_check("# HELP a x\n# TYPE a gauge\na{b=\"c\\n\"} 1\n", problem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_keeps_to_the_format),
        cmocka_unit_test(figures_have_their_names_and_units),
        cmocka_unit_test(latency_is_a_histogram),
        cmocka_unit_test(unknown_figures_are_left_out),
        cmocka_unit_test(partitions_never_underflow),
        cmocka_unit_test(process_figures_are_read),
        cmocka_unit_test(checker_finds_faults),
    };

    return RUN_TESTS(tests);
}

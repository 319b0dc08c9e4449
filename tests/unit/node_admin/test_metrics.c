#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/admin/metrics.h"
#include "tests/lib/check.h"
#include "tests/unit/node_admin/exposition.h"

enum { SERIES_MAX = 2000 };

/* A snapshot with room for caches. */
struct node {
    struct admin_snapshot s;
    struct admin_cache rows[ADMIN_CACHE_ROWS];
};

static struct node *node_create(void)
{
    struct node *n = calloc(1, sizeof *n);

    assert_non_null(n);
    n->s.version = "0.1.0";
    n->s.cache_rows = n->rows;
    n->s.cache_room = ADMIN_CACHE_ROWS;
    return n;
}

static void histogram_fill(struct admin_histogram *histogram, uint64_t sum_ns)
{
    for (size_t b = 0; b < ADMIN_BUCKETS; b++) {
        histogram->buckets[b] = 1 + b % 2;
    }
    histogram->sum_ns = sum_ns;
}

static void cache_fill(struct node *n, const char *name)
{
    struct admin_cache *row = admin_cache_row(&n->s, name);

    assert_non_null(row);
    row->entries += 10;
    row->entry_bytes += 1610;
    row->limit_bytes += 1 << 20;
    row->hits += 7;
    row->misses += 2;
    row->expired += 1;
    row->ops[0].ok += 5;
}

/* Every figure is there, and each is another number. */
static struct node *busy(void)
{
    struct node *n = node_create();
    struct admin_snapshot *s = &n->s;

    for (size_t i = 0; i < ADMIN_FIGURES; i++) {
        uint64_t value = 1000 + i;
        memcpy((uint8_t *)s + admin_figures[i].offset, &value, sizeof value);
    }
    s->commit = "c0ffee";
    s->state = ADMIN_SERVING;
    s->live = s->started = s->ready = 1;
    s->safe = s->disk_full = 0;
    s->partitions_held = 16;
    s->leading = 13;
    s->faulted = 1;
    s->caches = 1;
    s->started_wall_ms = 1767322985678;
    (void)strcpy(s->config_hash, "9f86d081");
    s->ops[0] = (struct admin_op){.name = "get", .count = {.ok = 20, .failed = 1}};
    s->ops[2] = (struct admin_op){.name = "put", .count = {.ok = 3}};
    histogram_fill(&s->ops[0].duration, 7);
    histogram_fill(&s->commit_soft, 1);
    histogram_fill(&s->commit_hard, 2500000000);
    histogram_fill(&s->log_append, 3);
    histogram_fill(&s->log_fsync, 1500000001);
    s->rejected[0] = (struct admin_labelled){"overloaded", 4};
    s->rejected[1] = (struct admin_labelled){"memory_full", 0};
    s->log_messages[0] = (struct admin_labelled){"error", 2};
    cache_fill(n, "orders");
    return n;
}

/* As many labels as there can be, and every count above 0. */
static struct node *crowded(void)
{
    struct node *n = busy();
    struct admin_snapshot *s = &n->s;
    static const char *const names[] = {"op00", "op01", "op02", "op03", "op04", "op05",
                                        "op06", "op07", "op08", "op09", "op10", "op11",
                                        "op12", "op13", "op14", "op15"};
    char name[32];

    _Static_assert(sizeof names / sizeof *names == ADMIN_OP_MAX, "a name for each");
    for (size_t i = 0; i < ADMIN_LABELS_MAX; i++) {
        s->rejected[i] = (struct admin_labelled){names[i], i};
        s->log_messages[i] = (struct admin_labelled){names[i], i};
    }
    for (size_t i = 0; i < ADMIN_OP_MAX; i++) {
        s->ops[i].name = names[i];
    }
    for (size_t c = 0; c < 3 * ADMIN_CACHES_MAX; c++) {
        (void)snprintf(name, sizeof name, "cache%zu", c);
        cache_fill(n, name);
    }
    for (size_t c = 0; c < s->cache_count; c++) {
        for (size_t i = 0; i < ADMIN_OP_MAX; i++) {
            s->cache_rows[c].ops[i] = (struct admin_count){1, 1};
        }
    }
    s->caches = 3 * ADMIN_CACHES_MAX + 1;
    return n;
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

static const struct process_figures process_full = {.has_memory = true,
                                                    .has_fds = true,
                                                    .resident_bytes = 1 << 20,
                                                    .virtual_bytes = 1 << 21,
                                                    .open_fds = 17,
                                                    .max_fds = 1024,
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
    struct node *nodes[] = {node_create(), busy(), crowded()};
    struct process_figures unknown = {0};

    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct text text = {0};
        (void)render(&text, &nodes[i]->s, i == 0 ? &unknown : &process_full);
        buf_fini(&text.buf);
        free(nodes[i]);
    }
}

/* Every figure of the list is there under its metric, with the number of its field. */
static void figures_of_the_list_are_written(void **state)
{
    struct node *n = busy();
    struct text text = {0};
    const char *page = render(&text, &n->s, &process_full);

    (void)state;
    for (size_t i = 0; i < ADMIN_FIGURES; i++) {
        const struct admin_figure *figure = &admin_figures[i];
        double value = (double)admin_figure_of(&n->s, figure);
        if (figure->metric) {
            check_value(page, figure->metric,
                        figure->kind == ADMIN_GAUGE_MS ? value / 1000 : value);
        }
    }
    buf_fini(&text.buf);
    free(n);
}

/* What is more than one number has its labels and units. */
static void families_have_their_labels_and_units(void **state)
{
    struct node *n = busy();
    struct text text = {0};
    const char *page = render(&text, &n->s, &process_full);

    (void)state;
    check_value(page, "quoin_build_info{version=\"0.1.0\",commit=\"c0ffee\"}", 1);
    check_value(page, "quoin_config_info{hash=\"9f86d081\"}", 1);
    check_value(page, "quoin_node_state{state=\"serving\"}", 1);
    check_value(page, "quoin_node_state{state=\"recovering\"}", 0);
    check_value(page, "quoin_partitions{role=\"leader\"}", 13);
    check_value(page, "quoin_partitions{role=\"opening\"}", 2);
    check_value(page, "quoin_partitions{role=\"faulted\"}", 1);
    check_value(page, "quoin_partitions_without_leader", 3);
    check_value(page, "quoin_rejected_total{reason=\"overloaded\"}", 4);
    check_value(page, "quoin_rejected_total{reason=\"memory_full\"}", 0);
    check_value(page, "quoin_log_messages_total{level=\"error\"}", 2);
    check_value(page, "quoin_log_fsync_seconds_sum", 1.500000001);
    check_value(page, "quoin_log_fsync_seconds_count", 30);
    check_value(page, "quoin_log_append_seconds_bucket{le=\"0.00005\"}", 1);
    check_value(page, "quoin_commit_seconds_count{kind=\"soft\"}", 30);
    check_value(page, "quoin_commit_seconds_sum{kind=\"hard\"}", 2.5);
    check_value(page, "process_start_time_seconds", 1767322985.678);
    check_value(page, "process_cpu_seconds_total", 0.001);
    check_value(page, "process_resident_memory_bytes", 1 << 20);
    check_value(page, "process_virtual_memory_bytes", 1 << 21);
    check_value(page, "process_open_fds", 17);
    check_value(page, "process_max_fds", 1024);
    buf_fini(&text.buf);
    free(n);
}

/* Buckets are cumulative, from 50 us on, doubling; the last one is open. */
static void latency_is_a_histogram(void **state)
{
    struct node *n = busy();
    struct text text = {0};
    const char *page = render(&text, &n->s, &process_full);

    (void)state;
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"0.00005\"}", 1);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"0.0001\"}", 3);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"0.0512\"}", 16);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"13.1072\"}", 28);
    check_value(page, "quoin_request_seconds_bucket{op=\"get\",le=\"+Inf\"}", 30);
    check_value(page, "quoin_request_seconds_count{op=\"get\"}", 30);
    check_value(page, "quoin_request_seconds_sum{op=\"get\"}", 7e-9);
    check_value(page, "quoin_request_seconds_count{op=\"put\"}", 0);
    buf_fini(&text.buf);
    free(n);
}

/* A duration is counted in the first bucket whose bound it does not exceed. */
static void durations_find_their_bucket(void **state)
{
    struct admin_histogram histogram = {0};

    (void)state;
    assert_int_equal(admin_bucket(0), 0);
    assert_int_equal(admin_bucket(50000), 0);
    assert_int_equal(admin_bucket(50001), 1);
    assert_int_equal(admin_bucket(UINT64_MAX), ADMIN_BUCKETS - 1);
    for (size_t b = 0; b < ADMIN_BUCKETS - 1; b++) {
        assert_int_equal(admin_bucket(admin_bucket_bound_ns(b)), b);
        assert_int_equal(admin_bucket(admin_bucket_bound_ns(b) + 1), b + 1);
    }
    admin_histogram_add(&histogram, 60000);
    admin_histogram_add(&histogram, 70000);
    assert_int_equal(histogram.buckets[1], 2);
    assert_int_equal(histogram.sum_ns, 130000);
}

/* The figures of a cache are under its name, its operations too; those of none have no cache. */
static void caches_have_their_rows(void **state)
{
    struct node *n = busy();
    struct text text = {0};
    const char *page = render(&text, &n->s, &process_full);

    (void)state;
    check_value(page, "quoin_requests_total{cache=\"\",op=\"get\",result=\"ok\"}", 20);
    check_value(page, "quoin_requests_total{cache=\"\",op=\"get\",result=\"failed\"}", 1);
    check_value(page, "quoin_requests_total{cache=\"orders\",op=\"get\",result=\"ok\"}", 5);
    assert_null(strstr(page, "quoin_requests_total{cache=\"orders\",op=\"put\""));
    check_value(page, "quoin_entries{cache=\"orders\"}", 10);
    check_value(page, "quoin_entry_bytes{cache=\"orders\"}", 1610);
    check_value(page, "quoin_cache_limit_bytes{cache=\"orders\"}", 1 << 20);
    check_value(page, "quoin_hits_total{cache=\"orders\"}", 7);
    check_value(page, "quoin_misses_total{cache=\"orders\"}", 2);
    check_value(page, "quoin_expired_total{cache=\"orders\"}", 1);
    check_value(page, "quoin_evictions_total{cache=\"orders\",reason=\"memory\"}", 0);
    check_value(page, "quoin_caches{label=\"own\"}", 1);
    check_value(page, "quoin_caches{label=\"_other\"}", 0);
    buf_fini(&text.buf);
    free(n);
}

/* Shards add to the same row; a cache without a limit has no series for it. */
static void shards_share_the_row_of_a_cache(void **state)
{
    struct node *n = node_create();
    struct text text = {0};

    (void)state;
    cache_fill(n, "a");
    cache_fill(n, "b");
    cache_fill(n, "a");
    admin_cache_row(&n->s, "a")->limit_bytes = 0;
    admin_cache_row(&n->s, "b")->limit_bytes = 0;
    const char *page = render(&text, &n->s, &process_full);
    check_value(page, "quoin_entries{cache=\"a\"}", 20);
    check_value(page, "quoin_entries{cache=\"b\"}", 10);
    assert_null(strstr(page, "quoin_cache_limit_bytes"));
    buf_fini(&text.buf);
    free(n);
}

/* However many caches there are, a page has at most 2,000 series: those beyond the first are
 * counted together, and nothing is counted twice or lost. */
static void many_caches_share_a_row(void **state)
{
    struct node *n = crowded();
    struct text text = {0};
    const char *page = render(&text, &n->s, &process_full);

    (void)state;
    assert_in_range(exposition_series(page), SERIES_MAX / 2, SERIES_MAX);
    check_value(page, "quoin_caches{label=\"own\"}", ADMIN_CACHES_MAX);
    check_value(page, "quoin_caches{label=\"_other\"}", 2 * ADMIN_CACHES_MAX + 1);
    check_value(page, "quoin_entries{cache=\"orders\"}", 10);
    check_value(page, "quoin_entries{cache=\"_other\"}", 10 * (2 * ADMIN_CACHES_MAX + 1));
    buf_fini(&text.buf);
    free(n);
}

/* Somebody may call a cache "_other": no series is there twice. */
static void cache_called_other_is_no_series_twice(void **state)
{
    struct node *n = node_create();
    struct text text = {0};
    char name[32];

    (void)state;
    cache_fill(n, "_other");
    for (size_t c = 0; c < ADMIN_CACHES_MAX + 2; c++) {
        (void)snprintf(name, sizeof name, "cache%zu", c);
        cache_fill(n, name);
    }
    const char *page = render(&text, &n->s, &process_full);
    check_value(page, "quoin_entries{cache=\"_other\"}", 40); /* its own and three */
    buf_fini(&text.buf);
    free(n);
}

/* Names of caches come from clients: whatever they are, the page keeps to the format. */
static void hostile_cache_names_are_escaped(void **state)
{
    struct node *n = node_create();
    struct text text = {0};
    char longest[ADMIN_NAME_MAX];

    (void)state;
    memset(longest, '"', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cache_fill(n, "a\"} 1\nquoin_up 0");
    cache_fill(n, "\\");
    cache_fill(n, "\xff\x01");
    cache_fill(n, longest);
    const char *page = render(&text, &n->s, &process_full);
    check_value(page, "quoin_entries{cache=\"a\\\"} 1\\nquoin_up 0\"}", 10);
    buf_fini(&text.buf);
    free(n);
}

/* Who gives no room for caches gets none, and the page has no figures of any. */
static void without_room_there_are_no_caches(void **state)
{
    struct admin_snapshot s = {.version = "0.1.0", .caches = 3};
    struct text text = {0};

    (void)state;
    assert_null(admin_cache_row(&s, "a"));
    const char *page = render(&text, &s, &process_full);
    assert_null(strstr(page, "quoin_entries"));
    check_value(page, "quoin_caches{label=\"_other\"}", 3);
    buf_fini(&text.buf);
}

/* What is not known is not there: no zero that means "no idea". */
static void unknown_figures_are_left_out(void **state)
{
    struct node *n = node_create();
    struct process_figures unknown = {0};
    struct text text = {0};

    (void)state;
    n->s.recovery_ms = n->s.snapshot_age_ms = n->s.memory_limit_bytes = ADMIN_UNKNOWN;
    const char *page = render(&text, &n->s, &unknown);
    check_value(page, "quoin_build_info{version=\"0.1.0\",commit=\"unknown\"}", 1);
    assert_null(strstr(page, "quoin_recovery_seconds"));
    assert_null(strstr(page, "quoin_snapshot_age_seconds"));
    assert_null(strstr(page, "quoin_memory_limit_bytes"));
    assert_null(strstr(page, "quoin_config_info"));
    assert_null(strstr(page, "quoin_rejected_total"));
    assert_null(strstr(page, "process_resident_memory_bytes"));
    assert_null(strstr(page, "process_open_fds"));
    assert_null(strstr(page, "process_max_fds"));
    buf_fini(&text.buf);
    free(n);
}

struct seen {
    size_t count;
    uint64_t sum;
};

static void figure_see(void *arg, const struct admin_figure *figure, uint64_t value)
{
    struct seen *seen = arg;

    assert_non_null(figure->name);
    assert_true(figure->text[0] != '\0');
    assert_int_not_equal(value, ADMIN_UNKNOWN);
    seen->count++;
    seen->sum += value;
}

/* Whoever else shows the figures gets each once, and those that are not known not at all. */
static void figures_are_handed_out_once(void **state)
{
    struct admin_snapshot s = {0};
    struct seen seen = {0};

    (void)state;
    s.entries = 40;
    s.views_pinned = 2;
    admin_figures_each(&s, figure_see, &seen);
    assert_int_equal(seen.count, ADMIN_FIGURES);
    assert_int_equal(seen.sum, 42);
    s.views_pinned = ADMIN_UNKNOWN;
    seen = (struct seen){0};
    admin_figures_each(&s, figure_see, &seen);
    assert_int_equal(seen.count, ADMIN_FIGURES - 1);
    assert_int_equal(seen.sum, 40);
}

/* More partitions known than held (figures are read one after the other) is no underflow. */
static void partitions_never_underflow(void **state)
{
    struct admin_snapshot s = {.version = "0.1.0", .partitions_held = 1, .leading = 2};
    struct text text = {0};
    const char *page = render(&text, &s, &process_full);

    (void)state;
    check_value(page, "quoin_partitions{role=\"opening\"}", 0);
    check_value(page, "quoin_partitions_without_leader", 0);
    buf_fini(&text.buf);
}

/* Prometheus itself has nothing to say about names, units and types. */
static void promtool_is_content(void **state)
{
    struct node *n = crowded();
    struct text text = {0};
    const char *page = render(&text, &n->s, &process_full);

    (void)state;
    if (system("command -v promtool >/dev/null 2>&1") != 0) {
        print_message("promtool (package prometheus) is not here: left out\n");
    } else {
        FILE *pipe = popen("promtool check metrics >&2", "w");
        assert_non_null(pipe);
        assert_true(fputs(page, pipe) >= 0);
        assert_int_equal(pclose(pipe), 0);
    }
    buf_fini(&text.buf);
    free(n);
}

/* The kernel's figures of this very process are plausible. */
static void process_figures_are_read(void **state)
{
    struct process_figures process = process_read();

    (void)state;
    if (!process.has_memory || !process.has_fds) {
        print_message("no /proc here: left out\n");
        return;
    }
    assert_true(process.resident_bytes > 100 * 1000);
    assert_true(process.virtual_bytes >= process.resident_bytes);
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
        cmocka_unit_test(figures_of_the_list_are_written),
        cmocka_unit_test(families_have_their_labels_and_units),
        cmocka_unit_test(latency_is_a_histogram),
        cmocka_unit_test(durations_find_their_bucket),
        cmocka_unit_test(caches_have_their_rows),
        cmocka_unit_test(shards_share_the_row_of_a_cache),
        cmocka_unit_test(many_caches_share_a_row),
        cmocka_unit_test(cache_called_other_is_no_series_twice),
        cmocka_unit_test(hostile_cache_names_are_escaped),
        cmocka_unit_test(without_room_there_are_no_caches),
        cmocka_unit_test(unknown_figures_are_left_out),
        cmocka_unit_test(figures_are_handed_out_once),
        cmocka_unit_test(partitions_never_underflow),
        cmocka_unit_test(promtool_is_content),
        cmocka_unit_test(process_figures_are_read),
        cmocka_unit_test(checker_finds_faults),
    };

    return RUN_TESTS(tests);
}

/* Rows of the command table: measuring. */
#include "client/cli/command_rows.h"

static const struct option_spec bench_options[] = {
    NUMBER("requests", "N", request_count, OPTION_COUNT, 1, INT64_MAX,
           "requests in all (default 100000)"),
    NUMBER("time", "DURATION", time_ms, OPTION_DURATION, 1, 86400000, "run this long instead"),
    NUMBER("keys", "N", key_count, OPTION_COUNT, 1, INT64_MAX, "different keys (default 100000)"),
    NUMBER("key-size", "SIZE", key_size, OPTION_SIZE, 1, 65536, "octets of a key (default 16)"),
    TEXT("value-size", "SIZE", value_size, "octets of a value, or MIN-MAX (default 100)"),
    TEXT("zipf", "EXPONENT", zipf,
         "few keys often, most seldom, such as 0.99 (default: all alike)"),
    TTL("how long what is put lives (default: the cache's)"),
    TEXT("rate", "N/s", rate, "open loop: begin N requests a second, whatever the grid does"),
    FLAG("closed", closed, "closed loop: begin one when another ends (without --rate the default)"),
    NUMBER("gets", "PERCENT", gets_percent, OPTION_COUNT, 0, 100,
           "how many requests are gets; the others are puts (default 50)"),
    NUMBER("in-flight", "N", in_flight, OPTION_COUNT, 1, 100000,
           "requests under way in each thread (default 1: calls that wait; with --rate 1000)"),
    NUMBER("threads", "N", thread_count, OPTION_COUNT, 1, 256, "threads (default 1)"),
    NUMBER("clients", "N", client_count, OPTION_COUNT, 1, 256,
           "connections that the threads share (default 1; with --rate one a thread)"),
    FLAG("load", load, "put every key once instead of random requests"),
    NUMBER("warm-up", "DURATION", warm_up_ms, OPTION_DURATION, 1, 86400000,
           "run this long before measuring (default: not)"),
    NUMBER("seed", "N", seed, OPTION_COUNT, 0, INT64_MAX,
           "the same keys and sizes in the same order (default 1)"),
    TEXT("hgrm", "FILE", hgrm_file, "write the latencies to a new file for HdrHistogram plotters"),
    TEXT("compare", "A.json", compare,
         "run nothing; set two results of --json side by side: --compare A.json B.json"),
    CREATE,
};

static const char *const bench_examples[] = {
    "quoin bench test --create --load --keys 1000000 --in-flight 1000",
    "quoin bench test --keys 1000000 --gets 90 --rate 20000/s --time 10s --warm-up 2s",
    "quoin bench test --keys 1000000 --zipf 0.99 --value-size 64-4KiB --in-flight 50 --time 10s",
    "quoin bench test --gets 100 --threads 4 --json > before.json",
    "quoin bench --compare before.json after.json",
    NULL,
};

static const struct command rows[] = {
    {
        .name = "bench",
        .arguments = "CACHE",
        .argument_min = 1,
        .argument_max = 2, /* --compare has a file where there may be a current cache, too */
        .summary = "measure throughput and latency",
        .detail = "With --rate the load is an open loop: each request has a time at which it is "
                  "due, and its "
                  "latency is measured from that time. What a slow answer keeps waiting is thereby "
                  "counted as "
                  "waiting, as users would. Without it the loop is closed: a request begins when "
                  "another one "
                  "has ended, which measures how much the grid can do, and flatters its latency "
                  "under a load "
                  "that does not wait.\n\n"
                  "The result says when the load generator itself was late. With --compare, a "
                  "difference is "
                  "called noise when the intervals of both runs overlap.",
        .examples = bench_examples,
        OPTIONS(bench_options),
        .traits = COMMAND_CACHE,
        .run = run_bench,
    },
};

const struct command_group commands_bench = {"measuring", rows, COUNT_OF(rows)};

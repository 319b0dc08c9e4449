/* bench_pof: the object format beside its peers, in one run.
 *
 * Rounds are interleaved: every contender runs for some milliseconds in each of them, and the
 * median of its rounds counts, so that a noisy machine hits all alike. Compare within a run only.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/big.h"
#include "tests/bench/car.h"
#include "wire/assert.h"

enum { ROUNDS_MAX = 101, SLICE_NS = 4000000, TEXT_SIZE = 4096, CAR_SIZE = 145 };

static const char help[] = "Measure the object format beside its peers.\n"
                           "\n"
                           "  bench_pof              the table, some ten seconds\n"
                           "  bench_pof --rounds 51  steadier figures\n"
                           "  bench_pof --json       for programs\n";

static const struct contender *const contenders[] = {
    &contender_memcpy,   &contender_pof,
    &contender_struct,   &contender_generated,
    &contender_json,     &contender_path,
#ifdef BENCH_HAS_MSGPACK
    &contender_msgpack,
#endif
    &contender_protobuf, &contender_protobuf_arena,
#ifdef BENCH_HAS_NANOPB
    &contender_nanopb,
#endif
    &contender_jansson,
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* Nanoseconds per object, a row per round. */
struct figures {
    double encode[ROUNDS_MAX];
    double decode[ROUNDS_MAX];
    size_t octets;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static volatile uint64_t sink;

static double time_encode(const struct contender *c, void *side, const struct car *car)
{
    uint64_t begin = now_ns();
    uint64_t end = begin;
    uint64_t count = 0;

    while (end - begin < SLICE_NS) {
        for (int i = 0; i < 500; i++) {
            sink = c->encode(side, car).size;
        }
        count += 500;
        end = now_ns();
    }
    return (double)(end - begin) / (double)count;
}

static double time_decode(const struct contender *c, void *side, struct bytes octets)
{
    uint64_t begin = now_ns();
    uint64_t end = begin;
    uint64_t count = 0;

    while (end - begin < SLICE_NS) {
        for (int i = 0; i < 500; i++) {
            sink = c->decode(side, octets);
        }
        count += 500;
        end = now_ns();
    }
    return (double)(end - begin) / (double)count;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

static void run(struct figures *figures, const struct car *car, int rounds)
{
    void *sides[CONTENDERS];
    struct bytes octets[CONTENDERS];

    for (size_t i = 0; i < CONTENDERS; i++) {
        sides[i] = contenders[i]->open();
        qn_assert(sides[i]);
        octets[i] = contenders[i]->encode(sides[i], car);
        figures[i].octets = octets[i].size;
        uint64_t sum = contenders[i]->decode(sides[i], octets[i]);
        bool all = contenders[i] != &contender_memcpy && contenders[i] != &contender_path;
        qn_assert(!all || sum == car_sum(car));
    }
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < CONTENDERS; i++) {
            figures[i].encode[round] = time_encode(contenders[i], sides[i], car);
            octets[i] = contenders[i]->encode(sides[i], car);
            figures[i].decode[round] = time_decode(contenders[i], sides[i], octets[i]);
        }
    }
    for (size_t i = 0; i < CONTENDERS; i++) {
        contenders[i]->close(sides[i]);
    }
}

static size_t find(const struct contender *c)
{
    size_t i = 0;

    while (contenders[i] != c) {
        i++;
    }
    return i;
}

static void print_table(const char *title, struct figures *figures, int rounds)
{
    double encode[CONTENDERS];
    double decode[CONTENDERS];
    size_t ours = find(&contender_pof);

    for (size_t i = 0; i < CONTENDERS; i++) {
        encode[i] = median(figures[i].encode, rounds);
        decode[i] = median(figures[i].decode, rounds);
    }
    printf("%s\n  %-20s %8s %12s %12s %18s\n", title, "", "octets", "encode ns", "decode ns",
           "times ours");
    for (size_t i = 0; i < CONTENDERS; i++) {
        printf("  %-20s %8zu %12.1f %12.1f %8.2f / %.2f\n", contenders[i]->name, figures[i].octets,
               encode[i], decode[i], encode[i] / encode[ours], decode[i] / decode[ours]);
    }
}

static void print_json(const char *title, struct figures *figures, int rounds)
{
    for (size_t i = 0; i < CONTENDERS; i++) {
        printf("{\"object\":\"%s\",\"by\":\"%s\",\"octets\":%zu,\"encode_ns\":%.2f,\"decode_ns\":%."
               "2f}\n",
               title, contenders[i]->name, figures[i].octets, median(figures[i].encode, rounds),
               median(figures[i].decode, rounds));
    }
}

/* -- two threads -- */

struct worker {
    const struct car *car; /* NULL: only count, which is what two threads can do at most here */
    uint64_t count;
    uint64_t sum;
};

static uint64_t work_some(void *side, const struct car *car, uint64_t sum)
{
    for (int i = 0; i < 2000; i++) {
        sum += car ? contender_pof.decode(side, contender_pof.encode(side, car))
                   : sum * UINT64_C(6364136223846793005) + 1;
    }
    return sum;
}

static void *work(void *context)
{
    struct worker *worker = context;
    void *side = contender_pof.open();
    uint64_t end = now_ns() + 250000000;
    uint64_t count = 0;
    uint64_t sum = 1;

    while (now_ns() < end) {
        sum = work_some(side, worker->car, sum);
        count += 2000;
    }
    worker->count = count; /* at the end: the two must not write into one cache line */
    worker->sum = sum;
    contender_pof.close(side);
    return NULL;
}

static uint64_t work_with(int threads, const struct car *car)
{
    pthread_t ids[2];
    struct worker workers[2] = {{car, 0, 0}, {car, 0, 0}};

    for (int i = 0; i < threads; i++) {
        qn_assert(pthread_create(&ids[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < threads; i++) {
        qn_assert(pthread_join(ids[i], NULL) == 0);
    }
    return workers[0].count + workers[1].count;
}

/* The best of some runs each: another load on the machine can only make it worse. */
static double scaling(const struct car *car)
{
    uint64_t one = 0;
    uint64_t two = 0;

    for (int i = 0; i < 5; i++) {
        uint64_t count = work_with(1, car);
        one = count > one ? count : one;
        count = work_with(2, car);
        two = count > two ? count : two;
    }
    return (double)two / (double)one;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"rounds", required_argument, NULL, 'r'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static struct figures figures[CONTENDERS];
    static uint8_t text[TEXT_SIZE];
    struct car car;
    struct car large;
    int rounds = 21;
    bool json = false;

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return 0;
        }
        json = json || option == 'j';
        rounds = option == 'r' ? atoi(optarg) : rounds;
        if (option == '?' || rounds < 1 || rounds > ROUNDS_MAX) {
            fprintf(stderr, "bench_pof: --rounds takes 1 to %d; --help shows examples\n",
                    ROUNDS_MAX);
            return 2;
        }
    }
    memset(text, 'x', sizeof text);
    car_fill(&car, bytes_of(NULL, 0));
    car_fill(&large, bytes_of(text, sizeof text));
    run(figures, &car, rounds);
    if (figures[find(&contender_pof)].octets != CAR_SIZE) {
        fprintf(stderr, "bench_pof: Car takes %zu octets instead of %d: the codec is wrong\n",
                figures[find(&contender_pof)].octets, CAR_SIZE);
        return 1;
    }
    void (*print)(const char *, struct figures *, int) = json ? print_json : print_table;
    print("Car", figures, rounds);
    run(figures, &large, rounds);
    print("Car with 4 KiB of text", figures, rounds);
    double ratio = scaling(&car);
    double possible = scaling(NULL);
    printf(json ? "{\"two_threads\":%.3f,\"counting\":%.3f}\n"
                : "Two threads do %.2f times as much as one; of mere counting, %.2f times.\n",
           ratio, possible);
#ifdef BENCH_HAS_ZLIB
    if (!big_measure(json)) {
        return 1;
    }
#endif
    return 0;
}

/* What an entry costs: memory beyond key and value, and time, of the store alone.
 *
 * bench_store [entries [partitions [value size]]]: puts that many entries of 16-octet keys into
 * that many stores over one slab, as a node does (1,000,000 in 271, 64 octets); then reads,
 * replaces, walks, removes half and clears. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "grid/base/slab.h"
#include "grid/store/store.h"

enum { KEY_SIZE = 16, VALUE_MAX = 4096, LEVELS = 20, PUBLISH_EVERY = 256 };

struct part {
    struct store *store;
    uint64_t version;
};

struct bench {
    struct alloc heap;
    struct slab *slab;
    struct part *parts;
    uint64_t part_count;
    uint64_t entry_count;
    uint64_t value_size;
};

static double now_us(void)
{
    struct timespec t;

    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static struct bytes key_of(uint64_t number, uint8_t key[KEY_SIZE])
{
    put_u64(key, number * UINT64_C(0x9e3779b97f4a7c15));
    put_u64(key + 8, number);
    return bytes_of(key, KEY_SIZE);
}

static struct part *part_of(const struct bench *bench, uint64_t number)
{
    return &bench->parts[(number * UINT64_C(0xd6e8feb86659fd93) >> 32) % bench->part_count];
}

static void stage(struct part *part, const struct effect *effect)
{
    if (store_stage(part->store, effect, ++part->version) != QN_OK) {
        (void)fprintf(stderr, "no memory\n");
        exit(1);
    }
    store_commit(part->store, part->version);
}

static void change(struct bench *bench, uint8_t kind, uint64_t number)
{
    static const uint8_t value[VALUE_MAX];
    uint8_t key[KEY_SIZE];
    struct part *part = part_of(bench, number);
    struct effect effect = {
        .kind = kind,
        .cache = 1,
        .expires_at_ms = INT64_MAX,
        .key = key_of(number, key),
        .value = bytes_of(value, kind == EFFECT_PUT ? bench->value_size : 0),
    };

    stage(part, &effect);
    if (part->version % PUBLISH_EVERY == 0) {
        store_publish(part->store, part->version);
    }
}

static void report(const char *name, double begin_us, uint64_t count, double slowest_us)
{
    printf("%-8s %6.0f ns each, slowest %.0f us\n", name,
           (now_us() - begin_us) * 1000 / (double)count, slowest_us);
}

static void report_memory(const struct bench *bench, uint64_t count)
{
    double payload = (double)count * (double)(KEY_SIZE + bench->value_size);

    printf("%10llu entries: %5.1f octets each beyond key and value\n", (unsigned long long)count,
           ((double)bench->heap.bytes - payload) / (double)count);
}

/* Change entries number 0 to `count`; with `memory`, report it at some levels. */
static void change_all(struct bench *bench, const char *name, uint8_t kind, uint64_t count,
                       bool memory)
{
    double begin_us = now_us();
    double last_us = begin_us;
    double slowest_us = 0;

    for (uint64_t i = 0; i < count; i++) {
        change(bench, kind, i);
        double at_us = now_us();
        slowest_us = at_us - last_us > slowest_us ? at_us - last_us : slowest_us;
        last_us = at_us;
        if (memory && (i + 1) % (count / LEVELS + 1) == 0) {
            report_memory(bench, i + 1);
            last_us = now_us();
        }
    }
    report(name, begin_us, count, slowest_us);
}

static void read_all(struct bench *bench)
{
    double begin_us = now_us();
    uint8_t octets[KEY_SIZE];
    uint64_t found = 0;

    for (uint64_t i = 0; i < bench->entry_count; i++) {
        struct table_key key = store_key(1, key_of(i, octets));
        found += store_committed(part_of(bench, i)->store, &key) != NULL;
    }
    report("get", begin_us, found, 0);
}

static bool visit(void *context, const struct entry *entry)
{
    *(uint64_t *)context += entry->version > 0;
    return true;
}

static void walk_all(struct bench *bench)
{
    double begin_us = now_us();
    uint64_t count = 0;

    for (uint64_t i = 0; i < bench->part_count; i++) {
        struct store *store = bench->parts[i].store;
        struct store_place place = {0};
        store_publish(store, bench->parts[i].version);
        while (!store_walk(store, store_view(store), &place, 1000, visit, &count)) {
        }
    }
    report("walk", begin_us, count, 0);
}

static void clear_all(struct bench *bench, uint64_t count)
{
    struct effect effect = {.kind = EFFECT_CLEAR, .cache = 1};
    double begin_us = now_us();
    double slowest_us = 0;

    for (uint64_t i = 0; i < bench->part_count; i++) {
        struct part *part = &bench->parts[i];
        stage(part, &effect);
        store_publish(part->store, part->version);
        for (bool more = true; more;) {
            double last_us = now_us();
            more = store_sweep(part->store, 1000);
            slowest_us = now_us() - last_us > slowest_us ? now_us() - last_us : slowest_us;
        }
    }
    report("clear", begin_us, count, slowest_us);
}

static bool create(struct bench *bench)
{
    alloc_init(&bench->heap);
    bench->slab = slab_create(&bench->heap);
    bench->parts = calloc(bench->part_count, sizeof *bench->parts);
    for (uint64_t i = 0; i < bench->part_count; i++) {
        if (!bench->slab || !bench->parts ||
            store_create(slab_alloc(bench->slab), &bench->parts[i].store) != QN_OK) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct bench bench = {
        .entry_count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000,
        .part_count = argc > 2 ? strtoull(argv[2], NULL, 10) : 271,
        .value_size = argc > 3 ? strtoull(argv[3], NULL, 10) : 64,
    };

    if (bench.entry_count < LEVELS || bench.part_count == 0 || bench.value_size > VALUE_MAX ||
        !create(&bench)) {
        return 1;
    }
    change_all(&bench, "put", EFFECT_PUT, bench.entry_count, true);
    report_memory(&bench, bench.entry_count);
    read_all(&bench);
    change_all(&bench, "replace", EFFECT_PUT, bench.entry_count, false);
    report_memory(&bench, bench.entry_count);
    walk_all(&bench);
    change_all(&bench, "remove", EFFECT_REMOVE, bench.entry_count / 2, false);
    report_memory(&bench, bench.entry_count - bench.entry_count / 2);
    clear_all(&bench, bench.entry_count - bench.entry_count / 2);
    printf("%-8s %zu octets left\n", "memory", bench.heap.bytes);
    for (uint64_t i = 0; i < bench.part_count; i++) {
        store_destroy(bench.parts[i].store);
    }
    slab_destroy(bench.slab);
    free(bench.parts);
    return 0;
}

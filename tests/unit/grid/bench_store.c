/* What an entry costs: memory beyond key and value, and time, of the store alone.
 *
 * bench_store [entries]: puts that many entries of 16-octet keys and 100-octet values, reads each,
 * replaces each, removes each. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "grid/store/store.h"

enum { KEY_SIZE = 16, VALUE_SIZE = 100 };

struct bench {
    struct alloc alloc;
    struct store *store;
    uint64_t version;
    double slowest_us;
    double overhead_max; /* octets per entry, from a thousand entries on */
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

static double overhead(const struct bench *bench)
{
    uint64_t count = store_count_all(bench->store);

    return (double)bench->alloc.bytes / (double)count - KEY_SIZE - VALUE_SIZE;
}

static void change(struct bench *bench, uint8_t kind, uint64_t number)
{
    static const uint8_t value[VALUE_SIZE];
    uint8_t key[KEY_SIZE];
    struct effect effect = {
        .kind = kind,
        .cache = 1,
        .expires_at_ms = INT64_MAX,
        .key = key_of(number, key),
        .value = bytes_of(value, kind == EFFECT_PUT ? VALUE_SIZE : 0),
    };

    if (store_stage(bench->store, &effect, ++bench->version) != QN_OK) {
        (void)fprintf(stderr, "no memory\n");
        exit(1);
    }
    store_commit(bench->store, bench->version);
}

static void change_all(struct bench *bench, const char *name, uint8_t kind, uint64_t count)
{
    double begin_us = now_us();
    double last_us = begin_us;

    bench->slowest_us = 0;
    for (uint64_t i = 0; i < count; i++) {
        change(bench, kind, i);
        double at_us = now_us();
        if (at_us - last_us > bench->slowest_us) {
            bench->slowest_us = at_us - last_us;
        }
        last_us = at_us;
        if (kind == EFFECT_PUT && i > 1000 && overhead(bench) > bench->overhead_max) {
            bench->overhead_max = overhead(bench);
        }
    }
    printf("%-8s %6.0f ns each, slowest %.0f us\n", name,
           (last_us - begin_us) * 1000 / (double)count, bench->slowest_us);
}

static void read_all(struct bench *bench, uint64_t count)
{
    double begin_us = now_us();
    uint8_t octets[KEY_SIZE];
    uint64_t found = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct table_key key = store_key(1, key_of(i, octets));
        found += store_committed(bench->store, &key) != NULL;
    }
    printf("%-8s %6.0f ns each, %llu found\n", "get", (now_us() - begin_us) * 1000 / (double)count,
           (unsigned long long)found);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    struct bench bench = {0};

    alloc_init(&bench.alloc);
    if (count == 0 || store_create(&bench.alloc, &bench.store) != QN_OK) {
        return 1;
    }
    change_all(&bench, "put", EFFECT_PUT, count);
    printf("%-8s %6.1f octets per entry beyond key and value (at most %.1f while it grew)\n",
           "memory", overhead(&bench), bench.overhead_max);
    read_all(&bench, count);
    change_all(&bench, "replace", EFFECT_PUT, count);
    change_all(&bench, "remove", EFFECT_REMOVE, count);
    printf("%-8s %6zu octets left\n", "memory", bench.alloc.bytes);
    store_destroy(bench.store);
    return 0;
}

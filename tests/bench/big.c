#include "tests/bench/big.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define ZLIB_CONST
#include <zlib.h>

#include "measured.h"
#include "wire/assert.h"

enum {
    IDENTIFIERS = 10000,
    TEXT_SIZE = 36,
    KEY_SIZE = 16,
    ROUNDS = 9,
    GZIP = 15 + 16, /* zlib's word for that format */
};

struct texts {
    char ids[IDENTIFIERS][TEXT_SIZE + 1];
    char keys[IDENTIFIERS][KEY_SIZE];
};

/* UUIDs in their usual form, from a fixed seed. */
static struct texts *texts_make(void)
{
    struct texts *texts = malloc(sizeof *texts);
    uint64_t state = 1;

    qn_assert(texts);
    for (int i = 0; i < IDENTIFIERS; i++) {
        for (int k = 0; k < TEXT_SIZE; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bool dash = k == 8 || k == 13 || k == 18 || k == 23;
            texts->ids[i][k] = dash ? '-' : "0123456789abcdef"[state >> 60];
        }
        texts->ids[i][TEXT_SIZE] = 0;
        (void)snprintf(texts->keys[i], KEY_SIZE, "key%d", i);
    }
    return texts;
}

/* -- the four forms, by hand-written calls -- */

static void write_identifier(struct pof_writer *w, const struct texts *texts, int i, bool again)
{
    if (again && w->references) {
        pof_write_reference(w, POF_NEXT, i + 2); /* the whole has identity 1 */
        return;
    }
    pof_begin_user(w, POF_NEXT, IDENTIFIER_TYPE, 0);
    pof_write_string(w, 0, bytes_of(texts->ids[i], TEXT_SIZE));
    pof_end(w);
}

static void write_map(struct pof_writer *w, const struct texts *texts, bool uniform)
{
    pof_begin_container(w, 2,
                        (struct pof_container){.type = uniform ? POF_UNIFORM_MAP : POF_MAP,
                                               .key_type = POF_STRING,
                                               .element_type = IDENTIFIER_TYPE,
                                               .count = IDENTIFIERS});
    for (int i = 0; i < IDENTIFIERS; i++) {
        pof_write_string(w, POF_NEXT, bytes_of_text(texts->keys[i]));
        write_identifier(w, texts, i, false);
    }
    pof_end(w);
}

static void write_big(struct pof_writer *w, const struct texts *texts, bool uniform)
{
    pof_begin_user(w, POF_NEXT, BIG_TYPE, 0);
    pof_write_string(w, 0, bytes_of_text("foo"));
    pof_write_int32(w, 1, 17);
    write_map(w, texts, uniform);
    for (int list = 3; list <= 5; list++) {
        pof_begin_container(
            w, list,
            (struct pof_container){.type = uniform ? POF_UNIFORM_COLLECTION : POF_COLLECTION,
                                   .element_type = IDENTIFIER_TYPE,
                                   .count = IDENTIFIERS});
        for (int i = 0; i < IDENTIFIERS; i++) {
            write_identifier(w, texts, i, true);
        }
        pof_end(w);
    }
    pof_end(w);
}

struct form {
    const char *name;
    bool uniform;
    bool references;
    size_t octets; /* of the reference implementation */
};

static const struct form forms[] = {
    {"plain", false, false, 1808922},
    {"plain, references", false, true, 645916},
    {"uniform", true, false, 1718931},
    {"uniform, references", true, true, 585925},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void write_form(const struct form *form, const struct texts *texts, struct buf *table,
                       struct buf *out)
{
    struct pof_writer w;

    buf_clear(out);
    buf_clear(table);
    pof_writer_init(&w, out);
    if (form->references) {
        pof_writer_enable_references(&w);
        pof_writer_track_identities(&w, table);
    }
    write_big(&w, texts, form->uniform);
    enum qn_status status = pof_writer_finish(&w);
    qn_assert(status == QN_OK);
}

/* -- measuring -- */

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

static void print(bool json, const char *what, size_t octets, double ms)
{
    if (json) {
        printf("{\"object\":\"BigComplexObject\",\"by\":\"%s\",\"octets\":%zu,\"ms\":%.4f}\n", what,
               octets, ms);
    } else {
        printf("  %-34s %9zu octets %9.3f ms\n", what, octets, ms);
    }
}

static bool forms_measure(const struct texts *texts, struct buf *smallest, bool json)
{
    struct buf out = {0};
    struct buf table = {0};
    bool equal = true;

    for (size_t i = 0; i < FORMS; i++) {
        double times[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            double begin = now_ms();
            write_form(&forms[i], texts, &table, &out);
            times[round] = now_ms() - begin;
        }
        print(json, forms[i].name, out.size, median(times));
        if (out.size != forms[i].octets) {
            fprintf(stderr, "bench_pof: %zu octets instead of %zu (%s): the codec is wrong\n",
                    out.size, forms[i].octets, forms[i].name);
            equal = false;
        }
    }
    *smallest = out; /* the last form */
    buf_fini(&table);
    return equal;
}

static void fill(struct big *big, struct identifier *ids, struct big_by_name_pair *pairs,
                 const struct texts *texts)
{
    for (int i = 0; i < IDENTIFIERS; i++) {
        ids[i] = (struct identifier){.id = bytes_of(texts->ids[i], TEXT_SIZE)};
        pairs[i] =
            (struct big_by_name_pair){.key = bytes_of_text(texts->keys[i]), .value = &ids[i]};
    }
    *big = (struct big){
        .foo = bytes_of_text("foo"),
        .x = 17,
        .by_name = pairs,
        .by_name_count = IDENTIFIERS,
        .first = ids,
        .first_count = IDENTIFIERS,
        .second = ids,
        .second_count = IDENTIFIERS,
        .third = ids,
        .third_count = IDENTIFIERS,
    };
}

static void generated_measure(const struct texts *texts, bool json)
{
    static struct identifier ids[IDENTIFIERS];
    static struct big_by_name_pair pairs[IDENTIFIERS];
    double writing[ROUNDS];
    double reading[ROUNDS];
    struct buf out = {0};
    struct arena arena;
    struct big big;

    arena_init(&arena, 0);
    fill(&big, ids, pairs, texts);
    for (int round = 0; round < ROUNDS; round++) {
        struct pof_struct_memory memory = {.arena = &arena};
        struct big read;
        buf_clear(&out);
        double begin = now_ms();
        enum qn_status status = big_to_binary(&out, &big);
        double middle = now_ms();
        qn_assert(status == QN_OK);
        status = big_from_binary(buf_bytes(&out), &read, &memory);
        reading[round] = now_ms() - middle;
        writing[round] = middle - begin;
        qn_assert(status == QN_OK && read.third_count == IDENTIFIERS);
        arena_reset(&arena);
    }
    print(json, "generated code, written", out.size, median(writing));
    print(json, "generated code, read", out.size, median(reading));
    buf_fini(&out);
    arena_fini(&arena);
}

/* -- packing -- */

static size_t by_lz4(struct bytes plain, uint8_t *to, size_t room)
{
    return (size_t)LZ4_compress_default((const char *)plain.data, (char *)to, (int)plain.size,
                                        (int)room);
}

static size_t by_lz4hc(struct bytes plain, uint8_t *to, size_t room)
{
    return (size_t)LZ4_compress_HC((const char *)plain.data, (char *)to, (int)plain.size, (int)room,
                                   LZ4HC_CLEVEL_MAX);
}

static size_t by_gzip(struct bytes plain, uint8_t *to, size_t room)
{
    z_stream stream = {.next_in = (z_const Bytef *)plain.data,
                       .avail_in = (uInt)plain.size,
                       .next_out = to,
                       .avail_out = (uInt)room};

    int status = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, 0);
    qn_assert(status == Z_OK);
    status = deflate(&stream, Z_FINISH);
    qn_assert(status == Z_STREAM_END);
    (void)deflateEnd(&stream);
    return stream.total_out;
}

static void pack_measure(struct bytes plain, bool json)
{
    static const struct {
        const char *name;
        size_t (*pack)(struct bytes plain, uint8_t *to, size_t room);
    } packers[] = {{"LZ4", by_lz4}, {"LZ4 HC, highest level", by_lz4hc}, {"gzip -6", by_gzip}};
    size_t room = plain.size + plain.size / 8 + 1024;
    uint8_t *to = malloc(room);

    qn_assert(to);
    for (size_t i = 0; i < sizeof packers / sizeof packers[0]; i++) {
        double times[ROUNDS];
        size_t size = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double begin = now_ms();
            size = packers[i].pack(plain, to, room);
            times[round] = now_ms() - begin;
        }
        print(json, packers[i].name, size, median(times));
    }
    free(to);
}

bool big_measure(bool json)
{
    struct texts *texts = texts_make();
    struct buf smallest;

    if (!json) {
        printf("BigComplexObject, written by hand-written calls\n");
    }
    bool equal = forms_measure(texts, &smallest, json);
    generated_measure(texts, json);
    if (!json) {
        printf("The last form, packed\n");
    }
    pack_measure(buf_bytes(&smallest), json);
    buf_fini(&smallest);
    free(texts);
    return equal;
}

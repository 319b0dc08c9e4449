#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/generate.h"
#include "config/types.h"

/* What the build generated from tests/vectors/objects.cfg and everything.cfg. */
#include "everything.h"
#include "objects.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (const uint8_t *)(literal), sizeof(literal) - 1                                            \
    }

/* ---- the fields that a program writes and reads itself: here an octet, or nothing ---- */

static void octet_write(struct pof_writer *w, int32_t index, const void *member)
{
    const void *at = *(const void *const *)member;

    if (at) {
        pof_write_int32(w, index, *(const int32_t *)at);
    }
}

static enum qn_status octet_read(struct pof_reader *r, const struct pof_value *value, void *member,
                                 struct pof_struct_memory *memory)
{
    int64_t number = 0;
    int32_t *at = arena_alloc(memory->arena, sizeof *at);
    enum qn_status status = at ? pof_value_int64(value, &number) : QN_MEMORY_FULL;

    (void)r;
    if (status == QN_OK) {
        *at = (int32_t)number;
        *(void **)member = at;
    }
    return status;
}

const struct pof_codec everything_any_codec = {octet_write, octet_read};
const struct pof_codec everything_holes_codec = {octet_write, octet_read};
const struct pof_codec everything_table_codec = {octet_write, octet_read};
const struct pof_codec everything_class__codec = {octet_write, octet_read};

/* ---- Car ---- */

static struct bytes options[] = {TEXT("heated seats"), TEXT("tow bar"), TEXT("panorama roof"),
                                 TEXT("parking camera"), TEXT("winter tyres")};

static struct owner ada = {.name = TEXT("Ada Lovelace"), .age = 36};

static const struct car volvo = {.make = TEXT("Volvo"),
                                 .model = TEXT("V60 Cross Country"),
                                 .year = 2021,
                                 .color = TEXT("silver"),
                                 .options = options,
                                 .options_count = 5,
                                 .price = 45990.5,
                                 .owner = &ada};

static void car_by_hand(struct buf *out)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 0);
    pof_write_string(&w, 0, volvo.make);
    pof_write_string(&w, 1, volvo.model);
    pof_write_int32(&w, 2, volvo.year);
    pof_write_string(&w, 3, volvo.color);
    pof_begin_uniform_collection(&w, 4, POF_STRING, 5);
    for (size_t i = 0; i < 5; i++) {
        pof_write_string(&w, POF_NEXT, options[i]);
    }
    pof_end(&w);
    pof_write_float64(&w, 5, volvo.price);
    pof_begin_user(&w, 6, 1001, 0);
    pof_write_string(&w, 0, ada.name);
    pof_write_int32(&w, 1, ada.age);
    pof_end(&w);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* Generated code writes the octets of hand-written calls: 146 for Car. */
static void generated_code_writes_the_octets_of_hand_written_calls(void **state)
{
    struct buf generated = {0}, by_hand = {0};

    (void)state;
    assert_int_equal(car_to_binary(&generated, &volvo), QN_OK);
    car_by_hand(&by_hand);
    assert_int_equal(generated.size, 146);
    assert_true(bytes_equal(buf_bytes(&generated), buf_bytes(&by_hand)));
    buf_fini(&generated);
    buf_fini(&by_hand);
}

/* What it reads it writes again, octet by octet. */
static void cars_are_read_as_they_were_written(void **state)
{
    struct buf octets = {0}, again = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    struct car car;

    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(car_to_binary(&octets, &volvo), QN_OK);
    assert_int_equal(car_from_binary(buf_bytes(&octets), &car, &memory), QN_OK);
    assert_int_equal(car.year, 2021);
    assert_int_equal(car.options_count, 5);
    assert_true(bytes_equal(car.options[4], options[4]));
    assert_int_equal(car.owner->age, 36);
    assert_null(car.text.data);
    assert_int_equal(car_to_binary(&again, &car), QN_OK);
    assert_true(bytes_equal(buf_bytes(&octets), buf_bytes(&again)));
    arena_fini(&arena);
    buf_fini(&octets);
    buf_fini(&again);
}

/* The large object keeps its identifiers, by name and in lists. */
static void maps_and_lists_of_objects_are_kept(void **state)
{
    enum { COUNT = 100 };
    static struct identifier ids[COUNT];
    static struct big_complex_object_by_name_pair pairs[COUNT];
    struct big_complex_object big = {.foo = TEXT("foo"),
                                     .x = 17,
                                     .by_name = pairs,
                                     .by_name_count = COUNT,
                                     .first = ids,
                                     .first_count = COUNT};
    struct big_complex_object read;
    struct buf octets = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        ids[i].id = bytes_of("0123456789", i % 10);
        ids[i].id.data = (const uint8_t *)"0123456789";
        pairs[i] = (struct big_complex_object_by_name_pair){.key = ids[i].id, .value = &ids[i]};
    }
    arena_init(&arena, 0);
    assert_int_equal(big_complex_object_to_binary(&octets, &big), QN_OK);
    assert_int_equal(big_complex_object_from_binary(buf_bytes(&octets), &read, &memory), QN_OK);
    assert_int_equal(read.by_name_count, COUNT);
    assert_int_equal(read.first_count, COUNT);
    assert_int_equal(read.second_count, 0);
    assert_true(bytes_equal(read.by_name[57].value->id, ids[57].id));
    assert_true(bytes_equal(read.first[98].id, ids[98].id));
    arena_fini(&arena);
    buf_fini(&octets);
}

/* ---- everything ---- */

static int64_t numbers[] = {1, INT64_MIN, INT64_MAX};
static struct bytes texts[] = {TEXT("x"), {NULL, 0}, TEXT("")};
static struct everything_prices_pair prices[] = {{TEXT("a"), 0.5}, {TEXT("b"), 0.0}};
static int32_t three = 3;

static void everything_fill(struct everything *all, struct everything *inner)
{
    static struct everything_by_id_pair by_id[1];
    static struct everything_lists_pair lists[1];
    static struct nothing nothing;

    everything_init(inner);
    everything_init(all);
    by_id[0] = (struct everything_by_id_pair){.key = -5, .value = inner};
    lists[0] = (struct everything_lists_pair){.key = TEXT("k"), .value = texts, .value_count = 3};
    all->has_int_ = true;
    all->i128 = (struct pof_int128){.low = 1, .high = 2};
    all->has_d = true;
    all->d = (struct pof_date){2021, 2, 28};
    all->arr = numbers;
    all->arr_count = 3;
    all->plain_arr = texts;
    all->plain_arr_count = 3;
    all->kids = inner;
    all->kids_count = 1;
    all->prices = prices;
    all->prices_count = 2;
    all->by_id = by_id;
    all->by_id_count = 1;
    all->lists = lists;
    all->lists_count = 1;
    all->any = &three;
    all->class_ = &three;
    all->self = inner;
    all->nothing = &nothing;
}

/* Every kind of field survives, and the second writing equals the first. */
static void every_kind_of_field_survives(void **state)
{
    struct everything all, inner, read;
    struct buf octets = {0}, again = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};

    (void)state;
    arena_init(&arena, 0);
    everything_fill(&all, &inner);
    all.b = false; /* all of these have other defaults */
    all.i16 = 0;
    all.f64 = 0;
    all.text = bytes_of(NULL, 0);
    assert_int_equal(everything_to_binary(&octets, &all), QN_OK);
    assert_int_equal(everything_from_binary(buf_bytes(&octets), &read, &memory), QN_OK);
    assert_int_equal(everything_to_binary(&again, &read), QN_OK);
    assert_true(bytes_equal(buf_bytes(&octets), buf_bytes(&again)));
    assert_false(read.b);
    assert_int_equal(read.i16, 0);
    assert_true(read.f64 == 0);
    assert_null(read.text.data);
    assert_true(read.kids[0].b && read.kids[0].i16 == INT16_MIN);
    assert_true(read.has_int_);
    assert_int_equal(read.int_, 0);
    assert_int_equal(read.d.day, 28);
    assert_true(read.arr[1] == INT64_MIN);
    assert_null(read.plain_arr[1].data);
    assert_int_equal(read.lists[0].value_count, 3);
    assert_int_equal(*(int32_t *)read.any, 3);
    assert_null(read.holes);
    assert_non_null(read.nothing);
    assert_false(read.self->has_int_);
    arena_fini(&arena);
    buf_fini(&octets);
    buf_fini(&again);
}

/* An object without properties has the defaults of the types file, as has a struct after init. */
static void absent_fields_have_their_defaults(void **state)
{
    static const uint8_t empty[] = {0x15, 0x07, 0x02, 0x40};
    struct everything made, read;
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};

    (void)state;
    arena_init(&arena, 0);
    everything_init(&made);
    assert_int_equal(everything_from_binary(bytes_of(empty, sizeof empty), &read, &memory), QN_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct everything *all = i == 0 ? &made : &read;
        assert_true(all->b);
        assert_int_equal(all->oct, 7);
        assert_int_equal(all->ch, 'A');
        assert_int_equal(all->i16, INT16_MIN);
        assert_true(all->i64 == INT64_MIN);
        assert_float_equal(all->f32, 0.1, 1e-7);
        assert_float_equal(all->f64, 5, 0);
        assert_true(bytes_equal(all->text, bytes_of_text("a\"b\\c?"
                                                         "?=9\303\244")));
        assert_false(all->has_int_);
        assert_null(all->arr);
    }
    arena_fini(&arena);
}

/* A type that is shared: pointers to one object are that again, in rings, lists and maps. */
static void shared_types_keep_who_is_who(void **state)
{
    struct person bob, eve, read;
    struct person *friends[] = {&eve, &bob, &eve};
    struct person_by_name_pair by_name[] = {{TEXT("eve"), &eve}};
    struct house house = {.owner = &bob};
    struct buf octets = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};

    (void)state;
    arena_init(&arena, 0);
    person_init(&bob);
    person_init(&eve);
    assert_true(bytes_equal(bob.name, bytes_of_text("nobody")));
    bob.name = bytes_of_text("bob");
    bob.partner = &eve;
    bob.friends = friends;
    bob.friends_count = 3;
    eve.partner = &bob;
    eve.by_name = by_name;
    eve.by_name_count = 1;
    eve.houses = &house;
    eve.houses_count = 1;
    assert_int_equal(person_to_binary(&octets, &bob), QN_OK);
    assert_int_equal(person_from_binary(buf_bytes(&octets), &read, &memory), QN_OK);
    assert_ptr_equal(read.partner->partner, &read);
    assert_ptr_equal(read.friends[0], read.partner);
    assert_ptr_equal(read.friends[1], &read);
    assert_ptr_equal(read.friends[2], read.partner);
    assert_ptr_equal(read.partner->by_name[0].value, read.partner);
    assert_ptr_equal(read.partner->houses[0].owner, &read);
    assert_true(bytes_equal(read.partner->name, bytes_of_text("nobody")));
    arena_fini(&arena);
    buf_fini(&octets);
}

/* Tables are right. */
static void generated_tables_pass_the_check(void **state)
{
    (void)state;
    assert_null(pof_struct_check(&car_struct));
    assert_null(pof_struct_check(&owner_struct));
    assert_null(pof_struct_check(&big_complex_object_struct));
    assert_null(pof_struct_check(&everything_struct));
    assert_null(pof_struct_check(&nothing_struct));
    assert_null(pof_struct_check(&person_struct));
    assert_null(pof_struct_check(&empty_struct));
    assert_true(person_struct.shared && !empty_struct.shared && !everything_struct.shared);
    assert_int_equal(CAR_TYPE, 1000);
}

/* ---- names ---- */

static enum qn_status generate_text(const char *text, const char *prefix, struct buf *header,
                                    char *problem)
{
    struct types *types = NULL;
    struct cfg_report report = {0};
    struct buf source = {0};
    struct generate_options how = {.file = "f", .base = "f", .prefix = prefix};

    assert_int_equal(types_load_text(bytes_of_text(text), "t", &types, &report), QN_OK);
    enum qn_status status = generate_code(&types->schema, &how, header, &source, problem);
    buf_fini(&source);
    types_free(types);
    return status;
}

/* Words are parted by '_', and keywords get one behind them. */
static void names_become_names_of_c(void **state)
{
    static const char *const names[][2] = {
        {"Car", "car"},
        {"BigComplexObject", "big_complex_object"},
        {"HTTPServer", "http_server"},
        {"unitPrice", "unit_price"},
        {"a_b", "a_b"},
        {"x-y.z", "x_y_z"},
        {"int", "int_"},
        {"Class", "class_"},
        {"i18nText", "i18n_text"},
    };
    char name[GENERATE_NAME_MAX], problem[GENERATE_PROBLEM_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(generate_name("", names[i][0], name, problem));
        assert_string_equal(name, names[i][1]);
    }
    assert_true(generate_name("acme", "int", name, problem));
    assert_string_equal(name, "acme_int");
    assert_false(generate_name("", "5x", name, problem));
    assert_false(generate_name("", "a b", name, problem));
    assert_false(generate_name("", "\303\244", name, problem));
}

#define T(name) "{ id = " name "; fields = ( ); }"
#define F(i, name, type)                                                                           \
    "{ index = " i "; name = \"" name "\"; type = \"" type "\"; optional = true; }"
#define FIELDS(a, b) "types = ( { id = 1; name = \"T\"; fields = (" a "," b "); } );"

/* Names that would clash in C are refused, with what to do. */
static void clashes_are_refused(void **state)
{
    static const char *const texts_and_words[][2] = {
        {"types = ( " T("1; name = \"aB\"") "," T("2; name = \"a_b\"") " );", "rename one of them"},
        {"types = ( " T("1; name = \"pof_field\"") " );", "choose a --prefix"},
        {"types = ( " T("1; name = \"Bytes\"") " );", "choose a --prefix"},
        {FIELDS(F("0", "aB", "int32"), F("1", "a_b", "int32")), "rename one"},
        {FIELDS(F("0", "a", "int32[]"), F("1", "a_count", "int32")), "rename one"},
        {FIELDS(F("0", "has_a", "int32"), F("1", "a", "int32")), "rename one"},
        {FIELDS(F("0", "pof_rest", "int32"), F("1", "a", "int32")), "pof_rest"},
        {FIELDS(F("0", "a b", "int32"), F("1", "a", "int32")), "can not be written in C"},
    };
    char problem[GENERATE_PROBLEM_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof texts_and_words / sizeof *texts_and_words; i++) {
        struct buf header = {0};
        assert_int_equal(generate_text(texts_and_words[i][0], "", &header, problem), QN_INVALID);
        print_message("%s\n", problem);
        assert_non_null(strstr(problem, texts_and_words[i][1]));
        buf_fini(&header);
    }
}

/* With a prefix, names of the library are free; the text is the same each time. */
static void output_is_the_same_each_time(void **state)
{
    const char *text = "types = ( " T("1; name = \"Bytes\"") " );";
    struct buf first = {0}, second = {0};
    char problem[GENERATE_PROBLEM_MAX];

    (void)state;
    assert_int_equal(generate_text(text, "my", &first, problem), QN_OK);
    assert_int_equal(generate_text(text, "my", &second, problem), QN_OK);
    assert_true(bytes_equal(buf_bytes(&first), buf_bytes(&second)));
    assert_int_equal(buf_append(&first, "", 1), QN_OK);
    assert_non_null(strstr((const char *)first.data, "struct my_bytes {"));
    buf_fini(&first);
    buf_fini(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_code_writes_the_octets_of_hand_written_calls),
        cmocka_unit_test(cars_are_read_as_they_were_written),
        cmocka_unit_test(maps_and_lists_of_objects_are_kept),
        cmocka_unit_test(every_kind_of_field_survives),
        cmocka_unit_test(absent_fields_have_their_defaults),
        cmocka_unit_test(shared_types_keep_who_is_who),
        cmocka_unit_test(generated_tables_pass_the_check),
        cmocka_unit_test(names_become_names_of_c),
        cmocka_unit_test(clashes_are_refused),
        cmocka_unit_test(output_is_the_same_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Structs by their tables: the octets of hand-written calls, and back. */
#include <time.h>

#include "tests/unit/pof_struct/struct_memory.h"
#include "wire/pof/binary.h"

/* -- Car: what the octets must be is known (tests/bench measures with the same object) -- */

struct owner {
    const char *name;
    int32_t age;
};

static const struct pof_field owner_fields[] = {
    POF_FIELD(struct owner, name, 0, TEXT),
    POF_FIELD_FULL(struct owner, age, 1, INT32),
};
static const struct pof_struct owner_struct = POF_STRUCT(struct owner, 1001, 0, owner_fields);

struct car {
    const char *make;
    struct bytes model;
    int32_t year;
    char color[12];
    const char **options;
    uint32_t option_count;
    double price;
    struct owner *owner;
};

static const struct pof_field car_fields[] = {
    POF_FIELD(struct car, make, 0, TEXT),
    POF_FIELD(struct car, model, 1, STRING),
    POF_FIELD(struct car, year, 2, INT32),
    POF_FIELD_CHARS(struct car, color, 3),
    POF_FIELD_MANY(struct car, options, option_count, 4, TEXT, LIST),
    POF_FIELD(struct car, price, 5, FLOAT64),
    POF_FIELD_STRUCT_PTR(struct car, owner, 6, &owner_struct),
};
static const struct pof_struct car_struct = POF_STRUCT(struct car, 1000, 0, car_fields);

static void write_by_hand(struct buf *out)
{
    static const char *const options[] = {"heated seats", "tow bar", "panorama roof",
                                          "parking camera", "winter tyres"};
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 0);
    pof_write_string(&w, 0, bytes_of_text("Volvo"));
    pof_write_string(&w, 1, bytes_of_text("V60 Cross Country"));
    pof_write_int32(&w, 2, 2021);
    pof_write_string(&w, 3, bytes_of_text("silver"));
    pof_begin_uniform_collection(&w, 4, POF_STRING, 5);
    for (int i = 0; i < 5; i++) {
        pof_write_string(&w, POF_NEXT, bytes_of_text(options[i]));
    }
    pof_end(&w);
    pof_write_float64(&w, 5, 45990.50);
    pof_begin_user(&w, 6, 1001, 0);
    pof_write_string(&w, 0, bytes_of_text("Ada Lovelace"));
    pof_writer_full(&w);
    pof_write_int32(&w, 1, 36);
    pof_end(&w);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* A table makes the octets that hand-written calls make, 146 of them, and reads all of it back. */
static void a_struct_is_written_as_by_hand_and_read_back(void **state)
{
    const char *options[] = {"heated seats", "tow bar", "panorama roof", "parking camera",
                             "winter tyres"};
    struct owner owner = {"Ada Lovelace", 36};
    struct car car = {
        "Volvo", bytes_of_text("V60 Cross Country"), 2021, "silver", options, 5, 45990.50, &owner};
    struct car back;
    struct buf hand = {0};
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_null(pof_struct_check(&car_struct));
    assert_null(pof_struct_check(&owner_struct));
    write_by_hand(&hand);
    assert_int_equal(hand.size, 146);
    assert_int_equal(pof_struct_to_binary(&out, &car_struct, &car), QN_OK);
    assert_bytes_equal(buf_bytes(&out), buf_bytes(&hand));
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &car_struct, &back, memory_init(&m, false)), QN_OK);
    assert_string_equal(back.make, "Volvo");
    assert_bytes_equal(back.model, car.model);
    assert_int_equal(back.year, 2021);
    assert_string_equal(back.color, "silver");
    assert_int_equal(back.option_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(back.options[i], options[i]);
    }
    assert_true(back.price == car.price);
    assert_string_equal(back.owner->name, "Ada Lovelace");
    assert_int_equal(back.owner->age, 36);
    arena_fini(&m.arena);
    buf_fini(&hand);
    buf_fini(&out);
}

/* With `copy` nothing points into the input, which may go. */
static void a_copied_struct_outlives_its_octets(void **state)
{
    struct buf out = {0};
    struct car back;
    struct memory m;

    (void)state;
    write_by_hand(&out);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &car_struct, &back, memory_init(&m, true)), QN_OK);
    memset(out.data, 0xff, out.size);
    buf_fini(&out);
    assert_bytes_equal(back.model, bytes_of_text("V60 Cross Country"));
    arena_fini(&m.arena);
}

/* -- all kinds -- */

struct pair {
    int64_t key;
    const char *value;
};

static const struct pof_field pair_fields[] = {
    POF_FIELD(struct pair, key, 0, INT64),
    POF_FIELD(struct pair, value, 1, TEXT),
};
static const struct pof_struct pair_struct = POF_STRUCT_PAIR(struct pair, pair_fields);

struct all {
    bool flag;
    uint8_t octet;
    uint16_t unit;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    struct pof_int128 i128;
    float f32;
    double f64;
    struct pof_float128 f128;
    struct pof_decimal decimal;
    struct bytes octets;
    struct pof_date date;
    struct pof_time time;
    struct pof_datetime datetime;
    struct pof_year_month year_month;
    struct pof_day_time time_interval;
    struct pof_day_time day_time;
    int32_t *numbers;
    uint32_t number_count;
    int16_t in_place[4];
    uint32_t in_place_count;
    struct owner inner;
    struct owner *owners;
    uint32_t owner_count;
    struct pair *map;
    uint32_t map_count;
    bool has_score;
    int32_t score;
    const char *nothing;
};

static const struct pof_field all_fields[] = {
    POF_FIELD(struct all, flag, 0, BOOL),
    POF_FIELD(struct all, octet, 1, OCTET),
    POF_FIELD(struct all, unit, 2, CHAR),
    POF_FIELD(struct all, i16, 3, INT16),
    POF_FIELD(struct all, i32, 4, INT32),
    POF_FIELD(struct all, i64, 5, INT64),
    POF_FIELD(struct all, i128, 6, INT128),
    POF_FIELD(struct all, f32, 7, FLOAT32),
    POF_FIELD(struct all, f64, 8, FLOAT64),
    POF_FIELD(struct all, f128, 9, FLOAT128),
    POF_FIELD(struct all, decimal, 10, DECIMAL),
    POF_FIELD(struct all, octets, 11, OCTETS),
    POF_FIELD(struct all, date, 12, DATE),
    POF_FIELD(struct all, time, 13, TIME),
    POF_FIELD(struct all, datetime, 14, DATETIME),
    POF_FIELD(struct all, year_month, 15, YEAR_MONTH),
    POF_FIELD(struct all, time_interval, 16, TIME_INTERVAL),
    POF_FIELD(struct all, day_time, 17, DAY_TIME),
    POF_FIELD_MANY(struct all, numbers, number_count, 18, INT32, ARRAY),
    POF_FIELD_MANY_IN_PLACE(struct all, in_place, in_place_count, 19, INT16, PLAIN_LIST),
    POF_FIELD_STRUCT(struct all, inner, 70, &owner_struct),
    POF_FIELD_STRUCTS(struct all, owners, owner_count, 71, &owner_struct, PLAIN_ARRAY),
    POF_FIELD_STRUCTS(struct all, map, map_count, 72, &pair_struct, MAP),
    POF_FIELD_OPTIONAL(struct all, score, 9000, INT32, has_score),
    POF_FIELD(struct all, nothing, 9001, TEXT),
};
static const struct pof_struct all_struct = POF_STRUCT(struct all, 7, 2, all_fields);

/* Every kind, near its borders, comes back. */
static void every_kind_comes_back(void **state)
{
    int32_t numbers[] = {INT32_MIN, -1, 0, INT32_MAX};
    struct owner owners[] = {{"a", 1}, {NULL, 0}};
    struct pair map[] = {{1, "one"}, {INT64_MIN, "least"}};
    struct all all = {
        .flag = true,
        .octet = 255,
        .unit = 0xffff,
        .i16 = INT16_MIN,
        .i32 = INT32_MIN,
        .i64 = INT64_MAX,
        .i128 = {1, (uint64_t)1 << 63},
        .f32 = 1.5f,
        .f64 = -1e300,
        .f128 = {{0x3f, 0xff, 1}},
        .decimal = {{1250, 0}, 2},
        .octets = bytes_of("\x00\xff", 2),
        .date = {2024, 2, 29},
        .time = {.hour = 23, .minute = 59, .second = 60, .zone = POF_ZONE_UTC},
        .datetime = {{1, 1, 1},
                     {.nano = 1, .zone = POF_ZONE_OFFSET, .zone_hour = -3, .zone_minute = 30}},
        .year_month = {3, 11},
        .time_interval = {.hours = -5, .nanos = 7},
        .day_time = {.days = 9, .hours = 1},
        .numbers = numbers,
        .number_count = 4,
        .in_place = {7, 8},
        .in_place_count = 2,
        .inner = {"inner", -2},
        .owners = owners,
        .owner_count = 2,
        .map = map,
        .map_count = 2,
        .has_score = true,
        .score = 0,
    };
    struct all back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_null(pof_struct_check(&all_struct));
    assert_null(pof_struct_check(&pair_struct));
    assert_int_equal(pof_struct_to_binary(&out, &all_struct, &all), QN_OK);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &all_struct, &back, memory_init(&m, true)), QN_OK);
    assert_true(back.flag && back.octet == all.octet && back.unit == all.unit);
    assert_true(back.i16 == all.i16 && back.i32 == all.i32 && back.i64 == all.i64);
    assert_memory_equal(&back.i128, &all.i128, sizeof all.i128);
    assert_true(back.f32 == all.f32 && back.f64 == all.f64);
    assert_memory_equal(&back.f128, &all.f128, sizeof all.f128);
    assert_memory_equal(&back.decimal.unscaled, &all.decimal.unscaled, sizeof all.i128);
    assert_int_equal(back.decimal.scale, all.decimal.scale);
    assert_bytes_equal(back.octets, all.octets);
    assert_memory_equal(&back.date, &all.date, sizeof all.date);
    assert_memory_equal(&back.time, &all.time, sizeof all.time);
    assert_memory_equal(&back.datetime, &all.datetime, sizeof all.datetime);
    assert_memory_equal(&back.year_month, &all.year_month, sizeof all.year_month);
    assert_memory_equal(&back.time_interval, &all.time_interval, sizeof all.time_interval);
    assert_memory_equal(&back.day_time, &all.day_time, sizeof all.day_time);
    assert_int_equal(back.number_count, 4);
    assert_memory_equal(back.numbers, numbers, sizeof numbers);
    assert_int_equal(back.in_place_count, 2);
    assert_memory_equal(back.in_place, all.in_place, sizeof all.in_place);
    assert_string_equal(back.inner.name, "inner");
    assert_int_equal(back.owner_count, 2);
    assert_string_equal(back.owners[0].name, "a");
    assert_null(back.owners[1].name);
    assert_int_equal(back.map_count, 2);
    assert_int_equal(back.map[1].key, INT64_MIN);
    assert_string_equal(back.map[1].value, "least");
    assert_true(back.has_score && back.score == 0);
    assert_null(back.nothing);
    arena_fini(&m.arena);
    buf_fini(&out);
}

/* A struct of zeros takes what its first property and its dates take; an absent optional nothing.
 */
static void what_is_absent_gets_its_initial_value(void **state)
{
    static const int32_t seven = 7;
    struct number {
        int32_t first;
        int32_t number;
        bool there;
        int32_t optional;
    };
    static const struct pof_field rows[] = {
        POF_FIELD(struct number, first, 0, INT32),
        POF_FIELD_INITIAL(struct number, number, 1, INT32, &seven),
        POF_FIELD_OPTIONAL(struct number, optional, 2, INT32, there),
    };
    static const struct pof_struct table = POF_STRUCT(struct number, 3, 0, rows);
    struct number back;
    struct memory m;

    (void)state;
    assert_null(pof_struct_check(&table));
    assert_int_equal(pof_struct_from_binary(bytes_of("\x15\x03\x00\x40", 4), &table, &back,
                                            memory_init(&m, false)),
                     QN_OK);
    assert_int_equal(back.first, 0);
    assert_int_equal(back.number, 7);
    assert_false(back.there);
    assert_int_equal(pof_struct_from_binary(bytes_of("\x15\x64", 2), &table, &back, &m.memory),
                     QN_ABSENT);
    assert_int_equal(back.number, 7);
    arena_fini(&m.arena);
}

/* -- versions -- */

struct person1 {
    const char *name;
    struct bytes unknown;
    int32_t version;
};
struct person2 {
    const char *name;
    int32_t age;
    const char *mail;
};

static const struct pof_field person1_fields[] = {POF_FIELD(struct person1, name, 0, TEXT)};
static const struct pof_struct person1_struct =
    POF_STRUCT_EVOLVABLE(struct person1, 1000, 1, person1_fields, unknown, version);
static const struct pof_field person2_fields[] = {
    POF_FIELD(struct person2, name, 0, TEXT),
    POF_FIELD(struct person2, age, 1, INT32),
    POF_FIELD_SINCE(struct person2, mail, 2, TEXT, 2),
};
static const struct pof_struct person2_struct = POF_STRUCT(struct person2, 1000, 2, person2_fields);

/* An old program that changes a newer object keeps its version and what it does not know. */
static void an_old_program_keeps_what_a_newer_one_wrote(void **state)
{
    struct person2 person = {"Bea", 41, "bea@example.org"};
    struct person2 back;
    struct person1 old;
    struct buf out = {0};
    struct buf again = {0};
    struct memory m;

    (void)state;
    assert_int_equal(pof_struct_to_binary(&out, &person2_struct, &person), QN_OK);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &person1_struct, &old, memory_init(&m, true)),
        QN_OK);
    assert_int_equal(old.version, 2);
    old.name = "Bella";
    assert_int_equal(pof_struct_to_binary(&again, &person1_struct, &old), QN_OK);
    assert_int_equal(pof_struct_from_binary(buf_bytes(&again), &person2_struct, &back, &m.memory),
                     QN_OK);
    assert_string_equal(back.name, "Bella");
    assert_int_equal(back.age, 41);
    assert_string_equal(back.mail, "bea@example.org");
    /* What an older version has at the index of a field that came later is not that field. */
    again.data[3] = 1;
    assert_int_equal(pof_struct_from_binary(buf_bytes(&again), &person2_struct, &back, &m.memory),
                     QN_OK);
    assert_null(back.mail);
    arena_fini(&m.arena);
    buf_fini(&out);
    buf_fini(&again);
}

/* -- other people's structs, hierarchies, recursion -- */

static const struct pof_field tm_fields[] = {
    POF_FIELD(struct tm, tm_sec, 0, INT32),
    POF_FIELD(struct tm, tm_min, 1, INT32),
    POF_FIELD(struct tm, tm_hour, 2, INT32),
    POF_FIELD(struct tm, tm_year, 5, INT32),
};
static const struct pof_struct tm_struct = POF_STRUCT(struct tm, 55, 0, tm_fields);

/* A struct of the C library, as it is. */
static void a_struct_of_somebody_else_needs_no_change(void **state)
{
    struct tm tm = {.tm_sec = 1, .tm_min = 59, .tm_hour = 23, .tm_year = 126};
    struct tm back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_null(pof_struct_check(&tm_struct));
    assert_int_equal(pof_struct_to_binary(&out, &tm_struct, &tm), QN_OK);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &tm_struct, &back, memory_init(&m, false)), QN_OK);
    assert_true(back.tm_sec == 1 && back.tm_min == 59 && back.tm_hour == 23 && back.tm_year == 126);
    arena_fini(&m.arena);
    buf_fini(&out);
}

struct animal {
    const char *name;
    int32_t legs;
};
struct dog {
    struct animal animal;
    struct breed {
        const char *breed;
    } own;
};
static const struct pof_field animal_fields[] = {
    POF_FIELD(struct animal, name, 0, TEXT),
    POF_FIELD(struct animal, legs, 1, INT32),
};
static const struct pof_struct animal_struct = POF_STRUCT(struct animal, 1, 1, animal_fields);
static const struct pof_field breed_fields[] = {POF_FIELD(struct breed, breed, 0, TEXT)};
static const struct pof_struct breed_struct = POF_STRUCT(struct breed, 2, 2, breed_fields);
static const struct pof_field dog_fields[] = {
    POF_FIELD_LEVEL(struct dog, animal, 1, &animal_struct),
    POF_FIELD_LEVEL(struct dog, own, 2, &breed_struct),
};
static const struct pof_struct dog_struct = POF_STRUCT(struct dog, 1, 0, dog_fields);

/* A class hierarchy: levels by type id, octets as in the golden vectors (portable_type). */
static void a_hierarchy_is_written_level_by_level(void **state)
{
    struct dog dog = {{"Rex", 0}, {"Collie"}};
    static const uint8_t expected[] = {0x15, 0x01, 0x00, 0x01, 0x01, 0x01, 0x00, 0x4e, 0x03,
                                       'R',  'e',  'x',  0x40, 0x02, 0x02, 0x02, 0x00, 0x4e,
                                       0x06, 'C',  'o',  'l',  'l',  'i',  'e',  0x40, 0x40};
    struct buf out = {0};

    (void)state;
    assert_int_equal(pof_struct_to_binary(&out, &dog_struct, &dog), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of(expected, sizeof expected));
    buf_fini(&out);
}

struct link {
    int32_t number;
    struct link *next;
};
static const struct pof_struct link_struct;
static const struct pof_field link_fields[] = {
    POF_FIELD(struct link, number, 0, INT32),
    POF_FIELD_STRUCT_PTR(struct link, next, 1, &link_struct),
};
static const struct pof_struct link_struct = POF_STRUCT(struct link, 9, 0, link_fields);

/* A chain is written and read as deep as values may be; a ring ends with a failure. */
static void a_table_may_name_itself(void **state)
{
    struct link links[300];
    struct link back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    for (int i = 0; i < 300; i++) {
        links[i] = (struct link){i, i % 100 == 99 ? NULL : &links[i + 1]};
    }
    assert_int_equal(pof_struct_to_binary(&out, &link_struct, links), QN_OK);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &link_struct, &back, memory_init(&m, false)),
        QN_OK);
    const struct link *last = &back;
    while (last->next) {
        last = last->next;
    }
    assert_int_equal(last->number, 99);
    links[99].next = links;
    buf_clear(&out);
    assert_int_equal(pof_struct_to_binary(&out, &link_struct, links), QN_TOO_LARGE);
    assert_int_equal(out.size, 0);
    arena_fini(&m.arena);
    buf_fini(&out);
}

/* -- lists -- */

/* A null among the elements makes the plain form of a uniform list, and comes back. */
static void a_null_in_a_list_makes_it_plain(void **state)
{
    const char *options[] = {"x", NULL};
    struct car car = {.options = options, .option_count = 2};
    struct car back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_int_equal(pof_struct_to_binary(&out, &car_struct, &car), QN_OK);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &car_struct, &back, memory_init(&m, false)), QN_OK);
    assert_int_equal(back.option_count, 2);
    assert_string_equal(back.options[0], "x");
    assert_null(back.options[1]);
    assert_null(back.make);
    arena_fini(&m.arena);
    buf_fini(&out);
}

/* No list is null, an empty one is not. */
static void an_empty_list_is_not_null(void **state)
{
    const char *options[1];
    struct car car = {.options = options, .option_count = 0};
    struct car back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_int_equal(pof_struct_to_binary(&out, &car_struct, &car), QN_OK);
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &car_struct, &back, memory_init(&m, false)), QN_OK);
    assert_non_null(back.options);
    car.options = NULL;
    buf_clear(&out);
    assert_int_equal(pof_struct_to_binary(&out, &car_struct, &car), QN_OK);
    assert_int_equal(pof_struct_from_binary(buf_bytes(&out), &car_struct, &back, &m.memory), QN_OK);
    assert_null(back.options);
    arena_fini(&m.arena);
    buf_fini(&out);
}

/* -- mistakes -- */

/* A property of another type, a number too large, a text too long: each is refused. */
static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *octets;
        size_t size;
        enum qn_status status;
    } cases[] = {
        {"\x15\xa8\x0f\x00\x02\x4e\x01\x61\x40", 9, QN_WRONG_TYPE}, /* year: a text */
        {"\x15\xa8\x0f\x00\x02\x42\x80\x80\x80\x80\x80\x01\x40", 13, QN_WRONG_TYPE},
        {"\x15\xa8\x0f\x00\x03\x4e\x0cnavy and red\x40", 20, QN_TOO_LARGE},  /* color: no room */
        {"\x15\xa8\x0f\x00\x00\x4e\x02\x61\x00\x40", 10, QN_WRONG_TYPE},     /* make: a NUL in it */
        {"\x15\xa8\x0f\x00\x03\x4e\x03\x61\x00\x62\x40", 11, QN_WRONG_TYPE}, /* color: the same */
        {"\x15\xa9\x0f\x00\x40", 5, QN_WRONG_TYPE},                          /* another type */
        {"\x15\xa8\x0f\x00\x04\x41\x05\x40", 8, QN_WRONG_TYPE},              /* options: a number */
        {"\x15\xa8\x0f\x00\x06\x5f\x01\x40", 8, QN_MALFORMED}, /* owner: a reference to nothing */
        {"\x15\x5e\x01\xa8\x0f\x00\x06\x5f\x01\x40", 10, QN_UNSUPPORTED}, /* to itself */
        {"\x15\xa8\x0f\x00\x02", 5, QN_MALFORMED},
    };
    struct memory m;
    struct car back;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pof_struct_from_binary(bytes_of(cases[i].octets, cases[i].size),
                                                &car_struct, &back, &m.memory),
                         cases[i].status);
    }
    arena_fini(&m.arena);
}

/* The bound of the arena bounds what an object takes. */
static void an_object_takes_no_more_than_the_arena_gives(void **state)
{
    struct buf out = {0};
    struct car back;
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};

    (void)state;
    write_by_hand(&out);
    arena_init(&arena, 64);
    assert_int_equal(pof_struct_from_binary(buf_bytes(&out), &car_struct, &back, &memory),
                     QN_MEMORY_FULL);
    arena_fini(&arena);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_struct_is_written_as_by_hand_and_read_back),
        cmocka_unit_test(a_copied_struct_outlives_its_octets),
        cmocka_unit_test(every_kind_comes_back),
        cmocka_unit_test(what_is_absent_gets_its_initial_value),
        cmocka_unit_test(an_old_program_keeps_what_a_newer_one_wrote),
        cmocka_unit_test(a_struct_of_somebody_else_needs_no_change),
        cmocka_unit_test(a_hierarchy_is_written_level_by_level),
        cmocka_unit_test(a_table_may_name_itself),
        cmocka_unit_test(a_null_in_a_list_makes_it_plain),
        cmocka_unit_test(an_empty_list_is_not_null),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(an_object_takes_no_more_than_the_arena_gives),
    };

    return RUN_TESTS(tests);
}

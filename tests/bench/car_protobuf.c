/* protobuf-c, with its own allocator (malloc) and with an arena. */
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/arena.h"
#include "wire/assert.h"
#include <car.pb-c.h>

struct side {
    uint8_t out[8192];
    char texts[16][4352]; /* protobuf-c wants NUL at the end of texts */
    BenchCar message;
    BenchOwner owner;
    char *options[CAR_OPTIONS];
    const struct car *car; /* that the message is made of */
    struct arena arena;
};

static void *side_open(void)
{
    struct side *side = calloc(1, sizeof *side);

    qn_assert(side);
    arena_init(&side->arena, 0);
    return side;
}

static void side_close(void *opened)
{
    struct side *side = opened;

    arena_fini(&side->arena);
    free(side);
}

static char *text(struct side *side, size_t at, struct bytes octets)
{
    memcpy(side->texts[at], octets.data ? octets.data : (const uint8_t *)"", octets.size);
    side->texts[at][octets.size] = 0;
    return side->texts[at];
}

/* Making the message of the car is not measured: a program of protobuf-c has its data in it. */
static void prepare(struct side *side, const struct car *car)
{
    bench_owner__init(&side->owner);
    side->owner.name = text(side, 0, car->owner.name);
    side->owner.age = car->owner.age;
    bench_car__init(&side->message);
    side->message.make = text(side, 1, car->make);
    side->message.model = text(side, 2, car->model);
    side->message.year = car->year;
    side->message.color = text(side, 3, car->color);
    for (size_t i = 0; i < car->option_count; i++) {
        side->options[i] = text(side, 4 + i, car->options[i]);
    }
    side->message.options = side->options;
    side->message.n_options = car->option_count;
    side->message.price = car->price;
    side->message.owner = &side->owner;
    side->message.text = text(side, 4 + CAR_OPTIONS, car->text);
    side->car = car;
}

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;

    if (side->car != car) {
        prepare(side, car);
    }
    return bytes_of(side->out, bench_car__pack(&side->message, side->out));
}

static uint64_t sum(const BenchCar *message)
{
    struct car car = {
        .make = bytes_of_text(message->make),
        .model = bytes_of_text(message->model),
        .year = message->year,
        .color = bytes_of_text(message->color),
        .option_count = (uint32_t)message->n_options,
        .price = message->price,
        .owner = {bytes_of_text(message->owner->name), message->owner->age},
        .text = bytes_of_text(message->text),
    };

    for (size_t i = 0; i < message->n_options && i < CAR_OPTIONS; i++) {
        car.options[i] = bytes_of_text(message->options[i]);
    }
    return car_sum(&car);
}

static uint64_t decode(void *opened, struct bytes octets)
{
    (void)opened;
    BenchCar *message = bench_car__unpack(NULL, octets.size, octets.data);
    qn_assert(message);
    uint64_t result = sum(message);
    bench_car__free_unpacked(message, NULL);
    return result;
}

const struct contender contender_protobuf = {"protobuf-c", side_open, side_close, encode, decode};

static void *arena_take(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void arena_keep(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

static uint64_t decode_arena(void *opened, struct bytes octets)
{
    struct side *side = opened;
    ProtobufCAllocator allocator = {arena_take, arena_keep, &side->arena};

    BenchCar *message = bench_car__unpack(&allocator, octets.size, octets.data);
    qn_assert(message);
    uint64_t result = sum(message);
    arena_reset(&side->arena);
    return result;
}

const struct contender contender_protobuf_arena = {"protobuf-c, arena", side_open, side_close,
                                                   encode, decode_arena};

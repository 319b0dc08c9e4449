/* msgpack-c, with fields by number in an array, as its users do when size counts. */
#include <msgpack.h>
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/assert.h"

struct side {
    msgpack_sbuffer out;
    msgpack_unpacked unpacked;
};

static void *side_open(void)
{
    struct side *side = calloc(1, sizeof *side);

    qn_assert(side);
    msgpack_sbuffer_init(&side->out);
    msgpack_unpacked_init(&side->unpacked);
    return side;
}

static void side_close(void *opened)
{
    struct side *side = opened;

    msgpack_sbuffer_destroy(&side->out);
    msgpack_unpacked_destroy(&side->unpacked);
    free(side);
}

static void put(msgpack_packer *packer, struct bytes text)
{
    msgpack_pack_str(packer, text.size);
    msgpack_pack_str_body(packer, text.data, text.size);
}

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;
    msgpack_packer packer;

    msgpack_sbuffer_clear(&side->out);
    msgpack_packer_init(&packer, &side->out, msgpack_sbuffer_write);
    msgpack_pack_array(&packer, 8);
    put(&packer, car->make);
    put(&packer, car->model);
    msgpack_pack_int32(&packer, car->year);
    put(&packer, car->color);
    msgpack_pack_array(&packer, car->option_count);
    for (uint32_t i = 0; i < car->option_count; i++) {
        put(&packer, car->options[i]);
    }
    msgpack_pack_double(&packer, car->price);
    msgpack_pack_array(&packer, 2);
    put(&packer, car->owner.name);
    msgpack_pack_int32(&packer, car->owner.age);
    put(&packer, car->text);
    return bytes_of(side->out.data, side->out.size);
}

static struct bytes text_of(const msgpack_object *object)
{
    return bytes_of(object->via.str.ptr, object->via.str.size);
}

static uint64_t decode(void *opened, struct bytes octets)
{
    struct side *side = opened;
    struct car car;
    size_t offset = 0;

    msgpack_unpack_return got =
        msgpack_unpack_next(&side->unpacked, (const char *)octets.data, octets.size, &offset);
    qn_assert(got == MSGPACK_UNPACK_SUCCESS && side->unpacked.data.via.array.size == 8);
    const msgpack_object *fields = side->unpacked.data.via.array.ptr;
    car.make = text_of(&fields[0]);
    car.model = text_of(&fields[1]);
    car.year = (int32_t)fields[2].via.i64;
    car.color = text_of(&fields[3]);
    car.option_count = fields[4].via.array.size;
    for (uint32_t i = 0; i < car.option_count && i < CAR_OPTIONS; i++) {
        car.options[i] = text_of(&fields[4].via.array.ptr[i]);
    }
    car.price = fields[5].via.f64;
    car.owner.name = text_of(&fields[6].via.array.ptr[0]);
    car.owner.age = (int32_t)fields[6].via.array.ptr[1].via.i64;
    car.text = text_of(&fields[7]);
    return car_sum(&car);
}

const struct contender contender_msgpack = {"msgpack-c", side_open, side_close, encode, decode};

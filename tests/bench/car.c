#include "tests/bench/car.h"

#include <stdlib.h>

void car_fill(struct car *car, struct bytes text)
{
    static const char *const options[CAR_OPTIONS] = {"heated seats", "tow bar", "panorama roof",
                                                     "parking camera", "winter tyres"};

    *car = (struct car){
        .make = bytes_of_text("Volvo"),
        .model = bytes_of_text("V60 Cross Country"),
        .year = 2021,
        .color = bytes_of_text("silver"),
        .option_count = CAR_OPTIONS,
        .price = 45990.50,
        .owner = {.name = bytes_of_text("Ada Lovelace"), .age = 36},
        .text = text,
    };
    for (size_t i = 0; i < CAR_OPTIONS; i++) {
        car->options[i] = bytes_of_text(options[i]);
    }
}

/* The first and the last octet and the size: whoever has those has found the text. */
static uint64_t sum_text(struct bytes text)
{
    return text.size == 0 ? 0
                          : text.size + text.data[0] * 7u + text.data[text.size - 1] * (uint64_t)13;
}

uint64_t car_sum(const struct car *car)
{
    uint64_t bits;
    uint64_t sum = sum_text(car->make) + 3 * sum_text(car->model) + (uint64_t)car->year;

    for (uint32_t i = 0; i < car->option_count; i++) {
        sum += sum_text(car->options[i]) * (i + 5);
    }
    memcpy(&bits, &car->price, sizeof bits);
    sum += sum_text(car->color) * 11 + bits + sum_text(car->owner.name) * 17;
    return sum + (uint64_t)car->owner.age * 19 + sum_text(car->text) * 23;
}

/* -- memcpy of the octets: the floor -- */

struct copy {
    uint8_t octets[8192];
    size_t size;
    uint8_t target[8192];
};

static void *copy_open(void)
{
    return calloc(1, sizeof(struct copy));
}

static struct bytes copy_encode(void *side, const struct car *car)
{
    struct copy *copy = side;

    if (copy->size == 0) {
        void *pof = contender_pof.open();
        struct bytes octets = contender_pof.encode(pof, car);
        memcpy(copy->octets, octets.data, octets.size);
        copy->size = octets.size;
        contender_pof.close(pof);
    }
    memcpy(copy->target, copy->octets, copy->size);
    __asm__ volatile("" : : "r"(copy->target) : "memory");
    return bytes_of(copy->target, copy->size);
}

static uint64_t copy_decode(void *side, struct bytes octets)
{
    struct copy *copy = side;

    memcpy(copy->target, octets.data, octets.size);
    __asm__ volatile("" : : "r"(copy->target) : "memory");
    return 0;
}

const struct contender contender_memcpy = {"memcpy", copy_open, free, copy_encode, copy_decode};

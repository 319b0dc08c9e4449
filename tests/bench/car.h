/* The object that all formats are measured with: Car, and one with 4 KiB of text.
 *
 * Octets of Car as a POF value: 145, of which 136 are its content. */
#ifndef QUOIN_TESTS_BENCH_CAR_H
#define QUOIN_TESTS_BENCH_CAR_H

#include "wire/bytes.h"

enum { CAR_OPTIONS = 5 };

struct owner {
    struct bytes name;
    int32_t age;
};

struct car {
    struct bytes make;
    struct bytes model;
    int32_t year;
    struct bytes color;
    struct bytes options[CAR_OPTIONS];
    uint32_t option_count;
    double price;
    struct owner owner;
    struct bytes text; /* of the larger one, else empty */
};

/* The sample; `text` may be empty. */
void car_fill(struct car *car, struct bytes text);

/* A number to which every field of the car contributes, so that no decoder can leave one out. */
uint64_t car_sum(const struct car *car);

/* One way to turn a car into octets and back. Not shared between threads: each opens its own. */
struct contender {
    const char *name;
    void *(*open)(void);
    void (*close)(void *side);
    /* Encode into memory of the side; returns the octets, which stay until the next call. */
    struct bytes (*encode)(void *side, const struct car *car);
    /* Decode all fields, and return car_sum of them. */
    uint64_t (*decode)(void *side, struct bytes octets);
};

extern const struct contender contender_memcpy;
extern const struct contender contender_pof;
extern const struct contender contender_struct;
extern const struct contender contender_generated;
extern const struct contender contender_json;
extern const struct contender contender_path; /* decode: the last field alone */
extern const struct contender contender_msgpack;
extern const struct contender contender_protobuf;
extern const struct contender contender_protobuf_arena;
extern const struct contender contender_nanopb;
extern const struct contender contender_jansson;

#endif

/* JSON by jansson: text from a tree, and a tree from text. */
#include <jansson.h>
#include <stdlib.h>

#include "tests/bench/car.h"
#include "wire/assert.h"

struct side {
    char out[16384];
};

static void *side_open(void)
{
    return calloc(1, sizeof(struct side));
}

static json_t *text(struct bytes octets)
{
    return json_stringn(octets.data ? (const char *)octets.data : "", octets.size);
}

static struct bytes encode(void *opened, const struct car *car)
{
    struct side *side = opened;
    json_t *root = json_object();
    json_t *options = json_array();
    json_t *owner = json_object();

    json_object_set_new(root, "make", text(car->make));
    json_object_set_new(root, "model", text(car->model));
    json_object_set_new(root, "year", json_integer(car->year));
    json_object_set_new(root, "color", text(car->color));
    for (uint32_t i = 0; i < car->option_count; i++) {
        json_array_append_new(options, text(car->options[i]));
    }
    json_object_set_new(root, "options", options);
    json_object_set_new(root, "price", json_real(car->price));
    json_object_set_new(owner, "name", text(car->owner.name));
    json_object_set_new(owner, "age", json_integer(car->owner.age));
    json_object_set_new(root, "owner", owner);
    json_object_set_new(root, "text", text(car->text));
    size_t size = json_dumpb(root, side->out, sizeof side->out, JSON_COMPACT);
    json_decref(root);
    qn_assert(size <= sizeof side->out);
    return bytes_of(side->out, size);
}

static struct bytes text_of(const json_t *object, const char *key)
{
    const json_t *member = json_object_get(object, key);

    return bytes_of(json_string_value(member), json_string_length(member));
}

static uint64_t decode(void *opened, struct bytes octets)
{
    json_t *root = json_loadb((const char *)octets.data, octets.size, 0, NULL);
    const json_t *options = json_object_get(root, "options");
    const json_t *owner = json_object_get(root, "owner");
    struct car car = {
        .make = text_of(root, "make"),
        .model = text_of(root, "model"),
        .year = (int32_t)json_integer_value(json_object_get(root, "year")),
        .color = text_of(root, "color"),
        .option_count = (uint32_t)json_array_size(options),
        .price = json_real_value(json_object_get(root, "price")),
        .owner = {text_of(owner, "name"),
                  (int32_t)json_integer_value(json_object_get(owner, "age"))},
        .text = text_of(root, "text"),
    };

    (void)opened;
    for (uint32_t i = 0; i < car.option_count && i < CAR_OPTIONS; i++) {
        const json_t *option = json_array_get(options, i);
        car.options[i] = bytes_of(json_string_value(option), json_string_length(option));
    }
    uint64_t result = car_sum(&car);
    json_decref(root);
    return result;
}

const struct contender contender_jansson = {"JSON, jansson", side_open, free, encode, decode};

#include "tests/lib/pof/large.h"

#include <stdio.h>

enum { COUNT = 10000, LONG = 100000, DEEP = 200 };

static void write_numbered(struct pof_writer *w, int32_t index, const char *prefix, int number)
{
    char text[32];

    snprintf(text, sizeof text, "%s%d", prefix, number);
    pof_write_string(w, index, bytes_of_text(text));
}

static void write_strings(struct pof_writer *w)
{
    pof_begin_collection(w, POF_NEXT, COUNT);
    for (int i = 0; i < COUNT; i++) {
        write_numbered(w, POF_NEXT, "item-", i);
    }
    pof_end(w);
}

static void write_uniform_strings(struct pof_writer *w)
{
    pof_begin_uniform_collection(w, POF_NEXT, POF_STRING, COUNT);
    for (int i = 0; i < COUNT; i++) {
        write_numbered(w, POF_NEXT, "item-", i);
    }
    pof_end(w);
}

static void write_ints(struct pof_writer *w)
{
    pof_begin_uniform_array(w, POF_NEXT, POF_INT32, COUNT);
    for (int i = 0; i < COUNT; i++) {
        pof_write_int32(w, POF_NEXT, i * 7 - 35000);
    }
    pof_end(w);
}

static void write_users(struct pof_writer *w)
{
    pof_begin_collection(w, POF_NEXT, COUNT);
    for (int i = 0; i < COUNT; i++) {
        pof_begin_user(w, POF_NEXT, 1000, 0);
        pof_write_int32(w, 0, i);
        write_numbered(w, 1, "name", i);
        pof_end(w);
    }
    pof_end(w);
}

static void write_map(struct pof_writer *w)
{
    pof_begin_map(w, POF_NEXT, COUNT);
    for (int i = 0; i < COUNT; i++) {
        write_numbered(w, POF_NEXT, "key", i);
        pof_write_int32(w, POF_NEXT, i);
    }
    pof_end(w);
}

static void write_references(struct pof_writer *w)
{
    pof_writer_enable_references(w);
    pof_begin_collection(w, POF_NEXT, 2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        pof_begin_user(w, POF_NEXT, 1, 0);
        pof_write_int32(w, 0, i);
        pof_end(w);
    }
    for (int i = 0; i < COUNT; i++) {
        pof_write_reference(w, POF_NEXT, i + 1);
    }
    pof_end(w);
}

static void write_string(struct pof_writer *w)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    struct buf text = {0};
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && i < LONG; i++) {
        status = buf_append(&text, &alphabet[i % 26], 1);
    }
    pof_write_string(w, POF_NEXT, buf_bytes(&text));
    buf_fini(&text);
}

static void write_octets(struct pof_writer *w)
{
    struct buf octets = {0};
    enum qn_status status = QN_OK;

    for (unsigned i = 0; status == QN_OK && i < LONG; i++) {
        uint8_t octet = (uint8_t)(i % 251);
        status = buf_append(&octets, &octet, 1);
    }
    pof_write_octet_array(w, POF_NEXT, buf_bytes(&octets));
    buf_fini(&octets);
}

static void write_nested(struct pof_writer *w)
{
    for (int i = 0; i < DEEP; i++) {
        pof_begin_collection(w, POF_NEXT, 1);
    }
    pof_write_int32(w, POF_NEXT, 1);
    for (int i = 0; i < DEEP; i++) {
        pof_end(w);
    }
}

bool large_write(struct pof_writer *w, const char *rule)
{
    static const struct {
        const char *rule;
        void (*write)(struct pof_writer *w);
    } rules[] = {
        {"collection of 10000 strings: element i is 'item-' followed by i in decimal, i = 0..9999",
         write_strings},
        {"uniform collection (uniform_type -15) of 10000 strings: element i is 'item-' followed by "
         "i in decimal, i = 0..9999",
         write_uniform_strings},
        {"int32[] of 10000 elements: element i is i*7 - 35000", write_ints},
        {"collection of 10000 user values of type 1000, version 0: property 0 typed int32 i, "
         "property 1 typed string 'name' followed by i in decimal, i = 0..9999",
         write_users},
        {"map of 10000 entries in this order: key string 'key' followed by i in decimal, value "
         "int32 i, i = 0..9999",
         write_map},
        {"collection of 20000 elements: element i (0..9999) is a user value of type 1, version 0, "
         "property 0 typed int32 i; element 10000+i is the same object as element i",
         write_references},
        {"string of 100000 characters: character i is 'a' + (i mod 26)", write_string},
        {"octet[] of 100000 elements: element i is i mod 251", write_octets},
        {"200 collections of one element each, nested; the innermost holds int32 1", write_nested},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].rule, rule) == 0) {
            rules[i].write(w);
            return true;
        }
    }
    return false;
}

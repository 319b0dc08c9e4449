/* C structs as portable objects, by a constant table beside the struct.
 *
 *     struct car { const char *make; int32_t year; double price; struct owner *owner; };
 *
 *     static const struct pof_field car_fields[] = {
 *         POF_FIELD(struct car, make, 0, TEXT),
 *         POF_FIELD(struct car, year, 2, INT32),
 *         POF_FIELD(struct car, price, 5, FLOAT64),
 *         POF_FIELD_STRUCT_PTR(struct car, owner, 6, &owner_struct),
 *     };
 *     const struct pof_struct car_struct = POF_STRUCT(struct car, 1000, 0, car_fields);
 *
 *     pof_struct_write(&writer, POF_NEXT, &car_struct, &car);
 *     status = pof_struct_read(&reader, &car_struct, &car, &memory);
 *
 * The struct need not be ours, nor changed: those of other people's headers work as they are. Where
 * a table cannot say it, a field or a whole type brings its own functions (struct pof_codec).
 *
 * Octets are those that hand-written calls would make: numbers, bools and chars as typed values
 * (small, or left out when zero), null left out, the rest in full (pof-spec section 3). Reading is
 * as lenient as pof_read_*: numbers that fit, every form of list; what is absent or null gets its
 * initial value, what is unknown is skipped or kept (POF_STRUCT_EVOLVABLE).
 *
 * Tables are constant: any thread, no locks. Identities and references are not followed: an object
 * that is shared is written as often as it is met, and reading a reference is QN_UNSUPPORTED. */
#ifndef QUOIN_WIRE_POF_STRUCT_H
#define QUOIN_WIRE_POF_STRUCT_H

#include <stddef.h>

#include "wire/arena.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

struct pof_float128 {
    uint8_t big_endian[16];
};

/* What stands in the struct. The C type of each is POF_C_... below. */
enum pof_field_kind {
    POF_FIELD_BOOL,
    POF_FIELD_OCTET,
    POF_FIELD_CHAR, /* a UTF-16 code unit */
    POF_FIELD_INT16,
    POF_FIELD_INT32,
    POF_FIELD_INT64,
    POF_FIELD_INT128,
    POF_FIELD_FLOAT32,
    POF_FIELD_FLOAT64,
    POF_FIELD_FLOAT128,
    POF_FIELD_DECIMAL,
    POF_FIELD_TEXT,   /* UTF-8 with a NUL at the end; NULL = null */
    POF_FIELD_STRING, /* UTF-8 with a size; data NULL = null */
    POF_FIELD_OCTETS, /* data NULL = null */
    POF_FIELD_DATE,
    POF_FIELD_TIME,
    POF_FIELD_DATETIME,
    POF_FIELD_YEAR_MONTH,
    POF_FIELD_TIME_INTERVAL,
    POF_FIELD_DAY_TIME,
    POF_FIELD_CHARS,      /* an array of char in place, UTF-8 with a NUL at the end */
    POF_FIELD_STRUCT,     /* a struct in place, of the table `nested` */
    POF_FIELD_STRUCT_PTR, /* a pointer to one; NULL = null */
    POF_FIELD_CUSTOM,     /* by the functions of `codec` */
};

/* How often it stands there. */
enum pof_field_many {
    POF_ONE,
    POF_MANY_ARRAY,       /* a uniform array */
    POF_MANY_LIST,        /* a uniform collection */
    POF_MANY_PLAIN_ARRAY, /* an array whose elements each have their type */
    POF_MANY_PLAIN_LIST,
    POF_MANY_MAP, /* a map, in C an array of pairs: structs of the table `nested`, whose field 0 is
                     the key and field 1 the value */
};

struct pof_struct;

/* Where reading puts what does not fit into the struct: texts with a NUL, arrays, what pointers
 * point to. arena_reset or arena_fini gives everything back in one call; the bound of the arena
 * bounds what an object can take. */
struct pof_struct_memory {
    struct arena *arena;
    bool copy; /* strings and octets as well: then the input may go. Else they point into it */
};

/* Functions for what no table can say. `member` points to the field in the struct or, for a whole
 * type, to the struct. `write` writes one value at `index`, or nothing at all in an object. `read`
 * gets the value that pof_reader_next has just given, never null or absent. */
struct pof_codec {
    void (*write)(struct pof_writer *w, int32_t index, const void *member);
    enum qn_status (*read)(struct pof_reader *r, const struct pof_value *value, void *member,
                           struct pof_struct_memory *memory);
};

#define POF_NO_OFFSET UINT32_MAX

/* A row of a table: made by the macros below. */
struct pof_field {
    int32_t index; /* of the property; rows ascend by it */
    int32_t since; /* the version that brought it: in older objects it is not looked for */
    enum pof_field_kind kind;
    enum pof_field_many many;
    uint32_t
        offset;    /* of the member; with `many` and no `fixed` that of a pointer to the elements */
    uint32_t size; /* of one element */
    uint32_t fixed;        /* elements in place, at most so many; 0 = behind a pointer */
    uint32_t count_offset; /* of a uint32_t that counts the elements; POF_NO_OFFSET = all `fixed` */
    uint32_t present_offset; /* of a bool: is it there? POF_NO_OFFSET = always */
    bool part;               /* a struct that is a part of this object, never an object with an
                                identity: a level of a class hierarchy (pof-spec section 6) */
    const struct pof_struct *nested;
    const struct pof_codec *codec;
    const void *initial; /* of `size` octets: what it gets when absent or null; NULL = zeros */
};

/* The table of a type. */
struct pof_struct {
    int32_t type;    /* id, >= 0; POF_PAIR for the pairs of a map */
    int32_t version; /* that the code writes */
    uint32_t size;   /* of the C struct */
    uint32_t field_count;
    const struct pof_field *fields;
    uint32_t
        remainder_offset;    /* of a struct bytes for unknown properties; POF_NO_OFFSET = skipped */
    uint32_t version_offset; /* of an int32_t for the version that was read; what is written has the
                                greater one; POF_NO_OFFSET */
    const struct pof_codec *codec; /* instead of the fields; NULL = by the fields */
};

enum { POF_PAIR = -1 };

/* What is wrong with a table, in words; NULL = nothing. For a test of each table: writing and
 * reading rely on it. */
const char *pof_struct_check(const struct pof_struct *table);

/* Write the struct at `object` (NULL = null) as the value at `index`. Failures stay in the writer:
 * QN_MALFORMED a text is not UTF-8; QN_INVALID a date or the like that does not exist; QN_TOO_LARGE
 * more than 2^31 - 1 elements, or structs nested deeper than POF_DEPTH_MAX. */
void pof_struct_write(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                      const void *object);

/* Read the next value of the container that the reader stands in into the struct at `object`, which
 * needs no preparation. On failure its content says nothing.
 *
 * QN_ABSENT       there is no value, or it is null; `object` has its initial values
 * QN_WRONG_TYPE   the value, or a property, has another type than the table says, or does not fit
 * QN_TOO_LARGE    more elements or characters than there is place for
 * QN_UNSUPPORTED  a reference
 * QN_MEMORY_FULL  the arena refused
 * others          as pof_reader_next */
QN_MUST_USE enum qn_status pof_struct_read(struct pof_reader *r, const struct pof_struct *table,
                                           void *object, struct pof_struct_memory *memory);

/* The same for the value that pof_reader_next or pof_reader_find has just given. */
QN_MUST_USE enum qn_status pof_struct_read_value(struct pof_reader *r,
                                                 const struct pof_value *value,
                                                 const struct pof_struct *table, void *object,
                                                 struct pof_struct_memory *memory);

/* Whole Binaries in one call: append one, statuses as pof_writer_finish; read one, statuses as
 * pof_binary_value and pof_struct_read. */
QN_MUST_USE enum qn_status pof_struct_to_binary(struct buf *out, const struct pof_struct *table,
                                                const void *object);
QN_MUST_USE enum qn_status pof_struct_from_binary(struct bytes binary,
                                                  const struct pof_struct *table, void *object,
                                                  struct pof_struct_memory *memory);

/* -- rows and tables -- */

/* POF_FIELD(struct car, year, 2, INT32): member `year` is property 2. A member of another C type
 * than that of the kind does not compile. */
#define POF_FIELD(ctype, member, at, word)                                                         \
    {                                                                                              \
        POF_ROW_(ctype, member, at, word), .count_offset = POF_NO_OFFSET,                          \
                                           .present_offset = POF_NO_OFFSET                         \
    }

/* With the value that it gets when it is absent: a pointer to a constant of the member's type. */
#define POF_FIELD_INITIAL(ctype, member, at, word, value)                                          \
    {                                                                                              \
        POF_ROW_(ctype, member, at, word), .count_offset = POF_NO_OFFSET,                          \
                                           .present_offset = POF_NO_OFFSET, .initial = (value)     \
    }

/* Absent unless the bool member `present` is true. A zero that is present is written in full. */
#define POF_FIELD_OPTIONAL(ctype, member, at, word, present)                                       \
    {                                                                                              \
        POF_ROW_(ctype, member, at, word), .count_offset = POF_NO_OFFSET,                          \
                                           .present_offset = POF_OFFSET_(ctype, present, bool)     \
    }

/* Brought by version `from` of the type. */
#define POF_FIELD_SINCE(ctype, member, at, word, from)                                             \
    {                                                                                              \
        POF_ROW_(ctype, member, at, word), .count_offset = POF_NO_OFFSET,                          \
                                           .present_offset = POF_NO_OFFSET, .since = (from)        \
    }

/* A member of type char[N]. */
#define POF_FIELD_CHARS(ctype, member, at)                                                         \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, at, POF_FIELD_CHARS), .count_offset = POF_NO_OFFSET,     \
                                                                .present_offset = POF_NO_OFFSET    \
    }

/* A struct in place, or behind a pointer. */
#define POF_FIELD_STRUCT(ctype, member, at, table)                                                 \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, at, POF_FIELD_STRUCT),                                   \
            .count_offset = POF_NO_OFFSET, .present_offset = POF_NO_OFFSET, .nested = (table)      \
    }
#define POF_FIELD_STRUCT_PTR(ctype, member, at, table)                                             \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, at, POF_FIELD_STRUCT_PTR),                               \
            .count_offset = POF_NO_OFFSET, .present_offset = POF_NO_OFFSET, .nested = (table)      \
    }

/* A level of a class hierarchy: a struct in place, whose index is its type id. */
#define POF_FIELD_LEVEL(ctype, member, id, table)                                                  \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, id, POF_FIELD_STRUCT),                                   \
            .count_offset = POF_NO_OFFSET, .present_offset = POF_NO_OFFSET, .nested = (table),     \
            .part = true                                                                           \
    }

/* By own functions: `functions` is a constant struct pof_codec. */
#define POF_FIELD_BY(ctype, member, at, functions)                                                 \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, at, POF_FIELD_CUSTOM),                                   \
            .count_offset = POF_NO_OFFSET, .present_offset = POF_NO_OFFSET, .codec = (functions)   \
    }

/* Many: member `list` is a pointer to elements of the kind, member `number` (uint32_t) counts them;
 * a pointer that is NULL = null. `form` is ARRAY, LIST, PLAIN_ARRAY or PLAIN_LIST. */
#define POF_FIELD_MANY(ctype, list, number, at, word, form)                                        \
    {                                                                                              \
        .index = (at), .kind = POF_FIELD_##word, .many = POF_MANY_##form,                          \
        .offset = POF_CHECK_(*((ctype *)0)->list, word) + (uint32_t)offsetof(ctype, list),         \
        .size = (uint32_t)sizeof(*((ctype *)0)->list),                                             \
        .count_offset = POF_OFFSET_(ctype, number, uint32_t), .present_offset = POF_NO_OFFSET      \
    }

/* The same for an array in place: at most as many as it has, counted by `number`. */
#define POF_FIELD_MANY_IN_PLACE(ctype, list, number, at, word, form)                               \
    {                                                                                              \
        .index = (at), .kind = POF_FIELD_##word, .many = POF_MANY_##form,                          \
        .offset = POF_CHECK_(((ctype *)0)->list[0], word) + (uint32_t)offsetof(ctype, list),       \
        .size = (uint32_t)sizeof(((ctype *)0)->list[0]),                                           \
        .fixed = (uint32_t)(sizeof(((ctype *)0)->list) / sizeof(((ctype *)0)->list[0])),           \
        .count_offset = POF_OFFSET_(ctype, number, uint32_t), .present_offset = POF_NO_OFFSET      \
    }

/* Many structs of one table, or the pairs of a map (`form` MAP, a table of type POF_PAIR). */
#define POF_FIELD_STRUCTS(ctype, list, number, at, table, form)                                    \
    {                                                                                              \
        .index = (at), .kind = POF_FIELD_STRUCT, .many = POF_MANY_##form,                          \
        .offset = (uint32_t)offsetof(ctype, list), .size = (uint32_t)sizeof(*((ctype *)0)->list),  \
        .nested = (table), .count_offset = POF_OFFSET_(ctype, number, uint32_t),                   \
        .present_offset = POF_NO_OFFSET                                                            \
    }

/* The table of `ctype`, which the array `rows` describes. */
#define POF_STRUCT(ctype, id, number, rows)                                                        \
    {                                                                                              \
        .type = (id), .version = (number), .size = (uint32_t)sizeof(ctype), .fields = (rows),      \
        .field_count = (uint32_t)(sizeof(rows) / sizeof((rows)[0])),                               \
        .remainder_offset = POF_NO_OFFSET, .version_offset = POF_NO_OFFSET                         \
    }

/* The same with members that keep unknown properties (struct bytes) and the version (int32_t) of
 * what was read, so that an old program loses nothing of a newer one. */
#define POF_STRUCT_EVOLVABLE(ctype, id, number, rows, remainder, data_version)                     \
    {                                                                                              \
        .type = (id), .version = (number), .size = (uint32_t)sizeof(ctype), .fields = (rows),      \
        .field_count = (uint32_t)(sizeof(rows) / sizeof((rows)[0])),                               \
        .remainder_offset = POF_OFFSET_(ctype, remainder, struct bytes),                           \
        .version_offset = POF_OFFSET_(ctype, data_version, int32_t)                                \
    }

/* The pairs of a map. */
#define POF_STRUCT_PAIR(ctype, rows) POF_STRUCT(ctype, POF_PAIR, 0, rows)

/* -- what the macros are made of -- */

#define POF_C_BOOL(f) bool : f
#define POF_C_OCTET(f)                                                                             \
    uint8_t:                                                                                       \
    f
#define POF_C_CHAR(f)                                                                              \
    uint16_t:                                                                                      \
    f
#define POF_C_INT16(f)                                                                             \
    int16_t:                                                                                       \
    f
#define POF_C_INT32(f)                                                                             \
    int32_t:                                                                                       \
    f
#define POF_C_INT64(f)         long : f, long long : f
#define POF_C_INT128(f)        struct pof_int128 : f
#define POF_C_FLOAT32(f)       float : f
#define POF_C_FLOAT64(f)       double : f
#define POF_C_FLOAT128(f)      struct pof_float128 : f
#define POF_C_DECIMAL(f)       struct pof_decimal : f
#define POF_C_TEXT(f)          const char * : f, char * : f
#define POF_C_STRING(f)        struct bytes : f
#define POF_C_OCTETS(f)        struct bytes : f
#define POF_C_DATE(f)          struct pof_date : f
#define POF_C_TIME(f)          struct pof_time : f
#define POF_C_DATETIME(f)      struct pof_datetime : f
#define POF_C_YEAR_MONTH(f)    struct pof_year_month : f
#define POF_C_TIME_INTERVAL(f) struct pof_day_time : f
#define POF_C_DAY_TIME(f)      struct pof_day_time : f

/* 0; does not compile when `member` has another type than the kind. */
#define POF_CHECK_(member, word) (uint32_t)(0 * sizeof(_Generic((member), POF_C_##word(1))))
#define POF_OFFSET_(ctype, member, wanted)                                                         \
    ((uint32_t)(0 * sizeof(_Generic(((ctype *)0)->member, wanted : 1))) +                          \
     (uint32_t)offsetof(ctype, member))
#define POF_ROW_UNCHECKED_(ctype, member, at, what)                                                \
    .index = (at), .kind = (what), .offset = (uint32_t)offsetof(ctype, member),                    \
    .size = (uint32_t)sizeof(((ctype *)0)->member)
#define POF_ROW_(ctype, member, at, word)                                                          \
    .index = (at), .kind = POF_FIELD_##word,                                                       \
    .offset = POF_CHECK_(((ctype *)0)->member, word) + (uint32_t)offsetof(ctype, member),          \
    .size = (uint32_t)sizeof(((ctype *)0)->member)

#endif

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
 * a table cannot say it, a field or a whole type brings its own functions (struct pof_codec). The
 * macros of rows and tables are in struct_rows.h.
 *
 * Octets are those that hand-written calls would make: numbers, bools and chars as typed values
 * (small, or left out when zero), null left out, the rest in full (pof-spec section 3). Null is a
 * pointer that is NULL, and a date of zeros, which no calendar has. Reading is as lenient as
 * pof_read_*: numbers that fit, every form of list; what is absent gets its initial value, so does
 * what is null but is no pointer; what is unknown is skipped or kept (POF_STRUCT_EVOLVABLE).
 *
 * Objects of a type that is shared (POF_STRUCT_SHARED) are written once and then referred to, so
 * several pointers may lead to one of them, and to themselves; reading gives the same pointer again
 * (pof-spec section 8). This holds within one call of pof_struct_write or pof_struct_read. Others
 * are written as often as they are met, cycles until they are too deep, and a reference to one is
 * QN_UNSUPPORTED.
 *
 * Tables are constant: any thread, no locks. Nothing is allocated but in the arena, and, for the
 * call, what is known of shared objects. */
#ifndef QUOIN_WIRE_POF_STRUCT_H
#define QUOIN_WIRE_POF_STRUCT_H

#include <stddef.h>

#include "wire/arena.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

QN_PUBLIC_BEGIN

struct pof_float128 {
    uint8_t big_endian[16];
};

/* What stands in the struct. The C type of each is POF_C_... in struct_rows.h. */
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
    POF_FIELD_DATE,   /* all zeros = null */
    POF_FIELD_TIME,
    POF_FIELD_DATETIME, /* all zeros = null */
    POF_FIELD_YEAR_MONTH,
    POF_FIELD_TIME_INTERVAL,
    POF_FIELD_DAY_TIME,
    POF_FIELD_CHARS,      /* an array of char in place, UTF-8 with a NUL at the end; written up to
                             its end when there is none, but never read without one */
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
struct pof_struct_reading;

/* Where reading puts what does not fit into the struct: texts with a NUL, arrays, what pointers
 * point to. arena_reset or arena_fini gives everything back in one call; the bound of the arena
 * bounds what an object can take. */
struct pof_struct_memory {
    struct arena *arena;
    bool copy; /* strings and octets as well: then the input may go. Else they point into it */
    struct pof_struct_reading *reading; /* internal: NULL */
};

/* Functions for what no table can say. `member` points to the field in the struct or, for a whole
 * type, to the struct. `write` writes one value at `index`, or nothing at all in an object. `read`
 * gets the value that pof_reader_next has just given, never null or absent: `member` is zeros then.
 */
struct pof_codec {
    void (*write)(struct pof_writer *w, int32_t index, const void *member);
    enum qn_status (*read)(struct pof_reader *r, const struct pof_value *value, void *member,
                           struct pof_struct_memory *memory);
};

/* A row of a table: made by the macros of struct_rows.h. A `place` is 1 + the offset of a member, 0
 * when there is none. */
struct pof_field {
    int32_t index; /* of the property; rows ascend by it */
    int32_t since; /* the version that brought it: in older objects it is not looked for */
    enum pof_field_kind kind;
    enum pof_field_many many;
    uint32_t offset; /* of the member; with `many` and no `fixed` that of a pointer to elements */
    uint32_t size;   /* of one element */
    uint32_t fixed;  /* elements in place, at most so many; 0 = behind a pointer */
    uint32_t count_place;   /* of a uint32_t that counts the elements; none = all `fixed` */
    uint32_t present_place; /* of a bool: is it there? None = always */
    bool full; /* written in full, be it small or zero: what generic writers do (writer.h) */
    bool part; /* a struct that is a part of this object, never an object with an identity: a level
                  of a class hierarchy (pof-spec section 6) */
    const struct pof_struct *nested;
    const struct pof_codec *codec;
    const void *initial; /* of `size` octets: what it gets when absent; NULL = zeros */
};

/* The table of a type. */
struct pof_struct {
    int32_t type;    /* id, >= 0; POF_PAIR for the pairs of a map */
    int32_t version; /* that the code writes */
    uint32_t size;   /* of the C struct */
    uint32_t field_count;
    const struct pof_field *fields;
    uint32_t
        remainder_place;    /* of a struct bytes for unknown properties; none = they are skipped */
    uint32_t version_place; /* of an int32_t for the version that was read; what is written has
                               the greater one */
    bool shared; /* several pointers may lead to one object, which then has an identity and is
                    written once: POF_STRUCT_SHARED */
    const struct pof_codec *codec; /* instead of the fields; NULL = by the fields */
};

enum { POF_PAIR = -1 };

/* What is wrong with a table, in words; NULL = nothing. For a test of each table: writing and
 * reading rely on it. */
const char *pof_struct_check(const struct pof_struct *table);

/* Write the struct at `object` (NULL = null) as the value at `index`. Failures stay in the writer:
 * QN_MALFORMED a text is not UTF-8; QN_INVALID a date or the like that does not exist; QN_TOO_LARGE
 * more than 2^31 - 1 elements, or structs nested deeper than POF_DEPTH_MAX; QN_MEMORY_FULL no
 * memory for what is shared. */
void pof_struct_write(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                      const void *object);

/* Read the next value of the container that the reader stands in into the struct at `object`, which
 * needs no preparation. On failure its content says nothing.
 *
 * QN_ABSENT       there is no value, or it is null; `object` has its initial values
 * QN_WRONG_TYPE   the value, or a property, has another type than the table says, or does not fit
 * QN_TOO_LARGE    more elements or characters than there is place for
 * QN_UNSUPPORTED  a reference that is none between objects of a shared type that were read here, or
 *                 to the object in place that it stands in; identities in properties to be kept
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

#include "wire/pof/struct_rows.h"

QN_PUBLIC_END

#endif

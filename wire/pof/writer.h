/* Writes one value of the portable object format (POF) at the end of a caller's buffer.
 *
 * No call returns a status: the first failure stays in the writer, later calls do nothing, and
 * pof_writer_finish tells. On failure the buffer is cut back to what it held before.
 *
 * `index` is the place of a value in what it stands in: the property in a user type (ascending,
 * >= 0), the position in a sparse array (likewise), POF_NEXT everywhere else.
 *
 * Two forms of a value. Numbers, bools and chars written into a user type or at top level are
 * *typed*: one octet for small ones (-1..22, infinity, ...), and nothing at all for zero, false and
 * null as a property, which reads back as the default. Call pof_writer_full before the value to get
 * the *full* form (what a serializer does with a cache key or value); strings, dates, containers
 * and all elements of containers are always full. The first property of a user type is full too:
 * the format's reference implementations do so, and octets must agree with theirs.
 *
 * One thread, no allocation but the buffer's growth. The writer is some 10 KiB, meant for the
 * stack.
 */
#ifndef QUOIN_WIRE_POF_WRITER_H
#define QUOIN_WIRE_POF_WRITER_H

#include "wire/bytes.h"
#include "wire/pof/types.h"

QN_PUBLIC_BEGIN

enum { POF_NEXT = -1 };

/* What is open; internal. */
struct pof_writer_frame {
    int32_t type;         /* of the container; >= 0 for a user type */
    int32_t key_type;     /* with uniform_keys */
    int32_t element_type; /* with uniform_elements */
    int32_t size;         /* of a sparse array */
    int32_t last_index;   /* of user types and sparse arrays, whose values have an index */
    int64_t left;         /* values to come, keys and values both counted; -1 with an index */
    bool uniform_keys;
    bool uniform_elements;
};

struct pof_writer {
    struct buf *out;
    uint8_t *at;  /* the end of what is written; the size of `out` follows at the end */
    uint8_t *end; /* of the room; where `at` is once the writer has failed */
    size_t start; /* size of `out` before us */
    enum qn_status status;
    bool full;                        /* the next value is written in full */
    bool references;                  /* user values get identities */
    int32_t identity;                 /* the last one given out, 0 before the first */
    struct buf *identities;           /* NULL without a table */
    struct pof_writer_frame *unnamed; /* in it references are off although enabled; mostly NULL */
    struct pof_writer_frame *top;     /* what is open last */
    struct pof_writer_frame frames[POF_DEPTH_MAX + 1];
};

/* Start a value at the end of `out`, which the writer borrows until finish: its octets and size are
 * not to be looked at before. The writer must not be copied. */
void pof_writer_init(struct pof_writer *w, struct buf *out);

/* Start a cache Binary: octet 15 (hex), then the value. */
void pof_writer_init_binary(struct pof_writer *w, struct buf *out);

/* Give user values identities 1, 2, ... in the order in which they are begun, for
 * pof_write_reference. Call before the first value. Off by default, as in every deployment we know
 * of. */
void pof_writer_enable_references(struct pof_writer *w);

/* Keep a table of the types of identities, in the caller's `table` (empty at first, 16 octets
 * each), for references in uniform containers: one to an object of another type would be taken for
 * a version, and is refused. Without a table all of them are. Call with
 * pof_writer_enable_references. */
void pof_writer_track_identities(struct pof_writer *w, struct buf *table);

/* The next value in full form: never small, never left out. */
void pof_writer_full(struct pof_writer *w);

/* End. QN_OK: exactly one value stands at the end of `out`. Otherwise `out` is as it was before
 * init:
 *
 * QN_INVALID      the calls do not make a value: an index not ascending, a count not kept, a type
 *                 other than the uniform one, a date or decimal out of range, something left open
 * QN_MALFORMED    a string is not UTF-8
 * QN_TOO_LARGE    deeper than POF_DEPTH_MAX, or a length above 2^31 - 1
 * QN_MEMORY_FULL  the buffer could not grow */
QN_MUST_USE enum qn_status pof_writer_finish(struct pof_writer *w);

/* Scalars. Floats: NaN loses its payload, as in the format's reference implementations; -0.0 as a
 * property is left out and reads back as 0.0. */
void pof_write_null(struct pof_writer *w, int32_t index);
void pof_write_bool(struct pof_writer *w, int32_t index, bool value);
void pof_write_octet(struct pof_writer *w, int32_t index, uint8_t value);
void pof_write_char(struct pof_writer *w, int32_t index, uint16_t utf16_unit);
void pof_write_int16(struct pof_writer *w, int32_t index, int16_t value);
void pof_write_int32(struct pof_writer *w, int32_t index, int32_t value);
void pof_write_int64(struct pof_writer *w, int32_t index, int64_t value);
void pof_write_int128(struct pof_writer *w, int32_t index, struct pof_int128 value);
void pof_write_float32(struct pof_writer *w, int32_t index, float value);
void pof_write_float64(struct pof_writer *w, int32_t index, double value);
void pof_write_float128(struct pof_writer *w, int32_t index, const uint8_t big_endian[16]);

/* In the narrowest of the three decimal types that holds it; 34 digits at most. */
void pof_write_decimal(struct pof_writer *w, int32_t index, struct pof_decimal value);

/* UTF-8 without surrogates and over-long forms; NUL is allowed. Never left out, even when empty. */
void pof_write_string(struct pof_writer *w, int32_t index, struct bytes utf8);
void pof_write_octets(struct pof_writer *w, int32_t index, struct bytes octets);

void pof_write_date(struct pof_writer *w, int32_t index, struct pof_date value);
void pof_write_time(struct pof_writer *w, int32_t index, struct pof_time value);
void pof_write_datetime(struct pof_writer *w, int32_t index, struct pof_datetime value);
void pof_write_year_month(struct pof_writer *w, int32_t index, struct pof_year_month value);

/* `days` must be 0. */
void pof_write_time_interval(struct pof_writer *w, int32_t index, struct pof_day_time value);
void pof_write_day_time(struct pof_writer *w, int32_t index, struct pof_day_time value);

/* An array of octets: another type than an octet string, with the same octets after its type. */
void pof_write_octet_array(struct pof_writer *w, int32_t index, struct bytes octets);

/* Containers: begin, then the elements, then pof_end.
 *
 * A map takes `count` pairs, key first. Uniform containers name the type of their elements once;
 * every element must have it and none may be null. A primitive array is a uniform array. */
void pof_begin_array(struct pof_writer *w, int32_t index, int32_t count);
void pof_begin_collection(struct pof_writer *w, int32_t index, int32_t count);
void pof_begin_map(struct pof_writer *w, int32_t index, int32_t count);
void pof_begin_uniform_array(struct pof_writer *w, int32_t index, int32_t element_type,
                             int32_t count);
void pof_begin_uniform_collection(struct pof_writer *w, int32_t index, int32_t element_type,
                                  int32_t count);

/* Any container but a user type, in any form. */
struct pof_container {
    enum pof_type type;   /* POF_COLLECTION .. POF_UNIFORM_MAP */
    int32_t key_type;     /* of POF_UNIFORM_KEYS_MAP and POF_UNIFORM_MAP */
    int32_t element_type; /* of the other uniform ones, and the values of POF_UNIFORM_MAP */
    int32_t count; /* elements or pairs; of a sparse array its size: last index + 1, 0 when empty */
};

void pof_begin_container(struct pof_writer *w, int32_t index, struct pof_container container);

/* A user type: properties by ascending index, then pof_end. `type` and `version` are >= 0. */
void pof_begin_user(struct pof_writer *w, int32_t index, int32_t type, int32_t version);

/* The same, but never with an identity: a part of the enclosing object rather than an object. */
void pof_begin_nested(struct pof_writer *w, int32_t index, int32_t type, int32_t version);

/* Properties of a newer version, as pof_read_remainder gave them, before pof_end of the user type.
 * Their indexes must be above those written, and octets are copied as they are. */
void pof_write_remainder(struct pof_writer *w, struct bytes properties);

/* A property that is octets already: one value with its type id, as it stood in another object
 * without identities. Copied as it is. */
void pof_write_copy(struct pof_writer *w, int32_t index, struct bytes pof);

void pof_end(struct pof_writer *w);

/* The user value with this identity once more. Needs pof_writer_enable_references, and in a uniform
 * container pof_writer_track_identities; `identity` is what pof_writer_identity gave after the
 * value was begun. */
void pof_write_reference(struct pof_writer *w, int32_t index, int32_t identity);

/* The identity of the user value begun last, 0 when there is none. */
int32_t pof_writer_identity(const struct pof_writer *w);

QN_PUBLIC_END

#endif

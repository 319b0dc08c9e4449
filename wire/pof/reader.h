/* Reads one value of the portable object format (POF) from octets, without copying and without
 * allocating.
 *
 * The reader stands in a container (at first: in front of the one value). pof_reader_next gives the
 * values in it one after the other; when one is a container, pof_reader_enter goes into it and
 * pof_reader_leave comes back; not entering it skips it. In a user type the properties can also be
 * asked for by index, strictly forward, typed.
 *
 * Octets come from outside: nothing in them can make the reader crash, loop or read past the end.
 * Counts are bounded by the octets that remain and by struct pof_limits. A stream that is broken
 * stays broken: after QN_MALFORMED, QN_TOO_LARGE or QN_UNSUPPORTED every call returns the same.
 *
 * Strings and octet strings point into the input, which must outlive them. One thread. The reader
 * is some 12 KiB, meant for the stack. */
#ifndef QUOIN_WIRE_POF_READER_H
#define QUOIN_WIRE_POF_READER_H

#include "wire/bytes.h"
#include "wire/pof/types.h"

QN_PUBLIC_BEGIN

/* Elements of uniform containers that take no octets (`56 64 03` is three nulls), per reader. */
enum { POF_EMPTY_MAX = 65536 };

/* The highest identity that a table of identities holds, and the highest that it holds whatever the
 * size of the value: above that an identity must not exceed the octets of the value. */
enum { POF_IDENTITY_MAX = 131071, POF_IDENTITY_FREE_MAX = 1023 };

/* The most that a reader takes. 0 means the default everywhere, which is safe: what a value can ask
 * for is then in proportion to its octets. Beyond a limit all is QN_TOO_LARGE. */
struct pof_limits {
    uint32_t depth_max;    /* containers in each other; POF_DEPTH_MAX is default and most */
    uint32_t empty_max;    /* elements without octets; POF_EMPTY_MAX */
    uint32_t identity_max; /* the highest identity in the table; POF_IDENTITY_MAX */
    uint32_t length_max;   /* octets of a string or an octet string; what remains */
    uint64_t elements_max; /* all elements, keys, map values and properties, counted when the
                              container begins or, without a count, when they come; what remains */
};

enum pof_kind {
    POF_KIND_NULL,
    POF_KIND_BOOL,
    POF_KIND_OCTET,
    POF_KIND_CHAR,
    POF_KIND_INT16,
    POF_KIND_INT32,
    POF_KIND_INT64,
    POF_KIND_INT128,
    POF_KIND_FLOAT32,
    POF_KIND_FLOAT64,
    POF_KIND_FLOAT128,
    POF_KIND_DECIMAL,
    POF_KIND_STRING,
    POF_KIND_OCTETS,
    POF_KIND_DATE,
    POF_KIND_TIME,
    POF_KIND_DATETIME,
    POF_KIND_YEAR_MONTH,
    POF_KIND_TIME_INTERVAL,
    POF_KIND_DAY_TIME,
    POF_KIND_REFERENCE,
    /* The containers, which can be entered. */
    POF_KIND_ARRAY,
    POF_KIND_COLLECTION,
    POF_KIND_SPARSE_ARRAY,
    POF_KIND_MAP,
    POF_KIND_USER,
};

/* A container as it announces itself. */
struct pof_items {
    int32_t count; /* elements or pairs; of a sparse array its size, which may be untrue; of a user
                      type 0 */
    int32_t version;   /* of a user type */
    bool uniform;      /* all elements, or all values of a map, have `element_type` */
    bool uniform_keys; /* all keys of a map have `key_type` */
    int32_t element_type;
    int32_t key_type;
};

struct pof_value {
    enum pof_kind kind;
    int32_t type;     /* the type id in the octets; of a user type its id */
    int32_t index;    /* of the property or sparse element; else the element's or pair's number */
    int32_t identity; /* that later references name, -1 = none */
    bool is_key;      /* a key of a map; its value comes next */
    union {
        bool boolean;
        uint8_t octet;
        uint16_t character; /* a UTF-16 code unit */
        int64_t integer;    /* INT16, INT32, INT64 */
        struct pof_int128 int128;
        float float32;
        double float64;
        uint8_t float128[16]; /* big-endian */
        struct pof_decimal decimal;
        struct bytes text; /* STRING, checked; see pof_text_append for its forms */
        struct bytes octets;
        struct pof_date date;
        struct pof_time time;
        struct pof_datetime datetime;
        struct pof_year_month year_month;
        struct pof_day_time day_time; /* TIME_INTERVAL, DAY_TIME */
        int32_t reference;            /* the identity of an earlier value */
        struct pof_items items;       /* the containers */
    } as;
};

/* Where the reader stands; internal. */
struct pof_reader_frame {
    int32_t type; /* of the container; >= 0 for a user type */
    int32_t key_type;
    int32_t element_type;
    int32_t size;       /* of a sparse array */
    int32_t last_index; /* seen, in user types */
    int32_t last_asked; /* by index, in user types */
    int64_t left;       /* values to come in counted containers */
    int64_t number;     /* values seen */
    bool uniform_keys;
    bool uniform;
    bool done; /* the end mark was taken */
    bool end_mark_is_exact;
};

struct pof_reader {
    struct bytes rest;
    struct bytes whole; /* what the reader began with */
    enum qn_status status;
    struct pof_limits limits;
    uint64_t empty_left;
    uint64_t elements_left;
    bool counts_all; /* each property and each length is held against the limits */
    bool identities_seen;
    struct buf *identities; /* NULL without a table */
    bool pending;           /* frames[depth + 1] is a container that nobody has entered yet */
    uint32_t depth;
    struct pof_reader_frame frames[POF_DEPTH_MAX + 1];
};

/* Stand in front of the value in `pof` (without the octet of a Binary; see pof_binary_value).
 * Octets after the value are ignored. */
void pof_reader_init(struct pof_reader *r, struct bytes pof);

/* The same with limits of the caller's, for values from people one does not know. Some slower when
 * `length_max` or `elements_max` is given. */
void pof_reader_init_limited(struct pof_reader *r, struct bytes pof, struct pof_limits limits);

/* Keep a table of the identities met, in the caller's `table` (empty at first, 16 octets each).
 * With it, an identity given twice and a reference to an unknown one are QN_MALFORMED, one beyond
 * the limits is QN_TOO_LARGE, and references in uniform containers are told from versions: a
 * number that is the identity of a value of the same type is a reference, as in the format's
 * reference implementation. Without it identities and references are given as they come, unchecked.
 */
void pof_reader_track_identities(struct pof_reader *r, struct buf *table);

/* Stand with a reader of its own in front of the value that a reference names, which
 * pof_reader_next then gives with its identity. Both readers share the table, and the octets; what
 * is left of the limits is left for each.
 *
 * The value may be the very object that `r` stands in: references make cycles, and many to one
 * value. Whoever follows all of them remembers the identities that are done, else few octets are
 * endless work.
 *
 * QN_WRONG_TYPE   the value is no reference, or none of this reader
 * QN_UNSUPPORTED  there is no table of identities */
QN_MUST_USE enum qn_status pof_reader_follow(const struct pof_reader *r,
                                             const struct pof_value *reference,
                                             struct pof_reader *to);

/* The next value of the container: properties and sparse elements with their index, of a map key
 * and value in turn. On failure `*value` says nothing.
 *
 * QN_ABSENT       there is no further value
 * QN_MALFORMED    not POF, or cut short
 * QN_TOO_LARGE    beyond one of the limits
 * QN_UNSUPPORTED  what may be a reference in a uniform container, without a table of identities
 * QN_MEMORY_FULL  that table could not grow */
QN_MUST_USE enum qn_status pof_reader_next(struct pof_reader *r, struct pof_value *value);

/* Go into the container that next or find has just given. QN_WRONG_TYPE: it was none. */
QN_MUST_USE enum qn_status pof_reader_enter(struct pof_reader *r);

/* Skip what is left of the container and go back to the one around it. Statuses as for next;
 * QN_INVALID at top level. */
QN_MUST_USE enum qn_status pof_reader_leave(struct pof_reader *r);

/* The property `index` of the user type that the reader stands in; lower ones are skipped.
 *
 * QN_ABSENT   there is no such property: it has its default
 * QN_INVALID  `index` is not above the one asked for before, or this is not a user type
 * others      as for next */
QN_MUST_USE enum qn_status pof_reader_find(struct pof_reader *r, int32_t index,
                                           struct pof_value *value);

/* Is there a property `index`? It stays to be read, be it null or not; lower ones are skipped.
 * Tells an absent property from one that has its default. Statuses as for pof_reader_find. */
QN_MUST_USE enum qn_status pof_reader_has(struct pof_reader *r, int32_t index);

/* Skip one value at the front of `in`: its octets are not looked at more than needed to find its
 * end. Statuses as for next; nothing taken on failure. */
QN_MUST_USE enum qn_status pof_skip(struct bytes *in);

/* Is this kind a container? */
bool pof_kind_is_container(enum pof_kind kind);

/* Typed reads of the property `index`, as pof_reader_find; those of rare types are in typed_wide.h.
 * A property that is absent or null gives the default (0, false, {NULL, 0}, a date of zeros) and
 * QN_OK.
 *
 * Numbers convert from any number that fits, since small values lose their type on the wire; an
 * octet and a char also from -1, which is how 255 and U+FFFF are stored.
 *
 * QN_WRONG_TYPE  the property has another type, or does not fit; the reader stands behind it
 * others         as for pof_reader_find, but QN_ABSENT */
QN_MUST_USE enum qn_status pof_read_bool(struct pof_reader *r, int32_t index, bool *value);
QN_MUST_USE enum qn_status pof_read_octet(struct pof_reader *r, int32_t index, uint8_t *value);
QN_MUST_USE enum qn_status pof_read_char(struct pof_reader *r, int32_t index, uint16_t *value);
QN_MUST_USE enum qn_status pof_read_int16(struct pof_reader *r, int32_t index, int16_t *value);
QN_MUST_USE enum qn_status pof_read_int32(struct pof_reader *r, int32_t index, int32_t *value);
QN_MUST_USE enum qn_status pof_read_int64(struct pof_reader *r, int32_t index, int64_t *value);
QN_MUST_USE enum qn_status pof_read_float32(struct pof_reader *r, int32_t index, float *value);
QN_MUST_USE enum qn_status pof_read_float64(struct pof_reader *r, int32_t index, double *value);
QN_MUST_USE enum qn_status pof_read_string(struct pof_reader *r, int32_t index, struct bytes *text);

/* From an octet string or an array of octets. */
QN_MUST_USE enum qn_status pof_read_octets(struct pof_reader *r, int32_t index,
                                           struct bytes *octets);
QN_MUST_USE enum qn_status pof_read_date(struct pof_reader *r, int32_t index,
                                         struct pof_date *value);
QN_MUST_USE enum qn_status pof_read_time(struct pof_reader *r, int32_t index,
                                         struct pof_time *value);
QN_MUST_USE enum qn_status pof_read_datetime(struct pof_reader *r, int32_t index,
                                             struct pof_datetime *value);

/* The same conversions for a value at hand; null is not a number here. */
QN_MUST_USE enum qn_status pof_value_int64(const struct pof_value *value, int64_t *number);
QN_MUST_USE enum qn_status pof_value_float64(const struct pof_value *value, double *number);

/* The properties not yet read of the user type that the reader stands in, octet by octet, for
 * pof_write_remainder; {NULL, 0} when there are none. Afterwards nothing is left but to leave.
 *
 * QN_INVALID  not in a user type; others as for next */
QN_MUST_USE enum qn_status pof_read_remainder(struct pof_reader *r, struct bytes *properties);

QN_PUBLIC_END

#endif

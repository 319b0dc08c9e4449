/* The JSON view of the object format: one POF value as JSON text, and back.
 *
 * Names come from a schema (wire/pof/schema.h); without one, objects show the numbers of their
 * properties. No tree is built: values are written as they are read, in memory for the output
 * alone.
 *
 *     null, bool                 null, true, false
 *     octet, int16 .. int128     5, -170141183460469231731687303715884105728
 *     float32, float64           the shortest decimal that reads back to it: 0.1, 5.0, -0.0; "NaN",
 *                                "Infinity", "-Infinity"
 *     decimal                    12.50 with all its digits; 125E+5 and 1E-50 for scales beyond
 *     float128                   its octets in hex
 *     char, string               "a", as well-formed UTF-8; with `lossy` an unpaired surrogate in a
 *                                text becomes U+FFFD; a char that is one is a number
 *     octets                     base64 (RFC 4648, padded)
 *     date, time, datetime       ISO 8601: "2021-02-28", "13:45:00.5+01:00", "2021-02-28T13:45:00Z"
 *     intervals                  ISO 8601: "P1Y2M", "PT1H30M", "P3DT4H"; parts have their own sign
 *     array, collection          [1, 2, 3]
 *     sparse array               {"0": ..., "7": ...}
 *     map                        {"a": 1} when its keys are strings, else [[key, value], ...]
 *     user type                  {"make": "Volvo"}; properties without a name: {"0": "Volvo"}
 *     shared, recursive objects  {"$id": 1, ...}, and {"$ref": 1} where they stand again
 *
 * JSON has fewer kinds than the object format. A value that is not what the schema declares in its
 * place (or where it declares nothing) is marked, so that nothing is lost: {"$int64": 5}, {"$date":
 * "2021-02-28"}, {"$array": [1, 2], "$of": "int32"}, {"$type": "Car", "$version": 2, "make": ...}.
 * Of what is not declared, these stand without a mark: null, bools, strings, int32, int64 and
 * int128 outside of the range of the narrower, float64, plain collections, and plain maps whose
 * keys are strings. With `lossy` there are no marks: for people, and programs that only read.
 */
#ifndef QUOIN_WIRE_POF_JSON_JSON_H
#define QUOIN_WIRE_POF_JSON_JSON_H

#include "wire/bytes.h"
#include "wire/pof/schema.h"

QN_PUBLIC_BEGIN

/* Zero is the default of everything. */
struct pof_json_options {
    const struct pof_schema *schema; /* NULL: no names */
    const struct pof_view *view;     /* NULL: every field under its own name */
    const struct pof_shape *shape;   /* what the value is declared to be; NULL: nothing */
    bool lossy;                      /* no marks */
    uint32_t indent;                 /* spaces for each level; 0: all on one line */
    /* Takes the text written so far whenever there is more than 64 KiB of it, which is then dropped
     * from the buffer. Not QN_OK ends the writing with that status. NULL: all stays in the buffer.
     */
    enum qn_status (*flush)(void *context, struct bytes text);
    void *context;
    /* For reading by a view: the POF value that the text is a change of. What the view hides of it
     * stays. {NULL, 0}: there is none, what is hidden gets its default. */
    struct bytes base;
};

/* Append the POF value `pof` as JSON. What is written without `lossy` can be read: it means the
 * same value, but for identities, which are numbered anew. A value whose text could not be read is
 * not written; with `lossy` it is, for a person to look at:
 *
 * QN_UNSUPPORTED  octets that no writer of the format makes: a decimal of more than 34 digits or
 * out of its range, the indexes of a sparse array not ascending, half a pair of surrogates in a
 * text; or a reference to what has no "$id": a value that is no object, or stands in a field that
 * the view hides others          as pof_reader_next, and QN_MEMORY_FULL. On failure `out` is as it
 * was, unless there is `flush`, which may have taken the beginning */
QN_MUST_USE enum qn_status pof_json_write(struct buf *out, struct bytes pof,
                                          const struct pof_json_options *options);

/* What is wrong with a text, for the person who wrote it. */
struct pof_json_problem {
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in octets */
    char text[240];  /* one line; names the field: "owner.age: 3.5 is not a whole number" */
};

/* Append the POF value that the one JSON value in `json` means, in full form, so that a zero that
 * is there reads back as there. Marks are heeded; `lossy`, `indent` and `flush` are not. Members
 * may come in any order; one that is null is a property with the value null. `problem` may be NULL.
 *
 * With `view`, members have the names that it gives. A member that it hides is refused: the
 * property has its default, or what `base` has there. What pof_json_write shows of a value by a
 * view that pof_view_check found good reads back, with that value as `base`, to the value. Objects
 * of `base` are found by where they stand, so not in lists and maps: there, what would lose
 * something hidden is refused.
 *
 * QN_MALFORMED    not JSON (RFC 8259), see `problem`; or `base` is not POF
 * QN_INVALID      JSON, but not what the schema declares, see `problem`
 * QN_UNSUPPORTED  what the view hides would be lost, see `problem`: it shows only some fields of a
 *                 type (`only_listed`) and there is no base; or the base has objects in a list, or
 *                 shared objects, whose fields are hidden
 * QN_TOO_LARGE    deeper than POF_DEPTH_MAX
 * QN_MEMORY_FULL  on every failure `out` is as it was */
QN_MUST_USE enum qn_status pof_json_read(struct buf *out, struct bytes json,
                                         const struct pof_json_options *options,
                                         struct pof_json_problem *problem);

QN_PUBLIC_END

#endif

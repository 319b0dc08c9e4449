/* Fields of an object by path, read and updated on the octets.
 *
 * A path is a list of numbers, one per step: the index of a property in a user type, of an element
 * in an array or collection, of an entry in a sparse array. Nothing is decoded but what the path
 * leads to; what stands before it is skipped, so the cost grows with its place in the octets.
 *
 * Source: pof-spec section 11; octets and outcomes are those of the format's reference
 * implementation (tests/vectors/pof-navigate.jsonl). No I/O, no allocation but the caller's buffer.
 */
#ifndef QUOIN_WIRE_POF_PATH_H
#define QUOIN_WIRE_POF_PATH_H

#include "wire/bytes.h"
#include "wire/pof/reader.h"

QN_PUBLIC_BEGIN

/* Steps of a path at most: as deep as values can be. */
enum { POF_PATH_MAX = POF_DEPTH_MAX };

struct pof_path {
    const int32_t *steps; /* each >= 0; may be NULL when count is 0: the value itself */
    size_t count;
};

/* What a path leads to. All octets point into the value. */
struct pof_target {
    bool found;          /* there is a value, be it null */
    bool below_missing;  /* the path goes on below something that is absent or null */
    bool bare;           /* it stands in a uniform container and has no type id of its own */
    int32_t type;        /* its type id, when found */
    int32_t declared;    /* when `bare`: that of all in the container, mostly the same */
    struct bytes octets; /* the value with its type id (without when `bare`); when nothing is found
                            and it is not below something missing: the empty place for it */
    struct pof_value value; /* as pof_reader_next gives it, when found; of a container its head */
};

/* Find what `path` leads to in the POF value `pof` (see pof_binary_value).
 *
 * QN_OK           look at `found`
 * QN_ABSENT       an element number beyond the count of an array or collection
 * QN_INVALID      a step is negative, or the path is longer than POF_PATH_MAX
 * QN_WRONG_TYPE   the path goes on below a value without parts: a number, a string, a map
 * QN_UNSUPPORTED  the path goes on below a reference, or over what may be one in a uniform
 * container QN_TOO_LARGE    what stands before the target, or is in it, is beyond a limit of the
 * reader others          as pof_reader_next */
QN_MUST_USE enum qn_status pof_path_find(struct bytes pof, struct pof_path path,
                                         struct pof_target *target);

/* The same in a value whose objects are shared: where a reference stands, the object that it names
 * is the target, or gone through. `table` is as for pof_reader_track_identities, and empty; it is
 * filled as far as the path leads. References may lead back, so the work is that of the octets once
 * for each step at most.
 *
 * Statuses as pof_path_find, and as a reader with such a table. QN_UNSUPPORTED never. */
QN_MUST_USE enum qn_status pof_path_find_shared(struct bytes pof, struct pof_path path,
                                                struct buf *table, struct pof_target *target);

/* Stand in front of a found target: pof_reader_next gives its value, and a container can be
 * entered. Also for a bare one. */
void pof_path_reader(const struct pof_target *target, struct pof_reader *reader);

/* Append the Binary `binary` with the target of `path` replaced by the POF value `pof` (one value
 * with its type id, as pof_writer_finish left it; pof-spec section 3: in full form). Neither may
 * lie in `out`. Decorations are kept. A property that is absent is inserted in its place; an
 * element in a uniform container loses its type id. The size of a sparse array follows a new entry
 * where readers would lose or refuse entries otherwise. What stands behind the target is copied
 * unseen.
 *
 * Statuses as pof_path_find, and
 * QN_ABSENT       also: the path goes on below something missing
 * QN_INVALID      also: `pof` is not exactly one sound value without identities and references, or
 *                 not of the container's element type
 * QN_UNSUPPORTED  also: there is an identity at the target or before it, or the target is a
 *                 reference: what shares the object with it would change or break unseen; or
 *                 decorations are nested too deep
 * QN_TOO_LARGE    also: what comes out would be too deep, have too many elements without octets or
 *                 an entry at 2^31 - 1, or be too long
 * QN_MEMORY_FULL  `out` could not grow
 * On every failure `out` is unchanged. */
QN_MUST_USE enum qn_status pof_path_update(struct buf *out, struct bytes binary,
                                           struct pof_path path, struct bytes pof);

/* Several paths that are looked up together in one pass over the octets: for queries, indexes and
 * projections. Compiled once, immutable afterwards: any thread may use it. */
struct pof_path_set;

/* Compile `count` paths, which are copied. NULL: no memory, or a path that pof_path_find calls
 * invalid. The caller destroys it. */
struct pof_path_set *pof_path_set_create(const struct pof_path *paths, size_t count);
void pof_path_set_destroy(struct pof_path_set *set);

/* Fill `targets` (one for each path, in the order given) from `pof`. A path that leads below a
 * value without parts or out of range is not found, with below_missing: one object that looks
 * otherwise does not spoil a query. Stops reading behind the last one wanted.
 *
 * Statuses as pof_reader_next, when the octets are broken or beyond a limit before the last one
 * wanted; QN_UNSUPPORTED as pof_path_find. Then `targets` say nothing. */
QN_MUST_USE enum qn_status pof_path_set_find(const struct pof_path_set *set, struct bytes pof,
                                             struct pof_target *targets);

QN_PUBLIC_END

#endif

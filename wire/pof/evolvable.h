/* Objects whose classes grow: what an older program does not know survives its reading and writing.
 *
 * An evolvable object has the version of its class. Later versions add properties with higher
 * indexes; a program of an earlier version keeps them as octets, and writes them and the higher
 * version back.
 *
 * A class hierarchy is one object with an object in it for each class, a level, whose index is its
 * type id, so they stand in ascending order of type ids, and none is 0. Each level is evolvable,
 * and levels that a program does not know are kept as a whole.
 *
 * Evolvable objects have no identity, nor has anything in them: so do the format's reference
 * implementations. */
#ifndef QUOIN_WIRE_POF_EVOLVABLE_H
#define QUOIN_WIRE_POF_EVOLVABLE_H

#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

QN_PUBLIC_BEGIN

/* A class as the program knows it. */
struct pof_class {
    int32_t type;
    int32_t version;
};

/* What is kept of an object, or of a level, that was read; all zero for a new one. */
struct pof_evolvable {
    int32_t version;        /* of what was read */
    struct bytes remainder; /* the properties that were not, in the input, which must outlive it */
};

/* Go into the object that next or find has just given; then read its properties, and leave with the
 * remainder. QN_WRONG_TYPE: it is no object. Others as for pof_reader_enter, pof_read_remainder. */
QN_MUST_USE enum qn_status pof_enter_evolvable(struct pof_reader *r, const struct pof_value *value,
                                               struct pof_evolvable *kept);
QN_MUST_USE enum qn_status pof_leave_evolvable(struct pof_reader *r, struct pof_evolvable *kept);

/* Begin an object with the higher of the two versions; end it with what was kept, whose indexes
 * must be above those written. */
void pof_begin_evolvable(struct pof_writer *w, int32_t index, struct pof_class known,
                         const struct pof_evolvable *kept);
void pof_end_evolvable(struct pof_writer *w, const struct pof_evolvable *kept);

/* In the object of a hierarchy, which the reader has gone into: go into the level of class `type`,
 * then read it and leave with pof_leave_evolvable. The levels before it that nobody asked for are
 * appended to `unknown`.
 *
 * QN_ABSENT      there is no such level: it was written by a program without this class
 * QN_WRONG_TYPE  what stands there is no object of this type
 * QN_INVALID     `type` is 0, or not above the one asked for before; others as for pof_reader_find
 */
QN_MUST_USE enum qn_status pof_enter_level(struct pof_reader *r, int32_t type, struct buf *unknown,
                                           struct pof_evolvable *kept);

/* Leave the object of a hierarchy; what levels are left are appended to `unknown`. */
QN_MUST_USE enum qn_status pof_leave_levels(struct pof_reader *r, struct buf *unknown);

/* Begin the object of a hierarchy, of the lowest class that the object has; then its levels by
 * ascending type, each ended with pof_end_evolvable. `*unknown` are the levels that were kept:
 * those in front of the one begun are written, and taken from it; the rest at the end. */
void pof_begin_levels(struct pof_writer *w, int32_t index, int32_t type);
void pof_begin_level(struct pof_writer *w, struct pof_class known, const struct pof_evolvable *kept,
                     struct bytes *unknown);
void pof_end_levels(struct pof_writer *w, struct bytes *unknown);

QN_PUBLIC_END

#endif

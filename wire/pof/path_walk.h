/* One step down a path: shared by the single path (path.c, path_update.c) and the set (path_set.c).
 */
#ifndef QUOIN_WIRE_POF_PATH_WALK_H
#define QUOIN_WIRE_POF_PATH_WALK_H

#include "wire/pof/path.h"

/* A value whose head was taken, or the place of one that is not there. */
struct path_place {
    struct bytes start; /* from its first octet on, to the end of everything; empty without one */
    bool bare;
    int32_t declared; /* the type of all in the container, when `bare` */
    bool room;        /* without one: it could be put there */
    struct pof_value head;
};

/* Take the head of the value that the reader stands in front of. Statuses as pof_take_value. */
QN_MUST_USE enum qn_status path_take_head(struct pof_reader *r, struct path_place *place);

/* Go into the object that the reader stands in front of, without giving its head. False, and the
 * reader stays: it is none, or has an identity, or something may be wrong with it. */
bool path_go_into_object(struct pof_reader *r);

/* Are all steps numbers, and not too many? */
bool path_is_valid(struct pof_path path);

/* Go into the container whose head was taken. QN_WRONG_TYPE: it has no parts that a path could
 * name, as maps, and the small value that is an empty container. QN_UNSUPPORTED: a reference. */
QN_MUST_USE enum qn_status path_enter(struct pof_reader *r, const struct path_place *place);

/* In the container that the reader has gone into: stand in front of part `step`, over those before
 * it. QN_ABSENT: it is not there; `place->room` tells an index from a number beyond the count.
 * Others as pof_take_value. */
QN_MUST_USE enum qn_status path_go_to(struct pof_reader *r, int32_t step, struct path_place *place);

/* As pof_path_find, and leaves `r` behind the target, in the container that it stands in. */
QN_MUST_USE enum qn_status path_find(struct pof_reader *r, struct bytes pof, struct pof_path path,
                                     struct pof_target *target);

/* What a path leads to, once the reader stands behind it. QN_MALFORMED: a text or date that is
 * none. */
QN_MUST_USE enum qn_status path_fill(const struct pof_reader *r, const struct path_place *place,
                                     struct pof_target *target);
void path_fill_nothing(const struct path_place *place, struct pof_target *target);

#endif

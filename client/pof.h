/* Objects of your own as keys and values, in the portable object format (POF).
 *
 * An object is a C struct with a constant table beside it that says which member is which property;
 * write the table by hand (quoin/wire/pof/struct.h), or let `quoin generate` write struct and table
 * from a types file:
 *
 *     struct buf octets = {0};
 *     qn_put(cars, qn_str("s60"), qn_pof(&octets, &car_struct, &car, &err), NULL, &err);
 *
 *     qn_get(cars, qn_str("s60"), NULL, &value, &err);
 *     qn_value_object(value, &car_struct, &car, &memory, &err);
 *
 * Beside tables there are, from fastest to most convenient: writer and reader for code by hand,
 * paths for one field without reading the rest, and the JSON view. Nothing here has state that
 * threads share. What these headers declare belongs to libquoin: link nothing else. Structs in them
 * have no size field, so a program is compiled for one minor version of the library. */
#ifndef QUOIN_POF_H
#define QUOIN_POF_H

#include "client/quoin.h"

#include "wire/pof/array.h"
#include "wire/pof/binary.h"
#include "wire/pof/evolvable.h"
#include "wire/pof/json/json.h"
#include "wire/pof/path.h"
#include "wire/pof/raw.h"
#include "wire/pof/struct.h"
#include "wire/pof/text.h"
#include "wire/pof/typed_wide.h"
#include "wire/pof/uniform.h"

QN_PUBLIC_BEGIN

/* `object` as its table says. It is written into `out`, in the place of what was there: keep that
 * until the call that gets the argument has returned, and give it back with buf_fini. On failure
 * `err` says what is wrong (QN_MALFORMED: a text is not UTF-8; QN_INVALID: a date or decimal out of
 * range; QN_TOO_LARGE: too deep; QN_MEMORY_FULL), and calls refuse the argument. */
qn_arg qn_pof(struct buf *out, const struct pof_struct *table, const void *object, qn_error *err);

/* Stand in front of the value, to read it by hand. Texts and octets that the reader gives live as
 * long as the value. QN_INVALID: there is no value; QN_MALFORMED: it is no Binary. */
qn_status qn_value_pof(const qn_value *value, struct pof_reader *reader);

/* Read the value into a struct. Texts and octets in it point into the value, the rest is in the
 * memory given: both live as long as the struct is used. `object` is filled from the table's
 * initial values on.
 *
 * QN_WRONG_TYPE  it is no such object: `err` names both types
 * QN_MALFORMED, QN_TOO_LARGE, QN_UNSUPPORTED, QN_MEMORY_FULL: as pof_struct_read */
qn_status qn_value_object(const qn_value *value, const struct pof_struct *table, void *object,
                          struct pof_struct_memory *memory, qn_error *err);

QN_PUBLIC_END

#endif

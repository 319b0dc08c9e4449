/* What the halves of the struct tables share. */
#ifndef QUOIN_WIRE_POF_STRUCT_PARTS_H
#define QUOIN_WIRE_POF_STRUCT_PARTS_H

#include "wire/pof/struct.h"

enum { POF_NO_TYPE = POF_SMALL_TWENTY_TWO - 1 };

/* The type id of one value of the field in a uniform container; POF_NO_TYPE: it has no fixed one.
 */
int32_t struct_element_type(const struct pof_field *field);

#endif

/* From what a reader gave to what a writer takes, whatever the type: for copies, filters and tests.
 */
#ifndef QUOIN_WIRE_POF_VALUE_H
#define QUOIN_WIRE_POF_VALUE_H

#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

QN_PUBLIC_BEGIN

/* Write a scalar as the call of its type would; of a container begin the same one, whose values and
 * pof_end are the caller's. Decimals get the narrowest type that holds them. Strings in old forms
 * of UTF-8 make the writer fail, as always: pof_text_append makes them standard.
 *
 * An identity that the value has is not written; a reference needs one in this writer. */
void pof_write_value(struct pof_writer *w, int32_t index, const struct pof_value *value);

QN_PUBLIC_END

#endif

/* What the parts of the struct tables share. `member` is the value of a field in its struct, or one
 * element of it; `object` the struct. */
#ifndef QUOIN_WIRE_POF_STRUCT_PARTS_H
#define QUOIN_WIRE_POF_STRUCT_PARTS_H

#include "wire/pof/struct.h"

enum { POF_NO_TYPE = POF_SMALL_TWENTY_TWO - 1 };

/* -- struct_value.c: what a table says of a value -- */

/* The type id of one value of the field in a uniform container; POF_NO_TYPE: it has no fixed one.
 */
int32_t struct_element_type(const struct pof_field *field);

/* Is it null: a pointer that is NULL, or a date of zeros? */
bool struct_is_null(const struct pof_field *field, const void *member);

/* Would it be left out as a property, unless it is written in full? */
bool struct_is_left_out(const struct pof_field *field, const void *member);

/* Make all fields what they are when they are absent; or one whose octets are zeros. */
void struct_set_initials(const struct pof_struct *table, uint8_t *object);
void struct_set_initial(const struct pof_field *field, uint8_t *object);

/* -- writing: struct_write.c, struct_write_many.c -- */

void struct_write_one(struct pof_writer *w, int32_t index, const struct pof_field *field,
                      const void *member);
void struct_write_field(struct pof_writer *w, int32_t index, const struct pof_field *field,
                        const uint8_t *object);
void struct_write_many(struct pof_writer *w, int32_t index, const struct pof_field *field,
                       const uint8_t *object);

/* -- reading: struct_read.c, struct_read_one.c, struct_read_many.c -- */

/* A value that is there, and no null. */
enum qn_status struct_read(struct pof_reader *r, const struct pof_value *value,
                           const struct pof_struct *table, void *object,
                           struct pof_struct_memory *memory);
enum qn_status struct_read_one(struct pof_reader *r, const struct pof_value *value,
                               const struct pof_field *field, void *member,
                               struct pof_struct_memory *memory);
enum qn_status struct_read_many(struct pof_reader *r, const struct pof_value *value,
                                const struct pof_field *field, uint8_t *object,
                                struct pof_struct_memory *memory);

/* The same for a value that may be null, as a field of its object. */
enum qn_status struct_read_any(struct pof_reader *r, const struct pof_value *value,
                               const struct pof_field *field, uint8_t *object,
                               struct pof_struct_memory *memory);

/* Octets in the arena, with a NUL behind them. */
enum qn_status struct_copy_octets(struct bytes from, struct pof_struct_memory *memory,
                                  struct bytes *to);

/* The text as UTF-8: others have written other forms as well, which never get longer. */
enum qn_status struct_standard_text(struct bytes text, struct pof_struct_memory *memory,
                                    struct bytes *standard);

#endif

/* What the parts of the struct tables share. `member` is the value of a field in its struct, or one
 * element of it; `object` the struct. */
#ifndef QUOIN_WIRE_POF_STRUCT_PARTS_H
#define QUOIN_WIRE_POF_STRUCT_PARTS_H

#include "wire/pof/struct.h"
#include "wire/pof/struct_shared.h"

enum { POF_NO_TYPE = POF_SMALL_TWENTY_TWO - 1 };

/* -- struct_value.c: what a table says of a value -- */

/* The type id of one value of the field in a uniform container; POF_NO_TYPE: it has no fixed one.
 */
int32_t struct_element_type(const struct pof_field *field);

/* Is it null: a pointer that is NULL, or a date of zeros? */
bool struct_is_null(const struct pof_field *field, const void *member);

/* Would it be left out as a property, unless it is written in full? */
bool struct_is_left_out(const struct pof_field *field, const void *member);

/* Do structs of this table have parts in place that pointers may lead to? */
bool struct_has_shared(const struct pof_struct *table);

/* Is there a type that is shared among all that may be in structs of this table? */
bool struct_reaches_shared(const struct pof_struct *table);

/* Make all fields what they are when they are absent; or one whose octets are zeros. */
void struct_set_initials(const struct pof_struct *table, uint8_t *object);
void struct_set_initial(const struct pof_field *field, uint8_t *object);

/* -- writing: struct_write.c, struct_write_many.c -- */

/* One call of pof_struct_write. */
struct struct_writing {
    struct pof_writer *w;
    const struct pof_struct *outermost;
    enum { SHARED_UNKNOWN, SHARED_NONE, SHARED_SOME } identities; /* are there any in the value? */
    struct shared_writing shared;
};

void struct_write_one(struct struct_writing *s, int32_t index, const struct pof_field *field,
                      const void *member);
void struct_write_field(struct struct_writing *s, int32_t index, const struct pof_field *field,
                        const uint8_t *object);
void struct_write_many(struct struct_writing *s, int32_t index, const struct pof_field *field,
                       const uint8_t *object);

/* One value that needs nothing but itself to be written. */
static inline bool struct_is_simple(const struct pof_field *field)
{
    return field->many == POF_ONE && field->present_place == 0 && !field->initial;
}

/* The short way (struct_write_plain.c): write fields as long as they are plain and there is room.
 * Returns the first that is not. */
const struct pof_field *struct_write_plain(struct pof_writer *w, const struct pof_field *field,
                                           const struct pof_field *end, const uint8_t *object);

/* The same for a list of strings as a property; false: not plain, and nothing written. */
bool struct_write_plain_list(struct pof_writer *w, const struct pof_field *field,
                             const struct bytes *strings, uint32_t count);

/* -- reading: struct_read.c, struct_read_one.c, struct_read_many.c -- */

/* One call of pof_struct_read, and those that functions of types make within it. */
struct pof_struct_reading {
    struct pof_reader *r;
    struct pof_struct_memory *memory;
    struct shared_reading shared;
    uint64_t advance; /* octets that arrays may still take before their elements are read */
};

/* A value that is there, and no null. */
enum qn_status struct_read(struct pof_struct_reading *s, const struct pof_value *value,
                           const struct pof_struct *table, void *object);
enum qn_status struct_read_one(struct pof_struct_reading *s, const struct pof_value *value,
                               const struct pof_field *field, void *member);
enum qn_status struct_read_many(struct pof_struct_reading *s, const struct pof_value *value,
                                const struct pof_field *field, uint8_t *object);

/* The same for a value that may be null, as a field of its object. */
enum qn_status struct_read_any(struct pof_struct_reading *s, const struct pof_value *value,
                               const struct pof_field *field, uint8_t *object);

/* A reference instead of a value: the pointer to what it names, or a copy in place. */
enum qn_status struct_read_reference(struct pof_struct_reading *s, const struct pof_value *value,
                                     const struct pof_field *field, void *member);

/* Octets in the arena, with a NUL behind them. */
enum qn_status struct_copy_octets(struct bytes from, struct pof_struct_memory *memory,
                                  struct bytes *to);

/* The text as UTF-8: others have written other forms as well, which never get longer. */
enum qn_status struct_standard_text(struct bytes text, struct pof_struct_memory *memory,
                                    struct bytes *standard);

/* -- struct_plain.c: the short way -- */

/* Read the fields from number `from` on, as long as they are plain. Returns the number of the first
 * that is not, and stays to be read, the long way. */
uint32_t struct_read_plain(struct pof_struct_reading *s, const struct pof_struct *table,
                           uint32_t from, int32_t version, uint8_t *object);

/* Go into the struct of a field, when it comes next, has no identity and is not too deep. */
bool struct_enter_plain(struct pof_struct_reading *s, const struct pof_field *field,
                        int32_t *version);

/* As pof_reader_leave, from a struct. */
enum qn_status struct_leave(struct pof_struct_reading *s);

/* The list of a field, when it comes next and is plain in every way. Otherwise nothing has been
 * taken. */
bool struct_read_plain_list(struct pof_struct_reading *s, const struct pof_field *field,
                            uint8_t *object);

/* -- struct_unknown.c: properties that a table does not know -- */

/* What was kept so far of one object; all zero is nothing. */
struct struct_unknown {
    struct bytes octets;
    uint8_t *room; /* in the arena, where they are; NULL: they are where they were read */
    size_t capacity;
};

/* Keep what stands between two properties that the table knows. */
enum qn_status struct_keep_between(struct pof_struct_reading *s, int32_t last, int32_t next,
                                   struct struct_unknown *kept);

/* Keep what stands behind them all. */
enum qn_status struct_keep_rest(struct pof_struct_reading *s, struct struct_unknown *kept);

/* Write what was kept of properties below index `end`, and take it from `kept`. */
void struct_write_kept(struct pof_writer *w, struct bytes *kept, int32_t end);

#endif

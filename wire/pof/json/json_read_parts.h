/* What the reader of JSON is made of. Internal to wire/pof/json. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_READ_PARTS_H
#define QUOIN_WIRE_POF_JSON_JSON_READ_PARTS_H

#include "wire/pof/json/json.h"
#include "wire/pof/json/json_scan.h"
#include "wire/pof/json/json_shape.h"
#include "wire/pof/writer.h"

/* A place in a text that pjson_scan has checked: in front of a value or a name. */
struct pjson_place {
    size_t at;
    uint32_t bracket; /* number of the next one that opens from here on */
};

struct pjson_reader {
    struct bytes text;
    const struct pjson_bracket *brackets;
    const struct pof_json_options *options;
    struct pof_json_problem *problem; /* NULL: nobody wants to know */
    enum qn_status status;            /* the first failure */
    struct buf path;                  /* where we are: "owner.age" */
    struct buf names;                 /* texts without their escapes */
    struct buf members;               /* of the objects that are open: struct pjson_field */
    struct buf identities;            /* pairs of int32: number in the text, number in the octets */
    bool base_shares;                 /* the base has identities */
    unsigned unmatched;               /* we are in so many containers that the base has, too */
    struct pof_writer w;
};

/* Fail, and say what is wrong with the value at `at`. Only the first failure counts. */
void pjson_wrong(struct pjson_reader *j, enum qn_status status, size_t at, const char *what);

/* The same, with the value itself in front: "3.5 is not a whole number". */
void pjson_wrong_value(struct pjson_reader *j, size_t at, const char *what);

/* The text of the value at `at`, without quotes. */
bool pjson_is_string(const struct pjson_reader *j, size_t at);
struct bytes pjson_token(const struct pjson_reader *j, size_t at);

/* The string at `at` with its escapes resolved: in `j->names` when it has any, until that is cut
 * back. False: failed (an unpaired surrogate, memory). */
bool pjson_string(struct pjson_reader *j, size_t at, struct bytes *text);

/* Go behind the value at `place`. */
struct pjson_place pjson_behind(const struct pjson_reader *j, struct pjson_place place);

/* Go into the bracket at `place`; `*count` is how many elements or members it has. */
struct pjson_place pjson_inside(const struct pjson_reader *j, struct pjson_place place,
                                uint32_t *count);

/* Over white space and one comma or colon to what comes then. */
struct pjson_place pjson_go_on(const struct pjson_reader *j, struct pjson_place place);

/* Note a step of the path, and forget it. */
size_t pjson_path_push(struct pjson_reader *j, struct bytes name, int64_t number);
void pjson_path_pop(struct pjson_reader *j, size_t size);

/* Write the value at `place`, declared to be of `shape`, at `index`. */
void pjson_read_value(struct pjson_reader *j, struct pjson_place place, int32_t index,
                      const struct pof_shape *shape);

/* The same for a change of the value that has the octets `base`; {NULL, 0}: there is none. */
void pjson_read_change(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape, struct bytes base);

/* The same for a number, string, bool or null; for braces. */
void pjson_read_scalar(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape);
void pjson_read_braces(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape, struct bytes base);

/* Write the list at `place` (a bracket) as what `shape` says. */
void pjson_read_list(struct pjson_reader *j, struct pjson_place place, int32_t index,
                     const struct pof_shape *shape);

/* Is the value at `at` null? */
bool pjson_is_null(const struct pjson_reader *j, size_t at);

/* A property of an object, or an entry of a sparse array: from a member, or kept from the base. */
struct pjson_field {
    int32_t index;
    bool kept;      /* `base` is copied: there is no member */
    bool flattened; /* the member is a part of the object in it: see `skip` */
    size_t skip;    /* octets of the name, without escapes, in front of that of the part */
    const struct pof_shape *shape;
    struct bytes name;         /* as the text has it */
    struct pjson_place member; /* its name */
    struct pjson_place value;
    struct bytes base; /* what the base has in the place, {NULL, 0}: nothing */
};

/* What is being read into properties. */
struct pjson_object {
    const struct pof_schema_type *type; /* NULL: nothing is known of its fields */
    const struct pof_view_type *rules;  /* NULL: none */
    int32_t version;
    struct bytes base; /* the properties of the object that it changes */
    bool changes;      /* there is one */
    size_t begin;      /* of its fields in `j->members` */
    size_t count;
};

/* The name and the value of the member at `place`; `*next` is the one behind. */
bool pjson_member_at(struct pjson_reader *j, struct pjson_place place, struct bytes *name,
                     struct pjson_place *value, struct pjson_place *next);

bool pjson_is_named(struct bytes name, const char *text);

/* Is it a whole number from 0 to 2^31 - 1, as properties without a name are shown? */
bool pjson_is_index(struct bytes name, int32_t *index);

/* Such a number as value; false: told. */
bool pjson_index_at(struct pjson_reader *j, struct pjson_place place, int32_t *number);

/* The id of the type that `value` names, by name or number; false: told. */
bool pjson_type_named(struct pjson_reader *j, struct pjson_place value, int32_t *type);

/* Find out what a member called `name` (without escapes, at `at` in the text) is in an object:
 * fills index, shape, flattened and skip. False: nothing, told. */
bool pjson_find_field(struct pjson_reader *j, const struct pjson_object *object, struct bytes name,
                      size_t at, struct pjson_field *field);

/* Fail: `name` (at `at`) is no type, nor with `kinds` a scalar kind; it is no mark. What it might
 * be is told. */
void pjson_unknown_type(struct pjson_reader *j, size_t at, struct bytes name, bool kinds);
void pjson_unknown_mark(struct pjson_reader *j, size_t at, struct bytes name);

/* The rules that the view has for objects of this id, and the object that `base` (octets of a
 * value) is when it has the same id. False: told (something hidden would be lost). */
bool pjson_object_init(struct pjson_reader *j, struct pjson_object *object, size_t at, int32_t id,
                       const struct pof_schema_type *type, struct bytes base);

/* Look at the base before anything is read. False: told. */
bool pjson_base_look(struct pjson_reader *j);

/* Is this value a container with something in it, and no object? */
bool pjson_base_has_elements(struct bytes value);

/* Take the next property. False: there is none. */
bool pjson_base_next(struct bytes *properties, int32_t *index, struct bytes *value);

/* Collect the members behind the marks of the bracket at `place` as fields of the object, by
 * ascending index. */
void pjson_collect(struct pjson_reader *j, struct pjson_place place, struct pjson_object *object);

/* One of them, until the next is added: deeper objects put theirs behind. */
struct pjson_field pjson_field_at(const struct pjson_reader *j, const struct pjson_object *object,
                                  size_t number);

/* Write the fields, and forget them. */
void pjson_write_fields(struct pjson_reader *j, struct pjson_object *object);

/* Write the braces at `place` as an object, a sparse array or a map; `value` as a reference. */
void pjson_read_object(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape, struct bytes base);
void pjson_read_reference(struct pjson_reader *j, struct pjson_place value, int32_t index);
void pjson_read_sparse(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape);
void pjson_read_map(struct pjson_reader *j, struct pjson_place place, int32_t index,
                    const struct pof_shape *shape);

#endif

/* Containers that are uniform when they can be, and plain when they cannot.
 *
 * A uniform container names the type of its elements once; it holds no null, nothing of another
 * type, and no reference to an earlier object. pof_begin_uniform_array and its like take what the
 * caller promises and fail when it is not kept. Here the writer sees what comes: all elements of
 * one type make the uniform form, anything else the plain one. That is how the format's reference
 * implementations write a list with a declared class, which fall back for null only, where a list
 * of several classes is an error to them. */
#ifndef QUOIN_WIRE_POF_UNIFORM_H
#define QUOIN_WIRE_POF_UNIFORM_H

#include "wire/pof/value.h"

QN_PUBLIC_BEGIN

/* The type that the first element has. Without elements the container is plain. */
enum { POF_ANY_TYPE = -65 };

/* An open container; internal. It belongs to the caller and must outlive pof_uniform_end. */
struct pof_uniform {
    struct pof_writer *w;
    struct pof_container wanted;
    size_t head;  /* where the type id of the container stands in the buffer */
    size_t start; /* and the first element; there is a gap between */
    bool fixed;   /* the container around it has decided the form */
};

/* Begin a container whose uniform form is `wanted`: POF_UNIFORM_COLLECTION, POF_UNIFORM_ARRAY,
 * POF_UNIFORM_SPARSE_ARRAY, POF_UNIFORM_KEYS_MAP or POF_UNIFORM_MAP. `key_type` and `element_type`
 * may be POF_ANY_TYPE; else what has another type makes the container plain. A map is plain as a
 * whole when one of the two is.
 *
 * Then write the elements by the calls of any type, containers and objects too, and end with
 * pof_uniform_end instead of pof_end. Both cost a look at each element and one copy of it.
 *
 * In a uniform container the form is not free: it is the one that `element_type` of that container
 * says. The writer fails with QN_INVALID when `wanted` is no uniform form, or POF_ANY_TYPE is not
 * free to choose. */
void pof_uniform_begin(struct pof_uniform *u, struct pof_writer *w, int32_t index,
                       struct pof_container wanted);
void pof_uniform_end(struct pof_uniform *u);

/* The same in one call, from `wanted.count` scalars (of a map twice as many, keys and values in
 * turn). Those of a sparse array stand at their `index`; there are `count` of them, and
 * `wanted.count` is its size. */
void pof_write_uniform(struct pof_writer *w, int32_t index, struct pof_container wanted,
                       const struct pof_value *values, size_t count);

/* Strings as a POF_UNIFORM_ARRAY or POF_UNIFORM_COLLECTION; where `data` is NULL, null, and the
 * plain form. */
void pof_write_strings(struct pof_writer *w, int32_t index, enum pof_type form,
                       const struct bytes *texts, size_t count);

QN_PUBLIC_END

#endif

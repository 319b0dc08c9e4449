/* The golden vectors as jansson objects, and the numbers and octets in them. */
#ifndef QUOIN_TESTS_LIB_POF_VECTORS_H
#define QUOIN_TESTS_LIB_POF_VECTORS_H

#include <jansson.h>

#include <stdbool.h>

#include "wire/bytes.h"
#include "wire/pof/types.h"

/* Unpaired surrogates have no place in jansson's strings: unit u stands as code point LONE + u. */
enum { LONE = 0x100000 };

/* A line of a vector file as an object that the caller releases; NULL when it is no JSON. */
json_t *vector_parse(const char *line);

/* Call `each` for every line of the file at `path` that is not blank, with its number from 1 and
 * its object (NULL: it is no JSON object), which ends with the call. False: the file cannot be read
 * to its end; errno says why. */
bool vectors_each(const char *path, void (*each)(json_t *line, size_t number, void *context),
                  void *context);

/* The string or number of a member; "" or 0 when there is none, which no vector agrees with. */
const char *vector_text(const json_t *node, const char *key);
int64_t vector_int(const json_t *node, const char *key);

/* Is the "hex" of this line of pof.jsonl one value, and all of it? */
bool vector_is_value(const json_t *line);

/* Append the octets that `hex` stands for. */
void hex_append(struct buf *out, const char *hex);

/* The octets of a line: its "hex", or what its "hex_rule" makes. */
void vector_octets(const json_t *line, struct buf *out);

/* `octets` as a JSON string of lower-case hex. */
json_t *hex_of(struct bytes octets);

struct pof_int128 int128_of(const char *decimal);
json_t *int128_text(struct pof_int128 value);

/* A string of the vectors as UTF-8, each unpaired surrogate dropped or (`mark`) as U+FFFD. */
void text_of(const json_t *string, bool mark, struct buf *out);

#endif

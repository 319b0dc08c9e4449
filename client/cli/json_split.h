/* Finds the elements of a JSON array, or the lines of JSON lines, without reading what is in them.
 *
 * So a large file is read element by element, each with its line number, and one that is damaged
 * inside its brackets spoils no other. Works on text in memory; pure. */
#ifndef QUOIN_CLIENT_CLI_JSON_SPLIT_H
#define QUOIN_CLIENT_CLI_JSON_SPLIT_H

#include "wire/bytes.h"

enum json_split_event {
    JSON_SPLIT_ELEMENT,
    JSON_SPLIT_END,
    JSON_SPLIT_BROKEN, /* `problem` says why; there is no way to go on */
};

struct json_split {
    struct bytes text; /* borrowed */
    size_t at;
    uint64_t line; /* of `at`, from 1 */
    bool first;    /* no element was found yet */
    char problem[160];
};

/* Begin at the first octet of `text`, which must live as long; a byte order mark is skipped. */
void json_split_init(struct json_split *split, struct bytes text);

/* Enter the array: the text itself, or the member `name` of the object that the text is (NULL = the
 * text itself). False: `problem` says why, and names an array that could be meant. */
bool json_split_enter(struct json_split *split, const char *name);

/* Go on between two elements or lines, at octet `at` of the text, which is on `line`. */
void json_split_go_on(struct json_split *split, size_t at, uint64_t line);

/* The next element of the array, as text from its first to its last octet, and the line it begins
 * on. Once it answered END or BROKEN it must not be called again. */
enum json_split_event json_split_next(struct json_split *split, struct bytes *element,
                                      uint64_t *line);

/* The next member of the object that the text is, its name without quotes, both as they are
 * written. False: there is none, or the text is no such object. Without json_split_enter. */
bool json_split_member(struct json_split *split, struct bytes *name, struct bytes *value);

/* The next line that is not blank; without json_split_enter. Never BROKEN. */
enum json_split_event json_split_next_line(struct json_split *split, struct bytes *element,
                                           uint64_t *line);

#endif

/* How the entries of a cache stand as text: the type of the values, the field that is their key,
 * and the view they are shown by; all of it from the types file and the options that overrule it.
 */
#ifndef QUOIN_CLIENT_CLI_FORM_H
#define QUOIN_CLIENT_CLI_FORM_H

#include "client/cli/cli.h"
#include "wire/pof/json/json.h"

/* All zero: nothing is known. Borrowed from the types of the `cli`. */
struct form {
    const struct pof_schema *schema;    /* NULL = no types file */
    const struct pof_view *view;        /* NULL = every field under its own name */
    const struct pof_schema_type *type; /* of the values; NULL = any */
    const struct pof_schema_field *key; /* of `type`, or NULL */
    struct pof_shape shape;             /* that of `type` */
};

/* Look up the form of a cache, once cli_types has read the types file: the type of --type, the key
 * of --key-field, the view of --view ("" = none), each else as the file says. Complains, with the
 * name that could be meant, and returns CLI_USAGE when one that was given does not exist. */
enum cli_exit form_find(const struct cli *cli, const char *cache, struct form *form);

/* The form of objects of a type, each field under its own name; nothing is known with NULL. */
struct form form_of(const struct types *types, const struct pof_schema_type *type);

/* Can objects be made of what the view shows of the type? Complains when not. */
enum cli_exit form_check_reading(const struct cli *cli, const struct form *form);

/* Does the view leave something out? */
bool form_hides(const struct form *form);

/* Can a field be a key? Strings and whole numbers of up to 64 bits can; the latter are whole. */
bool form_key_fits(const struct pof_schema_field *field);
bool form_key_is_whole(const struct pof_schema_field *field);

/* How its values are shown, so that they can be read back. */
struct pof_json_options form_json(const struct form *form);

#endif

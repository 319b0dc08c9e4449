/* Names of the types file as names of C. Pure.
 *
 * "BigComplexObject" becomes big_complex_object; a word that C or C++ keeps for itself gets a '_'
 * behind it. */
#ifndef QUOIN_CLIENT_CLI_GENERATE_NAMES_H
#define QUOIN_CLIENT_CLI_GENERATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { GENERATE_NAME_MAX = 160, GENERATE_PROBLEM_MAX = 400 };

/* The name in C, `prefix` and '_' before it unless it is empty. False: there is none, since `name`
 * is too long, or holds what no name in C can; `problem` (GENERATE_PROBLEM_MAX octets) says why. */
bool generate_name(const char *prefix, const char *name, char c_name[GENERATE_NAME_MAX],
                   char *problem);

/* Is it a word that C or C++ keeps for itself? */
bool generate_is_keyword(const char *word);

/* Could a struct of this name be one of ours? */
bool generate_is_taken(const char *c_name);

#endif

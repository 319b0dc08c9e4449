/* The groups { } of a libconfig file, checked against what they may and must have.
 *
 * For files whose groups come in lists, as those of types do. Private to this folder. */
#ifndef QUOIN_CONFIG_GROUP_H
#define QUOIN_CONFIG_GROUP_H

#include "config/document.h"
#include "wire/suggest.h"

enum group_kind {
    GROUP_NUMBER, /* 0..2^31-1 */
    GROUP_TEXT,   /* not empty */
    GROUP_LIST,   /* ( ... ) */
    GROUP_TEXTS,  /* [ "...", ... ] */
    GROUP_FLAG,   /* true or false */
    GROUP_ANY,    /* the caller looks himself */
};

/* What a group may or must have. Arrays of these end with a NULL name. */
struct group_attribute {
    const char *name;
    enum group_kind kind;
    bool required;
};

/* Where mistakes are reported, and for which document. */
struct group_context {
    const struct document *document;
    struct cfg_report *report;
};

/* Report a mistake at `setting`. */
__attribute__((format(printf, 3, 4))) void group_error(const struct group_context *context,
                                                       const config_setting_t *setting,
                                                       const char *format, ...);

/* Report "unknown <what> <word>", and ask whether the nearest word was meant. */
void group_unknown(const struct group_context *context, const config_setting_t *setting,
                   const char *what, const struct suggest *suggest);

/* Report all that is unknown, missing or of the wrong kind in `group`; true when nothing is. */
bool group_check(const struct group_context *context, const config_setting_t *group,
                 const char *what, const struct group_attribute *attributes);

/* The `i`-th element of a list when it is a group that passes group_check, else NULL. */
const config_setting_t *group_element(const struct group_context *context,
                                      const config_setting_t *list, unsigned i, const char *what,
                                      const struct group_attribute *attributes);

#endif

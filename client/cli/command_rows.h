/* How rows of the command table are written. For the commands_*.c files only. */
#ifndef QUOIN_CLIENT_CLI_COMMAND_ROWS_H
#define QUOIN_CLIENT_CLI_COMMAND_ROWS_H

#include "client/cli/commands.h"

#define PLACE(field)    offsetof(struct options, field)
#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define OPTIONS(table)  .options = (table), .option_count = COUNT_OF(table)

/* `name_` is without the dashes. The argument of a TEXT may list the words there are:
 * "disk|memory".
 */
#define FLAG(name_, field, text_)                                                                  \
    {                                                                                              \
        .name = name_, .text = text_, .kind = OPTION_FLAG, .place = PLACE(field)                   \
    }
#define TEXT(name_, argument_, field, text_)                                                       \
    {                                                                                              \
        .name = name_, .argument = argument_, .text = text_, .kind = OPTION_TEXT,                  \
        .place = PLACE(field)                                                                      \
    }
#define NUMBER(name_, argument_, field, kind_, min_, max_, text_)                                  \
    {                                                                                              \
        .name = name_, .argument = argument_, .text = text_, .kind = kind_, .place = PLACE(field), \
        .min = min_, .max = max_                                                                   \
    }

/* Options that several commands take. */
#define CREATE FLAG("create", create, "create the cache when it does not exist")
#define CSV    FLAG("csv", csv, "print lines of comma-separated values, the first with their names")
#define RAW    FLAG("raw", raw, "print the octets of values as they are and nothing else")
#define YES    FLAG("yes", yes, "do not ask")
#define VIEW                                                                                       \
    TEXT("view", "NAME", view,                                                                     \
         "how objects are shown (default: the cache's, in the types file; '' = no view)")
#define WATCH                                                                                      \
    {                                                                                              \
        .name = "watch", .argument = "DURATION", .bare = "2s",                                     \
        .text = "repeat until Ctrl-C (default: every 2s)", .kind = OPTION_DURATION,                \
        .place = PLACE(watch_ms), .min = 100, .max = 86400000                                      \
    }
#define TTL(text_)                                                                                 \
    NUMBER("ttl", "DURATION|never", ttl_ms, OPTION_TTL, 1, INT64_C(3155760000000), text_)

#endif

/* The octets of one line of the log: no state, no output, but for a look at the wall clock. */
#ifndef QUOIN_NODE_LOGGER_LINE_H
#define QUOIN_NODE_LOGGER_LINE_H

#include "wire/bytes.h"

enum { LOGGER_LINE_SIZE = 4096 }; /* PIPE_BUF: no other line comes between the octets of one */

/* What a line begins with. */
struct logger_line_head {
    const char *prefix; /* "<6>" or "" */
    const char *level;
    const char *module;
    const char *event;
    uint32_t node;
    bool json;
};

/* The line being written. Once something did not fit, `cut` is set and only the tail is added. */
struct logger_line {
    char text[LOGGER_LINE_SIZE];
    size_t size;
    bool cut;
};

/* Write a whole line, line feed included. `fields` is what the caller formatted: "key=value ...";
 * with `fields_cut` it is known to lack its end. Whatever the octets are, it is one line. */
void logger_line_build(struct logger_line *line, const struct logger_line_head *head,
                       struct bytes fields, bool fields_cut);

#endif

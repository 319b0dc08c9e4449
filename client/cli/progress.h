/* A line on stderr that shows how far a long command is. Silent when stderr is not a terminal. */
#ifndef QUOIN_CLIENT_CLI_PROGRESS_H
#define QUOIN_CLIENT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PROGRESS_LINE_MAX = 160 };

struct progress {
    FILE *to;            /* NULL = silent */
    const char *what;    /* "imported" */
    uint64_t total;      /* units of `done`; 0 = not known */
    uint64_t from_count; /* where it goes on from: what was through, and done, before it began */
    uint64_t from_done;
    uint64_t began_ns;
    uint64_t drawn_ns; /* when it was last drawn */
};

/* Monotonic time in nanoseconds. */
uint64_t progress_clock_ns(void);

/* Begin; `what` is borrowed. `total` is in the units that progress_show gets as `done`; 0 = not
 * known. */
void progress_init(struct progress *progress, FILE *to, bool terminal, const char *what,
                   uint64_t total);

/* Say that this is the rest of something: the rate and the time that is left are those of the rest.
 */
void progress_go_on(struct progress *progress, uint64_t count, uint64_t done);

/* `count` things are through, and `done` of `total`. Draws at most ten times a second. */
void progress_show(struct progress *progress, uint64_t count, uint64_t done);

/* Wipe the line, so that the next output begins on a clean one. */
void progress_end(struct progress *progress);

/* The line as text, into `line` (PROGRESS_LINE_MAX octets): how much, how fast and, when the total
 * is known, how long it will still take. Pure. */
void progress_format(const struct progress *progress, uint64_t count, uint64_t done,
                     uint64_t elapsed_ns, char *line);

#endif

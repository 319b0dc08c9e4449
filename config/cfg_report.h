/* What is wrong with a file of settings or types: lines of text for the person who wrote it.
 *
 * A report collects every mistake, so that one run shows them all. One owner, no locks. */
#ifndef QUOIN_CONFIG_CFG_REPORT_H
#define QUOIN_CONFIG_CFG_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "wire/bytes.h"

enum {
    CFG_REPORT_LINE_MAX = 512,  /* octets of one line, the rest is cut */
    CFG_REPORT_LINES_MAX = 100, /* further lines are counted, not kept */
};

/* All zero is a valid empty report. */
struct cfg_report {
    struct buf text;    /* lines, each ended by a newline */
    size_t error_count; /* mistakes, also those beyond CFG_REPORT_LINES_MAX */
    size_t note_count;  /* lines that are no mistakes */
};

/* Give the memory back and make it empty. */
void cfg_report_fini(struct cfg_report *report);

/* Add a mistake: `<file>:<line>: <text>`; `<file>: <text>` when line is 0; the text alone when file
 * is NULL. Octets below 32 are shown as '?'. NULL as report: nothing happens. */
__attribute__((format(printf, 4, 5))) void cfg_report_error(struct cfg_report *report,
                                                            const char *file, unsigned line,
                                                            const char *format, ...);

/* Add a line that is not a mistake. */
__attribute__((format(printf, 2, 3))) void cfg_report_note(struct cfg_report *report,
                                                           const char *format, ...);

/* The whole text, one message a line; "" when empty. Valid until the next change. */
const char *cfg_report_text(const struct cfg_report *report);

/* Print all lines, and how many more there were. */
void cfg_report_print(const struct cfg_report *report, FILE *to);

#endif

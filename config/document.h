/* A libconfig file: read, looked over by scan.h, parsed.
 *
 * Reading happens here and not in libconfig, so that text from memory and from a file take the same
 * way. A file may include others: `@include "other.cfg"` at the beginning of a line, relative to
 * its folder. */
#ifndef QUOIN_CONFIG_DOCUMENT_H
#define QUOIN_CONFIG_DOCUMENT_H

#include <libconfig.h>

#include "config/cfg_report.h"
#include "wire/bytes.h"

enum {
    DOCUMENT_SIZE_MAX = 4 * 1024 * 1024, /* octets of one file */
    DOCUMENT_INCLUDES_MAX = 100,         /* files included in all */
    DOCUMENT_DEPTH_MAX = 10,             /* libconfig's own bound for nesting */
};

/* `config` is libconfig's; `name` is borrowed from the caller. */
struct document {
    config_t config;
    const char *name;
};

/* Where a setting stands; `file` is borrowed from the document. */
struct document_place {
    const char *file;
    unsigned line;
};

/* Read and parse a file. On QN_OK the caller gives the document back with document_fini; otherwise
 * there is nothing to give back and `report` says why.
 *
 * QN_IO           the file cannot be read
 * QN_INVALID      it is not well-formed
 * QN_MEMORY_FULL  no memory */
QN_MUST_USE enum qn_status document_read(struct document *document, const char *path,
                                         struct cfg_report *report);

/* The same for text in memory; it may include files relative to the working folder. */
QN_MUST_USE enum qn_status document_read_text(struct document *document, struct bytes text,
                                              const char *name, struct cfg_report *report);

void document_fini(struct document *document);

struct document_place document_place(const struct document *document,
                                     const config_setting_t *setting);

/* "a number", "a text", "a group { }" ...: what `setting` is, for messages. */
const char *document_kind(const config_setting_t *setting);

#endif

/* Types from a configuration in Oracle's XML form (pof-spec section 12): ids and class names.
 *
 * Fields do not stand there, they are in the classes' code. Files are read from where they are,
 * nothing is fetched, and no entity is expanded. */
#ifndef QUOIN_CLIENT_CLI_TYPES_XML_H
#define QUOIN_CLIENT_CLI_TYPES_XML_H

#include "config/cfg_report.h"
#include "wire/bytes.h"

enum {
    TYPES_XML_TYPES_MAX = 8192,
    TYPES_XML_FILES_MAX = 100,
    TYPES_XML_SIZE_MAX = 4 * 1024 * 1024, /* octets of a file */
};

/* Append a types file to `out` that has every type of the XML file and of those it includes, and
 * whose fields are left to fill in. Mistakes go to `report` with file and line; includes that are
 * not there, and are taken for resources of a program, are notes.
 *
 * QN_INVALID      a mistake: not XML, ids that are missing for some, given twice, or below zero
 * QN_IO           the file cannot be read
 * QN_MEMORY_FULL  no memory */
QN_MUST_USE enum qn_status types_xml_import(const char *path, struct buf *out,
                                            struct cfg_report *report);

#endif

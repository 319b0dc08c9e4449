/* Types on their way from XML to a types file. For types_xml*.c only. */
#ifndef QUOIN_CLIENT_CLI_TYPES_XML_PARTS_H
#define QUOIN_CLIENT_CLI_TYPES_XML_PARTS_H

#include "client/cli/types_xml.h"
#include "wire/arena.h"

struct xml_type {
    int32_t id; /* -1 = none is written */
    const char *class_name;
    const char *file;
    unsigned line;
};

struct xml_file {
    const char *path;
    const char *real;
};

/* All files of an import. An include is entered into the list and read when its turn comes. */
struct xml_import {
    struct arena memory;
    struct cfg_report *report;
    enum qn_status status;
    struct xml_type *types;
    size_t type_count;
    struct xml_file files[TYPES_XML_FILES_MAX];
    size_t file_count;
};

/* Give ids to types that have none written, and report ids that are missing or given twice. */
void xml_ids_settle(struct xml_import *import);

/* Append the types file; failures go to `import->status`. */
void xml_types_write(struct xml_import *import, struct buf *out);

#endif

/* The files that types are read from. */
#define _GNU_SOURCE /* asprintf, realpath */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/types_read.h"

static const struct group_attribute root_attributes[] = {
    {"types", GROUP_LIST, false},    {"caches", GROUP_LIST, false}, {"views", GROUP_LIST, false},
    {"include", GROUP_TEXTS, false}, {NULL, GROUP_LIST, false},
};

const config_setting_t *types_root_member(const struct types_document *document, const char *name)
{
    return config_setting_get_member(config_root_setting(&document->document.config), name);
}

/* Begin with a document that has just been read. */
void types_document_enter(struct types_reader *r, struct types_document *document)
{
    const config_setting_t *root = config_root_setting(&document->document.config);

    document->context =
        (struct group_context){.document = &document->document, .report = r->report};
    r->document_count++;
    document->good = group_check(&document->context, root, "the file", root_attributes);
    if (document->good && !types_root_member(document, "types") &&
        !types_root_member(document, "include")) {
        cfg_report_error(r->report, document->path, 0, "the file has no types");
    }
}

enum qn_status types_document_load(struct types_reader *r, const char *path,
                                   const struct types_document *parent)
{
    struct types_document *document = &r->documents[r->document_count];
    char *real = realpath(path, NULL);

    *document = (struct types_document){
        .path = types_copy(r, path), .real = types_copy(r, real), .parent = parent};
    free(real);
    if (r->status != QN_OK) {
        return r->status;
    }
    enum qn_status status = document_read(&document->document, document->path, r->report);
    if (status == QN_OK) {
        types_document_enter(r, document);
    }
    return status;
}

/* What an include refers to: a path relative to the folder of the file it stands in. */
static char *include_path(const struct types_document *document, const char *name)
{
    const char *slash = strrchr(document->path, '/');
    bool relative = name[0] != '/' && slash && document->real;
    char *path = NULL;
    int length = asprintf(&path, "%.*s%s", relative ? (int)(slash + 1 - document->path) : 0,
                          document->path, name);

    return length < 0 ? NULL : path;
}

/* The document that a path leads to, if it has been read. */
static const struct types_document *document_known(const struct types_reader *r, const char *path)
{
    char *real = realpath(path, NULL);
    const struct types_document *known = NULL;

    for (size_t i = 0; real && i < r->document_count && !known; i++) {
        const char *other = r->documents[i].real;
        known = other && strcmp(other, real) == 0 ? &r->documents[i] : NULL;
    }
    free(real);
    return known;
}

static bool is_above(const struct types_document *document, const struct types_document *other)
{
    while (document && document != other) {
        document = document->parent;
    }
    return document != NULL;
}

static void include_load(struct types_reader *r, const struct types_document *document,
                         const config_setting_t *at, const char *path)
{
    enum qn_status status = types_document_load(r, path, document);

    if (status == QN_IO) {
        group_error(&document->context, at, "this include leads nowhere");
    } else if (status == QN_MEMORY_FULL) {
        r->status = status;
    }
}

static void include_read(struct types_reader *r, const struct types_document *document,
                         const config_setting_t *at)
{
    char *path = include_path(document, config_setting_get_string(at));

    if (!path) {
        r->status = QN_MEMORY_FULL;
        return;
    }
    const struct types_document *known = document_known(r, path);
    if (known && is_above(document, known)) {
        group_error(&document->context, at,
                    "%s includes itself by way of this file: remove one of the includes", path);
    } else if (!known && r->document_count == TYPES_DOCUMENTS_MAX) {
        group_error(&document->context, at, "more than %d files: put some together",
                    TYPES_DOCUMENTS_MAX);
    } else if (!known) {
        include_load(r, document, at, path);
    }
    free(path);
}

/* Documents are read one after the other, each adding those it includes behind the last. */
void types_includes_read(struct types_reader *r)
{
    for (size_t i = 0; i < r->document_count && r->status == QN_OK; i++) {
        const struct types_document *document = &r->documents[i];
        const config_setting_t *list =
            document->good ? types_root_member(document, "include") : NULL;
        for (unsigned k = 0; k < types_length(list); k++) {
            include_read(r, document, config_setting_get_elem(list, k));
        }
    }
}

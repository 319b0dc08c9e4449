#define _GNU_SOURCE /* asprintf, realpath, strndup */
#include "client/cli/types_xml.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "client/cli/types_xml_parts.h"
#include "config/value.h"

enum {
    DEPTH_MAX = 32,
    TEXT_MAX = 1024, /* octets of an id, a class name, a path */
};

/* One file under way. */
struct xml_reader {
    struct xml_import *import;
    XML_Parser parser;
    const struct xml_file *file;
    unsigned depth;
    const char *path[DEPTH_MAX]; /* names of the open elements, in the arena */
    char text[TEXT_MAX];
    size_t text_size;
    struct xml_type type;
};

static const char *keep(struct xml_import *import, const char *text)
{
    char *copy = arena_alloc(&import->memory, strlen(text) + 1);

    if (!copy) {
        import->status = QN_MEMORY_FULL;
        return "";
    }
    return memcpy(copy, text, strlen(text) + 1);
}

static unsigned line_of(const struct xml_reader *r)
{
    return (unsigned)XML_GetCurrentLineNumber(r->parser);
}

static void stop(struct xml_reader *r, const char *text)
{
    cfg_report_error(r->import->report, r->file->path, line_of(r), "%s", text);
    (void)XML_StopParser(r->parser, XML_FALSE);
}

/* ---- includes ---- */

/* What an include leads to, relative to the folder of its file; the caller frees it. */
static char *include_path(const struct xml_file *file, const char *name)
{
    const char *slash = strrchr(file->path, '/');
    int folder = name[0] != '/' && slash ? (int)(slash + 1 - file->path) : 0;
    char *path = NULL;

    if (strncmp(name, "file:", 5) == 0) {
        name += 5;
    }
    return asprintf(&path, "%.*s%s", folder, file->path, name) < 0 ? NULL : path;
}

/* Enter a file that is there into the list, once. */
static void file_add(struct xml_import *import, const char *path, const char *real)
{
    for (size_t i = 0; i < import->file_count; i++) {
        if (strcmp(import->files[i].real, real) == 0) {
            return;
        }
    }
    if (import->file_count == TYPES_XML_FILES_MAX) {
        cfg_report_error(import->report, path, 0, "more than %d files", TYPES_XML_FILES_MAX);
        return;
    }
    import->files[import->file_count++] =
        (struct xml_file){.path = keep(import, path), .real = keep(import, real)};
}

static void include_end(struct xml_reader *r)
{
    char *path = include_path(r->file, r->text);
    char *real = path ? realpath(path, NULL) : NULL;

    if (real) {
        file_add(r->import, path, real);
    } else {
        cfg_report_note(r->import->report,
                        "%s:%u: %s is not there, so its types are left out (is it a resource in "
                        "a program's archive? take it out, beside this file)",
                        r->file->path, line_of(r), r->text);
    }
    free(real);
    free(path);
}

/* ---- elements ---- */

static bool is_at(const struct xml_reader *r, const char *parent, const char *name)
{
    return r->depth >= 2 && strcmp(r->path[r->depth - 1], name) == 0 &&
           strcmp(r->path[r->depth - 2], parent) == 0;
}

static void XMLCALL element_begin(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct xml_reader *r = context;
    const char *colon = strrchr(name, ':');

    (void)attributes;
    if (r->depth == DEPTH_MAX) {
        stop(r, "elements in elements in elements: this is no such configuration");
        return;
    }
    r->path[r->depth++] = keep(r->import, colon ? colon + 1 : name);
    r->text_size = 0;
    if (r->depth == 1 && strcmp(r->path[0], "pof-config") != 0) {
        stop(r, "its outermost element is not pof-config: this is another kind of file");
    }
    if (is_at(r, "user-type-list", "user-type")) {
        r->type = (struct xml_type){.id = -1, .file = r->file->path, .line = line_of(r)};
    }
}

static void XMLCALL text_add(void *context, const XML_Char *text, int length)
{
    struct xml_reader *r = context;
    size_t room = sizeof r->text - 1 - r->text_size;
    size_t size = (size_t)length < room ? (size_t)length : room;

    memcpy(r->text + r->text_size, text, size);
    r->text_size += size;
}

/* Without the blanks around it. */
static void text_trim(struct xml_reader *r)
{
    size_t begin = 0, end = r->text_size;

    while (end > begin && isspace((unsigned char)r->text[end - 1]) != 0) {
        end--;
    }
    while (begin < end && isspace((unsigned char)r->text[begin]) != 0) {
        begin++;
    }
    memmove(r->text, r->text + begin, end - begin);
    r->text[end - begin] = '\0';
}

static void id_end(struct xml_reader *r)
{
    const char *problem = NULL;
    int64_t id = 0;

    if (!value_count_parse(r->text, &id, &problem) || id < 0 || id > INT32_MAX) {
        stop(r, "type-id is not a whole number from 0 to 2147483647");
        return;
    }
    r->type.id = (int32_t)id;
}

static void type_end(struct xml_reader *r)
{
    struct xml_import *import = r->import;

    if (!r->type.class_name) {
        cfg_report_error(import->report, r->type.file, r->type.line,
                         "a user-type has no class-name");
    } else if (import->type_count == TYPES_XML_TYPES_MAX) {
        stop(r, "too many types");
    } else {
        import->types[import->type_count++] = r->type;
    }
}

static void XMLCALL element_end(void *context, const XML_Char *name)
{
    struct xml_reader *r = context;

    (void)name;
    text_trim(r);
    if (is_at(r, "user-type", "type-id")) {
        id_end(r);
    } else if (is_at(r, "user-type", "class-name")) {
        r->type.class_name = keep(r->import, r->text);
    } else if (is_at(r, "user-type-list", "include")) {
        include_end(r);
    } else if (is_at(r, "user-type-list", "user-type")) {
        type_end(r);
    }
    r->depth--;
    r->text_size = 0;
}

/* A configuration has no use for entities, and an attacker has. */
static void XMLCALL entity_found(void *context, const XML_Char *name, int is_parameter,
                                 const XML_Char *value, int length, const XML_Char *base,
                                 const XML_Char *system, const XML_Char *public,
                                 const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length;
    (void)base, (void)system, (void)public, (void)notation;
    stop(context, "it declares an entity: remove the declaration");
}

/* ---- files ---- */

static void parse(struct xml_reader *r, FILE *file)
{
    char chunk[16 * 1024];
    size_t size = 0, total = 0;
    enum XML_Status status = XML_STATUS_OK;

    do {
        size = fread(chunk, 1, sizeof chunk, file);
        total += size;
        if (total > TYPES_XML_SIZE_MAX) {
            cfg_report_error(r->import->report, r->file->path, 0,
                             "larger than 4 MiB: this is not such a file");
            return;
        }
        status = XML_Parse(r->parser, chunk, (int)size, size == 0);
    } while (status == XML_STATUS_OK && size > 0);
    if (status != XML_STATUS_OK && XML_GetErrorCode(r->parser) != XML_ERROR_ABORTED) {
        cfg_report_error(r->import->report, r->file->path, line_of(r), "this is not XML: %s",
                         XML_ErrorString(XML_GetErrorCode(r->parser)));
    }
    if (ferror(file) != 0) {
        cfg_report_error(r->import->report, r->file->path, 0, "cannot be read: %s",
                         strerror(errno));
    }
}

static enum qn_status file_read(struct xml_import *import, const struct xml_file *from)
{
    struct xml_reader *reader = calloc(1, sizeof *reader);
    FILE *file = fopen(from->path, "re");
    enum qn_status status = QN_MEMORY_FULL;

    if (!file) {
        cfg_report_error(import->report, from->path, 0, "cannot be read: %s", strerror(errno));
        status = QN_IO;
        goto fail;
    }
    if (!reader || !(reader->parser = XML_ParserCreate(NULL))) {
        goto fail;
    }
    reader->import = import;
    reader->file = from;
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, element_begin, element_end);
    XML_SetCharacterDataHandler(reader->parser, text_add);
    XML_SetEntityDeclHandler(reader->parser, entity_found);
    parse(reader, file);
    status = import->status;
fail:
    if (reader && reader->parser) {
        XML_ParserFree(reader->parser);
    }
    if (file) {
        fclose(file);
    }
    free(reader);
    return status;
}

static enum qn_status run(struct xml_import *import, const char *path, struct buf *out)
{
    char *real = realpath(path, NULL);
    size_t errors = import->report->error_count;
    enum qn_status status = QN_OK;

    import->types = calloc(TYPES_XML_TYPES_MAX, sizeof *import->types);
    if (!import->types) {
        free(real);
        return QN_MEMORY_FULL;
    }
    file_add(import, path, real ? real : path);
    free(real);
    for (size_t i = 0; i < import->file_count && status == QN_OK; i++) {
        status = file_read(import, &import->files[i]);
    }
    if (status == QN_OK && import->report->error_count == errors) {
        xml_ids_settle(import);
    }
    if (status == QN_OK && import->report->error_count > errors) {
        status = QN_INVALID;
    }
    if (status == QN_OK) {
        xml_types_write(import, out);
        status = import->status;
    }
    return status;
}

enum qn_status types_xml_import(const char *path, struct buf *out, struct cfg_report *report)
{
    struct xml_import *import = calloc(1, sizeof *import);

    if (!import) {
        return QN_MEMORY_FULL;
    }
    import->report = report;
    arena_init(&import->memory, 0);
    enum qn_status status = run(import, path, out);
    arena_fini(&import->memory);
    free(import->types);
    free(import);
    return status;
}

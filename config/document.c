#define _GNU_SOURCE /* asprintf, strndup */

#include "config/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/scan.h"

/* Append the whole of a file. QN_IO and QN_MEMORY_FULL come with a reason. */
static enum qn_status file_read(const char *path, struct buf *text, const char **reason)
{
    char chunk[16 * 1024];
    size_t size;
    enum qn_status status = QN_OK;
    FILE *file = fopen(path, "re");

    if (!file) {
        *reason = strerror(errno);
        return QN_IO;
    }
    while (status == QN_OK && (size = fread(chunk, 1, sizeof chunk, file)) > 0) {
        status = buf_append(text, chunk, size);
        *reason = "no memory";
        if (text->size > DOCUMENT_SIZE_MAX) {
            status = QN_IO;
            *reason = "larger than 4 MiB: this is not such a file";
        }
    }
    if (status == QN_OK && ferror(file)) {
        status = QN_IO;
        *reason = strerror(errno);
    }
    fclose(file);
    return status;
}

/* The folder of a path, as a text the caller frees; NULL without memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* The scan of a file and of all that it includes. */
struct walk {
    const char *folder; /* includes are relative to it, whatever file they stand in */
    const char *name;   /* of the file being scanned */
    size_t depth;
    size_t *include_count;
    struct cfg_report *report;
};

static void include_scan(void *context, struct bytes path, unsigned line)
{
    const struct walk *walk = context;
    struct walk inner = *walk;
    struct buf text = {0};
    char *place = NULL, *name = NULL;
    const char *reason = NULL;

    if (++*walk->include_count > DOCUMENT_INCLUDES_MAX || ++inner.depth > DOCUMENT_DEPTH_MAX) {
        cfg_report_error(walk->report, walk->name, line,
                         "too many @include: does a file include itself?");
        return;
    }
    if (path.size > 0 && path.data[0] == '/') {
        cfg_report_error(walk->report, walk->name, line,
                         "write the path of @include relative to %s/", walk->folder);
        return;
    }
    name = strndup((const char *)path.data, path.size);
    if (!name || asprintf(&place, "%s/%s", walk->folder, name) < 0) {
        place = NULL;
        cfg_report_error(walk->report, walk->name, line, "no memory");
        goto fail;
    }
    if (file_read(place, &text, &reason) != QN_OK) {
        cfg_report_error(walk->report, walk->name, line, "cannot include %s: %s", place, reason);
        goto fail;
    }
    inner.name = name;
    scan_text(buf_bytes(&text), name, include_scan, &inner, walk->report);
fail:
    buf_fini(&text);
    free(place);
    free(name);
}

/* libconfig says "syntax error" for everything; say at least what was to come. */
static void parse_report(const struct document *document, struct cfg_report *report)
{
    const config_t *config = &document->config;
    const char *file = config_error_file(config);
    const char *text = config_error_text(config);

    if (text && strcmp(text, "syntax error") == 0) {
        text = "syntax error here or before: settings are written as name = value;";
    } else if (text && strcmp(text, "duplicate setting name") == 0) {
        text = "this name is used twice in its group: remove one";
    }
    cfg_report_error(report, file ? file : document->name, (unsigned)config_error_line(config),
                     "%s", text ? text : "cannot be parsed");
}

static enum qn_status parse(struct document *document, const char *text, const char *folder,
                            struct cfg_report *report)
{
    config_init(&document->config);
    config_set_include_dir(&document->config, folder);
    if (config_read_string(&document->config, text) != CONFIG_TRUE) {
        parse_report(document, report);
        config_destroy(&document->config);
        return QN_INVALID;
    }
    return QN_OK;
}

static enum qn_status text_load(struct document *document, struct bytes text, const char *folder,
                                struct cfg_report *report)
{
    size_t include_count = 0, errors = report->error_count;
    struct walk walk = {.folder = folder,
                        .name = document->name,
                        .include_count = &include_count,
                        .report = report};
    struct buf copy = {0};

    scan_text(text, document->name, include_scan, &walk, report);
    if (report->error_count > errors) {
        return QN_INVALID;
    }
    enum qn_status status = buf_append(&copy, text.data, text.size);
    if (status == QN_OK) {
        status = buf_append(&copy, "", 1);
    }
    if (status == QN_OK) {
        status = parse(document, (const char *)copy.data, folder, report);
    }
    buf_fini(&copy);
    return status;
}

enum qn_status document_read_text(struct document *document, struct bytes text, const char *name,
                                  struct cfg_report *report)
{
    *document = (struct document){.name = name};
    return text_load(document, text, ".", report);
}

enum qn_status document_read(struct document *document, const char *path, struct cfg_report *report)
{
    struct buf text = {0};
    const char *reason = NULL;
    char *folder = folder_of(path);
    enum qn_status status = QN_MEMORY_FULL;

    *document = (struct document){.name = path};
    if (!folder) {
        goto fail;
    }
    status = file_read(path, &text, &reason);
    if (status != QN_OK) {
        cfg_report_error(report, path, 0, "cannot be read: %s", reason);
        goto fail;
    }
    status = text_load(document, buf_bytes(&text), folder, report);
fail:
    buf_fini(&text);
    free(folder);
    return status;
}

void document_fini(struct document *document)
{
    config_destroy(&document->config);
}

struct document_place document_place(const struct document *document,
                                     const config_setting_t *setting)
{
    const char *file = config_setting_source_file(setting);

    return (struct document_place){.file = file ? file : document->name,
                                   .line = config_setting_source_line(setting)};
}

const char *document_kind(const config_setting_t *setting)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_GROUP:
        return "a group { }";
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        return "a whole number";
    case CONFIG_TYPE_FLOAT:
        return "a number with a fraction";
    case CONFIG_TYPE_STRING:
        return "a text";
    case CONFIG_TYPE_BOOL:
        return "true or false";
    case CONFIG_TYPE_ARRAY:
    case CONFIG_TYPE_LIST:
        return "a list";
    default:
        return "nothing";
    }
}

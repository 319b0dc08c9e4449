#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/types_xml_parts.h"

enum { NAME_MAX_OCTETS = 100 };

static int id_order(const void *a, const void *b)
{
    const struct xml_type *left = *(const struct xml_type *const *)a;
    const struct xml_type *right = *(const struct xml_type *const *)b;

    return (left->id > right->id) - (left->id < right->id);
}

static void ids_check(struct xml_import *import)
{
    const struct xml_type **list =
        arena_calloc(&import->memory, import->type_count + 1, sizeof(*list));

    if (!list) {
        import->status = QN_MEMORY_FULL;
        return;
    }
    for (size_t i = 0; i < import->type_count; i++) {
        list[i] = &import->types[i];
    }
    qsort(list, import->type_count, sizeof(*list), id_order);
    for (size_t i = 1; i < import->type_count; i++) {
        if (list[i]->id == list[i - 1]->id) {
            cfg_report_error(import->report, list[i]->file, list[i]->line,
                             "id %d is that of %s, too (%s:%u)", list[i]->id,
                             list[i - 1]->class_name, list[i - 1]->file, list[i - 1]->line);
        }
    }
}

/* All types have an id, or none has: then they are numbered as they stand. */
void xml_ids_settle(struct xml_import *import)
{
    size_t missing = 0;

    for (size_t i = 0; i < import->type_count; i++) {
        missing += import->types[i].id < 0;
    }
    for (size_t i = 0; i < import->type_count; i++) {
        struct xml_type *type = &import->types[i];
        if (missing == import->type_count) {
            type->id = (int32_t)i;
        } else if (type->id < 0) {
            cfg_report_error(import->report, type->file, type->line,
                             "%s has no type-id, and others have: give it one", type->class_name);
        }
    }
    if (missing == 0) {
        ids_check(import);
    }
}

/* ---- the types file ---- */

static void add(struct xml_import *import, struct buf *out, const char *text)
{
    if (buf_append(out, text, strlen(text)) != QN_OK) {
        import->status = QN_MEMORY_FULL;
    }
}

static void quoted_add(struct xml_import *import, struct buf *out, const char *text)
{
    add(import, out, "\"");
    for (; *text != '\0'; text++) {
        char pair[] = {'\\', *text, '\0'};
        add(import, out, *text == '"' || *text == '\\' ? pair : pair + 1);
    }
    add(import, out, "\"");
}

/* The last part of a class name, in letters that are good anywhere. */
static void short_name(const char *class_name, char name[NAME_MAX_OCTETS])
{
    const char *last = class_name + strlen(class_name);
    size_t size = 0;

    while (last > class_name && last[-1] != '.' && last[-1] != '$') {
        last--;
    }
    for (; *last != '\0' && size < NAME_MAX_OCTETS - 1; last++) {
        name[size++] = isalnum((unsigned char)*last) != 0 ? *last : '_';
    }
    name[size] = '\0';
}

static bool name_is_new(const struct xml_import *import, size_t before, const char *name)
{
    char other[NAME_MAX_OCTETS];

    for (size_t i = 0; i < before; i++) {
        short_name(import->types[i].class_name, other);
        if (strcmp(other, name) == 0) {
            return false;
        }
    }
    return *name != '\0';
}

static void type_write(struct xml_import *import, struct buf *out, size_t number)
{
    const struct xml_type *type = &import->types[number];
    char name[NAME_MAX_OCTETS], text[2 * NAME_MAX_OCTETS];
    bool is_new;

    short_name(type->class_name, name);
    is_new = name_is_new(import, number, name);
    snprintf(text, sizeof text, "    {\n        id = %d;\n        name = \"%s%s", type->id, name,
             is_new ? "" : "_");
    add(import, out, text);
    snprintf(text, sizeof text, "%d", type->id);
    add(import, out, is_new ? "" : text);
    add(import, out, "\";\n        class = ");
    quoted_add(import, out, type->class_name);
    add(import, out,
        ";\n        fields = (\n"
        "            # { index = 0; name = \"...\"; type = \"string\"; }\n"
        "        );\n    }");
    add(import, out, number + 1 < import->type_count ? ",\n" : "\n");
}

void xml_types_write(struct xml_import *import, struct buf *out)
{
    add(import, out, "types = (\n");
    for (size_t i = 0; i < import->type_count && import->status == QN_OK; i++) {
        type_write(import, out, i);
    }
    add(import, out, ");\n");
}

#define _GNU_SOURCE
#include "client/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/assert.h"

enum { FILE_LINE_MAX = PROPERTY_TEXT_MAX + 64, VARIABLE_NAME_MAX = 40 };

void settings_init(struct settings *settings)
{
    char why[PROPERTY_WHY_MAX];

    *settings = (struct settings){0};
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        enum property_id id = (enum property_id)i;
        if (!property_is_text(id)) {
            enum qn_status status = property_parse(id, bytes_of_text(property_at(id)->standard),
                                                   &settings->values[id].number, why);
            qn_assert(status == QN_OK);
        }
    }
    (void)snprintf(settings->uri, sizeof settings->uri, "%s", property_at(PROPERTY_URI)->standard);
}

/* ---- one value ---- */

static char *text_of(struct settings *settings, enum property_id id)
{
    return id == PROPERTY_URI ? settings->uri : settings->config;
}

/* Take a value unless a stronger one is there. */
static enum qn_status value_take(struct settings *settings, enum property_id id,
                                 enum settings_source source, struct bytes value,
                                 char why[PROPERTY_WHY_MAX])
{
    struct setting taken = {.source = source};
    enum qn_status status = QN_OK;

    if (!property_is_text(id)) {
        status = property_parse(id, value, &taken.number, why);
    } else if (value.size >= PROPERTY_TEXT_MAX) {
        (void)snprintf(why, PROPERTY_WHY_MAX, "%s is longer than %d characters",
                       property_at(id)->name, PROPERTY_TEXT_MAX - 1);
        status = QN_INVALID;
    }
    if (status != QN_OK || source < settings->values[id].source) {
        return status;
    }
    settings->values[id] = taken;
    if (property_is_text(id)) {
        (void)snprintf(text_of(settings, id), PROPERTY_TEXT_MAX, "%.*s", (int)value.size,
                       (const char *)value.data);
    }
    return QN_OK;
}

enum qn_status settings_take_address(void *settings, struct bytes name, struct bytes value,
                                     char why[PROPERTY_WHY_MAX])
{
    enum property_id id;

    if (!property_find(name, &id, why)) {
        return QN_INVALID;
    }
    if (property_is_text(id)) {
        (void)snprintf(why, PROPERTY_WHY_MAX, "%s can not be given in an address",
                       property_at(id)->name);
        return QN_INVALID;
    }
    return value_take(settings, id, SETTINGS_ADDRESS, value, why);
}

/* An address is looked at when it is given, so that the complaint comes then.
 *
 *  */
static enum qn_status address_check(const char *text, qn_error *err)
{
    struct settings scratch;

    settings_init(&scratch);
    return uri_parse(text, &scratch.address, settings_take_address, &scratch, err);
}

enum qn_status settings_set(struct settings *settings, enum settings_source source,
                            const char *name, const char *text, qn_error *err)
{
    char why[PROPERTY_WHY_MAX];
    enum property_id id;

    if (!property_find(bytes_of_text(name), &id, why)) {
        return qn_error_set(err, QN_INVALID, "%s", why);
    }
    if (id == PROPERTY_URI) {
        enum qn_status status = address_check(text, err);
        if (status != QN_OK) {
            return status;
        }
    }
    if (value_take(settings, id, source, bytes_of_text(text), why) != QN_OK) {
        return qn_error_set(err, QN_INVALID, "%s", why);
    }
    return id == PROPERTY_CONFIG && text[0] ? settings_read_file(settings, text, err) : QN_OK;
}

/* ---- the environment ---- */

static void variable_name(const qn_property *property, char name[VARIABLE_NAME_MAX])
{
    int used = snprintf(name, VARIABLE_NAME_MAX, "QUOIN_%s", property->name);

    for (int i = 0; i < used && i < VARIABLE_NAME_MAX; i++) {
        name[i] = (char)toupper((unsigned char)name[i]);
    }
}

static enum qn_status variable_read(struct settings *settings, enum property_id id, qn_error *err)
{
    const qn_property *property = property_at(id);
    qn_error why = QN_ERROR_INIT;
    char name[VARIABLE_NAME_MAX];

    variable_name(property, name);
    const char *text = getenv(name);
    if (!text || !text[0]) {
        return QN_OK;
    }
    enum qn_status status =
        settings_set(settings, SETTINGS_ENVIRONMENT, property->name, text, &why);
    if (status != QN_OK) {
        (void)qn_error_set(err, status, "environment variable %s: %.240s", name, why.text);
    }
    return status;
}

enum qn_status settings_read_environment(struct settings *settings, qn_error *err)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; i < PROPERTY_COUNT && status == QN_OK; i++) {
        status = variable_read(settings, (enum property_id)i, err);
    }
    return status;
}

/* ---- files ---- */

static struct bytes trimmed(struct bytes text)
{
    while (text.size > 0 && isspace(text.data[0])) {
        text = bytes_of(text.data + 1, text.size - 1);
    }
    while (text.size > 0 && isspace(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

/* "name = value", or nothing. */
static enum qn_status line_take(struct settings *settings, const char *line, unsigned number,
                                char why[PROPERTY_WHY_MAX])
{
    size_t size = strcspn(line, "#\n");
    const char *equals = memchr(line, '=', size);
    enum property_id id;

    if (trimmed(bytes_of(line, size)).size == 0) {
        return QN_OK;
    }
    if (!equals) {
        (void)snprintf(why, PROPERTY_WHY_MAX, "expected name = value");
        return QN_INVALID;
    }
    size_t name_size = (size_t)(equals - line);
    struct bytes name = trimmed(bytes_of(line, name_size));
    struct bytes value = trimmed(bytes_of(equals + 1, size - name_size - 1));
    if (!property_find(name, &id, why)) {
        return QN_INVALID;
    }
    if (id == PROPERTY_CONFIG) {
        (void)snprintf(why, PROPERTY_WHY_MAX, "a file can not name another one");
        return QN_INVALID;
    }
    enum qn_status status = value_take(settings, id, SETTINGS_FILE, value, why);
    if (status == QN_OK && settings->values[id].source == SETTINGS_FILE) {
        settings->values[id].line = number;
    }
    return status;
}

static enum qn_status lines_take(struct settings *settings, FILE *in, const char *file,
                                 qn_error *err)
{
    char line[FILE_LINE_MAX];
    char why[PROPERTY_WHY_MAX];
    enum qn_status status = QN_OK;

    for (unsigned number = 1; status == QN_OK && fgets(line, sizeof line, in); number++) {
        bool is_whole = strchr(line, '\n') || feof(in);
        (void)snprintf(why, sizeof why, "the line is too long");
        status = is_whole ? line_take(settings, line, number, why) : QN_INVALID;
        if (status != QN_OK) {
            (void)qn_error_set(err, status, "%.100s, line %u: %s", file, number, why);
        }
    }
    if (status == QN_OK && ferror(in)) {
        status = qn_error_set(err, QN_IO, "%.200s: %s", file, strerror(errno));
    }
    return status;
}

enum qn_status settings_read_file(struct settings *settings, const char *file, qn_error *err)
{
    FILE *in = fopen(file, "re");

    if (!in) {
        return qn_error_set(err, QN_IO, "cannot read the settings in %.200s: %s", file,
                            strerror(errno));
    }
    (void)snprintf(settings->file, sizeof settings->file, "%s", file);
    enum qn_status status = lines_take(settings, in, file, err);
    (void)fclose(in);
    return status;
}

/* ---- all together ---- */

enum qn_status settings_resolve(const struct settings *settings, struct settings *resolved,
                                qn_error *err)
{
    *resolved = *settings;
    return uri_parse(resolved->uri, &resolved->address, settings_take_address, resolved, err);
}

/* ---- the public form ---- */

struct qn_config {
    struct settings settings;
};

qn_config *qn_config_new(qn_error *err)
{
    if (qn_error_failed(err)) {
        return NULL;
    }
    qn_config *config = malloc(sizeof *config);
    if (!config) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "settings: out of memory");
        return NULL;
    }
    settings_init(&config->settings);
    if (settings_read_environment(&config->settings, err) != QN_OK) {
        free(config);
        return NULL;
    }
    return config;
}

void qn_config_free(qn_config *config)
{
    free(config);
}

static enum qn_status config_check(const qn_config *config, const char *name, const char *text,
                                   qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!config || !name || !text) {
        return qn_error_set(err, QN_INVALID, "settings: %s",
                            config ? "a name or a value is missing" : "there are none");
    }
    return QN_OK;
}

qn_status qn_config_set(qn_config *config, const char *name, const char *text, qn_error *err)
{
    enum qn_status status = config_check(config, name, text, err);

    return status == QN_OK ? settings_set(&config->settings, SETTINGS_PROGRAM, name, text, err)
                           : status;
}

qn_status qn_config_load(qn_config *config, const char *file, qn_error *err)
{
    enum qn_status status = config_check(config, "file", file, err);

    return status == QN_OK ? settings_read_file(&config->settings, file, err) : status;
}

const struct settings *config_settings(const qn_config *config)
{
    return &config->settings;
}

static void origin_print(const struct settings *settings, enum property_id id, char *out,
                         size_t size)
{
    const struct setting *value = &settings->values[id];

    switch (value->source) {
    case SETTINGS_DEFAULT:
        (void)snprintf(out, size, "default");
        break;
    case SETTINGS_FILE:
        (void)snprintf(out, size, "%s:%u", settings->file, value->line);
        break;
    case SETTINGS_ENVIRONMENT:
        variable_name(property_at(id), out);
        break;
    case SETTINGS_ADDRESS:
        (void)snprintf(out, size, "uri");
        break;
    case SETTINGS_PROGRAM:
        (void)snprintf(out, size, "program");
        break;
    }
}

void qn_config_each(const qn_config *config,
                    void (*fn)(void *arg, const char *name, const char *value, const char *origin),
                    void *arg)
{
    struct settings resolved;
    char origin[PROPERTY_TEXT_MAX + 16];
    char number[40];

    if (!config || !fn || settings_resolve(&config->settings, &resolved, NULL) != QN_OK) {
        return;
    }
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        enum property_id id = (enum property_id)i;
        const char *value = number;
        if (property_is_text(id)) {
            value = text_of(&resolved, id);
        } else {
            property_print(id, setting_number(&resolved, id), number, sizeof number);
        }
        origin_print(&resolved, id, origin, sizeof origin);
        fn(arg, property_at(id)->name, value, origin);
    }
}

/* The settings of a client: values of all properties, and where each comes from.
 *
 * A source may be read at any time: a value gives way to the same or a stronger source only. What
 * an address says is looked at last, since a stronger address replaces a weaker one as a whole. One
 * owner. */
#ifndef QUOIN_CLIENT_SETTINGS_H
#define QUOIN_CLIENT_SETTINGS_H

#include "client/property.h"
#include "client/uri.h"

/* Ascending by strength. */
enum settings_source {
    SETTINGS_DEFAULT,
    SETTINGS_FILE,
    SETTINGS_ENVIRONMENT,
    SETTINGS_ADDRESS,
    SETTINGS_PROGRAM,
};

struct setting {
    int64_t number; /* of those that are numbers */
    enum settings_source source;
    unsigned line; /* FILE: where it stands */
};

struct settings {
    struct setting values[PROPERTY_COUNT];
    char uri[PROPERTY_TEXT_MAX];
    char config[PROPERTY_TEXT_MAX];
    char file[PROPERTY_TEXT_MAX]; /* read last */
    struct uri address;           /* once resolved */
};

static inline int64_t setting_number(const struct settings *settings, enum property_id id)
{
    return settings->values[id].number;
}

/* The defaults. */
void settings_init(struct settings *settings);

/* What the environment says: QUOIN_CONFIG, which names a file, and QUOIN_ and the name of a
 * property in capitals. QN_INVALID, QN_IO: `err` names the variable. */
QN_MUST_USE enum qn_status settings_read_environment(struct settings *settings, qn_error *err);

/* `name = value` lines. QN_IO, QN_INVALID: `err` names file and line. */
QN_MUST_USE enum qn_status settings_read_file(struct settings *settings, const char *file,
                                              qn_error *err);

/* One value. QN_INVALID, and QN_IO when it is "config". */
QN_MUST_USE enum qn_status settings_set(struct settings *settings, enum settings_source source,
                                        const char *name, const char *text, qn_error *err);

/* The settings in force: those of `settings` and what its address says. QN_INVALID. */
QN_MUST_USE enum qn_status settings_resolve(const struct settings *settings,
                                            struct settings *resolved, qn_error *err);

/* The settings that a program has put together; not resolved. */
const struct settings *config_settings(const qn_config *config);

/* Called by uri_parse for each `name=value` of an address. QN_INVALID: `why` says what is wrong. */
QN_MUST_USE enum qn_status settings_take_address(void *settings, struct bytes name,
                                                 struct bytes value, char why[PROPERTY_WHY_MAX]);

#endif

/* The table of all settings: the one place where a setting is described.
 *
 * Private to this folder. It drives the reading of files, environment and --set, the checks,
 * --print-config and the sample file. */
#ifndef QUOIN_CONFIG_CFG_TABLE_H
#define QUOIN_CONFIG_CFG_TABLE_H

#include "config/cfg.h"

/* How a setting is written, and what it is in `struct cfg`. */
enum cfg_kind {
    CFG_BOOL,     /* true | false; bool */
    CFG_COUNT,    /* 271; uint32_t */
    CFG_SIZE,     /* "64MiB"; uint64_t, octets */
    CFG_DURATION, /* "250ms"; int64_t, milliseconds */
    CFG_TEXT,     /* "quoin"; const char * */
    CFG_CHOICE,   /* one of `words`; an enum, by position */
    CFG_CACHES,   /* [ "a", "b ttl=1h" ]; struct cfg_caches */
    CFG_LEVELS,   /* [ "log=debug" ]; struct cfg_module_levels */
};

struct cfg_setting {
    const char *section; /* "node" */
    const char *key;     /* "data_port" */
    const char *path;    /* "node.data_port" */
    enum cfg_kind kind;
    size_t offset;        /* in struct cfg */
    const char *standard; /* the default, written as in the environment */
    int64_t min, max;     /* count; octets of a size; ms of a duration; length of a text, or of each
                             entry */
    const char *const *words; /* of a choice, NULL at the end */
    bool reloadable;          /* may change while the node runs; never a text, which others read */
    const char *text;         /* what it means; lines are separated by \n */
};

enum { CFG_SETTING_COUNT = 34 };

/* All settings; those of a section stand together. */
extern const struct cfg_setting cfg_table[CFG_SETTING_COUNT];

/* A section as it is explained in the sample file. */
struct cfg_section {
    const char *name;
    const char *text;
};

enum { CFG_SECTION_COUNT = 10 };
extern const struct cfg_section cfg_sections[CFG_SECTION_COUNT];

/* The setting called section.key, or NULL. */
const struct cfg_setting *cfg_table_find(const char *section, const char *key);

/* Its number in the table, and so in cfg->origins. */
size_t cfg_table_number(const struct cfg_setting *setting);

/* Is there a section of this name? */
bool cfg_table_has_section(const char *section);

/* The nearest name of a section, and the nearest path of a setting (a key that stands in another
 * section is near, too); NULL when none is near. */
const char *cfg_table_suggest_section(const char *section);
const char *cfg_table_suggest(const char *section, const char *key);

/* The field of a setting in `cfg`. */
const void *cfg_field(const struct cfg *cfg, const struct cfg_setting *setting);
void *cfg_field_mutable(struct cfg *cfg, const struct cfg_setting *setting);

#endif

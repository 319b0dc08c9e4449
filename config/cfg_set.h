/* One value on its way from a source into `struct cfg`. Private to this folder. */
#ifndef QUOIN_CONFIG_CFG_SET_H
#define QUOIN_CONFIG_CFG_SET_H

#include "config/cfg.h"
#include "config/cfg_table.h"

/* A configuration being put together. Its memory is that of `cfg`. */
struct cfg_builder {
    struct cfg cfg;
    const char **origins; /* where each value comes from; the same as cfg.origins, for writing */
    struct cfg_report *report;
    enum qn_status status; /* QN_OK or the first failure that is not a mistake in a value */
    bool
        wrong[CFG_SETTING_COUNT]; /* what was written was refused: relations with it mean nothing */
};

/* How a value is written in its source. */
enum cfg_shape {
    CFG_SHAPE_PLAIN,  /* environment, --set, default: letters that may be anything */
    CFG_SHAPE_NUMBER, /* in a file: 271 */
    CFG_SHAPE_BOOL,   /* true */
    CFG_SHAPE_STRING, /* "64MiB" */
    CFG_SHAPE_LIST,   /* [ "a", "b" ] */
    CFG_SHAPE_OTHER,  /* what no setting is written as */
};

/* A value as found, all borrowed for the call. */
struct cfg_raw {
    enum cfg_shape shape;
    const char *shape_text;  /* of CFG_SHAPE_OTHER, for the message */
    const char *text;        /* all but lists */
    const char *const *list; /* lists */
    size_t count;
    const char *origin; /* "quoin.cfg:12", "QUOIN_NODE__ID", "--set node.id"; copied */
};

/* May a setting of this kind be written in this shape? */
bool cfg_shape_fits(enum cfg_kind kind, enum cfg_shape shape);

/* For messages: how a setting of this kind is written in a file, and how this value is. */
const char *cfg_shape_wanted(enum cfg_kind kind);
const char *cfg_shape_name(const struct cfg_raw *raw);

/* Begin with all settings at their defaults. On QN_MEMORY_FULL there is nothing to give back. */
QN_MUST_USE enum qn_status cfg_builder_init(struct cfg_builder *builder, struct cfg_report *report);

/* Give everything back. */
void cfg_builder_fini(struct cfg_builder *builder);

/* Check a value and put it in. A mistake is reported and the value of the layer below stays; the
 * lack of memory is noted in the status. */
void cfg_set(struct cfg_builder *builder, const struct cfg_setting *setting,
             const struct cfg_raw *raw);

/* Are length and octets of this text, or of this entry of a list, right? Reports. */
bool cfg_text_check(struct cfg_builder *builder, const struct cfg_setting *setting,
                    const struct cfg_raw *raw, const char *text);

/* Note a failure that is not a mistake in a value; the first stays. */
void cfg_builder_fail(struct cfg_builder *builder, enum qn_status status);

/* A copy of `text` in the memory of `arena`; NULL without memory. */
const char *cfg_copy(struct arena *arena, const char *text);

#endif

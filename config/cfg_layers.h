/* The layers over the defaults. Private to this folder.
 *
 * Each reports all its mistakes and goes on; what is not a mistake in a value (unreadable, no
 * memory) is noted in the builder's status. */
#ifndef QUOIN_CONFIG_CFG_LAYERS_H
#define QUOIN_CONFIG_CFG_LAYERS_H

#include "config/cfg_set.h"

/* A settings file, then conf.d/<name>.cfg in its folder in the order of their names. */
void cfg_layer_file(struct cfg_builder *builder, const char *path);

/* Text in memory as a settings file. */
void cfg_layer_text(struct cfg_builder *builder, struct bytes text, const char *name);

/* QUOIN_SECTION__KEY=value. Variables of another form or of an unknown section are not for us; one
 * that is near to a setting's is a note. */
void cfg_layer_environment(struct cfg_builder *builder, const char *const *environ);

/* section.key=value */
void cfg_layer_sets(struct cfg_builder *builder, const char *const *sets, size_t count);

/* Relations between values, named with the inequality that does not hold; fills in what follows
 * from other settings (node.advertise). */
void cfg_check(struct cfg_builder *builder);

#endif

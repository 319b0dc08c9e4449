/* Settings that are lists: caches and levels of modules. Private to this folder. */
#ifndef QUOIN_CONFIG_CFG_LIST_H
#define QUOIN_CONFIG_CFG_LIST_H

#include "config/cfg_set.h"

/* Check a list and put it in: every mistake in it is reported. A plain text has commas between the
 * entries; "" is the empty list. False: a mistake, or no memory (noted in the builder). */
bool cfg_list_set(struct cfg_builder *builder, const struct cfg_setting *setting,
                  const struct cfg_raw *raw);

/* The `i`th entry in its one spelling; NULL behind the last. */
const char *cfg_list_text(const struct cfg *cfg, const struct cfg_setting *setting, size_t i);

/* Take a list over from `from`, copied. False: no memory, nothing changed. */
bool cfg_list_copy(struct cfg *to, const struct cfg *from, const struct cfg_setting *setting);

#endif

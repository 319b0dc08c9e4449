/* The manual page of quoind, in the man(7) macros: its settings come from the table. */
#ifndef QUOIN_CONFIG_GEN_MAN_H
#define QUOIN_CONFIG_GEN_MAN_H

#include <stdio.h>

void man_write(FILE *to);

#endif

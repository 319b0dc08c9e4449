/* Octets as hexadecimal digits. */
#ifndef QUOIN_CLIENT_HEX_H
#define QUOIN_CLIENT_HEX_H

#include "wire/bytes.h"

/* Write two lower-case digits per octet, without NUL; returns the place behind them. */
char *hex_write(struct bytes octets, char *out);

/* Read `size` octets; false when a character is no digit. */
QN_MUST_USE bool hex_read(const char *text, size_t size, uint8_t *out);

#endif

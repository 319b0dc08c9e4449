/* Values as they are written: whole numbers, sizes, durations, truth values.
 *
 * Pure functions. A parse fails with false and a text that says what would be right, and leaves the
 * value alone. Prints use the largest unit that shows the value exactly. */
#ifndef QUOIN_CONFIG_VALUE_H
#define QUOIN_CONFIG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VALUE_TEXT_MAX = 32 };

/* "271", "-1": decimal digits, nothing else. */
bool value_count_parse(const char *text, int64_t *value, const char **problem);

/* "512B", "64KiB", "16MiB", "4GiB", "1TiB": octets. */
bool value_size_parse(const char *text, int64_t *value, const char **problem);

/* "250ms", "2s", "10m", "1h", "7d": milliseconds. */
bool value_duration_parse(const char *text, int64_t *value, const char **problem);

/* "true", "false", "yes", "no", "on", "off", "1", "0", letter case aside. */
bool value_bool_parse(const char *text, bool *value, const char **problem);

/* Write a value >= 0 into `text` (VALUE_TEXT_MAX octets) and return `text`. */
const char *value_size_print(int64_t value, char *text);
const char *value_duration_print(int64_t value, char *text);

#endif

/* Numbers and texts as people read them. Pure functions. */
#ifndef QUOIN_CLIENT_CLI_TEXT_H
#define QUOIN_CLIENT_CLI_TEXT_H

#include "wire/bytes.h"

enum { TEXT_NUMBER_MAX = 40 };

/* Each writes into `text` (TEXT_NUMBER_MAX octets) and returns it. */

/* "7,910" */
const char *text_grouped(uint64_t number, char *text);

/* "512 B", "2.1 MiB" */
const char *text_size(uint64_t octets, char *text);

/* "850 ns", "21.4 us", "3.21 ms", "12.3 s" */
const char *text_nanos(uint64_t nanos, char *text);

/* "45 s", "3 m 12 s", "2 h 5 m", "4 d 7 h" */
const char *text_uptime(uint64_t ms, char *text);

/* Read a whole number in decimal, "-1" or "271", with nothing around it. False: not that, or beyond
 * 64 bits. */
bool text_to_int(struct bytes text, int64_t *number);

/* Append text. QN_MEMORY_FULL: `out` is as before. */
__attribute__((format(printf, 2, 3))) QN_MUST_USE enum qn_status
text_append(struct buf *out, const char *format, ...);

/* Append "0x" and two digits an octet. QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status text_hex(struct bytes octets, struct buf *out);

/* Read what text_hex writes, letter case aside. QN_MALFORMED: not that; `out` is as before. */
QN_MUST_USE enum qn_status text_unhex(struct bytes text, struct buf *out);

/* Append the octets that "0x00ff" or "b64:AP8=" stands for. QN_MALFORMED: neither of them. On
 * failure `out` is as before. */
QN_MUST_USE enum qn_status text_to_octets(struct bytes text, struct buf *out);

/* A copy of `uri` with `name` set to `value` in its query, replacing what stood there; NULL = no
 * memory. The caller frees it. */
char *text_uri_with(const char *uri, const char *name, const char *value);

#endif

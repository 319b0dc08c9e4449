/* Small files that are there entirely or not at all, and the lines in them.
 *
 * Such a file is text: lines of a key, a blank and a value, the last one a checksum of those
 * before. It is read by people, but changed by programs only. No state, no locks. */
#ifndef QUOIN_NODE_COORD_FILE_H
#define QUOIN_NODE_COORD_FILE_H

#include "wire/bytes.h"

/* Create the directory `path` and what is missing above it, for the owner only (0700), and make
 * their names durable. QN_IO: `err` says which and why. */
QN_MUST_USE enum qn_status file_dir_make(const char *path, qn_error *err);

/* Write a whole file so that it is there entirely or not at all: temporary, fsync, rename, fsync of
 * the directory. QN_IO, QN_DISK_FULL: after a failed rename or last fsync the new content may stand
 * there all the same. The temporary file stays with the space of the content before, so that a file
 * that was written once can be replaced on a full disk. */
QN_MUST_USE enum qn_status file_replace(const char *dir, const char *name, struct bytes content,
                                        qn_error *err);

/* Read a whole file of at most `size_max` octets into `content`, which must be empty.
 *
 * QN_ABSENT     there is none; `err` is not touched
 * QN_TOO_LARGE  it is larger
 * QN_IO, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status file_read(const char *dir, const char *name, size_t size_max,
                                     struct buf *content, qn_error *err);

/* Append a line. The key has no blank, the value no line break. QN_MEMORY_FULL: `text` is as
 * before. */
QN_MUST_USE enum qn_status lines_add(struct buf *text, const char *key, struct bytes value);
QN_MUST_USE enum qn_status lines_add_number(struct buf *text, const char *key, uint64_t value);

/* Append the checksum. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status lines_seal(struct buf *text);

/* Check and take away the checksum. QN_CORRUPT: it is not that of the lines. */
QN_MUST_USE enum qn_status lines_unseal(struct bytes text, struct bytes *lines);

/* Take the first line off `lines`. False, and nothing is taken: it has another key or no number. */
bool lines_take(struct bytes *lines, const char *key, struct bytes *value);
bool lines_take_number(struct bytes *lines, const char *key, uint64_t *value);

/* A decimal number of 64 bits, nothing else around it. */
bool number_parse(struct bytes text, uint64_t *value);

#endif

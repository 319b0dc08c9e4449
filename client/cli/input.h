/* A file as octets in memory: mapped when it is a regular file, else (stdin, a pipe) read to its
 * end.
 *
 * A file that another process cuts short while it is mapped ends this one; that is the price for
 * not copying. */
#ifndef QUOIN_CLIENT_CLI_INPUT_H
#define QUOIN_CLIENT_CLI_INPUT_H

#include "wire/bytes.h"

struct input {
    struct bytes text;
    struct buf read; /* of what is not mapped */
    void *mapped;    /* NULL = it is not */
    bool regular;    /* a file that can be read again, and known again: */
    int64_t modified_ns;
};

/* Open `path`; "-" is stdin. `size_max` bounds what is read, in octets; 0 = nothing does. On
 * failure `problem` (QN_ERROR_TEXT_MAX octets) says why, and there is nothing to close.
 *
 * QN_IO  it cannot be read; QN_TOO_LARGE; QN_MEMORY_FULL */
QN_MUST_USE enum qn_status input_open(struct input *input, const char *path, size_t size_max,
                                      char *problem);
void input_close(struct input *input);

#endif

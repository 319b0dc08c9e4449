#include "wire/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void qn_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "quoin: assertion failed: %s (%s:%d)\n", condition, file, line);
    abort();
}

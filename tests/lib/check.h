/* cmocka and what it needs before it, for all tests. */
#ifndef QUOIN_TESTS_LIB_CHECK_H
#define QUOIN_TESTS_LIB_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/bytes.h"

#define assert_bytes_equal(a, b)                                                                   \
    do {                                                                                           \
        struct bytes left_ = (a), right_ = (b);                                                    \
        assert_int_equal(left_.size, right_.size);                                                 \
        if (left_.size > 0) {                                                                      \
            assert_memory_equal(left_.data, right_.data, left_.size);                              \
        }                                                                                          \
    } while (0)

#define RUN_TESTS(tests) cmocka_run_group_tests((tests), NULL, NULL)

#endif

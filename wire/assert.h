/* Assertions that stay on in release builds.
 *
 * For what only a bug in this program can break: a crashed node is replaced, a wrong one spreads.
 * One condition each, without side effects. What comes from outside gets a status instead. */
#ifndef QUOIN_WIRE_ASSERT_H
#define QUOIN_WIRE_ASSERT_H

/* Print the condition and where it stands to stderr, then abort. */
_Noreturn void qn_assert_failed(const char *condition, const char *file, int line);

#define qn_assert(condition)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            qn_assert_failed(#condition, __FILE__, __LINE__);                                      \
        }                                                                                          \
    } while (0)

#endif

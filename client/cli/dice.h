/* Numbers to choose by: quick, the same for the same seed, no secret. Inline, since load is
 * generated with them. One owner. */
#ifndef QUOIN_CLIENT_CLI_DICE_H
#define QUOIN_CLIENT_CLI_DICE_H

#include <stdint.h>

struct dice {
    uint64_t state; /* not 0 */
};

/* Seeds that differ by one give unlike sequences: they are mixed first (the finish of
 * splitmix64). */
static inline struct dice dice_of(uint64_t seed)
{
    uint64_t x = seed + 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return (struct dice){.state = (x ^ x >> 31) | 1U};
}

/* 64 bits (xorshift64*). */
static inline uint64_t dice_next(struct dice *dice)
{
    uint64_t x = dice->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    dice->state = x;
    return x * 0x2545f4914f6cdd1dU;
}

/* 0 to `count` - 1; `count` > 0. The bias is below count / 2^64. */
static inline uint64_t dice_below(struct dice *dice, uint64_t count)
{
    return dice_next(dice) % count;
}

/* Above 0, up to 1, in steps of 2^-53. */
static inline double dice_unit(struct dice *dice)
{
    return ((double)(dice_next(dice) >> 11) + 1.0) * 0x1p-53;
}

#endif

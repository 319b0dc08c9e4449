#include "client/cli/bench_stats.h"

#include <math.h>

/* Student's t for 95 %, two-sided, by degrees of freedom from 1. */
static const double student[] = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
};
enum { STUDENT_COUNT = sizeof student / sizeof *student };

static double student_of(size_t freedom)
{
    return freedom <= STUDENT_COUNT ? student[freedom - 1] : 1.960 + 2.5 / (double)freedom;
}

struct bench_spread bench_spread_of(const uint32_t *seconds, size_t count)
{
    struct bench_spread spread = {.count = count};
    for (size_t i = 0; i < count; i++) {
        spread.mean += (double)seconds[i] / (double)count;
    }
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (double)seconds[i] - spread.mean;
        squares += off * off;
    }
    if (count >= 2) {
        double deviation = sqrt(squares / (double)(count - 1));
        spread.half_width = student_of(count - 1) * deviation / sqrt((double)count);
    }
    return spread;
}

#include "client/cli/zipf.h"

#include <math.h>

#include "wire/assert.h"

/* (e^x - 1) / x, which is 1 at 0. */
static double expm1_ratio(double x)
{
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

/* ln(1 + x) / x, which is 1 at 0. */
static double log1p_ratio(double x)
{
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

/* The hull: x^-exponent. */
static double height(const struct zipf *zipf, double x)
{
    return exp(-zipf->exponent * log(x));
}

/* The area under it from 1 to x. Written so that an exponent of 1, where it is ln x, is no special
 * case and its neighbours lose no digits. */
static double area(const struct zipf *zipf, double x)
{
    double log_x = log(x);
    return expm1_ratio((1 - zipf->exponent) * log_x) * log_x;
}

/* The x up to which the area is `a`. */
static double area_inverse(const struct zipf *zipf, double a)
{
    double t = a * (1 - zipf->exponent);
    return exp(log1p_ratio(t < -1 ? -1 : t) * a); /* below -1 only by rounding */
}

struct zipf zipf_of(uint64_t count, double exponent)
{
    qn_assert(count >= 1);
    qn_assert(exponent > 0);
    struct zipf zipf = {.count = count, .exponent = exponent};
    zipf.area_first = area(&zipf, 1.5) - 1;
    zipf.area_last = area(&zipf, (double)count + 0.5);
    zipf.squeeze = 2 - area_inverse(&zipf, area(&zipf, 2.5) - height(&zipf, 2));
    return zipf;
}

/* The whole number nearest to x among those there are. */
static double nearest(const struct zipf *zipf, double x)
{
    double k = floor(x + 0.5);
    double last = (double)zipf->count;
    if (k < 1) {
        return 1;
    }
    return k < last ? k : last;
}

uint64_t zipf_next(const struct zipf *zipf, struct dice *dice)
{
    for (;;) {
        double a = zipf->area_last + dice_unit(dice) * (zipf->area_first - zipf->area_last);
        double x = area_inverse(zipf, a);
        double k = nearest(zipf, x);
        if (k - x <= zipf->squeeze || a >= area(zipf, k + 0.5) - height(zipf, k)) {
            return (uint64_t)k - 1;
        }
    }
}

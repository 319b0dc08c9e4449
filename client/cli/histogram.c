#include "client/cli/histogram.h"

#include <math.h>

#include "wire/assert.h"

/* 95 % of a normal distribution lie so many deviations around its middle. */
#define HISTOGRAM_SIGMAS 1.96

static const uint64_t histogram_value_max = ((uint64_t)1 << HISTOGRAM_VALUE_BITS) - 1;

/* Number of bits up to the highest that is set. */
static unsigned bit_width(uint64_t value)
{
    unsigned width = 0;
    for (unsigned step = 32; step > 0; step /= 2) {
        if (value >> step != 0) {
            value >>= step;
            width += step;
        }
    }
    return width + (value != 0);
}

size_t histogram_index(uint64_t value)
{
    unsigned width = bit_width(value);
    unsigned shift = width > HISTOGRAM_SUB_BITS + 1 ? width - (HISTOGRAM_SUB_BITS + 1) : 0;
    return ((size_t)shift << HISTOGRAM_SUB_BITS) + (size_t)(value >> shift);
}

uint64_t histogram_upper(size_t index)
{
    size_t row = index >> HISTOGRAM_SUB_BITS;
    unsigned shift = row > 1 ? (unsigned)(row - 1) : 0;
    uint64_t top = (uint64_t)(index - ((size_t)shift << HISTOGRAM_SUB_BITS));
    return ((top + 1) << shift) - 1;
}

void histogram_record(struct histogram *histogram, uint64_t value)
{
    if (value > histogram_value_max) {
        value = histogram_value_max;
    }
    size_t index = histogram_index(value);
    qn_assert(index < HISTOGRAM_COUNTERS);
    histogram->counters[index]++;
    histogram->min = histogram->count == 0 || value < histogram->min ? value : histogram->min;
    histogram->max = value > histogram->max ? value : histogram->max;
    histogram->count++;
    histogram->sum += value;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    if (from->count == 0) {
        return;
    }
    for (size_t i = 0; i < HISTOGRAM_COUNTERS; i++) {
        to->counters[i] += from->counters[i];
    }
    to->min = to->count == 0 || from->min < to->min ? from->min : to->min;
    to->max = from->max > to->max ? from->max : to->max;
    to->count += from->count;
    to->sum += from->sum;
}

/* How many values must have been passed: at least one, at most all. */
static uint64_t percentile_rank(uint64_t count, double percent)
{
    double exact = percent / 100.0 * (double)count;
    uint64_t rank = (uint64_t)exact;
    /* Rounded up, but not for the crumbs of a product such as 99.9 / 100 * 1000. */
    if (exact - (double)rank > 1e-6) {
        rank++;
    }
    if (rank < 1) {
        return 1;
    }
    return rank < count ? rank : count;
}

uint64_t histogram_at_rank(const struct histogram *histogram, uint64_t rank)
{
    uint64_t passed = 0;
    for (size_t i = 0; i < HISTOGRAM_COUNTERS; i++) {
        passed += histogram->counters[i];
        if (passed >= rank && passed > 0) {
            uint64_t upper = histogram_upper(i);
            return upper < histogram->max ? upper : histogram->max;
        }
    }
    return histogram->max;
}

uint64_t histogram_percentile(const struct histogram *histogram, double percent)
{
    return histogram->count > 0
               ? histogram_at_rank(histogram, percentile_rank(histogram->count, percent))
               : 0;
}

void histogram_interval(const struct histogram *histogram, double percent, uint64_t *low,
                        uint64_t *high)
{
    double count = (double)histogram->count;
    double part = percent / 100;
    double rank = count * part;
    double reach = HISTOGRAM_SIGMAS * sqrt(count * part * (1 - part));
    *low = rank > reach ? histogram_at_rank(histogram, (uint64_t)(rank - reach)) : histogram->min;
    *high = rank + reach < count ? histogram_at_rank(histogram, (uint64_t)(rank + reach) + 1)
                                 : histogram->max;
}

double histogram_mean(const struct histogram *histogram)
{
    return histogram->count == 0 ? 0 : (double)histogram->sum / (double)histogram->count;
}

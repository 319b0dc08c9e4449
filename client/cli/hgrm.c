#include "client/cli/hgrm.h"

#include <inttypes.h>
#include <math.h>

enum { HGRM_TICKS = 5, HGRM_SUB_BUCKETS = 2 << HISTOGRAM_SUB_BITS };

static double millis(double nanos)
{
    return nanos / 1e6;
}

/* By the middle of each counter, as its values are not known better. */
static double deviation(const struct histogram *histogram)
{
    double mean = histogram_mean(histogram);
    double sum = 0;
    for (size_t i = 0; i < HISTOGRAM_COUNTERS; i++) {
        if (histogram->counters[i] > 0) {
            double lower = i > 0 ? (double)histogram_upper(i - 1) + 1 : 0;
            double off = (lower + (double)histogram_upper(i)) / 2 - mean;
            sum += off * off * (double)histogram->counters[i];
        }
    }
    return histogram->count > 0 ? sqrt(sum / (double)histogram->count) : 0;
}

/* The percentage of the next line: the steps halve each time that what remains has halved. */
static double next_level(double level)
{
    double halvings = floor(log2(100 / (100 - level)));
    return level + 100 / (HGRM_TICKS * exp2(halvings + 1));
}

static void write_lines(const struct histogram *histogram, FILE *to)
{
    double level = 0;
    uint64_t passed = 0;
    for (size_t i = 0; i < HISTOGRAM_COUNTERS && passed < histogram->count; i++) {
        passed += histogram->counters[i];
        double reached = 100 * (double)passed / (double)histogram->count;
        uint64_t upper = histogram_upper(i);
        double value = millis((double)(upper < histogram->max ? upper : histogram->max));
        if (histogram->counters[i] > 0 && level <= reached && passed < histogram->count) {
            fprintf(to, "%12.3f %14.12f %10" PRIu64 " %14.2f\n", value, level / 100, passed,
                    100 / (100 - level));
        }
        while (level <= reached && passed < histogram->count) {
            level = next_level(level);
        }
    }
    fprintf(to, "%12.3f %14.12f %10" PRIu64 "\n", millis((double)histogram->max), 1.0, passed);
}

bool hgrm_write(const struct histogram *histogram, FILE *to)
{
    fprintf(to, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    write_lines(histogram, to);
    fprintf(to, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", millis(histogram_mean(histogram)),
            millis(deviation(histogram)));
    fprintf(to, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n",
            millis((double)histogram->max), histogram->count);
    fprintf(to, "#[Buckets = %12d, SubBuckets     = %12d]\n",
            HISTOGRAM_VALUE_BITS - HISTOGRAM_SUB_BITS, (int)HGRM_SUB_BUCKETS);
    return ferror(to) == 0;
}

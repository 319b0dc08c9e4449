/* Histograms as files for plotters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/hgrm.h"

enum { TEXT_MAX = 65536 };

static char text[TEXT_MAX];

static void write_text(const struct histogram *histogram)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(hgrm_write(histogram, file));
    rewind(file);
    size_t size = fread(text, 1, TEXT_MAX - 1, file);
    text[size] = '\0';
    fclose(file);
}

static struct histogram *of_thousand(void)
{
    struct histogram *histogram = calloc(1, sizeof *histogram);
    assert_non_null(histogram);
    for (uint64_t i = 1; i <= 1000; i++) {
        histogram_record(histogram, i * 1000000);
    }
    return histogram;
}

/* Values are milliseconds; parts and counts grow up to all of them, and the values with them. */
static void lines_grow_to_the_whole(void **state)
{
    (void)state;
    struct histogram *histogram = of_thousand();
    write_text(histogram);
    double value_before = 0;
    double part_before = -1;
    unsigned long count_before = 0;
    int lines = 0;
    char *line = strchr(strchr(text, '\n') + 1, '\n') + 1;
    while (*line != '#') {
        char *end = NULL;
        double value = strtod(line, &end);
        double part = strtod(end, &end);
        unsigned long count = strtoul(end, &end, 10);
        assert_true(value >= value_before && part > part_before && count >= count_before);
        /* As many are counted as the part says, and the value is the count, give or take 0.1 %. */
        assert_true((double)count >= part * 1000 - 1e-6);
        assert_true(value >= (double)count - 1e-6 && value <= (double)count * 1.002);
        value_before = value;
        part_before = part;
        count_before = count;
        lines++;
        line = strchr(line, '\n') + 1;
    }
    assert_int_equal(count_before, 1000);
    assert_true(part_before > 0.9999999 && value_before > 999.999 && value_before < 1000.001);
    assert_true(lines > 30 && lines < 60); /* five each halving, 2^10 values */
    free(histogram);
}

/* The lines at the end are those that plotters look for. */
static void the_end_names_mean_and_maximum(void **state)
{
    (void)state;
    struct histogram *histogram = of_thousand();
    write_text(histogram);
    assert_non_null(strstr(text, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"));
    assert_non_null(strstr(text, "#[Mean    =      500.500, StdDeviation   =      288."));
    assert_non_null(strstr(text, "#[Max     =     1000.000, Total count    =         1000]\n"));
    assert_non_null(strstr(text, "#[Buckets =           32, SubBuckets     =         2048]\n"));
    free(histogram);
}

/* One value is all of the distribution; none gives no line but the last. */
static void small_histograms_are_written(void **state)
{
    (void)state;
    struct histogram *histogram = calloc(1, sizeof *histogram);
    assert_non_null(histogram);
    write_text(histogram);
    assert_non_null(strstr(text, "\n       0.000 1.000000000000          0\n#[Mean"));
    histogram_record(histogram, 2000000);
    write_text(histogram);
    assert_non_null(strstr(text, "\n       2.000 1.000000000000          1\n#[Mean"));
    free(histogram);
}

/* What cannot be written is said. */
static void a_full_disk_is_said(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    struct histogram *histogram = of_thousand();
    assert_false(hgrm_write(histogram, full));
    free(histogram);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_grow_to_the_whole),
        cmocka_unit_test(the_end_names_mean_and_maximum),
        cmocka_unit_test(small_histograms_are_written),
        cmocka_unit_test(a_full_disk_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

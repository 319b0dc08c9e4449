/* Any octets: skipping them takes as many as an independent program says, reading as many as
 * skipping; and a limited reader never takes what an unlimited one refuses. */
#include "tests/lib/pof/agree.h"
#include "tests/lib/pof/measure.h"
#include "wire/assert.h"
#include "wire/pof/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Skip the value with limits: all its elements count, so most short ways are closed. */
static size_t limited_size(struct bytes pof)
{
    struct pof_limits limits = {.depth_max = 9, .elements_max = 99, .length_max = 9};
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init_limited(&r, pof, limits);
    if (pof_reader_next(&r, &value) != QN_OK) {
        return 0;
    }
    if (pof_kind_is_container(value.kind) &&
        (pof_reader_enter(&r) != QN_OK || pof_reader_leave(&r) != QN_OK)) {
        return 0;
    }
    return pof.size - r.rest.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes pof = bytes_of(data, size);
    size_t skipped = skipped_size(pof);
    size_t limited = limited_size(pof);

    qn_assert(skipped == measure(pof));
    qn_assert(reading_agrees_with_skipping(pof));
    qn_assert(limited == 0 || limited == skipped);
    return 0;
}

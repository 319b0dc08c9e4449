#include "tests/lib/pof/agree.h"

#include "wire/pof/decode.h"

size_t skipped_size(struct bytes pof)
{
    struct bytes rest = pof;

    return pof_skip(&rest) == QN_OK ? pof.size - rest.size : 0;
}

/* Read everything; the octets that it took, 0 when it was refused. `*content`: for what is in a
 * scalar. */
static size_t read_size(struct bytes pof, bool *content)
{
    struct pof_reader r;
    struct pof_value value;

    *content = false;
    pof_reader_init(&r, pof);
    for (;;) {
        enum qn_status status = pof_reader_next(&r, &value);
        if (status == QN_ABSENT && r.depth == 0) {
            return pof.size - r.rest.size;
        }
        if (status == QN_MALFORMED && !pof_decode_valid(&value)) {
            *content = true;
        }
        if (status == QN_ABSENT) {
            status = pof_reader_leave(&r);
        } else if (status == QN_OK && pof_kind_is_container(value.kind)) {
            status = pof_reader_enter(&r);
        }
        if (status != QN_OK) {
            return 0;
        }
    }
}

bool reading_agrees_with_skipping(struct bytes pof)
{
    bool content;
    size_t read = read_size(pof, &content);

    return content || read == skipped_size(pof);
}

/* Any text as JSON: refused with a place in it, or a value that has a text which reads back to
 * itself. */
#include "wire/assert.h"
#include "wire/pof/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pof_json_options options = {.indent = 0};
    struct pof_json_problem problem = {.line = 0};
    struct buf pof = {0};
    struct buf text = {0};
    struct buf again = {0};

    if (pof_json_read(&pof, bytes_of(data, size), &options, &problem) != QN_OK) {
        qn_assert(problem.line >= 1 && pof.size == 0);
    } else {
        qn_assert(pof_json_write(&text, buf_bytes(&pof), &options) == QN_OK);
        qn_assert(pof_json_read(&again, buf_bytes(&text), &options, NULL) == QN_OK);
        qn_assert(bytes_equal(buf_bytes(&pof), buf_bytes(&again)));
    }
    buf_fini(&pof);
    buf_fini(&text);
    buf_fini(&again);
    return 0;
}

#include "client/cli/render.h"

#include "client/cli/text.h"
#include "wire/pof/binary.h"
#include "wire/pof/text.h"

enum qn_status render_json(struct buf *out, struct bytes binary, const struct form *form)
{
    struct pof_json_options options = form_json(form);
    struct bytes pof;
    options.lossy = true;
    enum qn_status status = pof_binary_value(binary, &pof);
    status = status == QN_OK ? pof_json_write(out, pof, &options) : status;
    return status == QN_ABSENT ? QN_MALFORMED : status;
}

enum qn_status render_text(struct buf *out, struct bytes binary, const struct form *form)
{
    struct bytes plain;
    if (pof_binary_as_string(binary, &plain) == QN_OK) {
        return pof_text_append(out, plain);
    }
    if (pof_binary_as_octets(binary, &plain) == QN_OK) {
        return text_hex(plain, out);
    }
    enum qn_status status = render_json(out, binary, form);
    if (status == QN_OK || status == QN_MEMORY_FULL) {
        return status;
    }
    enum qn_status shown = text_hex(binary, out);
    return shown == QN_OK ? status : shown;
}

static enum qn_status string_of_octets(struct buf *out, struct bytes octets)
{
    size_t before = out->size;
    enum qn_status status = buf_append(out, "\"", 1);
    status = status == QN_OK ? text_hex(octets, out) : status;
    status = status == QN_OK ? buf_append(out, "\"", 1) : status;
    if (status != QN_OK) {
        out->size = before;
    }
    return status;
}

enum qn_status render_string(struct buf *out, struct bytes text)
{
    struct buf binary = {.size = 0};
    if (pof_text_check(text) == POF_TEXT_BROKEN) {
        return string_of_octets(out, text);
    }
    enum qn_status status = pof_binary_string(&binary, text);
    status = status == QN_OK ? render_json(out, buf_bytes(&binary), &(struct form){.schema = NULL})
                             : status;
    buf_fini(&binary);
    return status;
}

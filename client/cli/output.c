#define _GNU_SOURCE
#include "client/cli/output.h"

#include <string.h>

#include "wire/pof/binary.h"

enum output_form output_form_of(const struct options *options)
{
    if (options->json) {
        return OUTPUT_JSON;
    }
    if (options->csv) {
        return OUTPUT_CSV;
    }
    return options->raw ? OUTPUT_RAW : OUTPUT_TEXT;
}

void output_csv_cell(struct bytes text, FILE *to)
{
    bool plain = true;
    for (size_t i = 0; i < text.size && plain; i++) {
        plain = text.data[i] != 0 && strchr(",\"\r\n", text.data[i]) == NULL;
    }
    if (plain) {
        fwrite(text.data, 1, text.size, to);
        return;
    }
    fputc('"', to);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"') {
            fputc('"', to);
        }
        fputc(text.data[i], to);
    }
    fputc('"', to);
}

enum qn_status output_text(struct bytes binary, const struct form *form, int width, FILE *to)
{
    struct buf text = {.size = 0};
    enum qn_status status = render_text(&text, binary, form);
    fwrite(text.data, 1, text.size, to);
    for (int i = (int)text.size; i < width; i++) {
        fputc(' ', to);
    }
    buf_fini(&text);
    return status;
}

enum qn_status output_csv_value(struct bytes binary, const struct form *form, FILE *to)
{
    struct buf text = {.size = 0};
    enum qn_status status = render_text(&text, binary, form);
    output_csv_cell(buf_bytes(&text), to);
    buf_fini(&text);
    return status;
}

void output_raw_value(struct bytes binary, FILE *to)
{
    struct bytes octets;
    if (pof_binary_as_string(binary, &octets) != QN_OK &&
        pof_binary_as_octets(binary, &octets) != QN_OK) {
        octets = binary;
    }
    fwrite(octets.data, 1, octets.size, to);
}

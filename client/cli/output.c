#define _GNU_SOURCE
#include "client/cli/output.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/render.h"
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

enum qn_status output_csv_value(struct bytes binary, const struct types *types, FILE *to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = render_print(binary, types, memory);
    bool complete = fclose(memory) == 0 && size > 0;
    if (complete) {
        output_csv_cell(bytes_of(text, size - 1), to); /* without the line end */
    }
    free(text);
    return complete ? status : QN_MEMORY_FULL;
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

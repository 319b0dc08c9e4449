/* Forms of output, and values in them. */
#ifndef QUOIN_CLIENT_CLI_OUTPUT_H
#define QUOIN_CLIENT_CLI_OUTPUT_H

#include <stdio.h>

#include "client/cli/options.h"
#include "client/cli/render.h"

enum output_form {
    OUTPUT_TEXT, /* for people */
    OUTPUT_JSON,
    OUTPUT_CSV,
    OUTPUT_RAW,
};

/* What the options ask for. */
enum output_form output_form_of(const struct options *options);

/* One cell: in quotes where a comma, a quote or a line end would be misread (RFC 4180). */
void output_csv_cell(struct bytes text, FILE *to);

/* A Binary for people: as it is, padded to a width, or in a cell. What render_text says. */
enum qn_status output_text(struct bytes binary, const struct form *form, int width, FILE *to);
enum qn_status output_csv_value(struct bytes binary, const struct form *form, FILE *to);

/* The content of a string or of octets as it is, of everything else the Binary. */
void output_raw_value(struct bytes binary, FILE *to);

#endif

/* Forms of output, and values in them. */
#ifndef QUOIN_CLIENT_CLI_OUTPUT_H
#define QUOIN_CLIENT_CLI_OUTPUT_H

#include <stdio.h>

#include "client/cli/options.h"
#include "config/types.h"
#include "wire/bytes.h"

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

/* A Binary as text in a cell: a string as it is, everything else as JSON. What render_json says. */
enum qn_status output_csv_value(struct bytes binary, const struct types *types, FILE *to);

/* The content of a string or of octets as it is, of everything else the Binary. */
void output_raw_value(struct bytes binary, FILE *to);

#endif

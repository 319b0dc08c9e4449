#include "client/cli/csv.h"

#include "wire/assert.h"

static const uint8_t csv_bom[] = {0xef, 0xbb, 0xbf};

void csv_init(struct csv *csv, char delimiter)
{
    qn_assert(delimiter != '"' && delimiter != '\r' && delimiter != '\n');
    *csv = (struct csv){.delimiter = delimiter, .line = 1, .record_line = 1, .done = true};
}

void csv_fini(struct csv *csv)
{
    buf_fini(&csv->text);
    buf_fini(&csv->ends);
}

void csv_go_on(struct csv *csv, uint64_t line)
{
    csv->rest = bytes_of(NULL, 0);
    csv->line = line;
    csv->bom_seen = sizeof csv_bom;
    csv->done = true;
}

void csv_push(struct csv *csv, struct bytes piece)
{
    qn_assert(csv->rest.size == 0);
    csv->rest = piece;
}

static void csv_begin_record(struct csv *csv)
{
    buf_clear(&csv->text);
    buf_clear(&csv->ends);
    csv->state = CSV_AT_START;
    csv->record_line = csv->line;
    csv->problem = NULL;
    csv->quoted = false;
    csv->done = false;
}

/* The rest of the record, up to its line end, says nothing any more. */
static void csv_spoil(struct csv *csv, const char *problem)
{
    csv->problem = problem;
    csv->state = CSV_SKIPPING;
    buf_clear(&csv->text);
}

static bool csv_add(struct csv *csv, uint8_t octet)
{
    if (csv->text.size >= CSV_RECORD_MAX) {
        csv_spoil(csv, "the record is longer than 32 MiB; is a quote missing?");
        return true;
    }
    return buf_append(&csv->text, &octet, 1) == QN_OK;
}

static bool csv_end_field(struct csv *csv)
{
    if (csv_field_count(csv) >= CSV_FIELDS_MAX) {
        csv_spoil(csv, "the record has more than 4096 fields; is the delimiter right?");
        return true;
    }
    struct csv_end end = {.at = csv->text.size, .quoted = csv->quoted};
    csv->state = CSV_AT_FIELD;
    csv->quoted = false;
    return buf_append(&csv->ends, &end, sizeof end) == QN_OK;
}

/* A line end came with the last field still open. */
static enum csv_event csv_end_record(struct csv *csv)
{
    bool spoiled = csv->state == CSV_SKIPPING;
    if (!spoiled && !csv_end_field(csv)) {
        return CSV_NO_MEMORY;
    }
    csv->done = true;
    return csv->problem != NULL ? CSV_BAD : CSV_RECORD;
}

static struct csv_end csv_end_of(const struct csv *csv, size_t number)
{
    struct csv_end end;
    memcpy(&end, csv->ends.data + number * sizeof end, sizeof end);
    return end;
}

/* Drop the CR of a CRLF that ends a field without quotes. */
static void csv_drop_cr(struct csv *csv)
{
    size_t count = csv_field_count(csv);
    size_t begin = count > 0 ? csv_end_of(csv, count - 1).at : 0;
    if (csv->text.size > begin && csv->text.data[csv->text.size - 1] == '\r') {
        csv->text.size--;
    }
}

static bool csv_is_delimiter(const struct csv *csv, uint8_t octet)
{
    return octet == (uint8_t)csv->delimiter;
}

static bool csv_read_field_start(struct csv *csv, uint8_t octet)
{
    if (octet == '"') {
        csv->state = CSV_QUOTED;
        csv->quoted = true;
        return true;
    }
    if (csv_is_delimiter(csv, octet)) {
        return csv_end_field(csv);
    }
    csv->state = CSV_PLAIN;
    return csv_add(csv, octet);
}

static bool csv_read_after_quote(struct csv *csv, uint8_t octet)
{
    if (octet == '"') {
        csv->state = CSV_QUOTED;
        return csv_add(csv, octet);
    }
    if (csv_is_delimiter(csv, octet)) {
        return csv_end_field(csv);
    }
    if (octet != '\r') {
        csv_spoil(csv, "there is text between a closing quote and the delimiter");
    }
    return true;
}

/* One octet that does not end the record. False: no memory. */
static bool csv_read(struct csv *csv, uint8_t octet)
{
    switch (csv->state) {
    case CSV_AT_START:
    case CSV_AT_FIELD:
        return csv_read_field_start(csv, octet);
    case CSV_PLAIN:
        return csv_is_delimiter(csv, octet) ? csv_end_field(csv) : csv_add(csv, octet);
    case CSV_QUOTED:
        if (octet == '"') {
            csv->state = CSV_QUOTE;
            return true;
        }
        return csv_add(csv, octet);
    case CSV_QUOTE:
        return csv_read_after_quote(csv, octet);
    case CSV_SKIPPING:
        return true;
    }
    return true;
}

/* Is this octet part of a byte order mark at the very beginning? What only looked like one is read
 * after all. */
static bool csv_skip_bom(struct csv *csv, uint8_t octet, bool *memory)
{
    if (csv->bom_seen < sizeof csv_bom && octet == csv_bom[csv->bom_seen]) {
        csv->bom_seen++;
        return true;
    }
    if (csv->bom_seen < sizeof csv_bom) {
        for (unsigned i = 0; i < csv->bom_seen; i++) {
            *memory = *memory && csv_read(csv, csv_bom[i]);
        }
        csv->bom_seen = sizeof csv_bom;
    }
    return false;
}

/* An empty line is no record. */
static bool csv_is_empty_line(const struct csv *csv)
{
    bool only_cr = csv->state == CSV_PLAIN && csv->ends.size == 0 && csv->text.size == 1 &&
                   csv->text.data[0] == '\r';
    return csv->state == CSV_AT_START || only_cr;
}

static enum csv_event csv_line_end(struct csv *csv)
{
    csv->line++;
    if (csv_is_empty_line(csv)) {
        csv_begin_record(csv);
        return CSV_MORE;
    }
    if (csv->state == CSV_PLAIN) {
        csv_drop_cr(csv);
    }
    return csv_end_record(csv);
}

static enum csv_event csv_finish(struct csv *csv)
{
    if (csv->state == CSV_AT_START) {
        return CSV_MORE;
    }
    if (csv->state == CSV_QUOTED) {
        csv_spoil(csv, "a quote is opened and not closed before the file ends");
    }
    return csv_end_record(csv);
}

enum csv_event csv_next(struct csv *csv, bool last)
{
    if (csv->done) {
        csv_begin_record(csv);
    }
    while (csv->rest.size > 0) {
        uint8_t octet = *csv->rest.data;
        csv->rest = bytes_of(csv->rest.data + 1, csv->rest.size - 1);
        bool memory = true;
        if (csv_skip_bom(csv, octet, &memory)) {
            continue;
        }
        if (octet == '\n' && csv->state != CSV_QUOTED) {
            enum csv_event event = csv_line_end(csv);
            if (event != CSV_MORE) {
                return event;
            }
            continue;
        }
        csv->line += octet == '\n';
        if (!memory || !csv_read(csv, octet)) {
            return CSV_NO_MEMORY;
        }
    }
    return last ? csv_finish(csv) : CSV_MORE;
}

size_t csv_field_count(const struct csv *csv)
{
    return csv->ends.size / sizeof(struct csv_end);
}

struct bytes csv_field(const struct csv *csv, size_t number)
{
    qn_assert(number < csv_field_count(csv));
    size_t begin = number > 0 ? csv_end_of(csv, number - 1).at : 0;
    size_t end = csv_end_of(csv, number).at;
    return end > begin ? bytes_of(csv->text.data + begin, end - begin) : bytes_of("", 0);
}

bool csv_field_quoted(const struct csv *csv, size_t number)
{
    qn_assert(number < csv_field_count(csv));
    return csv_end_of(csv, number).quoted;
}

static bool csv_must_quote(struct bytes field, char delimiter)
{
    for (size_t i = 0; i < field.size; i++) {
        uint8_t octet = field.data[i];
        if (octet == '"' || octet == '\r' || octet == '\n' || octet == (uint8_t)delimiter) {
            return true;
        }
    }
    return field.size == 0;
}

enum qn_status csv_quote(struct bytes field, char delimiter, struct buf *out)
{
    if (!csv_must_quote(field, delimiter)) {
        return buf_append(out, field.data, field.size);
    }
    enum qn_status status = buf_append(out, "\"", 1);
    for (size_t i = 0; i < field.size && status == QN_OK; i++) {
        size_t times = field.data[i] == '"' ? 2 : 1;
        status = buf_append(out, "\"\"", times - 1);
        if (status == QN_OK) {
            status = buf_append(out, &field.data[i], 1);
        }
    }
    return status == QN_OK ? buf_append(out, "\"", 1) : status;
}

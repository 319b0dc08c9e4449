#define _GNU_SOURCE
#include "client/cli/export_text.h"

#include "client/cli/csv.h"
#include "client/cli/render.h"

/* Are the cells fields, and not key and value? */
static bool has_columns(const struct export_layout *layout)
{
    return layout->format == ROWS_CSV && layout->form.type != NULL;
}

bool export_text_init(struct export_text *text, const struct export_layout *layout,
                      uint64_t record_count)
{
    *text = (struct export_text){.layout = *layout, .record_count = record_count};
    return !has_columns(layout) ||
           columns_init(&text->columns, &text->layout.form, layout->keys_only);
}

void export_text_fini(struct export_text *text)
{
    if (has_columns(&text->layout)) {
        columns_fini(&text->columns);
    }
    buf_fini(&text->record);
}

static enum qn_status append_text(struct buf *out, const char *text)
{
    return buf_append(out, text, strlen(text));
}

/* ---- before and behind ---- */

static enum qn_status head_of_csv(const struct export_text *text, struct buf *out)
{
    char delimiter = text->layout.delimiter;
    enum qn_status status = QN_OK;
    if (has_columns(&text->layout)) {
        status = columns_head(&text->columns, delimiter, out);
    } else {
        status = append_text(out, "key");
        if (status == QN_OK && !text->layout.keys_only) {
            status = buf_append(out, &delimiter, 1);
            status = status == QN_OK ? append_text(out, "value") : status;
        }
    }
    return status == QN_OK ? append_text(out, "\n") : status;
}

enum qn_status export_text_head(const struct export_text *text, struct buf *out)
{
    switch (text->layout.format) {
    case ROWS_JSON:
        return append_text(out, "[");
    case ROWS_JSON_LINES:
        return QN_OK;
    case ROWS_CSV:
        break;
    }
    return head_of_csv(text, out);
}

enum qn_status export_text_tail(const struct export_text *text, struct buf *out)
{
    if (text->layout.format != ROWS_JSON) {
        return QN_OK;
    }
    return append_text(out, text->record_count > 0 ? "\n]\n" : "]\n");
}

/* ---- records ---- */

/* Key or value of any type as a cell. */
static enum qn_status append_any(struct export_text *text, struct bytes binary, struct buf *out)
{
    buf_clear(&text->record);
    enum qn_status status = render_text(&text->record, binary, &text->layout.form);
    return status == QN_MEMORY_FULL
               ? status
               : csv_quote(buf_bytes(&text->record), text->layout.delimiter, out);
}

static enum qn_status append_pair(struct export_text *text, const struct export_entry *entry,
                                  struct buf *out)
{
    enum qn_status status = append_any(text, entry->key, out);
    if (status == QN_OK && !text->layout.keys_only) {
        status = buf_append(out, &text->layout.delimiter, 1);
        status = status == QN_OK ? append_any(text, entry->value, out) : status;
    }
    return status;
}

/* The record as JSON. */
static enum qn_status append_json(const struct export_text *text, const struct export_entry *entry,
                                  struct buf *out, bool *exact, char *problem)
{
    const struct form *form = &text->layout.form;
    return text->layout.keys_only
               ? record_write_key(out, form, entry->key, exact)
               : record_write(out, form, entry->key, entry->value, exact, problem);
}

/* The same in the columns of its type. */
static enum qn_status append_cells(struct export_text *text, const struct export_entry *entry,
                                   struct buf *out, bool *exact, char *problem)
{
    buf_clear(&text->record);
    enum qn_status status = append_json(text, entry, &text->record, exact, problem);
    return status == QN_OK ? columns_cells(&text->columns, buf_bytes(&text->record),
                                           text->layout.delimiter, out, exact)
                           : status;
}

static enum qn_status append_record(struct export_text *text, const struct export_entry *entry,
                                    struct buf *out, bool *exact, char *problem)
{
    bool array = text->layout.format == ROWS_JSON;
    enum qn_status status = QN_OK;
    if (array) {
        status = append_text(out, text->record_count > 0 ? ",\n" : "\n");
    }
    if (status == QN_OK && has_columns(&text->layout)) {
        status = append_cells(text, entry, out, exact, problem);
    } else if (status == QN_OK && text->layout.format == ROWS_CSV) {
        *exact = false; /* texts and numbers look the same there */
        status = append_pair(text, entry, out);
    } else if (status == QN_OK) {
        status = append_json(text, entry, out, exact, problem);
    }
    return status == QN_OK && !array ? append_text(out, "\n") : status;
}

/* Is the entry stored under the field that import would take for its key? */
static bool is_own_key(struct export_text *text, const struct export_entry *entry)
{
    const struct form *form = &text->layout.form;
    char problem[RECORD_PROBLEM_MAX];
    return form->key != NULL && record_read_key(&text->record, form, entry->value, problem) &&
           bytes_equal(buf_bytes(&text->record), entry->key);
}

enum export_outcome export_text_entry(struct export_text *text, const struct export_entry *entry,
                                      struct buf *out, char *problem)
{
    size_t before = out->size;
    bool exact = true;
    enum qn_status status = append_record(text, entry, out, &exact, problem);
    if (status != QN_OK) {
        out->size = before;
        return status == QN_INVALID ? EXPORT_REJECTED : EXPORT_NO_MEMORY;
    }
    text->record_count++;
    if (!text->layout.keys_only) {
        text->inexact_count += !exact;
        text->other_key_count += text->layout.form.type != NULL && !is_own_key(text, entry);
    }
    return EXPORT_WRITTEN;
}

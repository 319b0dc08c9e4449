/* Writes records, a number of them under way at a time. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "client/cli/import.h"

/* A record under way, with what is needed to reject it. */
struct write_slot {
    qn_op *op;
    uint64_t line;
    struct buf raw;
};

/* A ring: the oldest at `first`. */
struct writer {
    struct write_slot *slots;
    size_t capacity;
    size_t first;
    size_t count;
};

static void writer_destroy(void *state)
{
    struct writer *writer = state;
    if (writer == NULL) {
        return;
    }
    for (size_t i = 0; i < writer->capacity && writer->slots != NULL; i++) {
        qn_op_release(writer->slots[i].op);
        buf_fini(&writer->slots[i].raw);
    }
    free(writer->slots);
    free(writer);
}

static void *writer_create(struct import *import)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return NULL;
    }
    writer->capacity = import->in_flight;
    writer->slots = calloc(writer->capacity, sizeof *writer->slots);
    if (writer->slots == NULL) {
        writer_destroy(writer);
        return NULL;
    }
    return writer;
}

/* Is it the record that is wrong, rather than the grid? Then only the record fails. */
static bool is_rejection(const qn_error *err)
{
    return cli_exit_of(err->status, err->certainty) == CLI_REFUSED &&
           (err->status == QN_TOO_LARGE || err->status == QN_SCHEMA || err->status == QN_INVALID ||
            err->status == QN_MALFORMED);
}

static bool keep_failure(struct import *import, const qn_error *err)
{
    import->unknown_count += err->certainty == QN_UNKNOWN;
    if (!qn_error_failed(&import->failure)) {
        import->failure = *err;
    }
    return false;
}

/* Wait for the oldest and count what became of it. */
static bool settle_first(struct import *import, struct writer *writer)
{
    struct write_slot *slot = &writer->slots[writer->first];
    writer->first = (writer->first + 1) % writer->capacity;
    writer->count--;
    bool done = qn_op_wait(slot->op, -1);
    qn_status status = qn_op_status(slot->op);
    const qn_error *err = qn_op_error(slot->op);
    bool fine = true;
    if (done && status >= QN_OK) {
        import->done_count++;
    } else if (err != NULL && is_rejection(err)) {
        fine = import_reject(import, slot->line, err->text, buf_bytes(&slot->raw));
    } else {
        qn_error unclear = QN_ERROR_INIT;
        qn_error_set(&unclear, QN_INDETERMINATE, "a put did not end by its deadline");
        fine = keep_failure(import, err != NULL && qn_error_failed(err) ? err : &unclear);
    }
    qn_op_release(slot->op);
    slot->op = NULL;
    return fine;
}

/* Start the put of the record at hand; when the client has no room for it, after others have ended.
 */
static qn_op *start(struct import *import, struct writer *writer, qn_error *err)
{
    const struct record *record = &import->record;
    qn_arg key = qn_binary(record->key.data, record->key.size);
    qn_arg value = qn_binary(record->value.data, record->value.size);
    for (;;) {
        qn_op *op = qn_put_start(import->cache, key, value, &import->put, err);
        if (op != NULL || err->status != QN_BUSY || writer->count == 0) {
            return op;
        }
        if (!settle_first(import, writer)) {
            *err = import->failure;
            return NULL;
        }
        qn_error_clear(err);
    }
}

static bool writer_take(struct import *import, void *state, const struct row *row)
{
    struct writer *writer = state;
    if (writer->count == writer->capacity && !settle_first(import, writer)) {
        return false;
    }
    qn_error err = QN_ERROR_INIT;
    qn_op *op = start(import, writer, &err);
    if (op == NULL) {
        return is_rejection(&err) ? import_reject(import, row->line, err.text, row->raw)
                                  : keep_failure(import, &err);
    }
    struct write_slot *slot = &writer->slots[(writer->first + writer->count) % writer->capacity];
    slot->op = op;
    slot->line = row->line;
    buf_clear(&slot->raw);
    writer->count++;
    /* Without memory for it, the side file will show the line without its text. */
    (void)!buf_append(&slot->raw, row->raw.data, row->raw.size);
    return true;
}

static bool writer_finish(struct import *import, void *state)
{
    struct writer *writer = state;
    bool fine = true;
    while (writer->count > 0) {
        fine = settle_first(import, writer) && fine;
    }
    return fine;
}

const struct import_sink import_writer = {writer_create, writer_take, writer_finish,
                                          writer_destroy};

/* Reads records back and compares them with the input: octets, and fields where those differ. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "client/cli/import.h"
#include "client/cli/json_split.h"
#include "client/cli/render.h"

enum { VERIFY_KEY_SHOWN = 64 };

/* A record whose stored form has been asked for. */
struct verify_item {
    uint64_t line;
    size_t begin; /* of its Binary in `expected` */
    size_t size;
    char key[VERIFY_KEY_SHOWN];
};

struct verifier {
    qn_batch *batch;
    struct verify_item *items;
    size_t count;
    size_t capacity;
    struct buf expected; /* Binaries back to back */
    struct buf wanted;   /* a record of the file, and one of the grid, as JSON */
    struct buf stored;
};

static void verifier_destroy(void *state)
{
    struct verifier *verifier = state;
    if (verifier == NULL) {
        return;
    }
    qn_batch_free(verifier->batch);
    free(verifier->items);
    buf_fini(&verifier->expected);
    buf_fini(&verifier->wanted);
    buf_fini(&verifier->stored);
    free(verifier);
}

static void *verifier_create(struct import *import)
{
    struct verifier *verifier = calloc(1, sizeof *verifier);
    if (verifier == NULL) {
        return NULL;
    }
    verifier->capacity = import->in_flight;
    verifier->items = calloc(verifier->capacity, sizeof *verifier->items);
    verifier->batch = qn_batch_new(import->cache, &import->failure);
    if (verifier->items == NULL || verifier->batch == NULL) {
        verifier_destroy(verifier);
        return NULL;
    }
    return verifier;
}

__attribute__((format(printf, 3, 4))) static void
report(struct import *import, const struct verify_item *item, const char *format, ...)
{
    va_list arguments;
    progress_end(&import->progress);
    printf("line %" PRIu64 ", key %s: ", item->line, item->key);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* The member of a record as its text; empty when there is none. */
static struct bytes member(struct bytes record, struct bytes wanted)
{
    struct json_split split;
    struct bytes name;
    struct bytes value;
    json_split_init(&split, record);
    while (json_split_member(&split, &name, &value)) {
        if (bytes_equal(name, wanted)) {
            return value;
        }
    }
    return bytes_of_text("");
}

/* "field 'name': stored "x", in the file "y"" */
static void report_field(struct import *import, const struct verify_item *item, struct bytes name,
                         struct bytes stored, struct bytes wanted)
{
    stored = stored.size > 0 ? stored : bytes_of_text("nothing");
    wanted = wanted.size > 0 ? wanted : bytes_of_text("nothing");
    report(import, item, "field '%.*s': stored %.*s, in the file %.*s", (int)name.size,
           (const char *)name.data, (int)stored.size, (const char *)stored.data, (int)wanted.size,
           (const char *)wanted.data);
}

/* Report the fields of `all` whose value in `other` differs; with `missing` those that it lacks
 * alone. */
static size_t report_fields(struct import *import, const struct verify_item *item, struct bytes all,
                            struct bytes other, bool missing)
{
    struct json_split split;
    struct bytes name;
    struct bytes value;
    size_t count = 0;
    json_split_init(&split, all);
    while (json_split_member(&split, &name, &value)) {
        struct bytes found = member(other, name);
        if (missing ? found.size == 0 : !bytes_equal(found, value)) {
            report_field(import, item, name, missing ? found : value, missing ? value : found);
            count++;
        }
    }
    return count;
}

/* The octets differ: say in which fields. */
static void explain(struct import *import, struct verifier *verifier,
                    const struct verify_item *item, struct bytes expected, struct bytes stored)
{
    const struct form *form = &import->form;
    char problem[RECORD_PROBLEM_MAX];
    bool exact = true;
    struct bytes key = bytes_of_text("");
    buf_clear(&verifier->stored);
    buf_clear(&verifier->wanted);
    if (form->type == NULL) {
        report(import, item, "another value is stored");
        return;
    }
    if (record_write(&verifier->stored, form, key, stored, &exact, problem) != QN_OK) {
        report(import, item, "stored is %s", problem);
        return;
    }
    if (record_write(&verifier->wanted, form, key, expected, &exact, problem) != QN_OK) {
        report(import, item, "cannot be compared: %s", problem);
        return;
    }
    struct bytes there = buf_bytes(&verifier->stored);
    struct bytes here = buf_bytes(&verifier->wanted);
    size_t count = report_fields(import, item, there, here, false);
    count += report_fields(import, item, here, there, true);
    if (count == 0) {
        report(import, item, "the octets differ, though no field %s does (another version of %s?)",
               form_hides(form) ? "that the view shows" : "of it", form->type->name);
    }
}

static void compare(struct import *import, struct verifier *verifier, size_t number)
{
    const struct verify_item *item = &verifier->items[number];
    struct bytes expected = bytes_of(verifier->expected.data + item->begin, item->size);
    if (qn_batch_status(verifier->batch, number) == QN_ABSENT) {
        report(import, item, "not stored");
        import->different_count++;
        return;
    }
    size_t size = 0;
    const void *data = qn_value_binary(qn_batch_value(verifier->batch, number), &size);
    struct bytes stored = bytes_of(data, size);
    if (bytes_equal(expected, stored)) {
        import->done_count++;
        return;
    }
    import->different_count++;
    explain(import, verifier, item, expected, stored);
}

/* Get what has been gathered and compare it. */
static bool flush(struct import *import, struct verifier *verifier)
{
    if (verifier->count == 0) {
        return true;
    }
    bool fine = qn_batch_run(verifier->batch, 0, &import->failure) >= QN_OK;
    for (size_t i = 0; i < verifier->count && fine; i++) {
        compare(import, verifier, i);
    }
    qn_batch_clear(verifier->batch);
    buf_clear(&verifier->expected);
    verifier->count = 0;
    return fine;
}

static void show_key(struct bytes key, char *text)
{
    struct buf shown = {.size = 0};
    (void)!render_json(&shown, key, &(struct form){.schema = NULL});
    snprintf(text, VERIFY_KEY_SHOWN, "%.*s", (int)shown.size, (const char *)shown.data);
    buf_fini(&shown);
}

static bool verifier_take(struct import *import, void *state, const struct row *row)
{
    struct verifier *verifier = state;
    const struct record *record = &import->record;
    struct verify_item *item = &verifier->items[verifier->count];
    *item = (struct verify_item){
        .line = row->line, .begin = verifier->expected.size, .size = record->value.size};
    show_key(buf_bytes(&record->key), item->key);
    if (buf_append(&verifier->expected, record->value.data, record->value.size) != QN_OK) {
        qn_error_set(&import->failure, QN_MEMORY_FULL, "out of memory");
        return false;
    }
    qn_arg key = qn_binary(record->key.data, record->key.size);
    if (qn_batch_get(verifier->batch, key, &import->failure) == SIZE_MAX) {
        return false;
    }
    verifier->count++;
    return verifier->count < verifier->capacity || flush(import, verifier);
}

static bool verifier_finish(struct import *import, void *state)
{
    return !qn_error_failed(&import->failure) && flush(import, state);
}

const struct import_sink import_verifier = {verifier_create, verifier_take, verifier_finish,
                                            verifier_destroy};

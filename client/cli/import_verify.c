/* Reads records back and compares them with the input: octets, and fields where those differ. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "client/cli/import.h"
#include "client/cli/json_value.h"
#include "wire/pof/binary.h"

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
    struct buf expected;  /* Binaries back to back */
    struct object wanted; /* decoded from what the file says */
    struct object stored; /* decoded from what the grid says */
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
    object_fini(&verifier->wanted);
    object_fini(&verifier->stored);
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
    bool wanted = import->type == NULL || object_init(&verifier->wanted, import->type);
    bool stored = import->type == NULL || object_init(&verifier->stored, import->type);
    if (verifier->items == NULL || verifier->batch == NULL || !wanted || !stored) {
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

static char *dump(json_t *json)
{
    return json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY |
                                JSON_REAL_PRECISION(json_value_digits(json)));
}

/* "field 'name': stored "x", in the file "y"" */
static void report_field(struct import *import, const struct verify_item *item,
                         const struct verifier *verifier, size_t number)
{
    json_t *stored = field_json(&verifier->stored.values[number]);
    json_t *wanted = field_json(&verifier->wanted.values[number]);
    char *stored_text = dump(stored);
    char *wanted_text = dump(wanted);
    report(import, item, "field '%s': stored %s, in the file %s", import->type->fields[number].name,
           stored_text != NULL ? stored_text : "?", wanted_text != NULL ? wanted_text : "?");
    free(stored_text);
    free(wanted_text);
    json_decref(stored);
    json_decref(wanted);
}

/* The octets differ: say in which fields. */
static void explain(struct import *import, struct verifier *verifier,
                    const struct verify_item *item, struct bytes expected, struct bytes stored)
{
    char problem[OBJECT_PROBLEM_MAX];
    if (import->type == NULL) {
        report(import, item, "another value is stored");
        return;
    }
    if (!object_decode(&verifier->stored, stored, problem)) {
        report(import, item, "stored is %s", problem);
        return;
    }
    if (!object_decode(&verifier->wanted, expected, problem)) {
        report(import, item, "cannot be compared: %s", problem);
        return;
    }
    size_t count = import->type->field_count;
    size_t number = object_difference(&verifier->stored, &verifier->wanted, 0);
    if (number == count) {
        report(import, item, "the octets differ, though no field does (another version of %s?)",
               import->type->name);
    }
    while (number < count) {
        report_field(import, item, verifier, number);
        number = object_difference(&verifier->stored, &verifier->wanted, number + 1);
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

/* Reading the Binary back must give the fields of the file, whatever is stored. */
static bool reads_back(struct import *import, struct verifier *verifier,
                       const struct verify_item *item)
{
    char problem[OBJECT_PROBLEM_MAX];
    if (!object_decode(&verifier->stored, buf_bytes(&import->binary), problem)) {
        report(import, item, "its object cannot be read: %s", problem);
        return false;
    }
    size_t number = object_difference(&verifier->stored, &import->object, 0);
    if (number < import->type->field_count) {
        report(import, item, "field '%s' does not survive as an object",
               import->type->fields[number].name);
        return false;
    }
    return true;
}

static void show_key(qn_arg key, char *text)
{
    struct bytes name;
    if (key.kind == QN_ARG_BINARY) { /* of a record of any type */
        struct bytes binary = bytes_of(key.data, key.size);
        if (pof_binary_as_string(binary, &name) == QN_OK) {
            key.kind = QN_ARG_STRING;
            key.data = name.data;
            key.size = name.size;
        } else if (pof_binary_as_int64(binary, &key.number) == QN_OK) {
            key.kind = QN_ARG_INT;
        }
    }
    if (key.kind == QN_ARG_BINARY) {
        snprintf(text, VERIFY_KEY_SHOWN, "of %zu octets", key.size);
    } else if (key.kind == QN_ARG_INT) {
        snprintf(text, VERIFY_KEY_SHOWN, "%" PRId64, key.number);
    } else {
        snprintf(text, VERIFY_KEY_SHOWN, "\"%.*s\"",
                 (int)(key.size < VERIFY_KEY_SHOWN - 3 ? key.size : VERIFY_KEY_SHOWN - 3),
                 (const char *)key.data);
    }
}

static bool verifier_take(struct import *import, void *state, const struct row *row, qn_arg key)
{
    struct verifier *verifier = state;
    struct verify_item *item = &verifier->items[verifier->count];
    *item = (struct verify_item){
        .line = row->line, .begin = verifier->expected.size, .size = import->binary.size};
    show_key(key, item->key);
    if (import->type != NULL && !reads_back(import, verifier, item)) {
        import->different_count++;
        return true;
    }
    if (buf_append(&verifier->expected, import->binary.data, import->binary.size) != QN_OK) {
        qn_error_set(&import->failure, QN_MEMORY_FULL, "out of memory");
        return false;
    }
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

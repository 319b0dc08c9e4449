#include "client/pof.h"

#include <inttypes.h>

#include "client/value.h"

qn_arg qn_pof(struct buf *out, const struct pof_struct *table, const void *object, qn_error *err)
{
    static const qn_arg refused = {.kind = QN_ARG_BINARY, .data = "", .size = 0};

    if (qn_error_failed(err)) {
        return refused;
    }
    if (!out || !table || !object) {
        (void)qn_error_set(err, QN_INVALID, "qn_pof: buffer, table and object are needed");
        return refused;
    }
    buf_clear(out);
    enum qn_status status = pof_struct_to_binary(out, table, object);
    if (status != QN_OK) {
        (void)qn_error_set(err, status, "an object of type %" PRId32 " can not be written: %s",
                           table->type, qn_status_text(status));
        return refused;
    }
    return qn_binary(out->data, out->size);
}

qn_status qn_value_pof(const qn_value *value, struct pof_reader *reader)
{
    struct bytes pof;

    if (!value || !reader) {
        return QN_INVALID;
    }
    enum qn_status status = pof_binary_value(value_octets(value), &pof);
    if (status == QN_OK) {
        pof_reader_init(reader, pof);
    }
    return status;
}

/* What stands in the value instead of what was expected. */
static enum qn_status explain(const qn_value *value, const struct pof_struct *table,
                              enum qn_status status, qn_error *err)
{
    struct pof_reader reader;
    struct pof_value head;

    if (qn_value_pof(value, &reader) != QN_OK || pof_reader_next(&reader, &head) != QN_OK) {
        return qn_error_set(err, status, "the value is not in the portable object format: %s",
                            qn_status_text(status));
    }
    if (status == QN_WRONG_TYPE && head.kind != POF_KIND_USER) {
        return qn_error_set(err, status,
                            "the value is no object (its type is %" PRId32
                            "), an object of type %" PRId32 " was asked for",
                            head.type, table->type);
    }
    if (status == QN_WRONG_TYPE && head.type != table->type) {
        return qn_error_set(err, status,
                            "the value is an object of type %" PRId32 ", one of type %" PRId32
                            " was asked for: use the table of its type",
                            head.type, table->type);
    }
    return qn_error_set(err, status, "the object of type %" PRId32 " can not be read: %s",
                        table->type, qn_status_text(status));
}

qn_status qn_value_object(const qn_value *value, const struct pof_struct *table, void *object,
                          struct pof_struct_memory *memory, qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!value || !table || !object || !memory) {
        return qn_error_set(err, QN_INVALID,
                            "qn_value_object: value, table, object and memory are needed");
    }
    enum qn_status status = pof_struct_from_binary(value_octets(value), table, object, memory);
    return status == QN_OK ? status : explain(value, table, status, err);
}

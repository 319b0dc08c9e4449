#include "wire/pof/binary.h"

#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

enum qn_status pof_binary_string(struct buf *out, struct bytes utf8)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_write_string(&w, POF_NEXT, utf8);
    return pof_writer_finish(&w);
}

enum qn_status pof_binary_int64(struct buf *out, int64_t value)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_writer_full(&w); /* one key, one form: a serializer writes keys in full */
    pof_write_int64(&w, POF_NEXT, value);
    return pof_writer_finish(&w);
}

enum qn_status pof_binary_octets(struct buf *out, struct bytes octets)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_write_octets(&w, POF_NEXT, octets);
    return pof_writer_finish(&w);
}

/* The one value of a Binary, if it is a scalar. */
static enum qn_status read_scalar(struct bytes binary, struct pof_value *value)
{
    struct pof_reader reader;
    struct bytes pof;
    enum qn_status status = pof_binary_value(binary, &pof);

    if (status != QN_OK) {
        return status;
    }
    pof_reader_init(&reader, pof);
    return pof_reader_next(&reader, value);
}

enum qn_status pof_binary_as_string(struct bytes binary, struct bytes *text)
{
    struct pof_value value;
    enum qn_status status = read_scalar(binary, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind != POF_KIND_STRING) {
        return QN_WRONG_TYPE;
    }
    *text = value.as.text;
    return QN_OK;
}

enum qn_status pof_binary_as_int64(struct bytes binary, int64_t *number)
{
    struct pof_value value;
    enum qn_status status = read_scalar(binary, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind < POF_KIND_INT16 || value.kind > POF_KIND_INT128) {
        return QN_WRONG_TYPE;
    }
    return pof_value_int64(&value, number);
}

enum qn_status pof_binary_as_octets(struct bytes binary, struct bytes *octets)
{
    struct pof_value value;
    enum qn_status status = read_scalar(binary, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind != POF_KIND_OCTETS) {
        return QN_WRONG_TYPE;
    }
    *octets = value.as.octets;
    return QN_OK;
}

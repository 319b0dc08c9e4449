#include "wire/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct status_row {
    int32_t number;
    bool retry;
    enum qn_certainty certainty;
    const char *name;
    const char *text;
};

static const struct status_row status_rows[] = {
#define QN_STATUS_ROW(name, number, retry, certainty, text) {number, retry, certainty, #name, text},
    QN_STATUS_MAP(QN_STATUS_ROW)
#undef QN_STATUS_ROW
};

static const struct status_row *row_find(int32_t number)
{
    for (size_t i = 0; i < sizeof status_rows / sizeof *status_rows; i++) {
        if (status_rows[i].number == number) {
            return &status_rows[i];
        }
    }
    return NULL;
}

const char *qn_status_name(enum qn_status status)
{
    const struct status_row *row = row_find((int32_t)status);

    return row ? row->name : "QN_?";
}

const char *qn_status_text(enum qn_status status)
{
    const struct status_row *row = row_find((int32_t)status);

    return row ? row->text : "unknown status";
}

bool qn_status_retry(enum qn_status status)
{
    const struct status_row *row = row_find((int32_t)status);

    return row && row->retry;
}

enum qn_certainty qn_status_certainty(enum qn_status status)
{
    const struct status_row *row = row_find((int32_t)status);

    return row ? row->certainty : QN_UNKNOWN;
}

bool qn_status_known(int32_t number)
{
    return row_find(number) != NULL;
}

/* Octets of the caller's struct that are known to both sides. */
static size_t known_size(const qn_error *err)
{
    const size_t first_version = offsetof(qn_error, change_id);

    return err->size < first_version  ? first_version
           : err->size > sizeof(*err) ? sizeof(*err)
                                      : err->size;
}

void qn_error_clear(qn_error *err)
{
    const qn_error clear = QN_ERROR_INIT;

    if (err) {
        size_t size = err->size;
        memcpy(err, &clear, known_size(err));
        err->size = size;
    }
}

bool qn_error_failed(const qn_error *err)
{
    return err && err->status < 0;
}

enum qn_status qn_error_set(qn_error *err, enum qn_status status, const char *format, ...)
{
    if (err && err->status >= 0) {
        va_list args;

        qn_error_clear(err);
        err->status = status;
        err->certainty = qn_status_certainty(status);
        va_start(args, format);
        (void)vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

static bool has_change(const qn_error *err)
{
    return err && known_size(err) == sizeof *err;
}

void qn_error_set_change(qn_error *err, const char *change_id)
{
    if (has_change(err)) {
        (void)snprintf(err->change_id, sizeof err->change_id, "%s", change_id);
    }
}

const char *qn_change_id(const qn_error *err)
{
    return has_change(err) ? err->change_id : "";
}

#include "config/cfg_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cfg_report_fini(struct cfg_report *report)
{
    if (report) {
        buf_fini(&report->text);
        *report = (struct cfg_report){0};
    }
}

/* Octets that would break the line or play tricks with a terminal. */
static void text_clean(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 32 || *text == 127) {
            *text = '?';
        }
    }
}

/* Without memory the line is lost, but the counts are right, and those decide. */
static void line_add(struct cfg_report *report, char *line)
{
    size_t size = strlen(line);

    text_clean(line);
    /* Keep a NUL behind the text, so that it can be handed out as it is. */
    if (buf_reserve(&report->text, size + 2) != QN_OK) {
        return;
    }
    memcpy(report->text.data + report->text.size, line, size);
    memcpy(report->text.data + report->text.size + size, "\n", 2);
    report->text.size += size + 1;
}

void cfg_report_error(struct cfg_report *report, const char *file, unsigned line,
                      const char *format, ...)
{
    char text[CFG_REPORT_LINE_MAX] = "";

    if (!report) {
        return;
    }
    report->error_count++;
    if (report->error_count > CFG_REPORT_LINES_MAX) {
        return;
    }
    int size = 0;
    if (file && line > 0) {
        size = snprintf(text, sizeof text, "%s:%u: ", file, line);
    } else if (file) {
        size = snprintf(text, sizeof text, "%s: ", file);
    }
    if (size >= 0 && (size_t)size < sizeof text) {
        va_list list;
        va_start(list, format);
        (void)vsnprintf(text + size, sizeof text - (size_t)size, format, list);
        va_end(list);
    }
    line_add(report, text);
}

void cfg_report_note(struct cfg_report *report, const char *format, ...)
{
    char text[CFG_REPORT_LINE_MAX] = "";

    if (!report) {
        return;
    }
    report->note_count++;
    if (report->note_count > CFG_REPORT_LINES_MAX) {
        return;
    }
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    line_add(report, text);
}

const char *cfg_report_text(const struct cfg_report *report)
{
    return report->text.size ? (const char *)report->text.data : "";
}

void cfg_report_print(const struct cfg_report *report, FILE *to)
{
    fputs(cfg_report_text(report), to);
    if (report->error_count > CFG_REPORT_LINES_MAX) {
        fprintf(to, "... and %zu more errors\n", report->error_count - CFG_REPORT_LINES_MAX);
    }
}

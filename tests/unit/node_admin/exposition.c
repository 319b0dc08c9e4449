#include "tests/unit/node_admin/exposition.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128, LINE_SIZE = 512 };

struct family {
    char name[NAME_SIZE];
    char type[NAME_SIZE];
    bool has_help;
    bool ended; /* another family has begun */
};

/* The histogram series whose buckets are being read. */
struct histogram {
    char labels[LINE_SIZE]; /* without le */
    double bound;
    double count;
    bool open;
};

struct checker {
    struct family families[EXPOSITION_FAMILIES];
    size_t family_count;
    char *series[EXPOSITION_SERIES];
    size_t series_count;
    struct histogram histogram;
    char *problem;
};

static bool wrong(struct checker *c, const char *what, const char *line)
{
    (void)snprintf(c->problem, EXPOSITION_PROBLEM, "%s: %.160s", what, line);
    return false;
}

static size_t name_length(const char *text)
{
    size_t size = 0;

    while (isalnum((unsigned char)text[size]) || text[size] == '_' || text[size] == ':') {
        size++;
    }
    return isdigit((unsigned char)text[0]) ? 0 : size;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a >= b && strcmp(text + a - b, end) == 0;
}

static bool comment_check(struct checker *c, const char *line)
{
    char keyword[8], name[NAME_SIZE], rest[NAME_SIZE];

    if (sscanf(line, "# %7s %127s %127[^\n]", keyword, name, rest) != 3) {
        return wrong(c, "no HELP or TYPE", line);
    }
    struct family *last = c->family_count ? &c->families[c->family_count - 1] : NULL;
    if (strcmp(keyword, "HELP") == 0) {
        for (size_t i = 0; i < c->family_count; i++) {
            if (strcmp(c->families[i].name, name) == 0) {
                return wrong(c, "family twice", line);
            }
        }
        if (c->family_count == EXPOSITION_FAMILIES || (last && !last->type[0])) {
            return wrong(c, "too many families, or one without TYPE", line);
        }
        struct family *made = &c->families[c->family_count++];
        (void)snprintf(made->name, sizeof made->name, "%s", name);
        made->has_help = true;
        return true;
    }
    if (strcmp(keyword, "TYPE") != 0 || !last || strcmp(last->name, name) != 0 || last->type[0]) {
        return wrong(c, "TYPE without its HELP", line);
    }
    (void)snprintf(last->type, sizeof last->type, "%s", rest);
    return strcmp(rest, "gauge") == 0 || strcmp(rest, "summary") == 0 ||
           strcmp(rest, "histogram") == 0 ||
           (strcmp(rest, "counter") == 0 && ends_with(name, "_total")) ||
           wrong(c, "type unknown or counter without _total", line);
}

/* Position after the label set that begins at `at`, NULL if it is malformed. */
static const char *labels_skip(const char *at)
{
    do {
        at++;
        size_t size = name_length(at);
        if (size == 0 || at[size] != '=' || at[size + 1] != '"') {
            return NULL;
        }
        for (at += size + 2; *at != '"'; at++) {
            if (*at == '\0' || *at == '\n') {
                return NULL;
            }
            if (*at == '\\' && !strchr("\\\"n", *++at)) {
                return NULL;
            }
        }
        at++;
    } while (*at == ',');
    return *at == '}' ? at + 1 : NULL;
}

static bool series_add(struct checker *c, const char *line, size_t size)
{
    char *copy = calloc(1, size + 1);

    if (!copy || c->series_count == EXPOSITION_SERIES) {
        free(copy);
        return wrong(c, "too many series", line);
    }
    memcpy(copy, line, size);
    for (size_t i = 0; i < c->series_count; i++) {
        if (strcmp(c->series[i], copy) == 0) {
            free(copy);
            return wrong(c, "series twice", line);
        }
    }
    c->series[c->series_count++] = copy;
    return true;
}

/* Does a sample of this name belong to the family? */
static bool belongs(const struct family *family, const char *name)
{
    static const char *const ends[] = {"_bucket", "_sum", "_count"};
    size_t size = strlen(family->name);

    if (strcmp(family->type, "histogram") != 0 && strcmp(family->type, "summary") != 0) {
        return strcmp(family->name, name) == 0;
    }
    if (strncmp(family->name, name, size) != 0) {
        return false;
    }
    for (size_t i = strcmp(family->type, "summary") == 0; i < 3; i++) {
        if (strcmp(name + size, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool bucket_check(struct checker *c, const char *line, const char *labels, double value)
{
    const char *le = strstr(labels, "le=\"");
    struct histogram *h = &c->histogram;

    if (!le) {
        return wrong(c, "bucket without le", line);
    }
    double bound = strncmp(le + 4, "+Inf\"", 5) == 0 ? INFINITY : strtod(le + 4, NULL);
    int others = (int)(le - labels);
    bool same = h->open && strncmp(h->labels, labels, (size_t)others) == 0;
    if (same && (bound <= h->bound || value < h->count)) {
        return wrong(c, "bounds do not grow or counts are not cumulative", line);
    }
    if (!same && h->open) {
        return wrong(c, "the histogram before has no +Inf", line);
    }
    (void)snprintf(h->labels, sizeof h->labels, "%.*s", others, labels);
    h->bound = bound;
    h->count = value;
    h->open = !isinf(bound);
    return true;
}

static bool count_check(struct checker *c, const char *line, double value)
{
    if (c->histogram.open || c->histogram.count != value) {
        return wrong(c, "count differs from the +Inf bucket", line);
    }
    return true;
}

static bool sample_check(struct checker *c, const char *line)
{
    char name[NAME_SIZE];
    size_t size = name_length(line);
    const char *labels = line + size, *end = labels;
    char *after = NULL;

    if (size == 0 || size >= sizeof name || c->family_count == 0) {
        return wrong(c, "no metric name, or a sample before HELP", line);
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)size, line);
    const struct family *family = &c->families[c->family_count - 1];
    if (!family->type[0] || !belongs(family, name)) {
        return wrong(c, "sample outside of its family", line);
    }
    if (*labels == '{' && !(end = labels_skip(labels))) {
        return wrong(c, "malformed labels", line);
    }
    double value = strtod(end + 1, &after);
    if (*end != ' ' || after == end + 1 || *after != '\n' || isnan(value) || value < 0) {
        return wrong(c, "malformed value", line);
    }
    if (!series_add(c, line, (size_t)(end - line))) {
        return false;
    }
    if (strcmp(family->type, "histogram") != 0) {
        return true;
    }
    if (ends_with(name, "_bucket")) {
        return bucket_check(c, line, labels, value);
    }
    return !ends_with(name, "_count") || count_check(c, line, value);
}

_Bool exposition_check(const char *text, char problem[EXPOSITION_PROBLEM])
{
    struct checker *c = calloc(1, sizeof *c);
    bool good = c != NULL && text[0] != '\0';

    problem[0] = '\0';
    if (c) {
        c->problem = problem;
    }
    while (good && *text) {
        const char *end = strchr(text, '\n');
        if (!end) {
            good = wrong(c, "no line feed at the end", text);
            break;
        }
        good = text[0] == '#' ? comment_check(c, text) : sample_check(c, text);
        text = end + 1;
    }
    for (size_t i = 0; c && i < c->series_count; i++) {
        free(c->series[i]);
    }
    free(c);
    return good;
}

double exposition_value(const char *text, const char *series)
{
    size_t size = strlen(series);

    while (text && *text) {
        if (strncmp(text, series, size) == 0 && text[size] == ' ') {
            return strtod(text + size, NULL);
        }
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return (double)NAN;
}

size_t exposition_series(const char *text)
{
    size_t count = 0;

    while (text && *text) {
        count += *text != '#';
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return count;
}

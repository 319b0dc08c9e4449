#define _GNU_SOURCE
#include "client/cli/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include <histedit.h>

#include "client/cli/input.h"
#include "client/cli/interrupt.h"

enum {
    EDITOR_HISTORY_MAX = 1000,    /* lines that are recalled */
    EDITOR_FILE_LINES_MAX = 4000, /* more of them, and the file is cut */
    EDITOR_PROMPT_MAX = 300,
    EDITOR_WIDTH = 80,
};

struct editor {
    EditLine *edit;
    History *history;
    struct editor_options options;
    char *history_path;
    char prompt[EDITOR_PROMPT_MAX];
};

static struct editor *editor_of(EditLine *edit)
{
    void *data = NULL;
    el_get(edit, EL_CLIENTDATA, &data);
    return data;
}

static char *prompt_of(EditLine *edit)
{
    return editor_of(edit)->prompt;
}

/* One character, octet by octet. libedit's own function would swallow the first signal. */
static int read_character(EditLine *edit, wchar_t *character)
{
    (void)edit;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (;;) {
        char octet;
        ssize_t got = read(STDIN_FILENO, &octet, 1);
        if (got < 0 && errno == EINTR && !interrupted()) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? 0 : -1;
        }
        size_t length = mbrtowc(character, &octet, 1, &state);
        if (length == (size_t)-1) {
            *character = L'?';
            return 1;
        }
        if (length != (size_t)-2) {
            return 1;
        }
    }
}

/* ---- history ---- */

static void history_add(struct editor *editor, const char *text)
{
    HistEvent event;
    (void)history(editor->history, &event, H_ENTER, text);
}

/* The next line of `text`, which becomes the rest; without its end. */
static struct bytes line_take(struct bytes *text)
{
    const uint8_t *end = memchr(text->data, '\n', text->size);
    size_t length = end != NULL ? (size_t)(end - text->data) : text->size;
    struct bytes line = bytes_of(text->data, length);
    length += end != NULL;
    *text = bytes_of(text->data + length, text->size - length);
    return line;
}

/* Add every line to the history; how many there were. The history itself keeps the latest. */
static size_t lines_load(struct editor *editor, struct bytes text)
{
    size_t count = 0;
    for (; text.size > 0; count++) {
        struct bytes line = line_take(&text);
        char *copy = strndup((const char *)line.data, line.size);
        if (copy != NULL && *copy != '\0') {
            history_add(editor, copy);
        }
        free(copy);
    }
    return count;
}

/* Write the file anew with the last lines only. It is replaced whole or not at all. */
static void lines_cut(const struct editor *editor, struct bytes text, size_t count)
{
    char *path = NULL;
    for (; count > EDITOR_HISTORY_MAX; count--) {
        (void)line_take(&text);
    }
    if (asprintf(&path, "%s.new", editor->history_path) < 0) {
        return;
    }
    int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool written = fd >= 0 && write(fd, text.data, text.size) == (ssize_t)text.size;
    if (fd >= 0) {
        (void)close(fd);
        (void)(written ? rename(path, editor->history_path) : unlink(path));
    }
    free(path);
}

static void history_load(struct editor *editor)
{
    struct input input;
    char problem[QN_ERROR_TEXT_MAX];
    if (editor->history_path == NULL ||
        input_open(&input, editor->history_path, 0, problem) != QN_OK) {
        return;
    }
    size_t count = lines_load(editor, input.text);
    if (count > EDITOR_FILE_LINES_MAX) {
        lines_cut(editor, input.text, count);
    }
    input_close(&input);
}

/* Make the folders that `path` stands in. */
static void folders_make(const char *path)
{
    char *copy = strdup(path);
    for (char *at = copy; copy != NULL && (at = strchr(at + 1, '/')) != NULL;) {
        *at = '\0';
        (void)mkdir(copy, S_IRWXU); /* that it cannot be written shows at the open */
        *at = '/';
    }
    free(copy);
}

static void history_save(const struct editor *editor, const char *text)
{
    if (editor->history_path == NULL || strchr(text, '\n') != NULL) {
        return;
    }
    folders_make(editor->history_path);
    int fd =
        open(editor->history_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return;
    }
    (void)fchmod(fd, S_IRUSR | S_IWUSR);
    (void)dprintf(fd, "%s\n", text);
    (void)close(fd);
}

void editor_remember(struct editor *editor, const char *text)
{
    HistEvent event;
    bool again = history(editor->history, &event, H_FIRST) == 0 && strcmp(event.str, text) == 0;
    if (!again) {
        history_add(editor, text);
        history_save(editor, text);
    }
}

void editor_history(struct editor *editor, FILE *to)
{
    HistEvent event;
    for (int more = history(editor->history, &event, H_LAST); more == 0;
         more = history(editor->history, &event, H_PREV)) {
        fprintf(to, "%s\n", event.str);
    }
}

/* ---- completion ---- */

struct candidates {
    char **list;
    size_t count;
    size_t capacity;
};

static void candidates_add(void *arg, const char *candidate)
{
    struct candidates *candidates = arg;
    if (candidates->count == candidates->capacity) {
        size_t capacity = candidates->capacity > 0 ? 2 * candidates->capacity : 16;
        char **list = realloc(candidates->list, capacity * sizeof *list);
        if (list == NULL) {
            return;
        }
        candidates->list = list;
        candidates->capacity = capacity;
    }
    char *copy = strdup(candidate);
    if (copy != NULL) {
        candidates->list[candidates->count++] = copy;
    }
}

static void candidates_free(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        free(candidates->list[i]);
    }
    free(candidates->list);
}

/* How many octets all of them begin with. */
static size_t candidates_common(const struct candidates *candidates)
{
    size_t common = strlen(candidates->list[0]);
    for (size_t i = 1; i < candidates->count; i++) {
        size_t same = 0;
        while (same < common && candidates->list[i][same] == candidates->list[0][same]) {
            same++;
        }
        common = same;
    }
    return common;
}

static int candidates_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void candidates_print(const struct candidates *candidates)
{
    size_t width = 0;
    size_t column = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        size_t length = strlen(candidates->list[i]) + 2;
        width = length > width ? length : width;
    }
    putchar('\n');
    for (size_t i = 0; i < candidates->count; i++) {
        if (column > 0 && column + width > EDITOR_WIDTH) {
            putchar('\n');
            column = 0;
        }
        printf("%-*s", (int)width, candidates->list[i]);
        column += width;
    }
    putchar('\n');
    fflush(stdout);
}

/* Insert octets of a candidate; those that would end a word get a backslash. */
static void insert_escaped(EditLine *edit, const char *text, size_t size, char quote)
{
    for (size_t i = 0; i < size; i++) {
        char piece[3] = {text[i], '\0', '\0'};
        if (quote == 0 && strchr(" \t'\"\\#", text[i]) != NULL) {
            piece[0] = '\\';
            piece[1] = text[i];
        }
        (void)el_insertstr(edit, piece);
    }
}

/* What is to be inserted for the word that was begun. */
static unsigned char candidates_use(EditLine *edit, const struct candidates *candidates,
                                    const struct words *words)
{
    size_t begun = words->open ? strlen(words->list[words->count - 1]) : 0;
    if (candidates->count == 0) {
        return CC_REFRESH_BEEP;
    }
    size_t common = candidates_common(candidates);
    const char *first = candidates->list[0];
    if (common > begun) {
        insert_escaped(edit, first + begun, common - begun, words->quote);
    }
    if (candidates->count > 1) {
        if (common > begun) {
            return CC_REFRESH;
        }
        candidates_print(candidates);
        return CC_REDISPLAY;
    }
    const char quote[] = {words->quote, '\0'};
    char last = common > 0 ? first[common - 1] : '\0';
    if (last != '/' && last != '=') {
        (void)el_insertstr(edit, quote);
        (void)el_insertstr(edit, " ");
    }
    return CC_REFRESH;
}

static unsigned char on_tab(EditLine *edit, int character)
{
    (void)character;
    const struct editor *editor = editor_of(edit);
    const LineInfo *info = el_line(edit);
    struct bytes line = bytes_of(info->buffer, (size_t)(info->cursor - info->buffer));
    struct candidates candidates = {.count = 0};
    struct words words;
    size_t used = 0;
    unsigned char result = CC_ERROR;
    if (words_read(line, &used, &words) != WORDS_NO_MEMORY) {
        editor->options.complete(editor->options.arg, line, candidates_add, &candidates);
        if (candidates.count > 1) {
            qsort(candidates.list, candidates.count, sizeof *candidates.list, candidates_order);
        }
        result = candidates_use(edit, &candidates, &words);
    }
    words_free(&words);
    candidates_free(&candidates);
    return result;
}

/* ---- the editor ---- */

static bool editor_start(struct editor *editor)
{
    HistEvent event;
    editor->history = history_init();
    editor->edit = el_init("quoin", stdin, stdout, stderr);
    if (editor->history == NULL || editor->edit == NULL) {
        return false;
    }
    (void)history(editor->history, &event, H_SETSIZE, EDITOR_HISTORY_MAX);
    el_set(editor->edit, EL_CLIENTDATA, editor);
    el_set(editor->edit, EL_EDITOR, "emacs");
    el_set(editor->edit, EL_PROMPT, prompt_of);
    el_set(editor->edit, EL_SIGNAL, 0);
    el_set(editor->edit, EL_HIST, history, editor->history);
    el_set(editor->edit, EL_GETCFN, read_character);
    /* Wide, since the narrow call copies the texts and never frees them. */
    el_wset(editor->edit, EL_ADDFN, L"quoin-complete", L"complete the word", on_tab);
    el_set(editor->edit, EL_BIND, "^I", "quoin-complete", NULL);
    el_set(editor->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(editor->edit, EL_BIND, "\033[1;5C", "em-next-word", NULL);
    el_set(editor->edit, EL_BIND, "\033[1;5D", "ed-prev-word", NULL);
    el_source(editor->edit, NULL); /* ~/.editrc */
    return true;
}

struct editor *editor_open(const struct editor_options *options)
{
    struct editor *editor = calloc(1, sizeof *editor);
    if (editor == NULL) {
        return NULL;
    }
    editor->options = *options;
    if (options->history_path != NULL) {
        editor->history_path = strdup(options->history_path);
    }
    if (!editor_start(editor)) {
        editor_close(editor);
        return NULL;
    }
    history_load(editor);
    return editor;
}

void editor_close(struct editor *editor)
{
    if (editor == NULL) {
        return;
    }
    if (editor->edit != NULL) {
        el_end(editor->edit);
    }
    if (editor->history != NULL) {
        history_end(editor->history);
    }
    free(editor->history_path);
    free(editor);
}

enum editor_result editor_read(struct editor *editor, const char *prompt, const char **line)
{
    int count = 0;
    snprintf(editor->prompt, sizeof editor->prompt, "%s", prompt);
    el_resize(editor->edit);
    interrupt_clear();
    *line = el_gets(editor->edit, &count);
    if (*line != NULL && count > 0) {
        return EDITOR_LINE;
    }
    return interrupted() ? EDITOR_INTERRUPTED : EDITOR_END;
}

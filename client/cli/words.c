#define _GNU_SOURCE
#include "client/cli/words.h"

#include <stdlib.h>

/* Where the reading stands. */
struct words_reader {
    struct bytes text;
    size_t at;
    char *to; /* where the next octet of a word goes */
    struct words *words;
    bool behind_backslash; /* the text ended there */
};

static bool reader_more(const struct words_reader *reader)
{
    return reader->at < reader->text.size;
}

static char reader_peek(const struct words_reader *reader)
{
    return (char)reader->text.data[reader->at];
}

static void word_begin(struct words_reader *reader)
{
    if (!reader->words->open) {
        reader->words->list[reader->words->count++] = reader->to;
        reader->words->open = true;
    }
}

static void word_end(struct words_reader *reader)
{
    if (reader->words->open) {
        *reader->to++ = '\0';
        reader->words->open = false;
    }
}

static void word_put(struct words_reader *reader, char c)
{
    word_begin(reader);
    *reader->to++ = c;
}

/* What follows a backslash. Within "..." it keeps the backslash unless it takes a meaning away. */
static void read_escaped(struct words_reader *reader)
{
    reader->behind_backslash = !reader_more(reader);
    if (reader->behind_backslash) {
        return;
    }
    char c = reader_peek(reader);
    reader->at++;
    if (c == '\n') {
        reader->behind_backslash = !reader_more(reader);
        return;
    }
    if (reader->words->quote == '"' && c != '"' && c != '\\') {
        word_put(reader, '\\');
    }
    word_put(reader, c);
}

static void skip_comment(struct words_reader *reader)
{
    while (reader_more(reader) && reader_peek(reader) != '\n') {
        reader->at++;
    }
}

static void read_quoted(struct words_reader *reader, char c)
{
    if (c == reader->words->quote) {
        reader->words->quote = 0;
    } else if (c == '\\' && reader->words->quote == '"') {
        read_escaped(reader);
    } else {
        word_put(reader, c);
    }
}

/* False: the command ends here. */
static bool read_plain(struct words_reader *reader, char c)
{
    if (c == '\n') {
        word_end(reader);
        return false;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
        word_end(reader);
    } else if (c == '#' && !reader->words->open) {
        skip_comment(reader);
    } else if (c == '\'' || c == '"') {
        word_begin(reader);
        reader->words->quote = c;
    } else if (c == '\\') {
        read_escaped(reader);
    } else {
        word_put(reader, c);
    }
    return true;
}

enum words_result words_read(struct bytes text, size_t *used, struct words *words)
{
    *words = (struct words){.count = 0};
    /* A word of n octets takes n + 1; at least one octet stands between two of them. */
    words->memory = malloc(text.size + 2);
    words->list = calloc(text.size / 2 + 2, sizeof *words->list);
    if (words->memory == NULL || words->list == NULL) {
        words_free(words);
        return WORDS_NO_MEMORY;
    }
    struct words_reader reader = {.text = text, .to = words->memory, .words = words};
    bool more = true;
    while (more && reader_more(&reader)) {
        char c = reader_peek(&reader);
        reader.at++;
        if (words->quote != 0) {
            read_quoted(&reader, c);
        } else {
            more = read_plain(&reader, c);
        }
    }
    bool complete = words->quote == 0 && !reader.behind_backslash;
    *reader.to = '\0'; /* of an open word */
    *used = reader.at;
    return complete ? WORDS_DONE : WORDS_MORE;
}

void words_free(struct words *words)
{
    free(words->memory);
    free(words->list);
    *words = (struct words){.count = 0};
}

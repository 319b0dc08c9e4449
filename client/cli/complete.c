#define _GNU_SOURCE
#include "client/cli/complete.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"

enum { COMPLETE_WORD_MAX = 256 };

/* One completion: the words that are there, and the one that was begun. */
struct completion {
    const struct complete_source *source;
    char *const *words;
    int count;
    const char *begun;
    const char *prefix; /* stands before every candidate: "--format=" */
    complete_offer offer;
    void *offer_arg;
};

static void offer_word(void *arg, const char *word)
{
    const struct completion *completion = arg;
    char candidate[COMPLETE_WORD_MAX];
    snprintf(candidate, sizeof candidate, "%s%s", completion->prefix, word);
    if (strncmp(candidate, completion->begun, strlen(completion->begun)) == 0) {
        completion->offer(completion->offer_arg, candidate);
    }
}

/* ---- commands ---- */

/* A name of two words is offered word by word. */
static bool said_before(size_t row, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i < row; i++) {
        const char *name = command_at(i)->name;
        if (strncmp(name, word, length) == 0 && (name[length] == ' ' || name[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void offer_commands(struct completion *completion)
{
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        char word[COMPLETE_WORD_MAX];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(command->name, " "), command->name);
        if ((command->traits & COMMAND_ONCE) == 0 && !said_before(i, word)) {
            offer_word(completion, word);
        }
    }
}

static void offer_second_words(struct completion *completion, const char *first)
{
    const struct command *command = NULL;
    size_t length = strlen(first);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strncmp(command->name, first, length) == 0 && command->name[length] == ' ') {
            offer_word(completion, command->name + length + 1);
        }
    }
}

/* ---- values ---- */

/* "on|off" lists words, "FILE" is a kind of them. */
static void offer_choices(struct completion *completion, const char *list, size_t size)
{
    const char *end = list + size;
    while (list < end) {
        const char *next = memchr(list, '|', (size_t)(end - list));
        size_t length = (size_t)((next != NULL ? next : end) - list);
        char word[COMPLETE_WORD_MAX];
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        if (*word >= 'a' && *word <= 'z') {
            offer_word(completion, word);
        }
        list += length + 1;
    }
}

static void offer_caches(struct completion *completion)
{
    completion->source->caches(completion->source->arg, offer_word, completion);
}

static void offer_files(struct completion *completion)
{
    const char *begun = completion->begun + strlen(completion->prefix);
    completion->source->files(completion->source->arg, begun, offer_word, completion);
}

static void offer_value(struct completion *completion, const struct option_spec *spec)
{
    if (strcmp(spec->argument, "FILE") == 0) {
        offer_files(completion);
    } else if (strcmp(spec->name, "cache") == 0) {
        offer_caches(completion);
    } else if (strchr(spec->argument, '|') != NULL) {
        offer_choices(completion, spec->argument, strlen(spec->argument));
    }
}

/* ---- options ---- */

static const struct option_spec *option_in(const struct option_spec *table, size_t count,
                                           const char *word)
{
    size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (size_t i = 0; i < count; i++) {
        bool named = length > 0 && strncmp(table[i].name, word + 2, length) == 0 &&
                     table[i].name[length] == '\0';
        bool lettered =
            table[i].letter != 0 && word[0] == '-' && word[1] == table[i].letter && word[2] == '\0';
        if (named || lettered) {
            return &table[i];
        }
    }
    return NULL;
}

/* The option that a word names; NULL = it names none. */
static const struct option_spec *option_of(const struct command *command, const char *word)
{
    const struct option_spec *spec = option_in(command->options, command->option_count, word);
    return spec != NULL ? spec : option_in(options_global, options_global_count, word);
}

/* Is the next word the value of the option that `word` is? */
static bool takes_next(const struct option_spec *spec, const char *word)
{
    return spec != NULL && spec->argument != NULL && spec->bare == NULL &&
           strchr(word, '=') == NULL;
}

static void offer_options(struct completion *completion, const struct option_spec *table,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char word[COMPLETE_WORD_MAX];
        snprintf(word, sizeof word, "--%s", table[i].name);
        if (strcmp(table[i].name, "version") != 0) {
            offer_word(completion, word);
        }
    }
}

static void offer_option(struct completion *completion, const struct command *command)
{
    const char *equals = strchr(completion->begun, '=');
    if (equals == NULL) {
        offer_options(completion, command->options, command->option_count);
        offer_options(completion, options_global, options_global_count);
        return;
    }
    const struct option_spec *spec = option_of(command, completion->begun);
    if (spec != NULL && spec->argument != NULL) {
        char prefix[COMPLETE_WORD_MAX];
        snprintf(prefix, sizeof prefix, "--%s=", spec->name);
        completion->prefix = prefix;
        offer_value(completion, spec);
        completion->prefix = "";
    }
}

/* ---- arguments ---- */

/* What stands in the words behind the command's name. */
struct behind {
    int arguments;
    bool cache;                     /* --cache is among them */
    const struct option_spec *open; /* the last one wants a value */
};

static struct behind behind_read(const struct command *command, char *const *words, int count)
{
    struct behind behind = {.open = NULL};
    for (int i = 0; i < count; i++) {
        const struct option_spec *spec = option_of(command, words[i]);
        behind.open = NULL;
        behind.cache = behind.cache || (spec != NULL && strcmp(spec->name, "cache") == 0);
        if (takes_next(spec, words[i])) {
            behind.open = i + 1 == count ? spec : NULL;
            i++;
        } else if (words[i][0] != '-') {
            behind.arguments++;
        }
    }
    return behind;
}

/* The argument of this number as usage shows it, without brackets. */
static void offer_shown(struct completion *completion, const char *shown, int number)
{
    shown += strspn(shown, " [");
    for (; number > 0; number--) {
        shown += strcspn(shown, " ");
        shown += strspn(shown, " [");
    }
    size_t length = strcspn(shown, " ]");
    if (memchr(shown, '|', length) != NULL) {
        offer_choices(completion, shown, length);
    }
}

static void offer_argument(struct completion *completion, const struct command *command,
                           struct behind behind)
{
    bool left_out =
        (command->traits & COMMAND_CACHE) != 0 && (completion->source->current || behind.cache);
    int number = behind.arguments + left_out;
    const unsigned cache = COMMAND_CACHE | COMMAND_NAMED_CACHE;
    if (number == 0 && (command->traits & cache) != 0) {
        offer_caches(completion);
    } else if (number == 0 && (command->traits & COMMAND_FILE) != 0) {
        offer_files(completion);
    } else if (number == 0 && (command->traits & COMMAND_COMMAND) != 0) {
        offer_commands(completion);
    } else if (number == 1 && (command->traits & COMMAND_COMMAND) != 0) {
        offer_second_words(completion, completion->words[completion->count - 1]);
    } else {
        offer_shown(completion, command->arguments, number);
    }
}

static void offer_behind(struct completion *completion, const struct command *command, int used)
{
    struct behind behind = behind_read(command, completion->words + used, completion->count - used);
    if (behind.open != NULL) {
        offer_value(completion, behind.open);
    } else if (completion->begun[0] == '-') {
        offer_option(completion, command);
    } else {
        offer_argument(completion, command, behind);
    }
}

void complete_line(const struct complete_source *source, const struct words *line,
                   complete_offer offer, void *offer_arg)
{
    struct completion completion = {
        .source = source,
        .words = line->list,
        .count = line->open ? line->count - 1 : line->count,
        .begun = line->open ? line->list[line->count - 1] : "",
        .prefix = "",
        .offer = offer,
        .offer_arg = offer_arg,
    };
    if (completion.count > 0 && strcmp(completion.words[0], "quoin") == 0) {
        completion.words++;
        completion.count--;
    }
    if (completion.count == 0) {
        offer_commands(&completion);
        return;
    }
    if (completion.count == 1) {
        offer_second_words(&completion, completion.words[0]);
    }
    int used = 0;
    const struct command *command = command_match(completion.words, completion.count, &used);
    if (command != NULL) {
        offer_behind(&completion, command, used);
    }
}

#define _GNU_SOURCE
#include "client/cli/script.h"

#include "client/cli/words.h"

static size_t lines_of(struct bytes text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += text.data[i] == '\n';
    }
    return count;
}

/* Run one command, without the mark of a question. */
static enum cli_exit command_run(const struct script *script, struct words *words)
{
    char **list = words->list;
    int count = words->count;
    bool question = list[0][0] == '?';
    if (question && list[0][1] == '\0') {
        list++;
        count--;
    } else if (question) {
        list[0]++;
    }
    if (count == 0) {
        return CLI_DONE;
    }
    enum cli_exit code = script->run(script->arg, count, list);
    return question && code == CLI_NO ? CLI_DONE : code;
}

static void complain(const struct script *script, size_t line, enum cli_exit code)
{
    fflush(stdout);
    fprintf(script->complaints, "%s:%zu: exit code %d (%s)%s\n", script->name, line, (int)code,
            cli_exit_text(code), script->keep_going ? "" : "; the rest was not run");
}

/* The command that `text` begins with; `*used` octets. */
static enum cli_exit command_read(const struct script *script, struct bytes text, size_t line,
                                  size_t *used)
{
    struct words words;
    enum cli_exit code = CLI_DONE;
    enum words_result result = words_read(text, used, &words);
    if (result == WORDS_NO_MEMORY) {
        *used = text.size;
        code = CLI_REFUSED;
    } else if (result == WORDS_MORE) {
        fprintf(script->complaints, "%s:%zu: the command does not end: %s\n", script->name, line,
                words.quote != 0 ? "a quote is missing" : "nothing follows the last \\");
        code = CLI_USAGE;
    } else if (words.count > 0) {
        code = command_run(script, &words);
    }
    words_free(&words);
    return code;
}

enum cli_exit script_run(const struct script *script, struct bytes text)
{
    enum cli_exit first = CLI_DONE;
    size_t line = 1;
    while (text.size > 0) {
        size_t used = 0;
        enum cli_exit code = command_read(script, text, line, &used);
        if (code != CLI_DONE) {
            complain(script, line, code);
            first = first == CLI_DONE ? code : first;
        }
        if (script->ended(script->arg) || (code != CLI_DONE && !script->keep_going)) {
            break;
        }
        line += lines_of(bytes_of(text.data, used));
        text = bytes_of(text.data + used, text.size - used);
    }
    return first;
}

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

/* The command that `text` begins with; `*used` octets. Adds to `*done_count` when it did what it
 * should. */
static enum cli_exit command_read(const struct script *script, struct bytes text, size_t line,
                                  size_t *used, size_t *done_count)
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
        *done_count += code == CLI_DONE;
    }
    words_free(&words);
    return code;
}

static enum cli_exit interrupted_at(const struct script *script, size_t line, size_t done_count)
{
    fflush(stdout);
    fprintf(script->complaints, "%s:%zu: interrupted; %zu %s done, the rest was not run\n",
            script->name, line, done_count, done_count == 1 ? "command is" : "commands are");
    return CLI_INTERRUPTED;
}

enum cli_exit script_run(const struct script *script, struct bytes text)
{
    enum cli_exit first = CLI_DONE;
    size_t line = 1;
    size_t done_count = 0;
    while (text.size > 0) {
        size_t used = 0;
        enum cli_exit code = command_read(script, text, line, &used, &done_count);
        enum script_wish wish = script->wish(script->arg);
        if (wish == SCRIPT_INTERRUPTED || code == CLI_INTERRUPTED) {
            return interrupted_at(script, line, done_count);
        }
        if (code != CLI_DONE) {
            complain(script, line, code);
            first = first == CLI_DONE ? code : first;
        }
        if (wish == SCRIPT_LEAVES || (code != CLI_DONE && !script->keep_going)) {
            break;
        }
        line += lines_of(bytes_of(text.data, used));
        text = bytes_of(text.data + used, text.size - used);
    }
    return first;
}

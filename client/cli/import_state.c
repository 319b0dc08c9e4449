#define _GNU_SOURCE
#include "client/cli/import_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/interrupt.h"
#include "wire/hash.h"

enum { STATE_HEAD = 65536, STATE_ASIDE_TRIES = 100 };

#define STATE_PERIOD_NS 1000000000U

static const char state_kind[] = "import";

struct import_identity import_identity_of(const struct input *input, const char *target)
{
    size_t head = input->text.size < STATE_HEAD ? input->text.size : STATE_HEAD;
    return (struct import_identity){.size = input->text.size,
                                    .modified_ns = input->modified_ns,
                                    .head_hash = hash_bytes(bytes_of(input->text.data, head)),
                                    .target = target};
}

/* Numbers of 64 bits that JSON would take for negative ones, as text. */
static json_t *hash_json(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}

json_t *import_state_json(const struct import_identity *identity, struct rows_position position,
                          uint64_t done_count, const struct rejects *rejects, uint64_t rejects_size)
{
    json_t *state =
        json_pack("{s:I, s:I, s:o, s:s, s:I, s:I, s:I, s:I, s:I}", "file_size",
                  (json_int_t)identity->size, "file_modified_ns", (json_int_t)identity->modified_ns,
                  "file_head", hash_json(identity->head_hash), "target", identity->target, "offset",
                  (json_int_t)position.offset, "line", (json_int_t)position.line, "imported",
                  (json_int_t)done_count, "rejected", (json_int_t)rejects->count, "rejects_size",
                  (json_int_t)rejects_size);
    if (state != NULL && rejects->file != NULL) {
        json_object_set_new(state, "rejects_file", json_string(rejects->path));
    }
    return state;
}

static bool differs(char *problem, const char *what)
{
    snprintf(problem, QN_ERROR_TEXT_MAX, "%s", what);
    return false;
}

static bool is_same_input(const json_t *state, const struct import_identity *identity,
                          char *problem)
{
    const char *head = json_string_value(json_object_get(state, "file_head"));
    const char *target = json_string_value(json_object_get(state, "target"));
    char wanted[24];
    snprintf(wanted, sizeof wanted, "%016" PRIx64, identity->head_hash);
    if ((uint64_t)json_integer_value(json_object_get(state, "file_size")) != identity->size ||
        head == NULL || strcmp(head, wanted) != 0) {
        return differs(problem, "it is of another file, or the file has changed since");
    }
    if (json_integer_value(json_object_get(state, "file_modified_ns")) != identity->modified_ns) {
        return differs(problem, "the file was written to since");
    }
    if (target == NULL || strcmp(target, identity->target) != 0) {
        return differs(problem, "it is of an import with another cache, type, key or format");
    }
    return true;
}

/* A count of the state; -1 = it is missing or negative. */
static int64_t count_of(const json_t *state, const char *name)
{
    const json_t *number = json_object_get(state, name);
    return json_is_integer(number) && json_integer_value(number) >= 0 ? json_integer_value(number)
                                                                      : -1;
}

bool import_state_read(const json_t *state, const struct import_identity *identity,
                       struct import_start *start, char *problem)
{
    if (!is_same_input(state, identity, problem)) {
        return false;
    }
    int64_t offset = count_of(state, "offset");
    int64_t line = count_of(state, "line");
    int64_t done = count_of(state, "imported");
    int64_t rejected = count_of(state, "rejected");
    int64_t size = count_of(state, "rejects_size");
    if (offset < 0 || (uint64_t)offset > identity->size || line < 1 || done < 0 || rejected < 0 ||
        size < 0) {
        return differs(problem, "it is damaged");
    }
    *start = (struct import_start){
        .position = {.offset = (uint64_t)offset, .line = (uint64_t)line},
        .done_count = (uint64_t)done,
        .rejected_count = (uint64_t)rejected,
        .rejects_size = (uint64_t)size,
        .rejects_path = json_string_value(json_object_get(state, "rejects_file")),
    };
    return true;
}

/* ---- the beginning ---- */

/* What the records become: another answer to any of these would not go on with the same import. */
static char *target_of(const struct import *import)
{
    const struct options *options = &import->cli->options;
    char *target = NULL;
    const struct form *form = &import->form;
    int made = asprintf(
        &target, "cache %s, type %s, key %s, view %s, format %s, at %s, delimiter %s, %s%s",
        options->cache, form->type != NULL ? form->type->name : "any",
        form->key != NULL ? form->key->name : "key", form->view != NULL ? form->view->name : "none",
        options->format != NULL ? options->format : "by name",
        options->at != NULL ? options->at : "the top",
        options->delimiter != NULL ? options->delimiter : ",",
        options->no_header ? "no header, fields " : "fields ",
        options->fields != NULL ? options->fields : "by themselves");
    return made < 0 ? NULL : target;
}

static enum cli_exit open_rejects(struct import *import)
{
    const char *chosen = import->cli->options.rejects_file;
    if (rejects_init(&import->rejects, chosen, import->path)) {
        return CLI_DONE;
    }
    const char *what = errno == EEXIST ? "exists already" : strerror(errno);
    return cli_usage(import->cli, "--rejects %s: %s; give another name",
                     chosen != NULL ? chosen : import->path, what);
}

/* The rejected records of before and of now in one file. */
static enum cli_exit go_on_with_rejects(struct import *import, const struct import_start *start)
{
    const char *chosen = import->cli->options.rejects_file;
    const char *path = start->rejects_path;
    bool same = path != NULL && (chosen == NULL || strcmp(chosen, path) == 0);
    if (same && rejects_go_on(&import->rejects, path, start->rejects_size, start->rejected_count)) {
        return CLI_DONE;
    }
    enum cli_exit code = open_rejects(import);
    import->rejects.count = start->rejected_count;
    if (code == CLI_DONE && path != NULL) {
        cli_say(import->cli, "the records rejected before are in %s, if it is still there", path);
    }
    return code;
}

static enum cli_exit go_on(struct import *import, const json_t *state)
{
    struct cli *cli = import->cli;
    char problem[QN_ERROR_TEXT_MAX];
    struct import_start start;
    struct import_identity identity = import_identity_of(&import->input, import->state.target);
    if (!import_state_read(state, &identity, &start, problem) ||
        !rows_seek(import->rows, start.position)) {
        return cli_usage(cli, "cannot go on by %s: %s; to begin anew, leave --resume out",
                         import->state.path, problem);
    }
    import->done_count = start.done_count;
    import->state.from_count = start.done_count + start.rejected_count;
    import->state.from_offset = start.position.offset;
    cli_say(cli, "going on at line %" PRIu64 ", after %" PRIu64 " records", start.position.line,
            start.done_count + start.rejected_count);
    return go_on_with_rejects(import, &start);
}

/* Without --resume an import begins anew. Where the one before stood may be worth hours: it is put
 * aside, and goes when this one is through. */
static enum cli_exit put_aside(struct import *import)
{
    char *aside = import->state.aside;
    snprintf(aside, sizeof import->state.aside, "%s.old", import->state.path);
    size_t length = strlen(aside);
    for (int n = 2; n < STATE_ASIDE_TRIES && access(aside, F_OK) == 0; n++) {
        snprintf(aside + length, sizeof import->state.aside - length, ".%d", n);
    }
    if (rename(import->state.path, aside) != 0) {
        return cli_usage(import->cli,
                         "an import before was stopped, and where it stood cannot be kept as %s: "
                         "%s; go on with --resume, or remove %s",
                         aside, strerror(errno), import->state.path);
    }
    cli_say(import->cli,
            "beginning anew; an import before was stopped: to go on there instead, press Ctrl-C "
            "and add --resume --state %s",
            aside);
    return CLI_DONE;
}

static enum cli_exit begin_anew(struct import *import, enum checkpoint_found found)
{
    enum cli_exit code = CLI_DONE;
    if (import->cli->options.resume && found == CHECKPOINT_ABSENT) {
        cli_say(import->cli, "%s is not there: beginning with the first record",
                import->state.path);
    } else if (found == CHECKPOINT_OURS) {
        code = put_aside(import);
    }
    return code == CLI_DONE ? open_rejects(import) : code;
}

enum cli_exit import_state_begin(struct import *import)
{
    const struct options *options = &import->cli->options;
    bool possible = import->input.regular && !options->verify;
    if (!possible && (options->resume || options->state_file != NULL)) {
        return cli_usage(import->cli, "--resume and --state are for a file that is imported; what "
                                      "is read from a pipe or verified begins anew each time");
    }
    if (!possible) {
        return open_rejects(import);
    }
    import->state.target = target_of(import);
    if (import->state.target == NULL ||
        !checkpoint_path(import->state.path, options->state_file, import->path)) {
        return cli_usage(import->cli, "the name of the file is too long");
    }
    json_t *state = NULL;
    enum checkpoint_found found = checkpoint_load(import->state.path, state_kind, &state);
    enum cli_exit code = CLI_DONE;
    if (found == CHECKPOINT_FOREIGN) {
        code = cli_usage(import->cli,
                         "%s exists and keeps no state of an import; give another name with "
                         "--state FILE",
                         import->state.path);
    } else if (found == CHECKPOINT_OURS && options->resume) {
        code = go_on(import, state);
    } else {
        code = begin_anew(import, found);
    }
    json_decref(state);
    import->state.used = true;
    import->state.saved_ns = progress_clock_ns();
    return code;
}

/* ---- on the way ---- */

/* Write down where it stands; everything before is settled. Said once when it cannot be. */
static void save(struct import *import)
{
    uint64_t size = 0;
    struct import_identity identity = import_identity_of(&import->input, import->state.target);
    json_t *state = NULL;
    bool saved = rejects_sync(&import->rejects, &size);
    if (saved) {
        state = import_state_json(&identity, rows_tell(import->rows), import->done_count,
                                  &import->rejects, size);
        saved = state != NULL && checkpoint_save(import->state.path, state_kind, state);
    }
    if (saved) {
        import->state.saved_line = rows_tell(import->rows).line;
    } else {
        progress_end(&import->progress);
        cli_say(import->cli,
                "cannot keep the state in %s: %s; this import cannot be resumed (another place: "
                "--state FILE)",
                import->state.path, strerror(errno));
        import->state.used = false;
    }
    json_decref(state);
    import->state.saved_ns = progress_clock_ns();
}

bool import_state_tick(struct import *import, const struct import_sink *sink, void *sink_state)
{
    if (!import->state.used || progress_clock_ns() - import->state.saved_ns < STATE_PERIOD_NS) {
        return true;
    }
    if (!sink->finish(import, sink_state)) {
        return false;
    }
    save(import);
    return true;
}

void import_state_end(struct import *import, bool through)
{
    if (!import->state.used) {
        return;
    }
    if (through) {
        checkpoint_remove(import->state.path);
        if (*import->state.aside != '\0') {
            checkpoint_remove(import->state.aside); /* of no use once every record is there */
        }
        import->state.saved_line = 0;
    } else if (interrupted() && !qn_error_failed(&import->failure)) {
        save(import);
    }
}

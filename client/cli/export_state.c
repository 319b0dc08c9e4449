/* How an export begins, and how it can go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/export.h"
#include "client/cli/export_state.h"

static const char state_kind[] = "export";

static char *target_of(const struct export *export)
{
    const struct export_layout *layout = &export->layout;
    static const char *const formats[] = {
        [ROWS_JSON] = "json", [ROWS_JSON_LINES] = "jsonl", [ROWS_CSV] = "csv"};
    char *target = NULL;
    int made = asprintf(
        &target, "cache %s, type %s, view %s, format %s, delimiter %c%s",
        export->cli->options.cache, layout->form.type != NULL ? layout->form.type->name : "any",
        layout->form.view != NULL ? layout->form.view->name : "none", formats[layout->format],
        layout->delimiter, layout->keys_only ? ", keys only" : "");
    return made < 0 ? NULL : target;
}

static enum cli_exit cannot_write(const struct export *export, bool begun)
{
    const char *path = export->path;
    int why = errno;
    if (why == EEXIST && access(path, F_OK) == 0) {
        return cli_usage(export->cli, "%s exists already; remove it or give another name", path);
    }
    if (why == EEXIST) {
        return cli_usage(export->cli,
                         "%s exists, and nothing is known about it; remove it or give another "
                         "name",
                         export->file.part);
    }
    cli_say(export->cli, "cannot write %s: %s", begun ? export->file.part : path,
            why == ENODATA ? "it is shorter than it was; to begin anew, leave --resume out"
                           : strerror(why));
    return CLI_USAGE;
}

static enum cli_exit begin_anew(struct export *export, bool over)
{
    if (!export_file_open(&export->file, export->path, over)) {
        return cannot_write(export, false);
    }
    if (!export_text_init(&export->text, &export->layout, 0) ||
        export_text_head(&export->text, &export->out) != QN_OK) {
        cli_say(export->cli, "out of memory");
        return CLI_REFUSED;
    }
    return CLI_DONE;
}

/* A count of the state; UINT64_MAX = there is none. */
static uint64_t count_of(const json_t *state, const char *name)
{
    const json_t *number = json_object_get(state, name);
    bool fits = json_is_integer(number) && json_integer_value(number) >= 0;
    return fits ? (uint64_t)json_integer_value(number) : UINT64_MAX;
}

static bool is_whole(const json_t *state)
{
    static const char *const counts[] = {"size", "records", "rejected", "inexact", "other_keys"};
    bool whole = json_is_string(json_object_get(state, "position"));
    for (size_t i = 0; i < sizeof counts / sizeof *counts && whole; i++) {
        whole = count_of(state, counts[i]) <= INT64_MAX;
    }
    return whole;
}

static enum cli_exit go_on(struct export *export)
{
    const json_t *state = export->start;
    const char *target = json_string_value(json_object_get(state, "target"));
    if (!is_whole(state) || target == NULL || strcmp(target, export->target) != 0) {
        return cli_usage(export->cli,
                         "cannot go on by %s: it is of an export of another cache, or in another "
                         "form; to begin anew, leave --resume out",
                         export->state_path);
    }
    if (!export_file_go_on(&export->file, export->path, count_of(state, "size"))) {
        return cannot_write(export, true);
    }
    if (!export_text_init(&export->text, &export->layout, count_of(state, "records"))) {
        cli_say(export->cli, "out of memory");
        return CLI_REFUSED;
    }
    export->text.inexact_count = count_of(state, "inexact");
    export->text.other_key_count = count_of(state, "other_keys");
    export->rejected_count = count_of(state, "rejected");
    export->from_count = export->text.record_count;
    export->saved = true;
    cli_say(export->cli, "going on after %" PRIu64 " records", export->from_count);
    return CLI_DONE;
}

static enum cli_exit begin_file(struct export *export)
{
    bool resume = export->cli->options.resume;
    enum checkpoint_found found = checkpoint_load(export->state_path, state_kind, &export->start);
    if (found == CHECKPOINT_FOREIGN) {
        return cli_usage(export->cli,
                         "%s exists and keeps no state of an export; give another name with "
                         "--state FILE",
                         export->state_path);
    }
    if (resume && found == CHECKPOINT_OURS) {
        return go_on(export);
    }
    if (resume) {
        cli_say(export->cli, "%s is not there: beginning with the first record",
                export->state_path);
    } else if (found == CHECKPOINT_OURS) {
        cli_say(export->cli, "beginning anew; with --resume it would have gone on by %s",
                export->state_path);
    }
    json_decref(export->start);
    export->start = NULL;
    bool over = found == CHECKPOINT_OURS && access(export->path, F_OK) != 0;
    if (over) {
        checkpoint_remove(export->state_path); /* it says nothing about the part to be written */
    }
    return begin_anew(export, over);
}

enum cli_exit export_begin(struct export *export)
{
    const struct options *options = &export->cli->options;
    export->saved_ns = progress_clock_ns();
    export->keeps = strcmp(export->path, "-") != 0;
    if (!export->keeps) {
        return options->resume || options->state_file != NULL
                   ? cli_usage(export->cli, "--resume and --state need a file; stdout begins anew "
                                            "each time")
                   : begin_anew(export, false);
    }
    export->target = target_of(export);
    if (export->target == NULL ||
        !checkpoint_path(export->state_path, options->state_file, export->path)) {
        return cli_usage(export->cli, "the name of the file is too long");
    }
    return begin_file(export);
}

const char *export_from(const struct export *export)
{
    return json_string_value(json_object_get(export->start, "position"));
}

static json_t *state_of(const struct export *export, uint64_t size)
{
    char *position = export->source.position(export->source.state);
    json_t *state = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "target", export->target,
                              "position", position != NULL ? position : "", "size",
                              (json_int_t)size, "records", (json_int_t) export->text.record_count,
                              "rejected", (json_int_t) export->rejected_count, "inexact",
                              (json_int_t) export->text.inexact_count, "other_keys",
                              (json_int_t) export->text.other_key_count);
    bool made = position != NULL;
    free(position);
    if (!made) {
        json_decref(state);
    }
    return made ? state : NULL;
}

void export_state_save(struct export *export)
{
    uint64_t size = 0;
    if (!export->keeps) {
        return;
    }
    json_t *state = NULL;
    bool saved = export_file_sync(&export->file, &size);
    if (saved) {
        state = state_of(export, size);
        saved = state != NULL && checkpoint_save(export->state_path, state_kind, state);
    }
    if (saved) {
        export->saved = true;
    } else {
        progress_end(&export->progress);
        cli_say(export->cli,
                "cannot keep the state in %s: %s; this export cannot be resumed (another place: "
                "--state FILE)",
                export->state_path, strerror(errno));
        export->keeps = false;
    }
    json_decref(state);
    export->saved_ns = progress_clock_ns();
}

void export_state_remove(const struct export *export)
{
    if (export->saved) {
        checkpoint_remove(export->state_path);
    }
}

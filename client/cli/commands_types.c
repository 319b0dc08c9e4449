/* Rows of the command table and commands: types files. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "client/cli/command_rows.h"
#include "client/cli/generate.h"
#include "client/cli/types_check.h"
#include "client/cli/types_xml.h"

enum { PATH_SIZE = 1024, BASE_SIZE = 128 };

/* ---- shared ---- */

/* Show what is wrong with a file; the exit code for `status`. */
static enum cli_exit report_end(const struct cli *cli, const char *path, enum qn_status status,
                                struct cfg_report *report)
{
    if (status != QN_OK) {
        cli_say(cli, "%s cannot be used%s", path, status == QN_MEMORY_FULL ? ": no memory" : ":");
    }
    cfg_report_print(report, stderr);
    cfg_report_fini(report);
    return status == QN_OK ? CLI_DONE : CLI_USAGE;
}

static enum cli_exit load(const struct cli *cli, const char *path, struct types **types)
{
    struct cfg_report report = {0};
    enum qn_status status = types_load(path, types, &report);

    return report_end(cli, path, status, &report);
}

/* ---- generate ---- */

static const char generated_mark[] = "/* Written by `quoin generate`";

/* The name of a file without folder and what stands behind the last dot. False: too long, or no
 * name for a header. */
static bool base_of(const char *path, char base[BASE_SIZE])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t size = dot && dot != name ? (size_t)(dot - name) : strlen(name);

    if (size == 0 || size >= BASE_SIZE) {
        return false;
    }
    memcpy(base, name, size);
    base[size] = '\0';
    return base[strcspn(base, "\"\\\n")] == '\0';
}

/* Is there a file of somebody else at `path`? */
static bool is_foreign(const char *path)
{
    char begin[sizeof generated_mark] = "";
    FILE *file = fopen(path, "re");

    if (!file) {
        return false;
    }
    size_t size = fread(begin, 1, sizeof begin - 1, file);
    fclose(file);
    return size > 0 && strcmp(begin, generated_mark) != 0;
}

static enum cli_exit file_write(const struct cli *cli, const char *path, const struct buf *text)
{
    FILE *file = fopen(path, "we");
    bool written = file && fwrite(text->data, 1, text->size, file) == text->size;

    if (file && fclose(file) != 0) {
        written = false;
    }
    if (!written) {
        cli_say(cli, "%s cannot be written: %s", path, strerror(errno));
    }
    return written ? CLI_DONE : CLI_REFUSED;
}

static enum cli_exit files_write(const struct cli *cli, const char *base, const struct buf *header,
                                 const struct buf *source)
{
    const char *folder = cli->options.out_folder ? cli->options.out_folder : ".";
    char paths[2][PATH_SIZE];

    for (int i = 0; i < 2; i++) {
        int size = snprintf(paths[i], PATH_SIZE, "%s/%s.%c", folder, base, i == 0 ? 'h' : 'c');
        if (size >= PATH_SIZE) {
            return cli_usage(cli, "--out: the path is too long");
        }
        if (is_foreign(paths[i])) {
            cli_say(cli, "%s is there and was not generated: move it, or choose another --out",
                    paths[i]);
            return CLI_REFUSED;
        }
    }
    enum cli_exit code = file_write(cli, paths[0], header);
    return code == CLI_DONE ? file_write(cli, paths[1], source) : code;
}

static bool prefix_is_good(const char *prefix)
{
    char name[GENERATE_NAME_MAX], problem[GENERATE_PROBLEM_MAX];

    return *prefix == '\0' || (generate_name("", prefix, name, problem) &&
                               strcmp(name, prefix) == 0 && strlen(prefix) < 40);
}

static enum cli_exit run_generate(struct cli *cli)
{
    const char *path = cli->arguments[0];
    const char *prefix = cli->options.prefix ? cli->options.prefix : "";
    char base[BASE_SIZE], problem[GENERATE_PROBLEM_MAX] = "no memory";
    struct buf header = {0}, source = {0};
    struct types *types = NULL;

    if (!base_of(path, base)) {
        return cli_usage(cli, "%s: no header could have this name", path);
    }
    if (!prefix_is_good(prefix)) {
        return cli_usage(cli, "--prefix %s: use small letters, digits and _", prefix);
    }
    enum cli_exit code = load(cli, path, &types);
    if (code != CLI_DONE) {
        return code;
    }
    const struct generate_options options = {.file = path, .base = base, .prefix = prefix};
    if (generate_code(&types->schema, &options, &header, &source, problem) == QN_OK) {
        code = files_write(cli, base, &header, &source);
    } else {
        cli_say(cli, "%s: %s", path, problem);
        code = CLI_USAGE;
    }
    buf_fini(&header);
    buf_fini(&source);
    types_free(types);
    return code;
}

/* ---- types check ---- */

static const char *verdict_of(const struct types_change *change)
{
    if (change->new_reads_old) {
        return change->old_reads_new ? "ok" : "BREAKS old readers";
    }
    return change->old_reads_new ? "BREAKS new readers" : "BREAKS both";
}

static void change_print(void *context, const struct types_change *change)
{
    (void)context;
    printf("%s: %s%s%s: %s\n", verdict_of(change), change->type, change->field ? "." : "",
           change->field ? change->field : "", change->text);
}

static void change_collect(void *context, const struct types_change *change)
{
    json_t *object = json_pack("{s:s, s:s?, s:b, s:b, s:s}", "type", change->type, "field",
                               change->field, "new_reads_old", change->new_reads_old,
                               "old_reads_new", change->old_reads_new, "text", change->text);

    json_array_append_new(context, object);
}

static enum cli_exit compare(const struct cli *cli, const struct types *old,
                             const struct types *new)
{
    if (cli->options.json) {
        json_t *changes = json_array();
        size_t breaks = types_compare(&old->schema, &new->schema, change_collect, changes);
        enum cli_exit code =
            cli_print_json(json_pack("{s:b, s:o}", "compatible", breaks == 0, "changes", changes));
        return code == CLI_DONE && breaks > 0 ? CLI_NO : code;
    }
    size_t breaks = types_compare(&old->schema, &new->schema, change_print, NULL);
    if (breaks == 0) {
        puts("compatible: old and new programs read each other's objects");
        return CLI_DONE;
    }
    printf("not compatible: %zu change%s above break%s something\n", breaks, breaks > 1 ? "s" : "",
           breaks > 1 ? "" : "s");
    return CLI_NO;
}

static enum cli_exit run_types_check(struct cli *cli)
{
    struct types *old = NULL, *new = NULL;
    enum cli_exit code = load(cli, cli->arguments[0], &old);

    if (code == CLI_DONE) {
        code = load(cli, cli->arguments[1], &new);
    }
    if (code == CLI_DONE) {
        code = compare(cli, old, new);
    }
    types_free(old);
    types_free(new);
    return code;
}

/* ---- types import ---- */

static enum cli_exit run_types_import(struct cli *cli)
{
    const char *path = cli->arguments[0];
    struct cfg_report report = {0};
    struct buf text = {0};
    enum qn_status status = types_xml_import(path, &text, &report);
    enum cli_exit code = report_end(cli, path, status, &report);

    if (code == CLI_DONE && fwrite(text.data, 1, text.size, stdout) != text.size) {
        code = CLI_REFUSED;
    }
    buf_fini(&text);
    return code;
}

/* ---- rows ---- */

static const struct option_spec generate_options[] = {
    TEXT("out", "DIR", out_folder, "where the files go (default: the working folder)"),
    TEXT("prefix", "NAME", prefix, "put NAME_ before the names of structs and functions"),
};

static const char *const generate_examples[] = {
    "quoin generate cars.cfg",
    "quoin generate cars.cfg --out build/generated --prefix acme",
    NULL,
};

static const char *const check_examples[] = {
    "quoin types check deployed/types.cfg types.cfg",
    "quoin types check deployed/types.cfg types.cfg --json",
    NULL,
};

static const char *const import_examples[] = {
    "quoin types import pof-config.xml",
    NULL,
};

static const struct command rows[] = {
    {
        .name = "generate",
        .arguments = "TYPES",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "write C structs, and functions that write and read them, for a types file",
        .detail =
            "From cars.cfg come cars.h and cars.c, for C17; C++ can include the header. A type is "
            "a "
            "struct: lists are a pointer and a count, objects in objects are pointers, maps are "
            "lists of pairs, an optional number has a bool before it. What a struct cannot say "
            "(any, sparse, lists of lists, plain maps) is a pointer that functions of your program "
            "write and read.\n\n"
            "The same file gives the same code. Only files that were generated are written over.",
        .examples = generate_examples,
        OPTIONS(generate_options),
        .traits = COMMAND_FILE,
        .run = run_generate,
    },
    {
        .name = "types check",
        .arguments = "OLD NEW",
        .argument_min = 2,
        .argument_max = 2,
        .summary = "say whether a change of a types file is compatible, and why not",
        .detail = "Each change is a line: whether new programs read old objects and old programs "
                  "new ones, and what to do where they do not.\n\n"
                  "Exit codes: 0 compatible, 1 not, 2 one of the files has a mistake.",
        .examples = check_examples,
        .traits = COMMAND_FILE,
        .run = run_types_check,
    },
    {
        .name = "types import",
        .arguments = "FILE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "print a types file with the ids and class names of a pof-config.xml",
        .detail = "Fields do not stand in such a file: they are left to fill in. What it includes "
                  "is read where it lies beside it; what is not there is left out, with a "
                  "warning. Nothing is fetched.",
        .examples = import_examples,
        .traits = COMMAND_FILE,
        .run = run_types_import,
    },
};

const struct command_group commands_types = {"types files", rows, COUNT_OF(rows)};

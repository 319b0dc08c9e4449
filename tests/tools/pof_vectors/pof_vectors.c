/* pof-vectors: holds the codec against files of golden vectors. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/pof/judge.h"
#include "tests/lib/pof/vectors.h"

static const char help[] =
    "Hold the object format against golden vectors.\n"
    "\n"
    "  pof-vectors tests/vectors/pof.jsonl       values and octets, both directions\n"
    "  pof-vectors tests/vectors/*.jsonl         everything, with our deviations taken into "
    "account\n"
    "\n"
    "Usage: pof-vectors FILE...\n"
    "\n"
    "Reads the three schemas that tests/vectors/README.md describes; the kind of each line says "
    "which it\n"
    "is. Lines of kind \"deviation\" in any of the files say what we do otherwise than a line of "
    "that\n"
    "name, and why. Prints each line that fails and at last \"N passed, N failed\".\n"
    "\n"
    "Exit code: 0 nothing failed, 1 something did, 2 usage or a file that cannot be read.\n";

struct run {
    json_t *deviations; /* name -> line */
    const char *file;   /* the present one */
    size_t passed;
    size_t failed;
};

static void keep_deviation(json_t *line, size_t number, void *context)
{
    struct run *run = context;

    (void)number;
    if (line && judge_is_deviation(line)) {
        json_object_set(run->deviations, vector_text(line, "name"), line);
    }
}

static void fail(struct run *run, size_t number, const char *name, const char *text)
{
    run->failed++;
    printf("%s:%zu: %s%s%s\n", run->file, number, name, name[0] != 0 ? ": " : "", text);
}

static void judge(json_t *line, size_t number, void *context)
{
    struct run *run = context;

    if (!line) {
        fail(run, number, "", "not a JSON object");
        return;
    }
    if (judge_is_deviation(line)) {
        return;
    }
    const char *name = vector_text(line, "name");
    struct judgement j = judge_line(line, json_object_get(run->deviations, name));
    if (j.passed) {
        run->passed++;
    } else {
        fail(run, number, name, j.text);
    }
}

static bool all_files(struct run *run, char **files,
                      void (*each)(json_t *line, size_t number, void *context))
{
    for (; *files; files++) {
        run->file = *files;
        if (!vectors_each(*files, each, run)) {
            fprintf(stderr, "pof-vectors: %s: %s\n", *files, strerror(errno));
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct run run = {0};

    int option = getopt_long(argc, argv, "h", options, NULL);
    if (option == 'h') {
        fputs(help, stdout);
        return 0;
    }
    if (option != -1 || optind == argc) {
        fputs("pof-vectors: give it files, for instance: pof-vectors tests/vectors/pof.jsonl\n",
              stderr);
        return 2;
    }
    run.deviations = json_object();
    bool read =
        all_files(&run, argv + optind, keep_deviation) && all_files(&run, argv + optind, judge);
    json_decref(run.deviations);
    if (!read) {
        return 2;
    }
    printf("%zu passed, %zu failed\n", run.passed, run.failed);
    return run.failed == 0 ? 0 : 1;
}

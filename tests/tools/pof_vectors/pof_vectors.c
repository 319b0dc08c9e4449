/* pof-vectors: holds the codec against files of golden vectors. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
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
    size_t passed;
    size_t failed;
};

typedef void line_fn(struct run *run, const char *file, size_t number, json_t *line);

/* Call `each` for every line of a file; `line` is NULL when it is no JSON object. */
static bool each_line(struct run *run, const char *file, line_fn *each)
{
    char *text = NULL;
    size_t capacity = 0;
    FILE *in = fopen(file, "r");

    if (!in) {
        fprintf(stderr, "pof-vectors: %s: %s\n", file, strerror(errno));
        return false;
    }
    for (size_t number = 1; getline(&text, &capacity, in) >= 0; number++) {
        if (text[strspn(text, " \t\r\n")] != 0) {
            json_t *line = vector_parse(text);
            each(run, file, number, line);
            json_decref(line);
        }
    }
    bool ok = !ferror(in);
    if (!ok) {
        fprintf(stderr, "pof-vectors: %s: %s\n", file, strerror(errno));
    }
    free(text);
    fclose(in);
    return ok;
}

static void keep_deviation(struct run *run, const char *file, size_t number, json_t *line)
{
    (void)file;
    (void)number;
    if (line && judge_is_deviation(line)) {
        json_object_set(run->deviations, vector_text(line, "name"), line);
    }
}

static void judge(struct run *run, const char *file, size_t number, json_t *line)
{
    if (!line) {
        run->failed++;
        printf("%s:%zu: not a JSON object\n", file, number);
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
        run->failed++;
        printf("%s:%zu: %s: %s\n", file, number, name, j.text);
    }
}

static bool all_files(struct run *run, char **files, line_fn *each)
{
    for (; *files; files++) {
        if (!each_line(run, *files, each)) {
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

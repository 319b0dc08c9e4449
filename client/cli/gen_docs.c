/* quoin-gen-docs: write manual pages, docs/cli.md and completion files from the command table.
 *
 *     quoin-gen-docs DIR       all of them: DIR/man/, DIR/completion/, DIR/cli.md
 *     quoin-gen-docs --names   the names of the manual pages
 *     quoin-gen-docs --cli-md  docs/cli.md, to stdout */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/cli/manual.h"

enum { PATH_LENGTH_MAX = 4096 };

/* The file `name` in the folder `dir`. Ends the program when it cannot be written. */
static FILE *file_open(const char *dir, const char *below, const char *name)
{
    char path[PATH_LENGTH_MAX];
    snprintf(path, sizeof path, "%s/%s", dir, below);
    (void)mkdir(path, S_IRWXU | S_IRWXG | S_IRWXO); /* that it failed shows below */
    snprintf(path, sizeof path, "%s/%s/%s", dir, below, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void file_close(FILE *file)
{
    if (fclose(file) != 0) {
        perror("quoin-gen-docs");
        exit(EXIT_FAILURE);
    }
}

static void write_one(const char *dir, const char *below, const char *name, void (*print)(FILE *to))
{
    FILE *file = file_open(dir, below, name);
    print(file);
    file_close(file);
}

static void write_page(const char *dir, const struct command *command)
{
    char name[OPTION_SHOWN_MAX];
    char file_name[OPTION_SHOWN_MAX + 2];
    snprintf(file_name, sizeof file_name, "%s.1", manual_page_name(command, name));
    FILE *file = file_open(dir, "man", file_name);
    manual_page(command, file);
    file_close(file);
}

/* Call `fn` for quoin.1 (NULL) and each command that has a page. */
static void each_page(const char *dir, void (*fn)(const char *dir, const struct command *command))
{
    const struct command *command = NULL;
    fn(dir, NULL);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (manual_has_page(command)) {
            fn(dir, command);
        }
    }
}

static void print_name(const char *dir, const struct command *command)
{
    char name[OPTION_SHOWN_MAX];
    (void)dir;
    printf("%s.1\n", manual_page_name(command, name));
}

static void write_all(const char *dir)
{
    (void)mkdir(dir, S_IRWXU | S_IRWXG | S_IRWXO);
    each_page(dir, write_page);
    write_one(dir, "completion", "quoin.bash", manual_bash);
    write_one(dir, "completion", "_quoin", manual_zsh);
    write_one(dir, "completion", "quoin.fish", manual_fish);
    write_one(dir, ".", "cli.md", manual_markdown);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: quoin-gen-docs DIR | --names | --cli-md\n", stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--names") == 0) {
        each_page("", print_name);
    } else if (strcmp(argv[1], "--cli-md") == 0) {
        manual_markdown(stdout);
    } else {
        write_all(argv[1]);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

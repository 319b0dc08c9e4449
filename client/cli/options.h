/* Options of the tool: tables of them, and what a command line says.
 *
 * One table of option_spec per command, and one for all commands, drive parsing and help. */
#ifndef QUOIN_CLIENT_CLI_OPTIONS_H
#define QUOIN_CLIENT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_COUNT,    /* int64_t, from `min` to `max` */
    OPTION_SIZE,     /* int64_t: octets, a plain number or 4KiB, from `min` to `max` */
    OPTION_DURATION, /* int64_t: milliseconds, 250ms or 2s, from `min` to `max` */
};

struct option_spec {
    const char *name;     /* without the dashes */
    const char *argument; /* as help shows it; NULL for a flag */
    const char *text;     /* what it does, one line */
    enum option_kind kind;
    size_t place; /* offset in struct options */
    int64_t min;
    int64_t max;
};

/* Everything a command line can say. */
struct options {
    /* of every command */
    const char *uri;
    const char *types_file;
    int64_t timeout_ms; /* -1 = not given */
    bool json;
    bool help;
    bool version;

    /* put, get, remove, contains */
    bool if_absent;
    int64_t if_version; /* -1 = not given */
    const char *type;   /* also of import */
    bool int_value;
    bool int_key;
    bool create; /* also of import and bench */
    const char *from_file;

    /* import */
    const char *cache;
    const char *at;
    const char *key_field;
    const char *format;
    const char *delimiter;
    bool no_header;
    const char *fields;
    const char *rejects_file;
    bool verify;
    int64_t in_flight; /* also of bench */

    /* ping */
    bool ready;
    int64_t wait_ms; /* 0 = do not wait */

    /* bench */
    int64_t request_count; /* -1 = not given */
    int64_t time_ms;       /* -1 = not given */
    int64_t key_count;
    int64_t key_size;
    int64_t value_size;
    int64_t gets_percent;
    int64_t thread_count;
    int64_t client_count; /* 0 = not given */
    bool load;
    int64_t warm_up_ms;
};

/* Every option as it is when nobody gives it. */
void options_init(struct options *options);

/* The options of every command. */
extern const struct option_spec options_global[];
extern const size_t options_global_count;

enum { OPTIONS_PROBLEM_MAX = 320 };

/* Read the options of `argv[1]` and on, of two tables (the second may be NULL).
 *
 * With `permute`, options may stand between the other arguments, up to "--"; without it, reading
 * stops at the first other argument. `argv` is put in order: the arguments that are no options
 * begin at the index that is returned. -1 = a mistake, explained in `problem` (OPTIONS_PROBLEM_MAX
 * octets), with the nearest option when a name is not known. Not thread-safe (getopt). */
int options_parse(int argc, char **argv, bool permute, const struct option_spec *own,
                  size_t own_count, struct options *options, char *problem);

#endif

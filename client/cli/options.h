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
    OPTION_TTL,      /* the same, and OPTIONS_NEVER for "never" */
};

#define OPTIONS_NEVER INT64_MAX

struct option_spec {
    const char *name;     /* without the dashes */
    char letter;          /* the short form; 0 = none */
    const char *argument; /* as help shows it; NULL for a flag; "a|b" lists the words there are */
    const char *bare;     /* what the option alone stands for; NULL = it needs a value */
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
    const char *cache;  /* the current one, when a run begins; also of import and export */
    int64_t timeout_ms; /* -1 = not given */
    bool json;
    bool help;
    bool version;

    /* of several */
    bool csv;
    bool raw;
    bool yes;
    int64_t watch_ms; /* 0 = once */

    /* put, get, remove, contains */
    bool if_absent;
    int64_t if_version; /* -1 = not given */
    const char *type;   /* also of import and export */
    const char *view;   /* also of get, scan, import and export; "" = none */
    bool int_value;
    bool int_key;
    bool octets_key;
    bool octets_value;
    int64_t ttl_ms; /* -1 = not given; also of create and touch */
    bool wait_visible;
    int64_t commit_within_ms; /* 0 = not given */
    bool create;              /* also of import and bench */
    const char *from_file;

    /* scan, count */
    bool keys_only;
    bool fresh;
    int64_t limit; /* -1 = all */
    const char *from_position;

    /* create */
    const char *durability;
    int64_t size_max_bytes; /* 0 = no limit */

    /* commit, config */
    bool hard;
    int64_t node; /* 0 = all */

    /* log inspect */
    bool records;
    int64_t partition; /* -1 = all */

    /* run */
    bool keep_going;

    /* import */
    const char *at;
    const char *key_field;
    const char *format;
    const char *delimiter;
    bool no_header;
    const char *fields;
    const char *rejects_file;
    bool verify;
    int64_t in_flight; /* also of bench */
    bool resume;       /* also of export */
    const char *state_file;

    /* generate */
    const char *out_folder;
    const char *prefix;

    /* ping */
    bool ready;
    int64_t wait_ms; /* 0 = do not wait */

    /* bench */
    int64_t request_count; /* -1 = not given */
    int64_t time_ms;       /* -1 = not given */
    int64_t key_count;
    int64_t key_size;
    const char *value_size; /* "100", "64-4KiB" */
    int64_t gets_percent;
    int64_t thread_count;
    int64_t client_count; /* 0 = not given */
    bool load;
    int64_t warm_up_ms;
    const char *rate; /* "5000/s" */
    bool closed;
    const char *zipf; /* "0.99" */
    int64_t seed;     /* -1 = not given */
    const char *hgrm_file;
    const char *compare; /* the first of two results; the second is the argument */
};

/* Every option as it is when nobody gives it. */
void options_init(struct options *options);

/* The options of every command. */
extern const struct option_spec options_global[];
extern const size_t options_global_count;

enum { OPTIONS_PROBLEM_MAX = 320, OPTION_SHOWN_MAX = 96 };

/* How help shows an option: "--watch[=DURATION]", "-c, --cache NAME". Into `text` (OPTION_SHOWN_MAX
 * octets), which it returns. */
const char *option_shown(const struct option_spec *spec, char *text);

/* Read the options of `argv[1]` and on, of two tables (the second may be NULL).
 *
 * With `permute`, options may stand between the other arguments, up to "--"; without it, reading
 * stops at the first other argument. `argv` is put in order: the arguments that are no options
 * begin at the index that is returned. -1 = a mistake, explained in `problem` (OPTIONS_PROBLEM_MAX
 * octets), with the nearest option when a name is not known. Not thread-safe (getopt). */
int options_parse(int argc, char **argv, bool permute, const struct option_spec *own,
                  size_t own_count, struct options *options, char *problem);

#endif

/* The parts of `quoin import`: what it reads, where the records go, what it counts.
 *
 * A sink takes the records: one writes them, one compares them with what is stored. */
#ifndef QUOIN_CLIENT_CLI_IMPORT_H
#define QUOIN_CLIENT_CLI_IMPORT_H

#include "client/cli/checkpoint.h"
#include "client/cli/cli.h"
#include "client/cli/columns.h"
#include "client/cli/input.h"
#include "client/cli/progress.h"
#include "client/cli/record.h"
#include "client/cli/rejects.h"
#include "client/cli/rows.h"

enum { IMPORT_IN_FLIGHT = 512, IMPORT_SHOWN_MAX = 5 };

/* Where the import stands; import_state.h. */
struct import_keeping {
    bool used; /* false = it cannot go on after it was stopped */
    char path[CHECKPOINT_PATH_MAX];
    char aside[CHECKPOINT_PATH_MAX + 16]; /* where what an import before had kept lies now; or "" */
    char *target;                         /* what the records become, as text; owned */
    uint64_t saved_ns;                    /* when it was last written down */
    uint64_t saved_line;                  /* on which line it would go on; 0 = not written down */
    uint64_t from_count; /* records, and octets, that were through before this run */
    uint64_t from_offset;
};

struct import {
    struct cli *cli;
    const char *path;
    struct form form; /* of the records */
    struct input input;
    struct rows *rows;
    struct columns columns; /* of a CSV */
    struct buf json;        /* the row at hand, when it is one of a CSV */
    struct record record;   /* the row at hand */
    qn_cache *cache;
    struct rejects rejects;
    struct progress progress;
    struct import_keeping state;
    size_t in_flight; /* records under way at a time */
    qn_options put;   /* of each of them */

    uint64_t done_count;      /* imported, or compared and equal */
    uint64_t different_count; /* verify */
    uint64_t line;            /* of the row read last */
    uint64_t unknown_count;   /* writes whose outcome is unknown */
    qn_error failure;         /* what ended the import before its end */
};

/* Reject a record. Complains about the first few on stderr. False: the side file cannot be written,
 * and the import must stop. */
bool import_reject(struct import *import, uint64_t line, const char *reason, struct bytes raw);

/* What takes the records. `take` gets the one in `import->record`, which ends with the call. False:
 * it has failed, and `import->failure` says why. */
struct import_sink {
    void *(*create)(struct import *import); /* NULL = no memory */
    bool (*take)(struct import *import, void *state, const struct row *row);
    bool (*finish)(struct import *import, void *state); /* settle all; also in between */
    void (*destroy)(void *state);
};

extern const struct import_sink import_writer;
extern const struct import_sink import_verifier;

#endif

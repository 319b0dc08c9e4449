/* `quoin export`: copies the entries of a source into a file, and can go on where it was stopped.
 */
#ifndef QUOIN_CLIENT_CLI_EXPORT_H
#define QUOIN_CLIENT_CLI_EXPORT_H

#include "client/cli/checkpoint.h"
#include "client/cli/cli.h"
#include "client/cli/export_file.h"
#include "client/cli/export_source.h"
#include "client/cli/progress.h"

enum { EXPORT_SHOWN_MAX = 5, EXPORT_RENEWED_MAX = 10 };

struct export
{
    struct cli *cli;
    const char *path;
    struct export_layout layout;
    struct export_source source;
    struct export_text text;
    struct export_file file;
    struct buf out; /* text that is not in the file yet */
    struct progress progress;

    char state_path[CHECKPOINT_PATH_MAX];
    char *target;      /* what is exported and how, as text; owned */
    json_t *start;     /* the state it goes on from, or NULL; owned */
    uint64_t saved_ns; /* when its state was last written down */
    bool saved;        /* there is a state to go on from */
    bool keeps;        /* a state is kept: not for stdout */
    bool broken;       /* the file may lack what the source has given: no state of it is kept */

    uint64_t from_count;     /* records of the runs before */
    uint64_t rejected_count; /* entries that do not fit the type */
    uint64_t renewed_count;  /* how often the view expired */
    qn_error failure;        /* what ended it before its end */
};

/* Open the file; with --resume go on with the one an export before has left. Complains and returns
 * its exit code when the export must not begin. */
enum cli_exit export_begin(struct export *export);

/* From where the source has to go on, borrowed; NULL = from the beginning. After export_begin. */
const char *export_from(const struct export *export);

/* Copy to the end of the source, to the limit, a failure or an interrupt; make the file whole when
 * nothing is missing. Complains, and returns the exit code. */
enum cli_exit export_copy(struct export *export);

void export_fini(struct export *export);

#endif

/* Where the entries of an export come from: a scan of a cache, or what a test makes up. */
#ifndef QUOIN_CLIENT_CLI_EXPORT_SOURCE_H
#define QUOIN_CLIENT_CLI_EXPORT_SOURCE_H

#include "client/cli/export_text.h"

struct export_source {
    /* The next entry, whose octets last until the next call. Statuses as qn_cursor_next. */
    qn_status (*next)(void *state, struct export_entry *entry, qn_error *err);
    /* Where it stands, as text to go on from; the caller frees it. NULL = no memory. */
    char *(*position)(void *state);
    void *state;
};

/* A scan. */
struct export_scan {
    qn_cursor *cursor;
    qn_value *key; /* of the entry handed out */
    qn_value *value;
};

/* Begin to scan. False: `err` says why. */
bool export_scan_open(struct export_scan *scan, qn_cache *cache, const qn_scan_options *options,
                      qn_error *err);
void export_scan_close(struct export_scan *scan);

/* The scan as a source, as long as it is open. */
struct export_source export_scan_source(struct export_scan *scan);

#endif

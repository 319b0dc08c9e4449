/* The settings of a node.
 *
 * One struct holds them all; a field is called section_key[_unit], and one table (cfg_table.h)
 * drives reading, checking, printing and the sample file. Layers, later ones win:
 *
 *     defaults < file < conf.d/<name>.cfg beside the file, sorted < QUOIN_SECTION__KEY < --set
 * section.key=value
 *
 * A loaded `struct cfg` is not changed any more, so every thread may read it. Loading itself is
 * done by one thread. Nothing here keeps state between calls. */
#ifndef QUOIN_CONFIG_CFG_H
#define QUOIN_CONFIG_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/cfg_report.h"
#include "wire/arena.h"
#include "wire/bytes.h"

enum cfg_pin { CFG_PIN_OFF, CFG_PIN_AUTO };
enum cfg_coordination { CFG_COORDINATION_STANDALONE };
enum cfg_level { CFG_LEVEL_ERROR, CFG_LEVEL_WARN, CFG_LEVEL_INFO, CFG_LEVEL_DEBUG };
enum cfg_format { CFG_FORMAT_TEXT, CFG_FORMAT_JSON };

/* A list of texts, in the order in which they were written. */
struct cfg_texts {
    const char *const *list;
    size_t count;
};

struct cfg {
    uint32_t node_id;           /* 1..65535, unique in the cluster */
    const char *node_data_dir;  /* log and snapshots; a relative one starts at the working folder */
    const char *node_bind;      /* address the shards listen on, without port */
    const char *node_advertise; /* address told to clients; never empty: node.bind when not set */
    uint32_t node_data_port;    /* shard s listens on data_port + s; 0 = any free ports */
    uint32_t node_shards;       /* as written, 0 = auto: use cfg_shard_count */
    enum cfg_pin node_pin;

    const char *cluster_name;
    enum cfg_coordination cluster_coordination;
    uint32_t cluster_partitions;
    uint32_t cluster_copies;
    uint32_t cluster_min_isr;

    struct cfg_texts caches_names; /* caches that exist from the start */
    bool caches_create;            /* may a client create a cache by opening it? */

    uint64_t log_segment_size_bytes;

    uint64_t limits_key_size_max_bytes;
    uint64_t limits_value_size_max_bytes;
    uint64_t limits_inflight_bytes; /* uncommitted octets per partition */

    int64_t session_ttl_ms;       /* a session ends after so much partition time without traffic */
    uint32_t session_results_max; /* results kept per session to answer repeated requests */
    uint64_t session_bytes_max;   /* octets of these results */

    bool admin_enabled;
    const char *admin_bind;
    uint32_t admin_port; /* 0 = any free port */

    enum cfg_level logging_level;
    enum cfg_format logging_format;

    /* For this module: where each value comes from (by number of the setting), and all memory. */
    const char *const *origins;
    struct arena memory;
};

/* What to read. Everything is borrowed for the call; all zero means defaults alone. */
struct cfg_sources {
    const char *file;           /* path of the settings file; NULL = none, nor any conf.d */
    const char *const *environ; /* "NAME=value", NULL at the end; NULL = none */
    const char *const *sets;    /* "section.key=value", the arguments of --set */
    size_t set_count;
};

/* Read all layers and check every value and every relation between values.
 *
 * All mistakes are found, not only the first; each is one line of `report`: `file:line: text`, with
 * the variable or the --set argument instead of file and line where it comes from there. `report`
 * must be there; it may hold lines already. On QN_OK the caller gives `out` back with cfg_fini; on
 * failure `out` is as before.
 *
 * QN_INVALID      a mistake in what was read: see `report`
 * QN_IO           a file cannot be read: see `report`
 * QN_MEMORY_FULL  no memory */
QN_MUST_USE enum qn_status cfg_load(const struct cfg_sources *sources, struct cfg *out,
                                    struct cfg_report *report);

/* The same for one file that is already in memory and called `name` in messages; no other layer.
 * `text` need not end with NUL. */
QN_MUST_USE enum qn_status cfg_load_text(struct bytes text, const char *name, struct cfg *out,
                                         struct cfg_report *report);

/* Give the memory back. All zero and NULL are fine. */
void cfg_fini(struct cfg *cfg);

/* Print every setting as `section.key = value  # where it comes from`, one a line. */
void cfg_print(const struct cfg *cfg, FILE *to);

/* Print a settings file in which every setting stands, explained and commented out. */
void cfg_sample_write(FILE *to);

/* How many shards to start on a machine with `cpu_count` usable CPUs (at least 1): node.shards, or
 * the smaller of CPUs and 2 when that is 0. */
uint32_t cfg_shard_count(const struct cfg *cfg, uint32_t cpu_count);

/* Take over from `fresh` what may change while the node runs (`logging.level`).
 *
 * Every other setting that differs is left alone and named in `report` as one that needs a restart
 * (which is not an error). Returns how many settings were taken over. Only for a caller that knows
 * that no other thread reads the reloadable fields of `running` meanwhile. */
size_t cfg_reload(struct cfg *running, const struct cfg *fresh, struct cfg_report *report);

#endif

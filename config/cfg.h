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

/* What an acknowledged change has gone through; the numbers are those of enum wire_service. */
enum cfg_durability { CFG_DURABILITY_DISK, CFG_DURABILITY_MEMORY };

/* A cache, written as "NAME [ttl=DURATION] [durability=disk|memory] [size_max=SIZE]". */
struct cfg_cache {
    const char *text; /* as it was written */
    const char *name; /* 1 to CFG_CACHE_NAME_MAX letters, digits, '.', '_', '-' */
    int64_t ttl_ms;   /* of entries that do not say otherwise; 0 = they never expire */
    enum cfg_durability durability;
    uint64_t size_max_bytes; /* 0 = no limit of its own */
};

enum { CFG_CACHE_NAME_MAX = 128 };

struct cfg_caches {
    const struct cfg_cache *list;
    size_t count;
};

/* The level of one module, written as "module=level". Which modules there are the logger knows. */
struct cfg_module_level {
    const char *text;
    const char *module;
    enum cfg_level level;
};

struct cfg_module_levels {
    const struct cfg_module_level *list;
    size_t count;
};

struct cfg {
    uint32_t node_id;           /* 1..65535, unique in the cluster */
    const char *node_data_dir;  /* log and snapshots; a relative one starts at the working folder */
    const char *node_bind;      /* address the shards listen on, without port */
    const char *node_advertise; /* address told to clients; never empty: node.bind when not set */
    uint32_t node_data_port;    /* shard s listens on data_port + s; 0 = any free ports */
    uint32_t node_shards;       /* as written, 0 = auto: use cfg_shard_count; may differ from the
                                   number of lanes on disk, see node/relane.h */
    enum cfg_pin node_pin;

    const char *cluster_name;
    enum cfg_coordination cluster_coordination;
    uint32_t cluster_partitions;
    uint32_t cluster_copies;
    uint32_t cluster_min_isr;

    struct cfg_caches caches_names; /* caches that exist from the start */
    bool caches_create;             /* may a client create a cache by opening it? */

    int64_t commit_soft_interval_ms; /* 0 = on request only */
    int64_t commit_hard_interval_ms; /* 0 = by log.replay_budget and on request only */

    uint64_t log_segment_size_bytes;
    uint64_t log_replay_budget_bytes; /* of the node: the shards share it */
    uint64_t log_snapshot_rate_bytes; /* a second; 0 = no limit */

    uint64_t limits_key_size_max_bytes;
    uint64_t limits_value_size_max_bytes;
    uint64_t limits_inflight_bytes;   /* uncommitted octets per partition */
    uint64_t limits_memory_max_bytes; /* 0 = memory_limit_default (node/memory.h) */

    uint32_t views_pins_max; /* per partition */
    int64_t views_ttl_ms;

    int64_t session_ttl_ms;       /* a session ends after so much partition time without traffic */
    uint32_t session_results_max; /* results kept per session to answer repeated requests */
    uint64_t session_bytes_max;   /* octets of these results */

    bool admin_enabled;
    const char *admin_bind;
    uint32_t admin_port; /* 0 = any free port */

    enum cfg_level logging_level;
    struct cfg_module_levels logging_levels; /* of single modules, over logging_level */
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

/* Call `visit` with every setting, in the order of the table: "section.key", its value as in a
 * file, and where that comes from. All are borrowed for the call. QN_MEMORY_FULL: not all were
 * visited. */
QN_MUST_USE enum qn_status cfg_each(const struct cfg *cfg,
                                    void (*visit)(void *arg, const char *path, const char *value,
                                                  const char *origin),
                                    void *arg);

/* A hash of all values, wherever they come from: equal settings have equal hashes. 0 = no memory.
 */
uint64_t cfg_hash(const struct cfg *cfg);

/* Print a settings file in which every setting stands, explained and commented out. */
void cfg_sample_write(FILE *to);

/* Where the value of a setting comes from: "quoin.cfg:12", "--set node.id", "default". The setting
 * must be one. */
const char *cfg_origin(const struct cfg *cfg, const char *section, const char *key);

/* Was nothing given, so that every setting has its default? */
bool cfg_is_default(const struct cfg *cfg);

/* How many shards to start on a machine with `cpu_count` usable CPUs (at least 1): node.shards, or
 * the smaller of CPUs and 2 when that is 0. */
uint32_t cfg_shard_count(const struct cfg *cfg, uint32_t cpu_count);

/* Take over from `fresh` what may change while the node runs (`logging.level`, `logging.levels`).
 *
 * Every other setting that differs is left alone and named in `report` as one that needs a restart
 * (which is not an error). Returns how many settings were taken over. Only for a caller that knows
 * that no other thread reads the reloadable fields of `running` meanwhile. */
size_t cfg_reload(struct cfg *running, const struct cfg *fresh, struct cfg_report *report);

#endif

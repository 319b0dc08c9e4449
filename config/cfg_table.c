#include "config/cfg_table.h"

#include <string.h>

#include "wire/suggest.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

enum { DAY_MS = 24 * 3600 * 1000 };

/* Choices are written through an int, whatever enum they are. */
_Static_assert(sizeof(enum cfg_level) == sizeof(int), "an enum of a choice is as wide as an int");

static const char *const pin_words[] = {"off", "auto", NULL};
static const char *const coordination_words[] = {"standalone", NULL};
static const char *const level_words[] = {"error", "warn", "info", "debug", NULL};
static const char *const format_words[] = {"text", "json", NULL};

/* The offset of a field, and the proof that it has the type its kind is stored as. */
#define FIELD(field, type) _Generic(((struct cfg *)NULL)->field, type : offsetof(struct cfg, field))

#define SETTING(s, k, kind_, offset_)                                                              \
    .section = #s, .key = #k, .path = #s "." #k, .kind = (kind_), .offset = (offset_)
#define BOOL(s, k)            SETTING(s, k, CFG_BOOL, FIELD(s##_##k, bool)), .max = 1
#define COUNT(s, k)           SETTING(s, k, CFG_COUNT, FIELD(s##_##k, uint32_t))
#define SIZE(s, k, field)     SETTING(s, k, CFG_SIZE, FIELD(field, uint64_t))
#define DURATION(s, k, field) SETTING(s, k, CFG_DURATION, FIELD(field, int64_t))
#define TEXT(s, k)            SETTING(s, k, CFG_TEXT, FIELD(s##_##k, const char *))
#define CACHES(s, k)          SETTING(s, k, CFG_CACHES, FIELD(s##_##k, struct cfg_caches))
#define LEVELS(s, k)          SETTING(s, k, CFG_LEVELS, FIELD(s##_##k, struct cfg_module_levels))
#define CHOICE(s, k, type, choices)                                                                \
    SETTING(s, k, CFG_CHOICE, FIELD(s##_##k, type)), .words = (choices)

/* clang-format off */
const struct cfg_setting cfg_table[CFG_SETTING_COUNT] = {
    {COUNT(node, id), .standard = "1", .min = 1, .max = 65535,
     .text = "Number of this node. No two nodes of a cluster have the same, and a node keeps it\n"
             "for life."},
    {TEXT(node, data_dir), .standard = "data", .min = 1, .max = 1024,
     .text = "Folder of the transaction log and the snapshots. A relative path starts at the\n"
             "folder in which the node is started. Two nodes never share one."},
    {TEXT(node, bind), .standard = "127.0.0.1", .min = 1, .max = 255,
     .text = "Address on which the shards listen, without port. 0.0.0.0 listens on all; clients\n"
             "are not authenticated yet, so do that in trusted networks only."},
    {TEXT(node, advertise), .standard = "", .min = 0, .max = 255,
     .text = "Address by which clients and other nodes reach this node. Empty: that of\n"
             "node.bind."},
    {COUNT(node, data_port), .standard = "7100", .min = 0, .max = 65535,
     .text = "Port of shard 0; shard s listens on data_port + s. 0: any free ports (for tests)."},
    {COUNT(node, shards), .standard = "0", .min = 0, .max = 256,
     .text = "Threads that own partitions, one port and one log each. 0: as many as CPUs, but at\n"
             "most 2, at the first start; later as many as the data directory has. Another\n"
             "number at a later start divides the data anew, which takes as long as a recovery\n"
             "and disk space for one snapshot of everything."},
    {CHOICE(node, pin, enum cfg_pin, pin_words), .standard = "off",
     .text = "auto keeps each shard, its network thread and its log writer together on one CPU,\n"
             "which saves wake-ups across CPUs where nothing else wants them."},

    {TEXT(cluster, name), .standard = "quoin", .min = 1, .max = 64,
     .text = "Name of the cluster. Nodes and clients of another one are refused."},
    {CHOICE(cluster, coordination, enum cfg_coordination, coordination_words),
     .standard = "standalone",
     .text = "Who decides which node leads a partition. standalone: this node, the only one of\n"
             "its cluster."},
    {COUNT(cluster, partitions), .standard = "271", .min = 1, .max = 32768,
     .text = "Partitions the keys are spread over. Fixed once there are data; a prime spreads\n"
             "well."},
    {COUNT(cluster, copies), .standard = "1", .min = 1, .max = 7,
     .text = "Copies of each partition, the leader's included. 1 when coordination is\n"
             "standalone."},
    {COUNT(cluster, min_isr), .standard = "1", .min = 1, .max = 7,
     .text = "Copies that must have a change before it is acknowledged; with fewer in reach\n"
             "writes are refused."},

    {CACHES(caches, names), .standard = "default", .min = 1, .max = 256,
     .text = "Caches that exist from the start: NAME [ttl=DURATION] [durability=disk|memory]\n"
             "[size_max=SIZE]. Entries live for ttl unless a write says otherwise (left out: for\n"
             "ever). A change is acknowledged when it is on disk; with durability=memory at\n"
             "once, and it may be lost in a crash. size_max limits the memory of the cache on\n"
             "this node. A cache that is there already keeps what it has."},
    {BOOL(caches, create), .standard = "false",
     .text = "Whether clients may create caches, by opening them, and drop them. Off, a misspelt\n"
             "name is an error."},

    {DURATION(commit, soft_interval, commit_soft_interval_ms), .standard = "1s",
     .min = 0, .max = 1 * DAY_MS,
     .text = "How often acknowledged changes become visible to scans and counts (get by key sees\n"
             "them at once). 0ms: only on request."},
    {DURATION(commit, hard_interval, commit_hard_interval_ms), .standard = "5m",
     .min = 0, .max = 7 * DAY_MS,
     .text = "How often a checkpoint is written: snapshots of the partitions, after which older\n"
             "log is deleted. 0ms: only when log.replay_budget wants it, or on request."},

    {SIZE(log, segment_size, log_segment_size_bytes), .standard = "64MiB",
     .min = 1 * MIB, .max = 1 * GIB,
     .text = "Size at which a file of the transaction log is closed and the next one begun."},
    {SIZE(log, replay_budget, log_replay_budget_bytes), .standard = "2GiB",
     .min = 64 * MIB, .max = 1024 * GIB,
     .text = "Log that a start may have to read, of all shards together: checkpoints keep it\n"
             "below. At least 4 segments for each shard."},
    {SIZE(log, snapshot_rate, log_snapshot_rate_bytes), .standard = "48MiB",
     .min = 0, .max = 1024 * GIB,
     .text = "Octets of entries that each shard puts into snapshots in a second at most, so that\n"
             "clients keep their share of disk and CPU; without limit once three quarters of the\n"
             "replay budget are used. 0B: never a limit."},

    {SIZE(limits, key_size_max, limits_key_size_max_bytes), .standard = "64KiB",
     .min = 16, .max = 64 * KIB,
     .text = "Largest key; a larger one is refused as TOO_LARGE."},
    {SIZE(limits, value_size_max, limits_value_size_max_bytes), .standard = "16MiB",
     .min = 1 * KIB, .max = 16 * MIB,
     .text = "Largest value; a larger one is refused as TOO_LARGE."},
    {SIZE(limits, inflight_bytes, limits_inflight_bytes), .standard = "64MiB",
     .min = 64 * KIB, .max = 16 * GIB,
     .text = "Changes of one partition that may wait for the disk or for copies; beyond that new\n"
             "ones are refused as OVERLOADED."},
    {SIZE(limits, memory_max, limits_memory_max_bytes), .standard = "0B",
     .min = 0, .max = 1024 * 1024 * GIB,
     .text = "Memory of the node beyond what it takes to start. Near it changes that need more\n"
             "are refused as MEMORY_FULL, others go on. 0B: three quarters of the machine's\n"
             "memory, or of what its control group may use, whichever is less."},

    {COUNT(views, pins_max), .standard = "4", .min = 1, .max = 7,
     .text = "Views of each partition that scans may keep at one time; further ones are refused\n"
             "as OVERLOADED."},
    {DURATION(views, ttl, views_ttl_ms), .standard = "30s", .min = 100, .max = 1 * DAY_MS,
     .text = "A scan that rests longer loses its view and ends as CURSOR_EXPIRED."},

    {DURATION(session, ttl, session_ttl_ms), .standard = "10m", .min = 1000, .max = 7 * DAY_MS,
     .text = "A client's session ends after this long without traffic. Until then a repeated\n"
             "request gets the answer of the first, and takes effect once."},
    {COUNT(session, results_max), .standard = "64", .min = 1, .max = 65536,
     .text = "Answers kept for each session and partition."},
    {SIZE(session, bytes_max, session_bytes_max), .standard = "8MiB",
     .min = 64 * KIB, .max = 1 * GIB,
     .text = "Size of the answers kept for each session and partition."},

    {BOOL(admin, enabled), .standard = "true",
     .text = "Whether health and metrics are served over HTTP."},
    {TEXT(admin, bind), .standard = "127.0.0.1", .min = 1, .max = 255,
     .text = "Address of that HTTP server. It is neither encrypted nor authenticated."},
    {COUNT(admin, port), .standard = "7180", .min = 0, .max = 65535,
     .text = "Its port. 0: any free port (for tests)."},

    {CHOICE(logging, level, enum cfg_level, level_words), .standard = "info", .reloadable = true,
     .text = "error: somebody must act; warn: the node copes; info: what an operator wants to\n"
             "know; debug: everything, for a search only."},
    {LEVELS(logging, levels), .standard = "", .min = 1, .max = 64, .reloadable = true,
     .text = "Levels of single modules, such as \"log=debug\"; the others have logging.level."},
    {CHOICE(logging, format, enum cfg_format, format_words), .standard = "text",
     .text = "Lines for people or one JSON object a line."},
};

const struct cfg_section cfg_sections[CFG_SECTION_COUNT] = {
    {"node", "This node: who it is, where it listens, what it runs on."},
    {"cluster", "What all nodes of a cluster agree on."},
    {"caches", "Named maps."},
    {"commit", "When changes become visible to queries, and when checkpoints are written."},
    {"log", "The transaction log."},
    {"limits", "What is refused for its size."},
    {"views", "What scans read: the state at one moment, kept while they go on."},
    {"session", "What is remembered of a client, so that a repeated request takes effect once."},
    {"admin", "Health and metrics."},
    {"logging", "What the node writes to its standard error."},
};
/* clang-format on */

const struct cfg_setting *cfg_table_find(const char *section, const char *key)
{
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        if (strcmp(cfg_table[i].section, section) == 0 && strcmp(cfg_table[i].key, key) == 0) {
            return &cfg_table[i];
        }
    }
    return NULL;
}

size_t cfg_table_number(const struct cfg_setting *setting)
{
    return (size_t)(setting - cfg_table);
}

bool cfg_table_has_section(const char *section)
{
    for (size_t i = 0; i < CFG_SECTION_COUNT; i++) {
        if (strcmp(cfg_sections[i].name, section) == 0) {
            return true;
        }
    }
    return false;
}

const char *cfg_table_suggest_section(const char *section)
{
    struct suggest suggest = {.word = section};

    for (size_t i = 0; i < CFG_SECTION_COUNT; i++) {
        suggest_offer(&suggest, cfg_sections[i].name);
    }
    return suggest.nearest;
}

/* The path whose key is `key`, in whatever section. */
static const char *path_of_key(const char *key)
{
    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        if (strcmp(cfg_table[i].key, key) == 0) {
            return cfg_table[i].path;
        }
    }
    return NULL;
}

const char *cfg_table_suggest(const char *section, const char *key)
{
    struct suggest suggest = {.word = key};

    for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
        if (strcmp(cfg_table[i].section, section) == 0) {
            suggest_offer(&suggest, cfg_table[i].key);
        }
    }
    const struct cfg_setting *near =
        suggest.nearest ? cfg_table_find(section, suggest.nearest) : NULL;
    return near ? near->path : path_of_key(key);
}

const void *cfg_field(const struct cfg *cfg, const struct cfg_setting *setting)
{
    return (const unsigned char *)cfg + setting->offset;
}

void *cfg_field_mutable(struct cfg *cfg, const struct cfg_setting *setting)
{
    return (unsigned char *)cfg + setting->offset;
}

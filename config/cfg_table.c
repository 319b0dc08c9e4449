#include "config/cfg_table.h"

#include <string.h>

#include "config/suggest.h"

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
#define TEXTS(s, k)           SETTING(s, k, CFG_TEXTS, FIELD(s##_##k, struct cfg_texts))
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
             "most 2, at the first start; later as many as the data directory has."},
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

    {TEXTS(caches, names), .standard = "default", .min = 1, .max = 128,
     .text = "Caches that exist from the start."},
    {BOOL(caches, create), .standard = "false",
     .text = "Whether a client may create a cache by opening it. Off, a misspelt name is an\n"
             "error."},

    {SIZE(log, segment_size, log_segment_size_bytes), .standard = "64MiB",
     .min = 1 * MIB, .max = 1 * GIB,
     .text = "Size at which a file of the transaction log is closed and the next one begun."},

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
    {CHOICE(logging, format, enum cfg_format, format_words), .standard = "text",
     .text = "Lines for people or one JSON object a line."},
};

const struct cfg_section cfg_sections[CFG_SECTION_COUNT] = {
    {"node", "This node: who it is, where it listens, what it runs on."},
    {"cluster", "What all nodes of a cluster agree on."},
    {"caches", "Named maps."},
    {"log", "The transaction log."},
    {"limits", "What is refused for its size."},
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

#include <inttypes.h>
#include <string.h>

#include <arpa/inet.h>

#include "config/cfg_layers.h"
#include "config/value.h"

enum {
    PORT_MAX = 65535,
    SHARDS_AUTO_MAX = 2,
    SEGMENTS_MIN = 4, /* of each shard, in the replay budget */
    MEMORY_MIN = 64 * 1024 * 1024,
};

/* Where the value of a setting comes from. */
static const char *origin_of(const struct cfg_builder *b, const char *section, const char *key)
{
    return b->origins[cfg_table_number(cfg_table_find(section, key))];
}

static bool is_default(const char *origin)
{
    return strcmp(origin, "default") == 0;
}

/* Was what is written for this setting refused? Then the mistake is reported already. */
static bool wrong(const struct cfg_builder *b, const char *section, const char *key)
{
    return b->wrong[cfg_table_number(cfg_table_find(section, key))];
}

/* Of settings that do not go together, report at one that somebody wrote. */
static const char *blamed(const char *first, const char *second)
{
    return is_default(first) ? second : first;
}

static void copies_check(struct cfg_builder *b)
{
    const struct cfg *cfg = &b->cfg;
    const char *copies = origin_of(b, "cluster", "copies");
    const char *min_isr = origin_of(b, "cluster", "min_isr");

    if (wrong(b, "cluster", "copies")) {
        return;
    }
    if (!wrong(b, "cluster", "min_isr") && cfg->cluster_min_isr > cfg->cluster_copies) {
        cfg_report_error(b->report, blamed(min_isr, copies), 0,
                         "cluster.min_isr <= cluster.copies does not hold: %" PRIu32 " > %" PRIu32
                         " (%s, %s): no write could ever be acknowledged",
                         cfg->cluster_min_isr, cfg->cluster_copies, min_isr, copies);
    }
    if (!wrong(b, "cluster", "coordination") &&
        cfg->cluster_coordination == CFG_COORDINATION_STANDALONE && cfg->cluster_copies != 1) {
        cfg_report_error(b->report, copies, 0,
                         "cluster.copies = 1 does not hold: %" PRIu32
                         ": with cluster.coordination = \"standalone\" there is one node",
                         cfg->cluster_copies);
    }
}

static uint32_t shards_at_most(const struct cfg *cfg)
{
    return cfg->node_shards ? cfg->node_shards : SHARDS_AUTO_MAX;
}

/* The last port of the shards when the first is fixed. */
static uint32_t last_port(const struct cfg *cfg)
{
    return cfg->node_data_port + shards_at_most(cfg) - 1;
}

static bool is_wildcard(const char *address)
{
    return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0 ||
           strcmp(address, "[::]") == 0 || strcmp(address, "*") == 0;
}

static bool same_address(const struct cfg *cfg)
{
    return strcmp(cfg->admin_bind, cfg->node_bind) == 0 || is_wildcard(cfg->admin_bind) ||
           is_wildcard(cfg->node_bind);
}

static void ports_check(struct cfg_builder *b)
{
    const struct cfg *cfg = &b->cfg;
    const char *data = origin_of(b, "node", "data_port"), *shards = origin_of(b, "node", "shards");
    const char *admin = origin_of(b, "admin", "port");

    if (cfg->node_data_port == 0 || wrong(b, "node", "data_port") || wrong(b, "node", "shards")) {
        return;
    }
    if (last_port(cfg) > PORT_MAX) {
        cfg_report_error(b->report, blamed(data, shards), 0,
                         "node.data_port + node.shards - 1 <= %d does not hold: it is %" PRIu32
                         " (%s, %s)",
                         PORT_MAX, last_port(cfg), data, shards);
    }
    if (!wrong(b, "admin", "port") && cfg->admin_enabled && same_address(cfg) &&
        cfg->admin_port >= cfg->node_data_port && cfg->admin_port <= last_port(cfg)) {
        cfg_report_error(b->report, blamed(admin, blamed(data, shards)), 0,
                         "admin.port must not be one of the shards' ports: %" PRIu32
                         " is within %" PRIu32 "..%" PRIu32 " (%s, %s, %s)",
                         cfg->admin_port, cfg->node_data_port, last_port(cfg), admin, data, shards);
    }
}

enum { ADDRESS_MAX = 64 };

/* An IPv4 or IPv6 address, the latter also in brackets. */
static bool is_number(const char *text)
{
    size_t size = strlen(text);
    bool brackets = size > 2 && text[0] == '[' && text[size - 1] == ']';
    char plain[ADDRESS_MAX];
    unsigned char octets[sizeof(struct in6_addr)];

    if (size >= sizeof plain) {
        return false;
    }
    memcpy(plain, text + brackets, size + 1 - (size_t)brackets);
    if (brackets) {
        plain[size - 2] = '\0';
    }
    return inet_pton(AF_INET6, plain, octets) == 1 ||
           (!brackets && inet_pton(AF_INET, text, octets) == 1);
}

/* Can it be the name of a host or an interface? What consists of digits and dots, or has a colon,
 * is meant to be a number. */
static bool is_name(const char *text)
{
    return strspn(text, "0123456789.") < strlen(text) && strpbrk(text, ": /\t[]") == NULL;
}

static void address_check(struct cfg_builder *b, const char *section, const char *key,
                          const char *text, bool names)
{
    if (wrong(b, section, key) || *text == '\0' || is_number(text) ||
        (names && (is_name(text) || is_wildcard(text)))) {
        return;
    }
    cfg_report_error(b->report, origin_of(b, section, key), 0,
                     "%s.%s: \"%s\" is not an IPv4 or IPv6 address; write one such as 127.0.0.1 "
                     "or ::1",
                     section, key, text);
}

static void addresses_check(struct cfg_builder *b)
{
    address_check(b, "node", "bind", b->cfg.node_bind, true);
    address_check(b, "node", "advertise", b->cfg.node_advertise, true);
    if (wrong(b, "admin", "enabled") || b->cfg.admin_enabled) {
        address_check(b, "admin", "bind", b->cfg.admin_bind, false);
    }
}

static void sizes_check(struct cfg_builder *b)
{
    const struct cfg *cfg = &b->cfg;
    const char *key = origin_of(b, "limits", "key_size_max");
    const char *value = origin_of(b, "limits", "value_size_max");
    const char *inflight = origin_of(b, "limits", "inflight_bytes");
    uint64_t entry = cfg->limits_key_size_max_bytes + cfg->limits_value_size_max_bytes;

    if (wrong(b, "limits", "key_size_max") || wrong(b, "limits", "value_size_max") ||
        wrong(b, "limits", "inflight_bytes")) {
        return;
    }
    if (entry > cfg->limits_inflight_bytes) {
        cfg_report_error(
            b->report, blamed(inflight, blamed(value, key)), 0,
            "limits.key_size_max + limits.value_size_max <= limits.inflight_bytes does "
            "not hold: %" PRIu64 " > %" PRIu64
            " octets (%s, %s, %s): the largest entry could never be written",
            entry, cfg->limits_inflight_bytes, key, value, inflight);
    }
}

static void caches_check(struct cfg_builder *b)
{
    const struct cfg_caches *names = &b->cfg.caches_names;
    const char *origin = origin_of(b, "caches", "names");

    if (wrong(b, "caches", "names") || wrong(b, "caches", "create")) {
        return;
    }
    for (size_t i = 0; i < names->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(names->list[i].name, names->list[j].name) == 0) {
                cfg_report_error(b->report, origin, 0, "caches.names: %s stands there twice",
                                 names->list[i].name);
            }
        }
    }
    if (names->count == 0 && !b->cfg.caches_create) {
        cfg_report_error(b->report, origin, 0,
                         "caches.names is empty and caches.create is false: there could never be a "
                         "cache");
    }
}

static void levels_check(struct cfg_builder *b)
{
    const struct cfg_module_levels *levels = &b->cfg.logging_levels;

    if (wrong(b, "logging", "levels")) {
        return;
    }
    for (size_t i = 0; i < levels->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(levels->list[i].module, levels->list[j].module) == 0) {
                cfg_report_error(b->report, origin_of(b, "logging", "levels"), 0,
                                 "logging.levels: %s stands there twice", levels->list[i].module);
            }
        }
    }
}

/* A segment is deleted as a whole and the newest is being filled, so each shard needs some. */
static void budget_check(struct cfg_builder *b)
{
    const char *budget = origin_of(b, "log", "replay_budget");
    const char *segment = origin_of(b, "log", "segment_size");
    const char *shards = origin_of(b, "node", "shards");
    uint64_t least = SEGMENTS_MIN * b->cfg.log_segment_size_bytes * shards_at_most(&b->cfg);

    if (wrong(b, "log", "replay_budget") || wrong(b, "log", "segment_size") ||
        wrong(b, "node", "shards") || b->cfg.log_replay_budget_bytes >= least) {
        return;
    }
    char have[VALUE_TEXT_MAX], want[VALUE_TEXT_MAX];
    cfg_report_error(b->report, blamed(budget, blamed(segment, shards)), 0,
                     "log.replay_budget >= %d * log.segment_size * node.shards does not hold: %s < "
                     "%s (%s, %s, %s)",
                     SEGMENTS_MIN, value_size_print((int64_t)b->cfg.log_replay_budget_bytes, have),
                     value_size_print((int64_t)least, want), budget, segment, shards);
}

static void memory_check(struct cfg_builder *b)
{
    uint64_t most = b->cfg.limits_memory_max_bytes;
    char have[VALUE_TEXT_MAX], want[VALUE_TEXT_MAX];

    if (!wrong(b, "limits", "memory_max") && most > 0 && most < MEMORY_MIN) {
        cfg_report_error(b->report, origin_of(b, "limits", "memory_max"), 0,
                         "limits.memory_max: %s is neither 0B nor at least %s",
                         value_size_print((int64_t)most, have), value_size_print(MEMORY_MIN, want));
    }
}

static void advertise_resolve(struct cfg_builder *b)
{
    const char *bind = origin_of(b, "node", "bind");
    struct cfg *cfg = &b->cfg;

    if (cfg->node_advertise[0] != '\0' || wrong(b, "node", "bind") ||
        wrong(b, "node", "advertise")) {
        return;
    }
    if (is_wildcard(cfg->node_bind)) {
        cfg_report_error(
            b->report, bind, 0,
            "node.advertise must be set when node.bind is %s: clients cannot connect to "
            "that",
            cfg->node_bind);
        return;
    }
    cfg->node_advertise = cfg->node_bind;
    b->origins[cfg_table_number(cfg_table_find("node", "advertise"))] = "node.bind";
}

void cfg_check(struct cfg_builder *b)
{
    copies_check(b);
    addresses_check(b);
    ports_check(b);
    sizes_check(b);
    caches_check(b);
    levels_check(b);
    budget_check(b);
    memory_check(b);
    advertise_resolve(b);
}

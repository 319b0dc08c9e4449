/* Every event a node may log: X(module, event, level, meaning, action).
 *
 * Names are stable identifiers: people search and alert for them. One event per line of the table
 * in docs/operations.md, which tests/tools/check_events.py writes from this file (--write) and
 * compares with it, as it compares every logger_write of the node. Modules: LOGGER_MODULE_MAP in
 * logger.h. An action of "-" means that nobody need do anything. */
#ifndef QUOIN_NODE_LOG_EVENTS_H
#define QUOIN_NODE_LOG_EVENTS_H

/* clang-format off */
#define LOG_EVENT_MAP(X)                                                                           \
    X("node", "starting", INFO, "the settings have been read, the parts are opened",               \
      "-")                                                                                         \
    X("node", "defaults", INFO, "no setting was given, by no file, variable or --set: each has its default; `starting` says where the data go", \
      "write a settings file: quoind --sample-config")                                             \
    X("node", "setting", WARN, "about a setting, when they are read at start or after SIGHUP: a mistake, one that needs a restart, a variable that is near to one", \
      "what `text` says")                                                                          \
    X("node", "start_failed", ERROR, "the node ends before it served",                             \
      "`reason` says what to change")                                                              \
    X("node", "lanes_changed", INFO, "the data directory was written with another number of shards; its partitions were moved to the present one", \
      "-")                                                                                         \
    X("node", "changing_lanes", INFO, "progress of moving partitions to another number of shards", \
      "-")                                                                                         \
    X("node", "serving", INFO, "recovery is over, every sound partition answers",                  \
      "-")                                                                                         \
    X("node", "reloaded", INFO, "SIGHUP: the settings were read again; what needs a restart stands in lines `setting` above this one", \
      "restart when such settings matter")                                                         \
    X("node", "reload_refused", WARN, "SIGHUP: the settings are wrong, the old ones stay in force", \
      "correct what the lines `setting` above this one name, send SIGHUP again")                                 \
    X("node", "level_set", INFO, "somebody changed a log level at run time",                       \
      "-")                                                                                         \
    X("node", "lines_dropped", WARN, "more than 10 lines a second of the event `of`: `count` were left out", \
      "look at that event")                                                                        \
    X("node", "failed", ERROR, "a shard cannot go on, the node ends; the line `stopped_with_failure` says why", \
      "look at the disk, start again: what was acknowledged is there")                             \
    X("node", "stopping", INFO, "a signal asked the node to end",                                  \
      "-")                                                                                         \
    X("node", "stopped", INFO, "everything is on disk and closed",                                 \
      "-")                                                                                         \
    X("node", "stopped_with_failure", ERROR, "the node has ended, and not everything could be written or closed", \
      "look at the disk, start again: what was acknowledged is there")                             \
    X("log", "recovering", INFO, "progress of reading the log at start",                           \
      "-")                                                                                         \
    X("log", "recovered", INFO, "a lane's log has been read; `torn_bytes` were cut off its end: normal after a power cut", \
      "-")                                                                                         \
    X("log", "damaged", ERROR, "bad octets where they had been durable; the partition, or the whole lane, refuses all requests", \
      "look at the disk, restore the data directory from a backup")                                \
    X("log", "sequence_broken", ERROR, "sound records that do not follow each other: some are missing; the partition refuses all requests", \
      "restore the data directory from a backup")                                                  \
    X("log", "disk_full", ERROR, "no room for another segment: changes are, or soon will be, refused; reads go on", \
      "make room in the data directory's file system")                                             \
    X("log", "disk_space_back", INFO, "there is room again, changes are accepted",                 \
      "-")                                                                                         \
    X("log", "at_budget", WARN, "the log has come to 7/8 of `log.replay_budget`: changes are refused for moments (OVERLOADED, clients repeat them) so that it stays below", \
      "look for `checkpoint failed`; a faster disk, or a larger budget")                           \
    X("log", "below_budget", INFO, "snapshots have caught up: the log is below 3/4 of its budget", \
      "-")                                                                                         \
    X("checkpoint", "started", DEBUG, "a hard commit begins",                                      \
      "-")                                                                                         \
    X("checkpoint", "snapshot", DEBUG, "a snapshot of one partition is on disk", \
      "-")                                                                                         \
    X("checkpoint", "restored", INFO, "the snapshots of a lane have been read at start",             \
      "-")                                                                                         \
    X("checkpoint", "done", INFO, "snapshots were written and switched to, old segments of the log deleted", \
      "-")                                                                                         \
    X("checkpoint", "failed", ERROR, "a snapshot could not be written; the one before and the log stay, it is tried again", \
      "`reason` says why, mostly no space; until then the log grows")                              \
    X("checkpoint", "snapshot_damaged", ERROR, "a snapshot does not match its checksum; the partition refuses all requests", \
      "look at the disk, restore the data directory from a backup")                                \
    X("memory", "limit_reached", WARN, "the node is at `limits.memory_max`: changes that need more get MEMORY_FULL; gets and removes go on", \
      "remove or expire entries, or raise the limit if the machine has the memory")                \
    X("memory", "below_limit", INFO, "there is memory again, changes are accepted",                \
      "-")                                                                                         \
    X("clock", "jumped", WARN, "the machine's clock was set, `offset_ms` from what was expected; expiry goes by partition time, which never goes back", \
      "see that the clock is synchronised; after a jump ahead entries may have expired early")     \
    X("clock", "settled", INFO, "the machine's clock agrees with the node's again", \
      "-")                                                                                         \
    X("cache", "created", INFO, "a cache was created",                                             \
      "-")                                                                                         \
    X("cache", "definition_differs", WARN, "the settings say otherwise of a cache than it was created with; it keeps what it has", \
      "drop and create it, or correct `caches.names`")                                             \
    X("cache", "dropped", INFO, "a cache and its entries were removed by request",                 \
      "-")                                                                                         \
    X("coord", "drop_failed", ERROR, "it is not known whether a dropped cache is gone on disk: the node ends", \
      "look at the disk, start again, and look whether the cache is there")                        \
    X("coord", "memory_unclean", WARN, "the node did not end cleanly: caches with `durability=memory` may lack their last changes", \
      "load them again where that matters")                                                        \
/* clang-format on */

#define LOG_EVENT_ONE(module, event, level, meaning, action) +1
enum { LOG_EVENTS = 0 LOG_EVENT_MAP(LOG_EVENT_ONE) };
#undef LOG_EVENT_ONE

#endif

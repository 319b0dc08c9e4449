/* What the kernel says about this process. Any thread. */
#ifndef QUOIN_NODE_ADMIN_PROCESS_H
#define QUOIN_NODE_ADMIN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct process_figures {
    bool has_memory; /* false: /proc is not mounted, or no descriptor is left to read it */
    bool has_fds;
    uint64_t resident_bytes;
    uint64_t virtual_bytes;
    uint64_t open_fds;
    uint64_t max_fds; /* 0 = without limit, or not known */
    uint64_t cpu_ns;  /* user and system, all threads */
};

struct process_figures process_read(void);

#endif

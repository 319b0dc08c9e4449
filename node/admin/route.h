/* Which page a request asks for. A pure function of the octets of the request line. */
#ifndef QUOIN_NODE_ADMIN_ROUTE_H
#define QUOIN_NODE_ADMIN_ROUTE_H

#include "node/admin/health.h"

enum route_page {
    ROUTE_HEALTH,
    ROUTE_METRICS,
    ROUTE_INDEX,
    ROUTE_NOT_FOUND, /* 404, with the index */
    ROUTE_REFUSED,   /* 405: not GET and not HEAD */
};

struct route {
    enum route_page page;
    enum health_question question; /* of ROUTE_HEALTH */
    bool verbose;                  /* of ROUTE_HEALTH: JSON */
};

/* `method` and `target` as they stand in the request line: "GET", "/livez?verbose". A target with
 * scheme and host before the path is understood too, as proxies send it, and so are percent
 * escapes in the path. `verbose` counts with and without a value, but for "0", "false" and "no";
 * whatever else is in the query is ignored. */
struct route route_of(const char *method, const char *target);

/* The pages there are, a line each. */
extern const char route_index[];

#endif

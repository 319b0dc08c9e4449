/* The figures of a node in Prometheus' text format, version 0.0.4.
 *
 * A family is written only where there is a figure for it. Latency goes out as histograms, since
 * percentiles of several nodes cannot be added up. */
#ifndef QUOIN_NODE_ADMIN_METRICS_H
#define QUOIN_NODE_ADMIN_METRICS_H

#include "node/admin/admin.h"
#include "node/admin/process.h"
#include "node/admin/text.h"

void metrics_write(struct text *text, const struct admin_snapshot *snapshot,
                   const struct process_figures *process);

#endif

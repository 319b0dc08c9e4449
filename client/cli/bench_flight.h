/* Requests of a bench worker that are in flight side by side: the calls that do not wait. */
#ifndef QUOIN_CLIENT_CLI_BENCH_FLIGHT_H
#define QUOIN_CLIENT_CLI_BENCH_FLIGHT_H

#include "client/cli/bench_worker.h"

/* Room for the plan's requests in flight. False: no memory. */
bool bench_flight_init(struct bench_worker *worker);
void bench_flight_fini(struct bench_worker *worker);

/* Closed loop: keep as many in flight as the plan says. */
void bench_flight_run_closed(struct bench_worker *worker);

/* Open loop: begin each when it is due, and no more at a time than the plan allows. The worker must
 * have a client of its own. */
void bench_flight_run_open(struct bench_worker *worker);

/* Count how late a request leaves that was due at `due_ns`; up to `full_until_ns` there was no room
 * in flight. */
void bench_flight_count_late(struct bench_result *result, uint64_t due_ns, uint64_t now_ns,
                             uint64_t full_until_ns);

#endif

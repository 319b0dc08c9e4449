/* A client session and a fake grid with a network between them that a test controls.
 *
 * Time is virtual and everything random comes from a seed, so a run can be repeated exactly. */
#ifndef QUOIN_TESTS_CLIENT_SIM_H
#define QUOIN_TESTS_CLIENT_SIM_H

#include "client/session.h"
#include "tests/unit/client/fake_grid.h"

enum { SIM_LINKS = 2, SIM_LINKS_MAX = 4, SIM_PARTITIONS = 8 }; /* of each of two services */

struct sim_faults {
    uint32_t lose_percent;    /* of frames, each way */
    uint32_t repeat_percent;  /* of frames */
    uint32_t delay_max_ms;    /* uniform from 1; frames overtake each other */
    uint32_t restart_each_ms; /* mean time between restarts; 0 = none */
    uint32_t down_max_ms;     /* how long a restart takes */
};

struct sim;

struct sim *sim_create(uint64_t seed, struct sim_faults faults);

/* Ends the operations that are not done, checks that the session lets go of everything. */
void sim_destroy(struct sim *sim);

int64_t sim_now_ms(const struct sim *sim);
struct fake_grid *sim_grid(struct sim *sim);
struct session *sim_session(struct sim *sim);
uint32_t sim_random(struct sim *sim, uint32_t bound);

void sim_set_faults(struct sim *sim, struct sim_faults faults);

/* Keep frames back instead of delivering them; `sim_release` lets them go. */
void sim_hold(struct sim *sim, bool requests, bool answers);
void sim_release(struct sim *sim);

/* The node goes away, with all frames under way; after `down_ms` it is there again, restarted. */
void sim_restart(struct sim *sim, uint32_t down_ms);

/* Start an operation; its memory is the caller's until it is done. */
void sim_start(struct sim *sim, struct session_op *op, int64_t timeout_ms);

/* Let `ms` pass. */
void sim_run_ms(struct sim *sim, int64_t ms);

/* Run until the operation is done; false when it is not after its deadline and 20 ms. */
bool sim_finish(struct sim *sim, struct session_op *op);

/* Called for each operation when it is done. */
void sim_on_done(struct sim *sim, void (*fn)(struct session_op *op, int64_t now_ms, void *arg),
                 void *arg);

/* How often the session told of it. */
size_t sim_events(const struct sim *sim, enum session_event event);

/* Links open now. */
size_t sim_links_open(const struct sim *sim);

/* Frames that the client has sent, and the largest number of operations in one of them. */
size_t sim_frames_sent(const struct sim *sim);

#endif

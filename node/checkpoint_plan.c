#define _GNU_SOURCE
#include "node/checkpoint_plan.h"

#include <stdlib.h>

#include "wire/assert.h"

#define NONE UINT64_MAX

enum qn_status plan_init(struct checkpoint_plan *plan, uint32_t first, uint32_t step, uint32_t end)
{
    uint32_t count = first < end ? (end - first - 1) / step + 1 : 0;

    *plan = (struct checkpoint_plan){
        .first = first, .step = step, .count = count, .now = UINT32_MAX, .now_oldest = NONE};
    plan->oldest = malloc((count > 0 ? count : 1) * sizeof *plan->oldest);
    plan->faulted = calloc(count > 0 ? count : 1, sizeof *plan->faulted);
    plan->postponed = calloc(count > 0 ? count : 1, sizeof *plan->postponed);
    if (!plan->oldest || !plan->faulted || !plan->postponed) {
        plan_fini(plan);
        return QN_MEMORY_FULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        plan->oldest[i] = NONE;
    }
    return QN_OK;
}

void plan_fini(struct checkpoint_plan *plan)
{
    free(plan->oldest);
    free(plan->faulted);
    free(plan->postponed);
    *plan = (struct checkpoint_plan){0};
}

static uint32_t number_of(const struct checkpoint_plan *plan, uint32_t partition)
{
    qn_assert(partition >= plan->first && (partition - plan->first) % plan->step == 0);
    uint32_t number = (partition - plan->first) / plan->step;
    qn_assert(number < plan->count);
    return number;
}

void plan_appended(struct checkpoint_plan *plan, uint32_t partition, uint64_t lsn)
{
    uint64_t *oldest = &plan->oldest[number_of(plan, partition)];

    if (*oldest == NONE) {
        *oldest = lsn;
    }
}

/* The lowest below `target` among those that are postponed, or are not. */
static bool next_among(const struct checkpoint_plan *plan, uint64_t target, bool postponed,
                       uint32_t *partition)
{
    uint64_t lowest = target;

    for (uint32_t i = 0; i < plan->count; i++) {
        if (!plan->faulted[i] && plan->postponed[i] == postponed && plan->oldest[i] < lowest) {
            lowest = plan->oldest[i];
            *partition = plan->first + i * plan->step;
        }
    }
    return lowest < target;
}

bool plan_next(struct checkpoint_plan *plan, uint64_t target, uint32_t *partition)
{
    if (next_among(plan, target, false, partition)) {
        return true;
    }
    if (!next_among(plan, target, true, partition)) {
        return false;
    }
    memset(plan->postponed, 0, plan->count * sizeof *plan->postponed); /* all have had their turn */
    return true;
}

void plan_begin(struct checkpoint_plan *plan, uint32_t partition)
{
    qn_assert(plan->now == UINT32_MAX);
    plan->now = number_of(plan, partition);
    plan->now_oldest = plan->oldest[plan->now];
    plan->oldest[plan->now] = NONE;
}

void plan_done(struct checkpoint_plan *plan)
{
    qn_assert(plan->now != UINT32_MAX);
    plan->now = UINT32_MAX;
    plan->now_oldest = NONE;
}

void plan_failed(struct checkpoint_plan *plan)
{
    qn_assert(plan->now != UINT32_MAX);
    if (plan->now_oldest != NONE) {
        plan->oldest[plan->now] = plan->now_oldest;
    }
    plan->postponed[plan->now] = true;
    plan_done(plan);
}

void plan_fault(struct checkpoint_plan *plan, uint32_t partition)
{
    plan->faulted[number_of(plan, partition)] = true;
}

/* The lowest of `oldest`, and of `low`. */
static uint64_t lowest_of(const struct checkpoint_plan *plan, uint64_t low, bool with_faulted)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->oldest[i] < low && (with_faulted || !plan->faulted[i])) {
            low = plan->oldest[i];
        }
    }
    return low;
}

uint64_t plan_wanted(const struct checkpoint_plan *plan, uint64_t next_lsn)
{
    uint64_t wanted = lowest_of(plan, next_lsn, false);

    return plan->now_oldest < wanted ? plan->now_oldest : wanted;
}

uint64_t plan_needed_after(const struct checkpoint_plan *plan, uint64_t next_lsn)
{
    return lowest_of(plan, next_lsn, true);
}

uint64_t plan_needed(const struct checkpoint_plan *plan, uint64_t next_lsn)
{
    uint64_t after = plan_needed_after(plan, next_lsn);

    return plan->now_oldest < after ? plan->now_oldest : after;
}

/* What a search keeps in memory: the set of states, those to expand, the ways to them. */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/model/frontier.h"
#include "tests/model/history.h"
#include "tests/model/seen.h"

enum { MANY = 200000 };

static struct fingerprint fingerprint_of_number(uint64_t number)
{
    return fingerprint_of(&number, sizeof number);
}

/* Each octet of a state counts, the zeroed ones too. */
static void a_state_has_a_fingerprint_of_all_its_octets(void **unused)
{
    struct rules rules = rules_default();
    struct state state;

    (void)unused;
    state_init(&state, &rules);
    struct fingerprint before = fingerprint_of(&state, sizeof state);
    for (size_t i = 0; i < sizeof state; i++) {
        unsigned char *octet = (unsigned char *)&state + i;
        *octet ^= 1;
        struct fingerprint after = fingerprint_of(&state, sizeof state);
        assert_true(after.low != before.low);
        assert_true(after.high != before.high);
        *octet ^= 1;
    }
    assert_true(fingerprint_of(&state, sizeof state).low == before.low);
}

/* However often the table has grown, what was added is known and nothing else is. */
static void the_set_remembers_across_growth(void **unused)
{
    struct memory memory = {.max_bytes = SIZE_MAX};
    struct seen seen;

    (void)unused;
    assert_true(seen_init(&seen, &memory));
    for (uint64_t i = 0; i < MANY; i++) {
        assert_int_equal(seen_add(&seen, fingerprint_of_number(i)), SEEN_NEW);
    }
    for (uint64_t i = 0; i < MANY; i++) {
        assert_int_equal(seen_add(&seen, fingerprint_of_number(i)), SEEN_BEFORE);
    }
    assert_int_equal(seen.count, MANY);
    seen_fini(&seen);
    assert_int_equal(memory.used_bytes, 0);
}

/* At the limit of memory it says so and stays usable. */
static void the_set_keeps_to_its_memory(void **unused)
{
    struct memory memory = {.max_bytes = 2 << 20};
    struct seen seen;
    uint64_t added = 0;

    (void)unused;
    assert_true(seen_init(&seen, &memory));
    while (seen_add(&seen, fingerprint_of_number(added)) == SEEN_NEW) {
        added++;
        assert_true(memory.used_bytes <= memory.max_bytes);
    }
    assert_int_equal(seen_add(&seen, fingerprint_of_number(added)), SEEN_NO_MEMORY);
    assert_int_equal(seen.count, added);
    seen_fini(&seen);
}

/* First in, first out, while both happen. */
static void states_leave_the_frontier_in_their_order(void **unused)
{
    struct memory memory = {.max_bytes = SIZE_MAX};
    struct frontier frontier = {.memory = &memory};
    struct state state = {0};
    uint32_t popped = 0;

    (void)unused;
    for (uint32_t i = 0; i < 5000; i++) {
        memcpy(state.committed, &i, sizeof i);
        assert_true(frontier_push(&frontier, &state));
        if (i % 3 != 0) {
            assert_memory_equal(frontier_pop(&frontier)->committed, &popped, sizeof popped);
            popped++;
        }
    }
    for (; popped < 5000; popped++) {
        assert_memory_equal(frontier_pop(&frontier)->committed, &popped, sizeof popped);
    }
    assert_null(frontier_pop(&frontier));
    frontier_fini(&frontier);
    assert_int_equal(memory.used_bytes, 0);
}

/* The way to a state is told from the start on. */
static void a_trace_goes_from_the_start_to_the_end(void **unused)
{
    struct memory memory = {.max_bytes = SIZE_MAX};
    struct history *history = calloc(1, sizeof *history);
    struct trace *trace = calloc(1, sizeof *trace);

    (void)unused;
    assert_non_null(history);
    assert_non_null(trace);
    history->memory = &memory;
    for (uint32_t i = 0; i < MANY; i++) {
        struct step step = {.kind = STEP_WRITE, .a = (uint8_t)(i % 251)};
        assert_true(history_add(history, (struct link){.parent = i / 2, .step = step}));
    }
    history_trace(history, MANY - 1, (struct step){.kind = STEP_COMMIT}, trace);
    assert_int_equal(trace->steps[0].a, 1);
    assert_int_equal(trace->steps[1].a, 3);
    assert_int_equal(trace->steps[trace->count - 2].a, (MANY - 1) % 251);
    assert_int_equal(trace->steps[trace->count - 1].kind, STEP_COMMIT);
    history_fini(history);
    assert_int_equal(memory.used_bytes, 0);
    free(history);
    free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_has_a_fingerprint_of_all_its_octets),
        cmocka_unit_test(the_set_remembers_across_growth),
        cmocka_unit_test(the_set_keeps_to_its_memory),
        cmocka_unit_test(states_leave_the_frontier_in_their_order),
        cmocka_unit_test(a_trace_goes_from_the_start_to_the_end),
    };
    return RUN_TESTS(tests);
}

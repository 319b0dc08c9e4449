/* Time without jumps: what a partition may see of the wall clock. */
#include <stdlib.h>

#include "node/wall_clock.h"
#include "tests/lib/check.h"

enum { START_BOOT = 5000, SECOND = 1000, HOUR = 3600 * SECOND, DAY = 24 * HOUR };

static const int64_t start_wall = 1700000000000;

/* Both clocks of a machine, and what is made of them. */
struct machine {
    struct wall_clock clock;
    int64_t wall, boot;
    int64_t read; /* the time handed out last */
    unsigned jumped, settled;
};

static void machine_start(struct machine *m)
{
    *m = (struct machine){.wall = start_wall, .boot = START_BOOT};
    wall_clock_init(&m->clock, m->wall, m->boot);
}

static int64_t look(struct machine *m)
{
    enum wall_clock_event event;

    m->read = wall_clock_read(&m->clock, m->wall, m->boot, &event);
    m->jumped += event == WALL_CLOCK_JUMPED;
    m->settled += event == WALL_CLOCK_SETTLED;
    return m->read;
}

/* Real time passes; the wall clock runs so many millionths fast. */
static void pass(struct machine *m, int64_t ms, int64_t ppm)
{
    m->boot += ms;
    m->wall += ms + ms / SECOND * ppm / SECOND;
}

/* A clock that runs as it should is handed out as it is. */
static void a_good_clock_is_passed_on(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    assert_true(look(&m) == start_wall);
    for (int i = 0; i < 1000; i++) {
        pass(&m, 137, 0);
        assert_true(look(&m) == m.wall);
    }
    assert_int_equal(m.jumped + m.settled, 0);
}

/* Drift and slewing, 500 millionths at most, are followed for years without an alarm. */
static void slow_drift_is_followed_for_ever(void **state)
{
    static const int64_t rates[] = {500, -500};
    struct machine m;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        machine_start(&m);
        for (int day = 0; day < 1000; day++) {
            pass(&m, DAY, rates[i]);
            assert_true(look(&m) == m.wall);
        }
        assert_true(llabs(m.wall - start_wall - 1000ll * DAY) > 12 * HOUR - SECOND);
        assert_int_equal(m.jumped + m.settled, 0);
    }
}

/* The same when it is read a thousand times a second: fractions of a step are not lost. */
static void drift_is_followed_however_often_it_is_read(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    for (int64_t ms = 1; ms <= 8 * HOUR; ms++) {
        m.boot++;
        m.wall = start_wall + ms + ms * 500 / 1000000;
        assert_true(look(&m) == m.wall);
    }
    int64_t offset = wall_clock_offset_ms(&m.clock, m.wall, m.boot);
    assert_true(llabs(offset) <= 1);
    assert_int_equal(m.jumped, 0);
}

/* A step of a few seconds, as a time server makes it, passes. */
static void a_small_step_passes(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    m.wall += 9 * SECOND;
    assert_true(look(&m) == m.wall);
    m.wall -= 18 * SECOND;
    assert_true(look(&m) == m.wall);
    assert_int_equal(m.jumped, 0);
}

/* A jump forward is cut at the bound, told once, and time goes on at its pace: nothing expires an
 * hour early. */
static void a_jump_forward_is_cut(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    m.wall += HOUR;
    assert_true(look(&m) == start_wall + WALL_CLOCK_BOUND_MS);
    for (int second = 1; second <= 600; second++) {
        pass(&m, SECOND, 0);
        int64_t before = m.read;
        assert_in_range(look(&m) - before, SECOND, SECOND + 1);
    }
    assert_int_equal(m.jumped, 1);
    assert_int_equal(m.settled, 0);
}

/* A jump back is cut as well: time never stands still. */
static void a_jump_back_is_cut(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    m.wall -= 30ll * DAY;
    assert_true(look(&m) == start_wall - WALL_CLOCK_BOUND_MS);
    for (int second = 1; second <= 600; second++) {
        pass(&m, SECOND, 0);
        int64_t before = m.read;
        assert_in_range(look(&m) - before, SECOND - 1, SECOND);
    }
    assert_int_equal(m.jumped, 1);
}

/* When the clock is set right again, that is told, too, and it is passed on as before. */
static void the_end_of_a_jump_is_told_once(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    m.wall += HOUR;
    (void)look(&m);
    pass(&m, 60 * SECOND, 0);
    (void)look(&m);
    m.wall -= HOUR;
    assert_true(look(&m) == m.wall);
    pass(&m, SECOND, 0);
    assert_true(look(&m) == m.wall);
    assert_int_equal(m.jumped, 1);
    assert_int_equal(m.settled, 1);
}

/* A clock that trembles at the bound does not tell of a jump again and again. */
static void trembling_at_the_bound_is_one_jump(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    for (int i = 0; i < 400; i++) {
        m.boot = START_BOOT + i;
        m.wall = start_wall + i + WALL_CLOCK_BOUND_MS + (i % 2 ? -5 : 5);
        (void)look(&m);
    }
    assert_int_equal(m.jumped, 1);
    assert_int_equal(m.settled, 0);
}

/* A jump that nobody undoes is accepted in the end, at 1 ms a second: an hour takes 41 days. */
static void a_lasting_jump_is_followed_slowly(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    m.wall += HOUR;
    for (int day = 1; day <= 42; day++) {
        pass(&m, DAY, 0);
        (void)look(&m);
        assert_int_equal(m.settled, day > 41);
    }
    assert_true(m.read == m.wall);
}

/* A machine that slept: both clocks went on, so nothing is out of bounds. */
static void sleep_is_no_jump(void **state)
{
    struct machine m;

    (void)state;
    machine_start(&m);
    pass(&m, 8ll * HOUR, 20);
    assert_true(look(&m) == m.wall);
    assert_int_equal(m.jumped, 0);
    assert_true(wall_clock_read(&m.clock, m.wall, m.boot, NULL) == m.wall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_clock_is_passed_on),
        cmocka_unit_test(slow_drift_is_followed_for_ever),
        cmocka_unit_test(drift_is_followed_however_often_it_is_read),
        cmocka_unit_test(a_small_step_passes),
        cmocka_unit_test(a_jump_forward_is_cut),
        cmocka_unit_test(a_jump_back_is_cut),
        cmocka_unit_test(the_end_of_a_jump_is_told_once),
        cmocka_unit_test(trembling_at_the_bound_is_one_jump),
        cmocka_unit_test(a_lasting_jump_is_followed_slowly),
        cmocka_unit_test(sleep_is_no_jump),
    };

    return RUN_TESTS(tests);
}

/* Timers in constant time. */
#include "client/wheel.h"
#include "tests/lib/check.h"

enum { TIMERS = 200 };

/* Whatever is set, moved and cancelled: a timer fires once, never early, at most a slot late when
 * the wheel is asked in time. */
static void timers_fire_once_and_in_time(void **state)
{
    static struct wheel wheel;
    static struct wheel_timer timers[TIMERS];
    uint64_t prng = 7;
    int64_t now_ms = 12345;
    size_t fired = 0;

    (void)state;
    wheel_init(&wheel, now_ms);
    for (size_t i = 0; i < TIMERS; i++) {
        prng = prng * UINT64_C(6364136223846793005) + 1;
        wheel_timer_init(&timers[i]);
        wheel_set(&wheel, &timers[i], now_ms + 1);
        wheel_set(&wheel, &timers[i], now_ms + (int64_t)(prng >> 33) % 20000);
    }
    wheel_cancel(&timers[0]);
    while (wheel_next_ms(&wheel) != INT64_MAX) {
        struct list due;
        list_init(&due);
        assert_true(wheel_next_ms(&wheel) > now_ms);
        now_ms = wheel_next_ms(&wheel);
        wheel_expire(&wheel, now_ms, &due);
        for (struct list *at = list_pop_front(&due); at; at = list_pop_front(&due)) {
            struct wheel_timer *timer = LIST_OWNER(at, struct wheel_timer, place);
            assert_true(timer->due_ms <= now_ms);
            assert_true(now_ms - timer->due_ms <= WHEEL_SLOT_MS);
            assert_ptr_not_equal(timer, &timers[0]);
            fired++;
        }
    }
    assert_int_equal(fired, TIMERS - 1);
}

/* After a long pause everything that is due comes at once. */
static void a_pause_loses_no_timer(void **state)
{
    static struct wheel wheel;
    struct wheel_timer timers[3];
    struct list due;

    (void)state;
    wheel_init(&wheel, 0);
    for (size_t i = 0; i < 3; i++) {
        wheel_timer_init(&timers[i]);
        wheel_set(&wheel, &timers[i], (int64_t)i * 5000);
    }
    list_init(&due);
    wheel_expire(&wheel, 1000000, &due);
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(list_pop_front(&due));
    }
    assert_null(list_pop_front(&due));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_once_and_in_time),
        cmocka_unit_test(a_pause_loses_no_timer),
    };

    return RUN_TESTS(tests);
}

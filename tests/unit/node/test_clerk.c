/* The clerk: jobs that wait for the disk, done away from the shards. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

#include "node/clerk.h"
#include "tests/lib/check.h"
#include "tests/unit/node/directory_fixture.h"

enum { RESULTS_MAX = 64 };

/* What came back, and a door that the clerk waits at. */
struct desk {
    struct place place;
    struct clerk *clerk;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct clerk_result results[RESULTS_MAX];
    char texts[RESULTS_MAX][QN_ERROR_TEXT_MAX];
    char names[RESULTS_MAX][COORD_CACHE_NAME_MAX + 1];
    size_t count;
    bool shut;    /* the next result waits at the door */
    bool waiting; /* and does so now */
};

static void take_result(void *arg, const struct clerk_result *result)
{
    struct desk *desk = arg;

    (void)pthread_mutex_lock(&desk->lock);
    desk->waiting = true;
    (void)pthread_cond_broadcast(&desk->changed);
    while (desk->shut) {
        (void)pthread_cond_wait(&desk->changed, &desk->lock);
    }
    desk->waiting = false;
    size_t n = desk->count++;
    desk->results[n] = *result;
    (void)snprintf(desk->texts[n], sizeof desk->texts[n], "%s", result->error->text);
    memcpy(desk->names[n], result->cache.name.data, result->cache.name.size);
    (void)pthread_cond_broadcast(&desk->changed);
    (void)pthread_mutex_unlock(&desk->lock);
}

static void desk_open(struct desk *desk, size_t queue_max)
{
    memset(desk, 0, sizeof *desk);
    place_make(&desk->place);
    (void)pthread_mutex_init(&desk->lock, NULL);
    (void)pthread_cond_init(&desk->changed, NULL);
    struct clerk_options options = {.directory = &desk->place.directory,
                                    .queue_max = queue_max,
                                    .done = take_result,
                                    .arg = desk};
    assert_int_equal(clerk_open(&options, &desk->clerk, NULL), QN_OK);
}

static void desk_close(struct desk *desk)
{
    clerk_close(desk->clerk);
    (void)pthread_mutex_destroy(&desk->lock);
    (void)pthread_cond_destroy(&desk->changed);
    place_remove(&desk->place);
}

static void door(struct desk *desk, bool shut)
{
    (void)pthread_mutex_lock(&desk->lock);
    desk->shut = shut;
    (void)pthread_cond_broadcast(&desk->changed);
    (void)pthread_mutex_unlock(&desk->lock);
}

/* Until the clerk stands at the door with a result. */
static void await_door(struct desk *desk)
{
    (void)pthread_mutex_lock(&desk->lock);
    while (!desk->waiting) {
        (void)pthread_cond_wait(&desk->changed, &desk->lock);
    }
    (void)pthread_mutex_unlock(&desk->lock);
}

static void await_results(struct desk *desk, size_t count)
{
    (void)pthread_mutex_lock(&desk->lock);
    while (desk->count < count) {
        (void)pthread_cond_wait(&desk->changed, &desk->lock);
    }
    (void)pthread_mutex_unlock(&desk->lock);
}

static enum qn_status post(struct desk *desk, enum clerk_kind kind, const char *name, uint64_t n)
{
    struct clerk_job job = {.kind = kind,
                            .cache = cache_named(name),
                            .correlation = n,
                            .route = n * 10,
                            .shard = (uint32_t)n % 3};

    return clerk_post(desk->clerk, &job);
}

/* Each job comes back once, in order, with what was handed in and what came of it. */
static void each_job_has_its_result(void **state)
{
    static struct desk desk;

    (void)state;
    desk_open(&desk, 0);
    assert_int_equal(post(&desk, CLERK_CREATE, "a", 1), QN_OK);
    assert_int_equal(post(&desk, CLERK_CREATE, "b", 2), QN_OK);
    assert_int_equal(post(&desk, CLERK_DROP, "a", 3), QN_OK);
    assert_int_equal(post(&desk, CLERK_DROP, "a", 4), QN_OK);
    await_results(&desk, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(desk.results[i].correlation, i + 1);
        assert_int_equal(desk.results[i].route, 10 * (i + 1));
        assert_int_equal(desk.results[i].shard, (i + 1) % 3);
    }
    assert_int_equal(desk.results[0].status, QN_OK);
    assert_int_equal(desk.results[0].cache.id, 1);
    assert_int_equal(desk.results[1].cache.id, 2);
    assert_string_equal(desk.names[1], "b");
    assert_int_equal(desk.results[2].kind, CLERK_DROP);
    assert_int_equal(desk.results[2].status, QN_OK);
    assert_int_equal(desk.results[2].cache.id, 1);
    assert_int_equal(desk.results[3].status, QN_UNKNOWN_CACHE);
    assert_non_null(strstr(desk.texts[3], "\"a\""));
    desk_close(&desk);
}

/* The name in a job is copied: the frame it came in may go. */
static void names_are_copied(void **state)
{
    static struct desk desk;
    char name[] = "copied";
    struct clerk_job job = {.kind = CLERK_CREATE, .cache = {.name = bytes_of_text(name)}};

    (void)state;
    desk_open(&desk, 0);
    desk.shut = true;
    assert_int_equal(post(&desk, CLERK_CREATE, "first", 1), QN_OK);
    await_door(&desk);
    assert_int_equal(clerk_post(desk.clerk, &job), QN_OK);
    memset(name, 'x', sizeof name - 1);
    door(&desk, false);
    await_results(&desk, 2);
    assert_string_equal(desk.names[1], "copied");
    desk_close(&desk);
}

/* What does not fit into the queue is refused at once, and gets no result. */
static void a_full_queue_refuses_at_once(void **state)
{
    static struct desk desk;

    (void)state;
    desk_open(&desk, 3);
    desk.shut = true;
    assert_int_equal(post(&desk, CLERK_CREATE, "a", 1), QN_OK);
    await_door(&desk);
    assert_int_equal(post(&desk, CLERK_CREATE, "b", 2), QN_OK);
    assert_int_equal(post(&desk, CLERK_CREATE, "c", 3), QN_OK);
    assert_int_equal(post(&desk, CLERK_CREATE, "d", 4), QN_OVERLOADED);
    assert_int_equal(clerk_waiting(desk.clerk), 3);
    door(&desk, false);
    await_results(&desk, 3);
    /* There is room again, which the clerk notes right after the result: ask until it has. */
    while (clerk_waiting(desk.clerk) > 0) {
        (void)sched_yield();
    }
    assert_int_equal(post(&desk, CLERK_CREATE, "d", 5), QN_OK);
    await_results(&desk, 4);
    assert_int_equal(desk.results[3].correlation, 5);
    desk_close(&desk);
}

static void *close_clerk(void *arg)
{
    struct desk *desk = arg;

    clerk_close(desk->clerk);
    return NULL;
}

/* At the end the job under way is finished, the others are given back as not begun. */
static void closing_gives_back_what_waits(void **state)
{
    static struct desk desk;
    pthread_t closer;

    (void)state;
    desk_open(&desk, 0);
    desk.shut = true;
    for (uint64_t n = 1; n <= 5; n++) {
        char name[] = {(char)('a' + n), '\0'};
        assert_int_equal(post(&desk, CLERK_CREATE, name, n), QN_OK);
    }
    await_door(&desk);
    assert_int_equal(pthread_create(&closer, NULL, close_clerk, &desk), 0);
    /* Until it refuses, since it closes; on a machine that is slow to get there, enough jobs. */
    for (int i = 0; i < 50 && post(&desk, CLERK_DROP, "z", 9) == QN_OK; i++) {
        (void)sched_yield();
    }
    size_t waiting = clerk_waiting(desk.clerk);
    door(&desk, false);
    assert_int_equal(pthread_join(closer, NULL), 0);
    desk.clerk = NULL;
    assert_int_equal(desk.count, waiting);
    assert_int_equal(desk.results[0].status, QN_OK);
    /* Once one is given back, so are all behind it. */
    bool closed = false;
    for (size_t i = 1; i < desk.count; i++) {
        assert_true(!closed || desk.results[i].status == QN_CLOSED);
        closed = desk.results[i].status == QN_CLOSED;
    }
    desk_close(&desk);
}

/* What cannot be a name is not even queued. */
static void nonsense_is_refused_at_once(void **state)
{
    static struct desk desk;
    char name[COORD_CACHE_NAME_MAX + 2];

    (void)state;
    desk_open(&desk, 0);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(post(&desk, CLERK_CREATE, name, 1), QN_INVALID);
    assert_int_equal(post(&desk, CLERK_CREATE, "", 1), QN_INVALID);
    assert_int_equal(post(&desk, CLERK_CREATE, "a b", 2), QN_OK);
    await_results(&desk, 1);
    assert_int_equal(desk.results[0].status, QN_INVALID);
    desk_close(&desk);
    clerk_close(NULL);
}

/* A disk that fails is told with the result. */
static void a_failing_disk_is_told(void **state)
{
    static struct desk desk;

    (void)state;
    desk_open(&desk, 0);
    place_break(&desk.place);
    assert_int_equal(post(&desk, CLERK_CREATE, "a", 1), QN_OK);
    await_results(&desk, 1);
    place_mend(&desk.place);
    assert_int_equal(desk.results[0].status, QN_IO);
    assert_non_null(strstr(desk.texts[0], "coord"));
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_has_its_result),
        cmocka_unit_test(names_are_copied),
        cmocka_unit_test(a_full_queue_refuses_at_once),
        cmocka_unit_test(closing_gives_back_what_waits),
        cmocka_unit_test(nonsense_is_refused_at_once),
        cmocka_unit_test(a_failing_disk_is_told),
    };

    return RUN_TESTS(tests);
}

#define _GNU_SOURCE
#include "node/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/check.h"

/* A service manager: a socket of its own, named in the environment. */
struct manager {
    int fd;
    char dir[64];
    struct sockaddr_un address;
    char message[2048];
};

static void environment_clear(void)
{
    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
}

static void manager_bind(struct manager *m, size_t name_size)
{
    m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(m->fd >= 0);
    assert_int_equal(bind(m->fd, (const struct sockaddr *)&m->address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name_size)),
                     0);
}

/* A socket in the file system, or an abstract one. */
static struct manager *manager_create(bool abstract)
{
    struct manager *m = calloc(1, sizeof *m);
    char *name;

    assert_non_null(m);
    environment_clear();
    (void)strcpy(m->dir, "/tmp/quoin-test-notify-XXXXXX");
    assert_non_null(mkdtemp(m->dir));
    m->address.sun_family = AF_UNIX;
    name = m->address.sun_path;
    (void)snprintf(name, sizeof m->address.sun_path, "%s%s", abstract ? "@" : "", m->dir);
    if (!abstract) {
        (void)strncat(name, "/socket", sizeof m->address.sun_path - strlen(name) - 1);
    }
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    size_t size = strlen(name);
    if (abstract) {
        name[0] = '\0';
    }
    manager_bind(m, size);
    return m;
}

static void manager_destroy(struct manager *m)
{
    (void)close(m->fd);
    if (m->address.sun_path[0]) {
        (void)unlink(m->address.sun_path);
    }
    (void)rmdir(m->dir);
    environment_clear();
    free(m);
}

static const char *take(struct manager *m)
{
    ssize_t size = recv(m->fd, m->message, sizeof m->message - 1, MSG_DONTWAIT);

    if (size < 0) {
        return NULL;
    }
    m->message[size] = '\0';
    return m->message;
}

static void check_message(struct manager *m, const char *wanted)
{
    const char *message = take(m);

    assert_non_null(message);
    assert_string_equal(message, wanted);
}

static void say_everything(const struct notify *notify)
{
    notify_ready(notify);
    notify_status(notify, "recovering, %d %%", 40);
    notify_extend_timeout_usec(notify, 30000000);
    notify_watchdog(notify);
    notify_stopping(notify);
}

static void check_everything(bool abstract)
{
    struct manager *m = manager_create(abstract);
    struct notify notify;

    notify_open(&notify);
    say_everything(&notify);
    check_message(m, "READY=1");
    check_message(m, "STATUS=recovering, 40 %");
    check_message(m, "EXTEND_TIMEOUT_USEC=30000000");
    check_message(m, "WATCHDOG=1");
    check_message(m, "STOPPING=1");
    assert_null(take(m));
    notify_close(&notify);
    notify_close(&notify);
    notify_ready(&notify);
    assert_null(take(m));
    manager_destroy(m);
}

/* Each call is one datagram to the socket that the environment names. */
static void messages_arrive_at_a_path(void **state)
{
    (void)state;
    check_everything(false);
}

/* The socket may be one without a file. */
static void messages_arrive_at_an_abstract_socket(void **state)
{
    (void)state;
    check_everything(true);
}

/* Reloading says since when. */
static void reloading_has_its_time(void **state)
{
    struct manager *m = manager_create(false);
    struct notify notify;
    unsigned long long us;

    (void)state;
    notify_open(&notify);
    notify_reloading(&notify);
    assert_non_null(take(m));
    assert_int_equal(sscanf(m->message, "RELOADING=1\nMONOTONIC_USEC=%llu", &us), 1);
    assert_true(us > 0);
    notify_close(&notify);
    manager_destroy(m);
}

/* A status is one line, however long and whatever is in it: no message hides in another. */
static void status_stays_one_line(void **state)
{
    struct manager *m = manager_create(false);
    struct notify notify;
    char text[4096];

    (void)state;
    notify_open(&notify);
    notify_status(&notify, "%s", "a\nSTOPPING=1\r\tb");
    check_message(m, "STATUS=a STOPPING=1  b");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    notify_status(&notify, "%s", text);
    assert_in_range(strlen(take(m)), 100, 511);
    notify_close(&notify);
    manager_destroy(m);
}

/* Without a manager, or with one that is not there, all of it does nothing. */
static void without_a_manager_nothing_happens(void **state)
{
    static const char *const names[] = {"", "@", "relative", "/nowhere/at/all", "@quoin-nobody"};
    char long_name[300];
    struct notify notify;

    (void)state;
    environment_clear();
    (void)setenv("WATCHDOG_USEC", "1000000", 1);
    notify_open(&notify);
    assert_int_equal(notify_watchdog_period_ms(&notify), 0);
    say_everything(&notify);
    notify_close(&notify);
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        memset(long_name, '/', sizeof long_name - 1);
        long_name[sizeof long_name - 1] = '\0';
        (void)setenv("NOTIFY_SOCKET", i < sizeof names / sizeof *names ? names[i] : long_name, 1);
        notify_open(&notify);
        assert_int_equal(notify.fd, -1);
        say_everything(&notify);
        notify_close(&notify);
    }
    environment_clear();
}

/* A manager that goes away does not take the node along. */
static void manager_may_go_away(void **state)
{
    struct manager *m = manager_create(false);
    struct notify notify;

    (void)state;
    notify_open(&notify);
    manager_destroy(m);
    say_everything(&notify);
    notify_close(&notify);
}

static int64_t period_with(const char *usec, const char *pid)
{
    struct manager *m = manager_create(false);
    struct notify notify;

    if (usec) {
        (void)setenv("WATCHDOG_USEC", usec, 1);
    }
    if (pid) {
        (void)setenv("WATCHDOG_PID", pid, 1);
    }
    notify_open(&notify);
    int64_t period = notify_watchdog_period_ms(&notify);
    notify_close(&notify);
    manager_destroy(m);
    return period;
}

/* A sign of life is due twice in the time that the manager allows, when it is us whom it means. */
static void watchdog_period_comes_from_the_environment(void **state)
{
    char self[32];

    (void)state;
    (void)snprintf(self, sizeof self, "%d", (int)getpid());
    assert_int_equal(period_with("30000000", NULL), 15000);
    assert_int_equal(period_with("30000000", self), 15000);
    assert_int_equal(period_with("30000000", "1"), getpid() == 1 ? 15000 : 0);
    assert_int_equal(period_with("30000000", "x"), 0);
    assert_int_equal(period_with("1", NULL), 1);
    assert_int_equal(period_with(NULL, NULL), 0);
    assert_int_equal(period_with("", NULL), 0);
    assert_int_equal(period_with("-5", NULL), 0);
    assert_int_equal(period_with("5s", NULL), 0);
    assert_int_equal(period_with("99999999999999999999999", NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_at_a_path),
        cmocka_unit_test(messages_arrive_at_an_abstract_socket),
        cmocka_unit_test(reloading_has_its_time),
        cmocka_unit_test(status_stays_one_line),
        cmocka_unit_test(without_a_manager_nothing_happens),
        cmocka_unit_test(manager_may_go_away),
        cmocka_unit_test(watchdog_period_comes_from_the_environment),
    };

    return RUN_TESTS(tests);
}

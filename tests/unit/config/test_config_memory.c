/* The linker sends what config/ and wire/ ask malloc, calloc, realloc and strdup for through here;
 * libconfig and the C library keep theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/cfg.h"
#include "config/types.h"
#include "tests/unit/config/folder.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *place, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *place, size_t size);
char *__wrap_strdup(const char *text);

/* Requests until one is refused; negative = none will be. The linker's hook has no context to pass,
 * hence this variable. */
static int refuse_after = -1;

static bool refused(void)
{
    return refuse_after >= 0 && refuse_after-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *place, size_t size)
{
    return refused() ? NULL : __real_realloc(place, size);
}

char *__wrap_strdup(const char *text)
{
    return refused() ? NULL : __real_strdup(text);
}

static enum qn_status settings_load(struct folder *folder, struct cfg *cfg)
{
    static const char *const sets[] = {"caches.names=a ttl=1s,b", "node.data_dir=x",
                                       "logging.levels=log=warn"};
    struct cfg_report report = {0};
    enum qn_status status = cfg_load(&(struct cfg_sources){.file = folder_path(folder, "quoin.cfg"),
                                                           .sets = sets,
                                                           .set_count = 3},
                                     cfg, &report);

    cfg_report_fini(&report);
    return status;
}

/* Whichever request for memory is refused, a load fails, hands out nothing and leaks nothing (which
 * the address sanitizer sees). */
static void settings_survive_any_refused_request(void **state)
{
    struct folder folder;
    enum qn_status status = QN_MEMORY_FULL;
    int n = 0;

    (void)state;
    folder_create(&folder);
    folder_write(&folder, "quoin.cfg",
                 "@include \"a.cfg\"\ncaches = { names = [ \"a\" ]; };\nlog = { segment_size = "
                 "\"2MiB\"; };");
    folder_write(&folder, "a.cfg", "node = { id = 2; bind = \"10.0.0.1\"; };");
    folder_write(&folder, "conf.d/b.cfg", "cluster = { name = \"b\"; };");
    for (; status != QN_OK && n < 1000; n++) {
        struct cfg cfg = {.node_id = 77};
        refuse_after = n;
        status = settings_load(&folder, &cfg);
        bool was_refused = refuse_after < 0;
        refuse_after = -1;
        assert_int_equal(status == QN_OK, !was_refused);
        assert_int_equal(cfg.node_id, was_refused ? 77 : 2);
        if (status == QN_OK) {
            cfg_fini(&cfg);
        }
    }
    assert_int_equal(status, QN_OK);
    assert_true(n > 5);
    folder_remove(&folder);
}

/* The same for types. */
static void types_survive_any_refused_request(void **state)
{
    enum qn_status status = QN_MEMORY_FULL;
    int n = 0;

    (void)state;
    for (; status != QN_OK && n < 1000; n++) {
        struct types *types = NULL;
        struct cfg_report report = {0};
        refuse_after = n;
        status = types_load("config/types.cfg", &types, &report);
        bool was_refused = refuse_after < 0;
        refuse_after = -1;
        cfg_report_fini(&report);
        assert_int_equal(status == QN_OK, !was_refused);
        assert_int_equal(types != NULL, !was_refused);
        types_free(types);
    }
    assert_int_equal(status, QN_OK);
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_survive_any_refused_request),
        cmocka_unit_test(types_survive_any_refused_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

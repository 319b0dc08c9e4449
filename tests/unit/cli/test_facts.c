/* What nodes say about themselves. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/facts.h"

static void add_two_nodes(struct facts *facts)
{
    *facts = (struct facts){.list = NULL};
    facts_add(facts, 3, "version", "0.1.0", 0);
    facts_add(facts, 3, "ready", NULL, 1);
    facts_add(facts, 3, "entries", NULL, 7910);
    facts_add(facts, 3, "moons", NULL, 2);
    facts_add(facts, 5, "ready", NULL, 0);
    facts_add(facts, 5, "reason", "recovering", 0);
}

/* Facts are found by node and name; what was not said has the value the asker gives. */
static void facts_are_found(void **state)
{
    (void)state;
    struct facts facts;
    add_two_nodes(&facts);
    assert_int_equal(facts_number(&facts, 3, "entries", -1), 7910);
    assert_int_equal(facts_number(&facts, 5, "entries", -1), -1);
    assert_string_equal(facts_text(&facts, 5, "reason", ""), "recovering");
    assert_string_equal(facts_text(&facts, 3, "reason", "none"), "none");
    assert_int_equal(facts_next_node(&facts, 0), 3);
    assert_int_equal(facts_next_node(&facts, 3), 5);
    assert_int_equal(facts_next_node(&facts, 5), 0);
    facts_fini(&facts);
}

/* Ready means that all nodes are, and that there is one. */
static void one_node_that_is_not_ready_is_enough(void **state)
{
    (void)state;
    struct facts facts;
    add_two_nodes(&facts);
    assert_false(facts_all_ready(&facts));
    facts.count = 4;
    assert_true(facts_all_ready(&facts));
    facts_fini(&facts);
    assert_false(facts_all_ready(&facts));
}

/* On the screen stand the verdict with its reason, and also facts that this version does not know.
 */
static void the_screen_shows_known_and_unknown_facts(void **state)
{
    (void)state;
    struct facts facts;
    add_two_nodes(&facts);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    facts_print(&facts, 3, false, file);
    facts_print(&facts, 5, false, file);
    fclose(file);
    assert_non_null(strstr(text, "node 3 is ready, but not safe to stop\n"));
    assert_non_null(strstr(text, "7,910"));
    assert_non_null(strstr(text, "moons       2\n"));
    assert_non_null(strstr(text, "node 5 is NOT READY: recovering\n"));
    free(text);
    facts_fini(&facts);
}

/* Troubles stand there only when there are some, in words and not under their names. */
static void troubles_are_said_in_words(void **state)
{
    (void)state;
    struct facts facts = {.list = NULL};
    facts_add(&facts, 1, "ready", NULL, 1);
    facts_add(&facts, 1, "safe", NULL, 1);
    facts_add(&facts, 1, "disk_full", NULL, 1);
    facts_add(&facts, 1, "frames_rejected", NULL, 3);
    facts_add(&facts, 1, "snapshots_failed", NULL, 0);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    facts_print(&facts, 1, false, file);
    fclose(file);
    assert_non_null(strstr(text, "node 1 is ready, safe to stop\n"));
    assert_non_null(
        strstr(text, "  ! no space for more log: changes are, or soon will be, refused\n"));
    assert_non_null(strstr(text, "  ! messages were damaged, too large or foreign: 3\n"));
    assert_null(strstr(text, "could not be written"));
    assert_null(strchr(text, '_'));
    free(text);
    facts_fini(&facts);
}

/* As JSON, facts keep their names and kinds. */
static void facts_become_json(void **state)
{
    (void)state;
    struct facts facts;
    add_two_nodes(&facts);
    json_t *document = facts_json(&facts, 5);
    char *text = json_dumps(document, JSON_COMPACT);
    assert_string_equal(text, "{\"node\":5,\"ready\":0,\"reason\":\"recovering\"}");
    free(text);
    json_decref(document);
    facts_fini(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_found),
        cmocka_unit_test(one_node_that_is_not_ready_is_enough),
        cmocka_unit_test(the_screen_shows_known_and_unknown_facts),
        cmocka_unit_test(troubles_are_said_in_words),
        cmocka_unit_test(facts_become_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

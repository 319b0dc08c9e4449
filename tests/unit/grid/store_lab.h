/* A store on a table: short calls for its tests. One cache, texts as keys and values; every record
 * has one effect. */
#ifndef QUOIN_TESTS_UNIT_GRID_STORE_LAB_H
#define QUOIN_TESTS_UNIT_GRID_STORE_LAB_H

#include "grid/store/store.h"
#include "tests/lib/check.h"
#include "tests/unit/grid/lab_alloc.h"

enum { CACHE = 5 };

struct store_lab {
    struct lab_alloc memory;
    struct store *store;
    uint64_t version; /* staged last */
};

/* For cmocka. Every test ends with the books closed: what was handed out came back. */
int store_lab_setup(void **state);
int store_lab_teardown(void **state);

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, store_lab_setup, store_lab_teardown)

/* Stage one effect; `lab->version` counts up if it is taken. */
enum qn_status lab_stage(struct store_lab *lab, const struct effect *effect);

/* Stage, and it must be taken. */
void lab_put(struct store_lab *lab, const char *key, const char *value);
void lab_put_expiring(struct store_lab *lab, const char *key, int64_t expires_at_ms);
void lab_remove(struct store_lab *lab, const char *key);
void lab_clear(struct store_lab *lab, uint32_t cache);
enum qn_status lab_touch(struct store_lab *lab, const char *key, int64_t expires_at_ms);

/* Commit what is staged; publish what is committed. */
void lab_commit(struct store_lab *lab);
void lab_publish(struct store_lab *lab);
void lab_put_final(struct store_lab *lab, const char *key, const char *value);

const struct entry *lab_newest(const struct store_lab *lab, const char *key);
const struct entry *lab_final(const struct store_lab *lab, const char *key);
const struct entry *lab_at(const struct store_lab *lab, const char *key, uint64_t view);

/* Committed entries of a cache. */
uint64_t lab_count(const struct store_lab *lab, uint32_t cache);

/* Entries that a view shows, found by a walk in slices of `slots_max`. */
size_t lab_walk_count(const struct store_lab *lab, uint64_t view, size_t slots_max);

void lab_number_key(char key[24], unsigned number);

#define assert_value(entry, text) assert_bytes_equal(entry_value(entry), bytes_of_text(text))

#endif

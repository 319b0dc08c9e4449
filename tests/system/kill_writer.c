/* Writes as fast as it can and notes what was acknowledged; reads back what was noted.
 *
 *     kill_writer write URI CACHE ROUND IN_FLIGHT > ledger
 *     kill_writer check URI CACHE < ledger
 *
 * test_kill.py kills the node meanwhile. A line of the ledger is a promise of the grid:
 *
 *     put KEY COUNTER     acknowledged: KEY holds this counter, or a higher one where it was put
 * again absent KEY          reported as certainly not applied: there is no such key
 *
 * Half of the operations overwrite a few keys with rising counters, the others create a key each
 * with put_if_absent. Such a key belongs to one operation, so "exists" means that the operation
 * took effect, was repeated and not recognized: exactly once is broken. Every value says key and
 * counter and ends in octets that follow from both, so that mixed up or torn values show.
 *
 * SIGTERM: wait for what is under way, then end. Exit code: 0 all is well, 1 a promise is broken, 2
 * usage or no connection. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/quoin.h"

enum {
    KEY_MAX = 48,
    VALUE_MAX = 40 * 1024,
    IN_FLIGHT_MAX = 4096,
    CHECKS_IN_FLIGHT = 256,
    WAIT_MS = 100,
    FAILURES_MAX = 100000, /* in a row: something is wrong beyond a dead node */
    LINE_MAX_OCTETS = 128,
};

/* Counters of a round start here, so that they rise from round to round. */
static const uint64_t round_span = 1000000000;

static volatile sig_atomic_t stop_wanted;

/* One operation under way. */
struct slot {
    qn_op *op;
    char key[KEY_MAX];
    uint64_t counter;
    bool creates;
};

struct writer {
    qn_cache *cache;
    uint64_t round;
    uint64_t next_new; /* number of the next key to create */
    char *value;       /* VALUE_MAX octets */
    uint64_t acknowledged;
    uint64_t failed;
    uint64_t failed_in_a_row;
    bool broken;
};

static void on_term(int signal_number)
{
    (void)signal_number;
    stop_wanted = 1;
}

/* A generator for filler (xorshift64*). */
static uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint64_t seed_of(const char *key, uint64_t counter)
{
    uint64_t seed = UINT64_C(0xcbf29ce484222325) ^ counter;
    for (; *key != '\0'; key++) {
        seed = (seed ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    }
    return seed != 0 ? seed : 1;
}

/* "KEY COUNTER filler": mostly small, now and then long enough to span blocks of the disk. */
static size_t value_make(const char *key, uint64_t counter, char *value)
{
    uint64_t state = seed_of(key, counter);
    uint64_t dice = random_next(&state) % 100;
    size_t filler = (size_t)(random_next(&state) % (dice == 0 ? 32768 : 200));
    size_t size = (size_t)snprintf(value, VALUE_MAX, "%s %" PRIu64 " ", key, counter);
    for (size_t i = 0; i < filler; i++) {
        value[size++] = (char)('a' + random_next(&state) % 26);
    }
    return size;
}

/* ---- write ---- */

static void slot_name(struct writer *writer, struct slot *slot, size_t number)
{
    slot->creates = number % 2 == 1;
    if (slot->creates) {
        slot->counter = writer->next_new++;
        snprintf(slot->key, sizeof slot->key, "new-%" PRIu64 "-%" PRIu64, writer->round,
                 slot->counter);
    } else {
        slot->counter++;
        snprintf(slot->key, sizeof slot->key, "old-%zu", number);
    }
}

static bool slot_start(struct writer *writer, struct slot *slot, size_t number, qn_error *err)
{
    slot_name(writer, slot, number);
    qn_arg key = qn_str(slot->key);
    qn_arg value = qn_text(writer->value, value_make(slot->key, slot->counter, writer->value));
    slot->op = slot->creates ? qn_put_if_absent_start(writer->cache, key, value, NULL, err)
                             : qn_put_start(writer->cache, key, value, NULL, err);
    return slot->op != NULL;
}

static void slot_note_failure(struct writer *writer, const struct slot *slot, const qn_error *err)
{
    writer->failed++;
    if (++writer->failed_in_a_row > FAILURES_MAX) {
        fprintf(stderr, "kill_writer: nothing but failures: %s\n", qn_explain(err));
        writer->broken = true;
    }
    if (slot->creates && err->certainty == QN_NOT_APPLIED) {
        printf("absent %s\n", slot->key);
    }
}

static void slot_finish(struct writer *writer, struct slot *slot)
{
    qn_status status = qn_op_status(slot->op);
    if (status == QN_OK) {
        printf("put %s %" PRIu64 "\n", slot->key, slot->counter);
        writer->acknowledged++;
        writer->failed_in_a_row = 0;
    } else if (status < 0) {
        slot_note_failure(writer, slot, qn_op_error(slot->op));
    } else {
        fprintf(stderr, "kill_writer: %s: status %d: the operation took effect twice\n", slot->key,
                (int)status);
        writer->broken = true;
    }
    qn_op_release(slot->op);
    slot->op = NULL;
}

/* In turns: wait for the oldest operation, start the next one in its place. */
static void write_loop(struct writer *writer, struct slot *slots, size_t count, qn_error *err)
{
    for (size_t i = 0; !stop_wanted && !writer->broken; i = (i + 1) % count) {
        while (slots[i].op != NULL && !qn_op_wait(slots[i].op, WAIT_MS) && !stop_wanted) {
        }
        if (stop_wanted) {
            return;
        }
        if (slots[i].op != NULL) {
            slot_finish(writer, &slots[i]);
        }
        if (!slot_start(writer, &slots[i], i, err)) {
            fprintf(stderr, "kill_writer: cannot start: %s\n", qn_explain(err));
            writer->broken = true;
        }
    }
}

static void write_drain(struct writer *writer, struct slot *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (slots[i].op != NULL && qn_op_wait(slots[i].op, -1)) {
            slot_finish(writer, &slots[i]);
        }
    }
}

static int write_run(qn_cache *cache, uint64_t round, size_t in_flight, qn_error *err)
{
    struct slot *slots = calloc(in_flight, sizeof *slots);
    struct writer writer = {.cache = cache, .round = round, .value = malloc(VALUE_MAX)};

    if (slots == NULL || writer.value == NULL) {
        fputs("kill_writer: no memory\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < in_flight; i++) {
        slots[i].counter = round * round_span;
    }
    write_loop(&writer, slots, in_flight, err);
    write_drain(&writer, slots, in_flight);
    fprintf(stderr, "kill_writer: %" PRIu64 " acknowledged, %" PRIu64 " failed\n",
            writer.acknowledged, writer.failed);
    free(writer.value);
    free(slots);
    return writer.broken ? 1 : 0;
}

/* ---- check ---- */

/* A line of the ledger and the get that proves it. */
struct check {
    qn_op *op;
    char key[KEY_MAX];
    uint64_t counter;
    bool absent;
};

static bool complain(const struct check *check, const char *what)
{
    printf("%s: %s (acknowledged: %" PRIu64 ")\n", check->key, what, check->counter);
    return false;
}

/* Does the entry hold what was acknowledged, or something newer? */
static bool check_value(const struct check *check, const qn_value *value, char *expected)
{
    const char *text = NULL;
    size_t size = 0;
    char found[VALUE_MAX + 1];
    uint64_t counter = 0;
    char key[KEY_MAX];

    if (qn_value_str(value, &text, &size) != QN_OK || size > VALUE_MAX) {
        return complain(check, "not a value that was ever put");
    }
    memcpy(found, text, size);
    found[size] = '\0';
    if (sscanf(found, "%47s %" SCNu64, key, &counter) != 2 || strcmp(key, check->key) != 0) {
        return complain(check, "the value of another key, or of none");
    }
    if (value_make(key, counter, expected) != size || memcmp(expected, text, size) != 0) {
        return complain(check, "the value is damaged");
    }
    return counter >= check->counter || complain(check, "LOST: an older value is back");
}

static bool check_finish(struct check *check, char *expected)
{
    bool sound;

    (void)qn_op_wait(check->op, -1);
    qn_status status = qn_op_status(check->op);
    if (status < 0) {
        sound = complain(check, qn_explain(qn_op_error(check->op)));
    } else if (check->absent) {
        sound = status == QN_ABSENT || complain(check, "reported as not applied, and is there");
    } else if (status == QN_ABSENT) {
        sound = complain(check, "LOST: there is no entry");
    } else {
        sound = check_value(check, qn_op_value(check->op), expected);
    }
    qn_op_release(check->op);
    check->op = NULL;
    return sound;
}

/* False at the end of the ledger. A line that was cut off promises nothing. */
static bool check_read(struct check *check)
{
    char line[LINE_MAX_OCTETS];

    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strchr(line, '\n') == NULL) {
            return false;
        }
        check->counter = 0;
        check->absent = sscanf(line, "absent %47s", check->key) == 1;
        if (check->absent || sscanf(line, "put %47s %" SCNu64, check->key, &check->counter) == 2) {
            return true;
        }
    }
    return false;
}

static int check_run(qn_cache *cache, qn_error *err)
{
    struct check *checks = calloc(CHECKS_IN_FLIGHT, sizeof *checks);
    char *expected = malloc(VALUE_MAX);
    uint64_t read = 0;
    uint64_t broken = 0;

    if (checks == NULL || expected == NULL) {
        fputs("kill_writer: no memory\n", stderr);
        return 2;
    }
    bool more = true;
    for (size_t i = 0, idle = 0; idle < CHECKS_IN_FLIGHT; i = (i + 1) % CHECKS_IN_FLIGHT) {
        if (checks[i].op != NULL) {
            broken += check_finish(&checks[i], expected) ? 0 : 1;
        }
        more = more && check_read(&checks[i]);
        idle = more ? 0 : idle + 1;
        if (more) {
            read++;
            checks[i].op = qn_get_start(cache, qn_str(checks[i].key), NULL, err);
            if (checks[i].op == NULL) {
                printf("%s: cannot be read: %s\n", checks[i].key, qn_explain(err));
                return 1;
            }
        }
    }
    printf("%" PRIu64 " promises, %" PRIu64 " broken\n", read, broken);
    free(expected);
    free(checks);
    return broken > 0 ? 1 : 0;
}

/* ---- main ---- */

static int usage(void)
{
    fputs("usage: kill_writer write URI CACHE ROUND IN_FLIGHT > ledger\n"
          "       kill_writer check URI CACHE < ledger\n",
          stderr);
    return 2;
}

static int run(int argc, char **argv, qn_cache *cache, qn_error *err)
{
    if (argc == 6 && strcmp(argv[1], "write") == 0) {
        uint64_t round = strtoull(argv[4], NULL, 10);
        size_t in_flight = (size_t)strtoull(argv[5], NULL, 10);
        if (in_flight >= 1 && in_flight <= IN_FLIGHT_MAX) {
            return write_run(cache, round, in_flight, err);
        }
    } else if (argc == 4 && strcmp(argv[1], "check") == 0) {
        return check_run(cache, err);
    }
    return usage();
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        return usage();
    }
    /* What is acknowledged is noted before the next operation starts. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    signal(SIGTERM, on_term);
    qn_error err = QN_ERROR_INIT;
    qn_client *client = qn_connect(argv[2], &err);
    qn_cache *cache = qn_open(client, argv[3], &err);
    int code = 2;
    if (cache != NULL) {
        code = run(argc, argv, cache, &err);
    } else {
        fprintf(stderr, "kill_writer: %s\n", qn_explain(&err));
    }
    qn_close(client);
    return code;
}

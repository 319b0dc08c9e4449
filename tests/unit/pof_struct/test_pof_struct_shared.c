/* Objects that several pointers lead to: written once, and one again after reading. */
#include "tests/lib/pof/nodes.h"
#include "tests/unit/pof_struct/struct_memory.h"

struct node {
    const char *name;
    struct node *next;
    struct node **others;
    uint32_t other_count;
};
static const struct pof_struct node_struct;
static const struct pof_field node_fields[] = {
    POF_FIELD(struct node, name, 0, TEXT),
    POF_FIELD_STRUCT_PTR(struct node, next, 1, &node_struct),
    POF_FIELD_STRUCT_PTRS(struct node, others, other_count, 2, &node_struct, LIST),
};
static const struct pof_struct node_struct = POF_STRUCT_SHARED(struct node, 1, 0, node_fields);

/* The reference implementation's object: identities for all, tests/vectors/pof-navigate.jsonl,
 * "extract/with-identity-0". */
struct two {
    struct node *first;
    struct node *second;
    int32_t number;
};
static const struct pof_field two_fields[] = {
    POF_FIELD_STRUCT_PTR(struct two, first, 0, &node_struct),
    POF_FIELD_STRUCT_PTR(struct two, second, 1, &node_struct),
    POF_FIELD(struct two, number, 2, INT32),
};
static const struct pof_struct two_struct = POF_STRUCT(struct two, 1000, 0, two_fields);
static const struct pof_struct two_shared = POF_STRUCT_SHARED(struct two, 1000, 0, two_fields);

/* Octets are the reference implementation's when all types are shared. */
static void two_pointers_to_one_object_are_that_again(void **state)
{
    struct node node = {.name = "shared"};
    const struct two two = {&node, &node, 1};
    struct two back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, true);
    there_and_back(&two_shared, &two, &back, &out, &m);
    assert_bytes_equal(buf_bytes(&out),
                       OCTETS("\x15\x5e\x01\xa8\x0f\x00\x00\x5e\x02\x01\x00\x00\x4e\x06"
                              "shared\x40\x01\x5f\x02\x02\x6a\x40"));
    assert_ptr_equal(back.first, back.second);
    assert_string_equal(back.first->name, "shared");
    /* The choice is each type's: no identity for the outer one. */
    there_and_back(&two_struct, &two, &back, &out, &m);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x15\xa8\x0f\x00\x00\x5e\x01\x01\x00\x00\x4e\x06"
                                               "shared\x40\x01\x5f\x01\x02\x6a\x40"));
    assert_ptr_equal(back.first, back.second);
    memory_fini(&m);
    buf_fini(&out);
}

/* Equal objects are not the same. */
static void equal_objects_stay_two(void **state)
{
    struct node a = {.name = "x"};
    struct node b = {.name = "x"};
    const struct two two = {&a, &b, 1};
    struct two back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&two_struct, &two, &back, &out, &m);
    assert_ptr_not_equal(back.first, back.second);
    assert_string_equal(back.second->name, "x");
    memory_fini(&m);
    buf_fini(&out);
}

/* A ring is written, and is one again, the outermost object included. */
static void a_ring_ends_and_is_one_again(void **state)
{
    struct node ring[3] = {
        {.name = "a", .next = &ring[1]}, {.name = "b", .next = &ring[2]}, {.name = "c"}};
    struct node back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    ring[2].next = ring;
    there_and_back(&node_struct, ring, &back, &out, &m);
    assert_string_equal(back.next->next->name, "c");
    assert_ptr_equal(back.next->next->next, &back);
    ring[0].next = ring;
    there_and_back(&node_struct, ring, &back, &out, &m);
    assert_ptr_equal(back.next, &back);
    memory_fini(&m);
    buf_fini(&out);
}

/* Everybody knows everybody, in lists: each is written once. */
static void lists_of_pointers_keep_who_is_who(void **state)
{
    enum { COUNT = 100 };
    static struct node nodes[COUNT];
    static struct node *all[COUNT];
    struct node back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < COUNT; i++) {
        all[i] = &nodes[i];
        nodes[i] = (struct node){.name = "n", .others = all, .other_count = COUNT};
    }
    there_and_back(&node_struct, nodes, &back, &out, &m);
    assert_true(out.size < (size_t)COUNT * COUNT * 5);
    assert_ptr_equal(back.others[0], &back);
    for (size_t i = 1; i < COUNT; i++) {
        struct node *node = back.others[i];
        assert_int_equal(node->other_count, COUNT);
        for (size_t j = 0; j < COUNT; j++) {
            assert_ptr_equal(node->others[j], back.others[j]);
        }
    }
    memory_fini(&m);
    buf_fini(&out);
}

/* A chain that is deeper than values may be is a status, shared or not. */
static void a_chain_too_deep_is_a_status(void **state)
{
    static struct node chain[300];
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < 299; i++) {
        chain[i] = (struct node){.name = "n", .next = &chain[i + 1]};
    }
    assert_int_equal(pof_struct_to_binary(&out, &node_struct, chain), QN_TOO_LARGE);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

/* Others understand it: a program that knows nothing of tables finds the same references. */
static void other_readers_find_the_same_references(void **state)
{
    struct node b = {.name = "b"};
    struct node a = {.name = "a", .next = &b};
    struct node *others[] = {&b, NULL, &b};
    struct bytes pof;
    struct buf out = {0};
    json_t *node = NULL;

    (void)state;
    a.others = others;
    a.other_count = 3;
    assert_int_equal(pof_struct_to_binary(&out, &node_struct, &a), QN_OK);
    pof = bytes_of(out.data + 1, out.size - 1);
    assert_int_equal(node_read(pof, &node), QN_OK);
    char *text = json_dumps(node, JSON_COMPACT);
    assert_non_null(strstr(text, "\"t\":\"ref\""));
    free(text);
    json_decref(node);
    assert_int_equal(pof_skip(&pof), QN_OK); /* and it can be skipped */
    assert_int_equal(pof.size, 0);
    buf_fini(&out);
}

/* -- in place -- */

struct graph {
    struct node *root;
    struct node *nodes;
    uint32_t node_count;
    struct node last;
};
static const struct pof_field graph_fields[] = {
    POF_FIELD_STRUCT_PTR(struct graph, root, 0, &node_struct),
    POF_FIELD_STRUCTS(struct graph, nodes, node_count, 1, &node_struct, ARRAY),
    POF_FIELD_STRUCT(struct graph, last, 2, &node_struct),
};
static const struct pof_struct graph_struct = POF_STRUCT(struct graph, 2, 0, graph_fields);

/* What stands in place first is what later pointers lead to. */
static void pointers_may_lead_to_what_is_in_place(void **state)
{
    struct node nodes[2] = {{.name = "a"}, {.name = "b", .next = &nodes[0]}};
    struct graph graph = {.nodes = nodes, .node_count = 2, .last = {"c", &nodes[1], NULL, 0}};
    struct graph back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&graph_struct, &graph, &back, &out, &m);
    assert_ptr_equal(back.nodes[1].next, &back.nodes[0]);
    assert_ptr_equal(back.last.next, &back.nodes[1]);
    memory_fini(&m);
    buf_fini(&out);
}

/* What a pointer has led to before stands in place as a copy. */
static void what_was_met_before_is_a_copy_in_place(void **state)
{
    struct node nodes[2] = {{.name = "a", .next = &nodes[1]}, {.name = "b", .next = &nodes[0]}};
    struct graph graph = {.root = nodes, .nodes = nodes, .node_count = 2, .last = {.name = "c"}};
    struct graph back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&graph_struct, &graph, &back, &out, &m);
    assert_string_equal(back.nodes[0].name, "a");
    assert_ptr_equal(back.nodes[0].next, back.root->next);
    assert_ptr_equal(back.nodes[1].next, back.root);
    memory_fini(&m);
    buf_fini(&out);
}

struct inner {
    int32_t number;
    struct holder *holder;
};
struct holder {
    int32_t number;
    struct inner inner;
};
static const struct pof_struct holder_struct;
static const struct pof_field inner_fields[] = {
    POF_FIELD(struct inner, number, 0, INT32),
    POF_FIELD_STRUCT_PTR(struct inner, holder, 1, &holder_struct),
};
static const struct pof_struct inner_struct = POF_STRUCT_SHARED(struct inner, 3, 0, inner_fields);
static const struct pof_field holder_fields[] = {
    POF_FIELD(struct holder, number, 0, INT32),
    POF_FIELD_STRUCT(struct holder, inner, 1, &inner_struct),
};
static const struct pof_struct holder_struct =
    POF_STRUCT_SHARED(struct holder, 4, 0, holder_fields);

/* A pointer into an object that is not complete: written once more, not as a copy of itself. */
static void an_object_in_place_may_be_reached_from_inside(void **state)
{
    struct holder holder = {1, {2, &holder}};
    struct inner back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&inner_struct, &holder.inner, &back, &out, &m);
    assert_int_equal(back.holder->inner.number, 2);
    assert_ptr_equal(back.holder->inner.holder, back.holder);
    memory_fini(&m);
    buf_fini(&out);
}

/* Arrays in place that pointers lead into do not move while they are read. */
static void large_arrays_in_place_do_not_move(void **state)
{
    enum { COUNT = 3000 };
    static struct node nodes[COUNT];
    struct graph graph = {.nodes = nodes, .node_count = COUNT};
    struct graph back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 1; i < COUNT; i++) {
        nodes[i].next = &nodes[i - 1];
    }
    there_and_back(&graph_struct, &graph, &back, &out, &m);
    for (size_t i = 1; i < COUNT; i++) {
        assert_ptr_equal(back.nodes[i].next, &back.nodes[i - 1]);
    }
    memory_fini(&m);
    buf_fini(&out);
}

/* -- with others -- */

struct keeper {
    struct node *a;
    struct node *b;
    struct bytes rest;
    int32_t version;
};
static const struct pof_field keeper_fields[] = {
    POF_FIELD_STRUCT_PTR(struct keeper, a, 0, &node_struct),
    POF_FIELD_STRUCT_PTR(struct keeper, b, 1, &node_struct),
};
static const struct pof_struct keeper_struct =
    POF_STRUCT_EVOLVABLE(struct keeper, 5, 1, keeper_fields, rest, version);

/* An object that keeps what it does not know may hold shared ones, but keeps no references. */
static void what_is_kept_has_no_references(void **state)
{
    struct node node = {.name = "x"};
    struct keeper keeper = {.a = &node, .b = &node};
    struct keeper back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&keeper_struct, &keeper, &back, &out, &m);
    assert_ptr_equal(back.a, back.b);
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x05\x01\x00\x5e\x01\x01\x00\x40"
                                                   "\x07\x6a\x40"),
                                            &keeper_struct, &back, &m.memory),
                     QN_OK);
    assert_int_equal(back.rest.size, 2);
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x05\x01\x00\x5e\x01\x01\x00\x40"
                                                   "\x07\x5f\x01\x40"),
                                            &keeper_struct, &back, &m.memory),
                     QN_UNSUPPORTED);
    memory_fini(&m);
    buf_fini(&out);
}

/* References of a writer that gives identities to all are read, in uniform lists too. */
static void references_in_uniform_lists_are_read(void **state)
{
    struct node back;
    struct memory m;

    (void)state;
    /* node 1 { others: uniform list of type 1 { identity 2 "x", reference 2, reference 1 } } */
    assert_int_equal(
        pof_struct_from_binary(
            OCTETS("\x15\x5e\x01\x01\x00\x02\x56\x01\x03\x5e\x02\x00\x00\x4e\x01x\x40\x02\x01\x40"),
            &node_struct, &back, memory_init(&m, false)),
        QN_OK);
    assert_int_equal(back.other_count, 3);
    assert_string_equal(back.others[0]->name, "x");
    assert_ptr_equal(back.others[1], back.others[0]);
    assert_ptr_equal(back.others[2], &back);
    memory_fini(&m);
}

/* References that lead nowhere, or to something else. */
static void references_to_something_else_are_refused(void **state)
{
    static const struct {
        const struct pof_struct *table;
        const char *octets;
        size_t size;
        enum qn_status status;
    } cases[] = {
        {&node_struct, "\x15\x5e\x01\x01\x00\x01\x5f\x02\x40", 9, QN_MALFORMED}, /* unknown */
        {&node_struct, "\x15\x5e\x01\x01\x00\x01\x5e\x01\x01\x00\x40\x40", 12,
         QN_MALFORMED},                                                          /* given twice */
        {&node_struct, "\x15\x5e\x81\xff\xff\x01\x01\x00\x40", 9, QN_TOO_LARGE}, /* a high one */
        {&holder_struct, "\x15\x5e\x01\x04\x00\x01\x03\x00\x01\x5f\x01\x40\x40", 13, QN_OK},
        {&two_struct,
         "\x15\xa8\x0f\x00\x00\x01\x00\x02\x55\x01\x5e\x07\x05\x00\x40\x40\x01\x5f\x07\x40", 20,
         QN_WRONG_TYPE}, /* of another type */
        {&holder_struct, "\x15\x5e\x01\x04\x00\x01\x5f\x01\x40", 9, QN_WRONG_TYPE},
        {&inner_struct, "\x15\x5e\x01\x03\x00\x01\x04\x00\x01\x5f\x01\x40\x40", 13,
         QN_UNSUPPORTED}, /* in place, in itself */
    };
    struct memory m;
    union {
        struct node node;
        struct two two;
        struct holder holder;
        struct inner inner;
    } back;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pof_struct_from_binary(bytes_of(cases[i].octets, cases[i].size),
                                                cases[i].table, &back, &m.memory),
                         cases[i].status);
    }
    memory_fini(&m);
}

/* Own functions that read by a table read within the same value. */
static void write_boxed(struct pof_writer *w, int32_t index, const void *member)
{
    pof_begin_array(w, index, 1);
    pof_struct_write(w, POF_NEXT, &node_struct, *(const void *const *)member);
    pof_end(w);
}

static enum qn_status read_boxed(struct pof_reader *r, const struct pof_value *value, void *member,
                                 struct pof_struct_memory *memory)
{
    struct node *node = arena_alloc(memory->arena, sizeof *node);
    struct pof_value inner;

    if (value->kind != POF_KIND_ARRAY) {
        return QN_WRONG_TYPE;
    }
    enum qn_status status = pof_reader_enter(r);
    status = status == QN_OK ? pof_reader_next(r, &inner) : status;
    status =
        status == QN_OK ? pof_struct_read_value(r, &inner, &node_struct, node, memory) : status;
    memcpy(member, &node, sizeof node);
    return status == QN_OK ? pof_reader_leave(r) : status;
}

static const struct pof_codec boxed_codec = {write_boxed, read_boxed};
static const struct pof_field boxed_fields[] = {
    POF_FIELD_BY(struct two, first, 0, &boxed_codec),
    POF_FIELD_STRUCT_PTR(struct two, second, 1, &node_struct),
};
static const struct pof_struct boxed_struct = POF_STRUCT(struct two, 6, 0, boxed_fields);

static void own_functions_read_within_the_same_value(void **state)
{
    struct two back;
    struct memory m;

    (void)state;
    assert_int_equal(
        pof_struct_from_binary(OCTETS("\x15\x06\x00\x00\x57\x01\x5e\x01\x01\x00\x00\x4e\x01y\x40"
                                      "\x01\x5f\x01\x40"),
                               &boxed_struct, &back, memory_init(&m, false)),
        QN_OK);
    assert_string_equal(back.first->name, "y");
    assert_ptr_equal(back.first, back.second);
    memory_fini(&m);
}

/* A struct and its first member are in one place, and two objects. */
struct first {
    struct inner inner;
    struct inner *same;
    struct first *self;
};
static const struct pof_struct first_struct;
static const struct pof_field first_fields[] = {
    POF_FIELD_STRUCT(struct first, inner, 0, &inner_struct),
    POF_FIELD_STRUCT_PTR(struct first, same, 1, &inner_struct),
    POF_FIELD_STRUCT_PTR(struct first, self, 2, &first_struct),
};
static const struct pof_struct first_struct = POF_STRUCT_SHARED(struct first, 9, 0, first_fields);

static void a_first_member_is_another_object_than_its_struct(void **state)
{
    struct first first = {{7, NULL}, &first.inner, &first};
    struct first back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&first_struct, &first, &back, &out, &m);
    assert_ptr_equal(back.same, &back.inner);
    assert_ptr_equal(back.self, &back);
    memory_fini(&m);
    buf_fini(&out);
}

/* The same where few octets stand for large structs, whose array would grow otherwise. */
struct wide {
    char text[400];
    struct wide *before;
};
static const struct pof_struct wide_struct;
static const struct pof_field wide_fields[] = {
    POF_FIELD_CHARS(struct wide, text, 0),
    POF_FIELD_STRUCT_PTR(struct wide, before, 1, &wide_struct),
};
static const struct pof_struct wide_struct = POF_STRUCT_SHARED(struct wide, 10, 0, wide_fields);

struct wides {
    struct wide *list;
    uint32_t count;
};
static const struct pof_field wides_fields[] = {
    POF_FIELD_STRUCTS(struct wides, list, count, 0, &wide_struct, ARRAY),
};
static const struct pof_struct wides_struct = POF_STRUCT(struct wides, 11, 0, wides_fields);

static void arrays_of_large_structs_in_place_do_not_move(void **state)
{
    enum { COUNT = 500 };
    static struct wide list[COUNT];
    struct wides wides = {list, COUNT};
    struct wides back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 1; i < COUNT; i++) {
        list[i].before = &list[i - 1];
    }
    there_and_back(&wides_struct, &wides, &back, &out, &m);
    for (size_t i = 1; i < COUNT; i++) {
        assert_ptr_equal(back.list[i].before, &back.list[i - 1]);
    }
    memory_fini(&m);
    buf_fini(&out);
}

/* Versions in lists are not taken for references: such lists are plain in a value with identities.
 */
struct versioned {
    struct node *node;
};
static const struct pof_field versioned_fields[] = {
    POF_FIELD_STRUCT_PTR(struct versioned, node, 0, &node_struct),
};
static const struct pof_struct versioned_struct =
    POF_STRUCT(struct versioned, 12, 1, versioned_fields);

struct versions {
    struct versioned list[3];
    uint32_t count;
};
static const struct pof_field versions_fields[] = {
    POF_FIELD_STRUCTS_IN_PLACE(struct versions, list, count, 0, &versioned_struct, LIST),
};
static const struct pof_struct versions_struct =
    POF_STRUCT(struct versions, 13, 0, versions_fields);

static void a_version_is_not_taken_for_a_reference(void **state)
{
    struct node node = {.name = "x"};
    struct versions versions = {{{&node}, {&node}, {NULL}}, 3};
    struct versions back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&versions_struct, &versions, &back, &out, &m);
    assert_int_equal(back.count, 3);
    assert_ptr_equal(back.list[0].node, back.list[1].node);
    struct bytes pof = bytes_of(out.data + 1, out.size - 1);
    assert_int_equal(pof_skip(&pof), QN_OK);
    memory_fini(&m);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_pointers_to_one_object_are_that_again),
        cmocka_unit_test(equal_objects_stay_two),
        cmocka_unit_test(a_ring_ends_and_is_one_again),
        cmocka_unit_test(lists_of_pointers_keep_who_is_who),
        cmocka_unit_test(a_chain_too_deep_is_a_status),
        cmocka_unit_test(other_readers_find_the_same_references),
        cmocka_unit_test(pointers_may_lead_to_what_is_in_place),
        cmocka_unit_test(what_was_met_before_is_a_copy_in_place),
        cmocka_unit_test(an_object_in_place_may_be_reached_from_inside),
        cmocka_unit_test(large_arrays_in_place_do_not_move),
        cmocka_unit_test(what_is_kept_has_no_references),
        cmocka_unit_test(references_in_uniform_lists_are_read),
        cmocka_unit_test(references_to_something_else_are_refused),
        cmocka_unit_test(own_functions_read_within_the_same_value),
        cmocka_unit_test(a_first_member_is_another_object_than_its_struct),
        cmocka_unit_test(arrays_of_large_structs_in_place_do_not_move),
        cmocka_unit_test(a_version_is_not_taken_for_a_reference),
    };

    return RUN_TESTS(tests);
}

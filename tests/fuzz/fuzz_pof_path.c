/* Any octets and any path: found within bounds or refused, the same by reading everything, alone
 * and in a set; what is found can be updated, and is then what it was made to be; decorations come
 * and go. */
#include "wire/assert.h"
#include "wire/pof/binary.h"
#include "wire/pof/path.h"
#include "wire/pof/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 6 };

struct input {
    int32_t steps[STEPS_MAX];
    struct pof_path path;
    struct bytes new; /* for an update */
    struct bytes binary;
};

/* As many octets as the first one says, `most` at most. */
static struct bytes take_some(struct bytes *in, size_t most)
{
    size_t size = in->size > 0 ? in->data[0] % (most + 1) : 0;

    if (in->size > 0) {
        *in = bytes_of(in->data + 1, in->size - 1);
    }
    size = size < in->size ? size : in->size;
    struct bytes some = bytes_of(in->data, size);
    *in = bytes_of(in->data + size, in->size - size);
    return some;
}

static void take_input(struct bytes in, struct input *input)
{
    struct bytes steps = take_some(&in, STEPS_MAX);

    for (size_t i = 0; i < steps.size; i++) {
        input->steps[i] = steps.data[i] == 255 ? INT32_MAX : steps.data[i];
    }
    input->path = (struct pof_path){input->steps, steps.size};
    input->new = take_some(&in, 40);
    input->binary = in;
}

/* -- find, by reading everything and by a set -- */

static bool has_parts(const struct pof_value *value)
{
    return pof_kind_is_container(value->kind) && value->kind != POF_KIND_MAP &&
           value->type != POF_SMALL_EMPTY_COLLECTION;
}

/* Go to the path by reading value after value. Sparse arrays out of order have no such path. */
static bool read_to(struct pof_reader *r, struct pof_path path, struct pof_value *value)
{
    if (pof_reader_next(r, value) != QN_OK) {
        return false;
    }
    for (size_t i = 0; i < path.count; i++) {
        if (!has_parts(value) || pof_reader_enter(r) != QN_OK) {
            return false;
        }
        do {
            if (pof_reader_next(r, value) != QN_OK || value->index > path.steps[i]) {
                return false;
            }
        } while (value->index < path.steps[i]);
    }
    return true;
}

/* The target is what reading leads to, unless reading stops at a text on the way that is none. */
static void check_target(struct bytes pof, struct pof_path path, enum qn_status status,
                         const struct pof_target *target)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, pof);
    if (read_to(&r, path, &value)) {
        if (status == QN_OK) {
            qn_assert(target->found && target->type == value.type);
            qn_assert(target->value.kind == value.kind);
            qn_assert(target->octets.data <= r.rest.data);
        }
    } else if (status == QN_OK && target->found) {
        qn_assert(r.status < QN_OK);
    }
    if (status == QN_OK && target->found) {
        pof_path_reader(target, &r);
        enum qn_status again = pof_reader_next(&r, &value);
        qn_assert(again == QN_OK || again == QN_UNSUPPORTED);
        qn_assert(again != QN_OK || value.kind == target->value.kind);
    }
}

static void expect_same(const struct pof_target *a, const struct pof_target *b)
{
    qn_assert(a->found == b->found && a->below_missing == b->below_missing);
    qn_assert(a->bare == b->bare && a->type == b->type);
    qn_assert(a->octets.data == b->octets.data && a->octets.size == b->octets.size);
}

/* Through references: what is found without going through one is the same. */
static void check_shared(struct bytes pof, struct pof_path path, enum qn_status status,
                         const struct pof_target *target)
{
    struct buf table = {0};
    struct pof_target shared;

    enum qn_status with = pof_path_find_shared(pof, path, &table, &shared);
    qn_assert(with != QN_UNSUPPORTED);
    if (with == QN_OK && shared.found) {
        qn_assert(shared.value.kind != POF_KIND_REFERENCE);
        qn_assert(shared.octets.data >= pof.data);
        qn_assert(shared.octets.data + shared.octets.size <= pof.data + pof.size);
    }
    if (with == QN_OK && status == QN_OK && target->value.kind != POF_KIND_REFERENCE) {
        expect_same(target, &shared);
    }
    buf_fini(&table);
}

static void check_alone_in_set(struct bytes pof, struct pof_path path, enum qn_status status,
                               const struct pof_target *alone)
{
    struct pof_path_set *set = pof_path_set_create(&path, 1);
    struct pof_target target;

    qn_assert(set);
    enum qn_status in_set = pof_path_set_find(set, pof, &target);
    if (status == QN_ABSENT || status == QN_WRONG_TYPE) {
        qn_assert(in_set == QN_OK && !target.found && target.below_missing);
    } else {
        qn_assert(in_set == status);
        if (status == QN_OK) {
            expect_same(&target, alone);
        }
    }
    pof_path_set_destroy(set);
}

/* The path, those above it, and neighbours. */
static void check_set(struct bytes pof, struct pof_path path)
{
    struct pof_path paths[2 * STEPS_MAX + 1];
    int32_t beside[STEPS_MAX];
    struct pof_target targets[2 * STEPS_MAX + 1];
    struct pof_target alone;
    size_t count = 0;

    for (size_t i = 0; i <= path.count; i++) {
        paths[count++] = (struct pof_path){path.steps, i};
    }
    for (size_t i = 0; i < path.count; i++) {
        beside[i] = path.steps[i] ^ 1;
        paths[count++] = (struct pof_path){beside, i + 1};
    }
    struct pof_path_set *set = pof_path_set_create(paths, count);
    qn_assert(set);
    if (pof_path_set_find(set, pof, targets) == QN_OK) {
        for (size_t i = 0; i < count; i++) {
            enum qn_status status = pof_path_find(pof, paths[i], &alone);
            if (status == QN_OK) {
                expect_same(&targets[i], &alone);
            } else {
                qn_assert(status == QN_ABSENT || status == QN_WRONG_TYPE);
                qn_assert(!targets[i].found && targets[i].below_missing);
            }
        }
    }
    pof_path_set_destroy(set);
}

/* -- update -- */

static bool is_sound(struct bytes binary)
{
    struct bytes pof;

    return pof_binary_value(binary, &pof) == QN_OK && pof_skip(&pof) == QN_OK;
}

static void check_update(const struct input *input, struct bytes new)
{
    struct buf out = {0};
    struct pof_target target;
    struct bytes pof;

    enum qn_status status = pof_path_update(&out, input->binary, input->path, new);
    qn_assert(status == QN_OK || out.size == 0);
    /* An object that is broken behind the target stays so, and may then not be read up to it:
     * counts are held against what remains. */
    if (status == QN_OK && is_sound(input->binary)) {
        qn_assert(is_sound(buf_bytes(&out)));
        qn_assert(pof_binary_value(buf_bytes(&out), &pof) == QN_OK);
        qn_assert(pof_path_find(pof, input->path, &target) == QN_OK && target.found);
        qn_assert(target.octets.size <= new.size);
        qn_assert(memcmp(target.octets.data, new.data + new.size - target.octets.size,
                         target.octets.size) == 0);
    }
    buf_fini(&out);
}

/* -- decorations -- */

static void check_decorations(struct bytes binary)
{
    struct pof_decorations decorations;
    struct pof_decoration decoration;
    struct bytes octets;
    struct buf out = {0};
    struct buf back = {0};
    enum qn_status status = pof_binary_decorations(binary, &decorations);

    while (status == QN_OK) {
        status = pof_decorations_next(&decorations, &decoration);
        if (status == QN_OK) {
            qn_assert(pof_binary_decoration(binary, decoration.id, &octets) == QN_OK);
            qn_assert(octets.data == decoration.octets.data);
        }
    }
    decoration = (struct pof_decoration){9, bytes_of("nine", 4)};
    if (pof_binary_decorate(&out, binary, &decoration, 1) == QN_OK) {
        qn_assert(status == QN_ABSENT);
        qn_assert(pof_binary_decoration(buf_bytes(&out), 9, &octets) == QN_OK);
        qn_assert(bytes_equal(octets, decoration.octets));
        qn_assert(pof_binary_undecorate(&back, buf_bytes(&out), 9) == QN_OK);
        qn_assert(is_sound(binary) == is_sound(buf_bytes(&out)));
        qn_assert(is_sound(binary) == is_sound(buf_bytes(&back)));
    } else {
        qn_assert(out.size == 0);
    }
    buf_fini(&out);
    buf_fini(&back);
}

static void check_int_decoration(struct bytes binary)
{
    struct buf out = {0};
    struct bytes rest;
    int32_t number;
    struct bytes pof;

    if (pof_binary_decorate_int(&out, binary, -70000) == QN_OK) {
        qn_assert(pof_binary_int_decoration(buf_bytes(&out), &number) == QN_OK);
        qn_assert(number == -70000);
        qn_assert(pof_binary_int_undecorated(buf_bytes(&out), &rest) == QN_OK);
        qn_assert(pof_binary_value(binary, &pof) == pof_binary_value(buf_bytes(&out), &pof));
    } else {
        qn_assert(out.size == 0);
    }
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    struct pof_target target;
    struct bytes pof;

    take_input(bytes_of(data, size), &input);
    check_decorations(input.binary);
    check_int_decoration(input.binary);
    if (pof_binary_value(input.binary, &pof) != QN_OK) {
        return 0;
    }
    enum qn_status status = pof_path_find(pof, input.path, &target);
    check_target(pof, input.path, status, &target);
    check_shared(pof, input.path, status, &target);
    check_alone_in_set(pof, input.path, status, &target);
    check_set(pof, input.path);
    check_update(&input, bytes_of("\x64", 1));
    check_update(&input, input.new);
    return 0;
}

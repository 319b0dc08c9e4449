/* Any octets and any path: found within bounds or refused; what is found can be updated, and is
 * then what it was made to be; a set of paths finds what single ones find. */
#include "wire/assert.h"
#include "wire/pof/binary.h"
#include "wire/pof/path.h"
#include "wire/pof/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 6 };

/* The steps: the first octet counts them, then one octet each. */
static size_t take_steps(const uint8_t *data, size_t size, int32_t steps[STEPS_MAX])
{
    size_t count = size > 0 ? data[0] % (STEPS_MAX + 1) : 0;

    for (size_t i = 0; i < count; i++) {
        steps[i] = i + 1 < size ? data[i + 1] : 0;
    }
    return count;
}

static void check_set(struct bytes pof, struct pof_path path, const struct pof_target *alone)
{
    const struct pof_path paths[] = {path, {path.steps, path.count / 2}};
    struct pof_path_set *set = pof_path_set_create(paths, 2);
    struct pof_target targets[2];

    if (set && pof_path_set_find(set, pof, targets) == QN_OK) {
        qn_assert(targets[0].found == alone->found);
        qn_assert(targets[0].octets.data == alone->octets.data);
        qn_assert(targets[0].octets.size == alone->octets.size);
    }
    pof_path_set_destroy(set);
}

static void check_update(struct bytes binary, struct pof_path path)
{
    static const uint8_t null[] = {0x64};
    struct buf out = {0};
    struct pof_target target;
    struct bytes pof;
    struct bytes whole;

    /* An object that is broken behind the target stays so, and may then not be read up to it:
     * counts are held against what remains. */
    if (pof_binary_value(binary, &whole) != QN_OK || pof_skip(&whole) != QN_OK) {
        return;
    }
    if (pof_path_update(&out, binary, path, bytes_of(null, sizeof null)) == QN_OK) {
        qn_assert(pof_binary_value(buf_bytes(&out), &pof) == QN_OK);
        qn_assert(pof_path_find(pof, path, &target) == QN_OK);
        qn_assert(target.found && target.value.kind == POF_KIND_NULL);
    } else {
        qn_assert(out.size == 0);
    }
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int32_t steps[STEPS_MAX] = {0};
    size_t count = take_steps(data, size, steps);
    size_t used = size < count + 1 ? size : count + 1;
    struct bytes binary = bytes_of(data + used, size - used);
    struct pof_path path = {steps, count};
    struct pof_target target;
    struct bytes pof;

    if (pof_binary_value(binary, &pof) != QN_OK) {
        return 0;
    }
    if (pof_path_find(pof, path, &target) == QN_OK) {
        check_set(pof, path, &target);
    }
    check_update(binary, path);
    return 0;
}

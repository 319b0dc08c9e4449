#include <math.h>

#include "tests/unit/pof_struct/random_struct.h"

static bool same_real(double left, double right)
{
    return left == right || (isnan(left) && isnan(right));
}

static bool same_text(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool same_bytes(struct bytes left, struct bytes right)
{
    return (left.data == NULL) == (right.data == NULL) && bytes_equal(left, right);
}

/* Shared objects stand for each other one to one, and are compared once. */
static bool same_shared(const struct pof_struct *table, const void *left, const void *right,
                        struct same_objects *objects)
{
    for (uint32_t i = 0; i < objects->count; i++) {
        if (objects->left[i] == left || objects->right[i] == right) {
            return objects->left[i] == left && objects->right[i] == right;
        }
    }
    assert_true(objects->count < OBJECTS_MAX);
    objects->left[objects->count] = left;
    objects->right[objects->count++] = right;
    return same_struct(table, left, right, objects);
}

static bool same_pointer(const struct pof_struct *table, const void *left, const void *right,
                         struct same_objects *objects)
{
    if (!left || !right) {
        return left == right;
    }
    return table->shared ? same_shared(table, left, right, objects)
                         : same_struct(table, left, right, objects);
}

static bool same_one(const struct pof_field *field, const void *left, const void *right,
                     struct same_objects *objects)
{
    if (field->kind == POF_FIELD_FLOAT32) {
        return same_real((double)*(const float *)left, (double)*(const float *)right);
    }
    if (field->kind == POF_FIELD_FLOAT64) {
        return same_real(*(const double *)left, *(const double *)right);
    }
    if (field->kind == POF_FIELD_TEXT) {
        return same_text(*(const char *const *)left, *(const char *const *)right);
    }
    if (field->kind == POF_FIELD_STRING || field->kind == POF_FIELD_OCTETS) {
        return same_bytes(*(const struct bytes *)left, *(const struct bytes *)right);
    }
    if (field->kind == POF_FIELD_STRUCT) {
        return same_struct(field->nested, left, right, objects);
    }
    if (field->kind == POF_FIELD_STRUCT_PTR) {
        return same_pointer(field->nested, *(const void *const *)left, *(const void *const *)right,
                            objects);
    }
    size_t size =
        field->kind == POF_FIELD_DECIMAL ? offsetof(struct pof_decimal, scale) + 4 : field->size;
    return memcmp(left, right, size) == 0;
}

static bool same_field(const struct pof_field *field, const uint8_t *left, const uint8_t *right,
                       struct same_objects *objects);

static bool same_element(const struct pof_field *field, const uint8_t *left, const uint8_t *right,
                         struct same_objects *objects)
{
    return field->many != POF_MANY_MAP
               ? same_one(field, left, right, objects)
               : same_field(&field->nested->fields[0], left, right, objects) &&
                     same_field(&field->nested->fields[1], left, right, objects);
}

static bool same_many(const struct pof_field *field, const uint8_t *left, const uint8_t *right,
                      struct same_objects *objects)
{
    const uint8_t *a = left + field->offset;
    const uint8_t *b = right + field->offset;
    uint32_t a_count = field->fixed;
    uint32_t b_count = field->fixed;

    if (field->count_place != 0) {
        memcpy(&a_count, left + field->count_place - 1, sizeof a_count);
        memcpy(&b_count, right + field->count_place - 1, sizeof b_count);
    }
    if (field->fixed == 0) {
        a = *(const uint8_t *const *)a;
        b = *(const uint8_t *const *)b;
    }
    bool same = a_count == b_count && (a == NULL) == (b == NULL);
    for (uint32_t i = 0; same && a && i < a_count; i++) {
        same =
            same_element(field, a + (size_t)i * field->size, b + (size_t)i * field->size, objects);
    }
    return same;
}

static bool same_field(const struct pof_field *field, const uint8_t *left, const uint8_t *right,
                       struct same_objects *objects)
{
    return field->many != POF_ONE
               ? same_many(field, left, right, objects)
               : same_one(field, left + field->offset, right + field->offset, objects);
}

/* What was kept, and the version that is written: the higher one. */
static bool same_kept(const struct pof_struct *table, const uint8_t *left, const uint8_t *right)
{
    int32_t a, b;
    struct bytes a_kept, b_kept;

    memcpy(&a, left + table->version_place - 1, sizeof a);
    memcpy(&b, right + table->version_place - 1, sizeof b);
    memcpy(&a_kept, left + table->remainder_place - 1, sizeof a_kept);
    memcpy(&b_kept, right + table->remainder_place - 1, sizeof b_kept);
    a = a > table->version ? a : table->version;
    b = b > table->version ? b : table->version;
    return a == b && bytes_equal(a_kept, b_kept);
}

bool same_struct(const struct pof_struct *table, const void *left, const void *right,
                 struct same_objects *objects)
{
    const uint8_t *a = left;
    const uint8_t *b = right;

    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct pof_field *field = &table->fields[i];
        bool there = true;
        if (field->present_place != 0) {
            there = *(const bool *)(a + field->present_place - 1);
            if (there != *(const bool *)(b + field->present_place - 1)) {
                return false;
            }
        }
        if (there && !same_field(field, a, b, objects)) {
            return false;
        }
    }
    return table->remainder_place == 0 || same_kept(table, a, b);
}

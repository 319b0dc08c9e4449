#include "tests/unit/grid/replica_model.h"

#include <stdio.h>

#include "tests/lib/check.h"

static const char keys[MODEL_KEYS][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

const char *model_key(int key)
{
    return keys[key];
}

int model_key_of(struct bytes key)
{
    bool known = key.size == 1 && key.data[0] >= 'a' && key.data[0] < 'a' + MODEL_KEYS;

    return known ? key.data[0] - 'a' : -1;
}

int64_t model_time(const struct model *model, uint64_t index)
{
    return index > 0 ? model->log[index].wall_ms : INT64_MIN;
}

static void set_newest(struct model *model, unsigned mask, struct cell now)
{
    for (int key = 0; key < MODEL_KEYS; key++) {
        if (mask & 1u << key) {
            model->newest[key] = now;
        }
    }
}

void model_append(struct model *model, unsigned mask, struct cell now, int64_t wall_ms)
{
    int64_t last_ms = model_time(model, model->log_count);

    assert_true(model->log_count < MODEL_LOG_MAX);
    model->log[++model->log_count] =
        (struct step){.keys = mask, .now = now, .wall_ms = wall_ms > last_ms ? wall_ms : last_ms};
    set_newest(model, mask, now);
}

unsigned model_held(const struct model *model)
{
    unsigned mask = 0;

    for (int key = 0; key < MODEL_KEYS; key++) {
        mask |= model->newest[key].version > 0 ? 1u << key : 0;
    }
    return mask;
}

struct cell model_at(const struct model *model, int key, uint64_t index)
{
    for (uint64_t i = index; i > 0; i--) {
        if (model->log[i].keys & 1u << key) {
            return model->log[i].now;
        }
    }
    return (struct cell){0};
}

void model_cut(struct model *model, uint64_t count)
{
    model->log_count = count;
    for (int key = 0; key < MODEL_KEYS; key++) {
        model->newest[key] = model_at(model, key, count);
    }
}

unsigned model_count_at(const struct model *model, uint64_t index)
{
    unsigned count = 0;

    for (int key = 0; key < MODEL_KEYS; key++) {
        count += model_at(model, key, index).version > 0;
    }
    return count;
}

bool model_live(struct cell cell, int64_t time_ms)
{
    return cell.version > 0 && cell.expires_at_ms > time_ms;
}

static int expected_status(const struct wire_op *op, struct cell cell)
{
    bool there = cell.version > 0;

    switch (op->kind) {
    case WIRE_OP_PUT_IF_ABSENT:
        return there ? QN_EXISTS : QN_OK;
    case WIRE_OP_REPLACE:
    case WIRE_OP_REMOVE_IF:
        if (!there) {
            return QN_ABSENT;
        }
        return cell.version == op->expected_version ? QN_OK : QN_CONFLICT;
    case WIRE_OP_REMOVE:
    case WIRE_OP_TOUCH:
        return there ? QN_OK : QN_ABSENT;
    default:
        return QN_OK;
    }
}

/* Index of the last record that changed a key, be it to nothing. */
static uint64_t last_change(const struct model *model, int key)
{
    for (uint64_t i = model->log_count; i > 0; i--) {
        if (model->log[i].keys & 1u << key) {
            return i;
        }
    }
    return 0;
}

/* What the record of a change makes of its key. */
static struct cell changed(const struct model *model, const struct call *call, int64_t wall_ms)
{
    int64_t last_ms = model_time(model, model->log_count);
    int64_t time_ms = wall_ms > last_ms ? wall_ms : last_ms;
    struct cell cell = {.version = call->index, .value = call->value};

    if (call->op.kind == WIRE_OP_REMOVE || call->op.kind == WIRE_OP_REMOVE_IF ||
        call->op.kind == WIRE_OP_CLEAR) {
        return (struct cell){0};
    }
    if (call->op.kind == WIRE_OP_TOUCH) {
        cell.value = call->old.value;
    }
    cell.expires_at_ms = call->op.ttl_ms > 0 ? time_ms + call->op.ttl_ms : INT64_MAX;
    return cell;
}

void model_execute(struct model *model, struct call *call, int64_t wall_ms)
{
    bool clear = call->op.kind == WIRE_OP_CLEAR;
    struct cell cell = clear ? (struct cell){0} : model->newest[call->key];

    call->rests_on = last_change(model, call->key);
    if (cell.version > 0 && !model_live(cell, model_time(model, model->log_count))) {
        cell = (struct cell){0};
        call->rests_on = model->log_count;
    }
    call->executed = true;
    call->status = expected_status(&call->op, cell);
    call->version = cell.version;
    call->old = cell;
    call->index = 0;
    if (call->status == QN_OK) {
        call->index = model->log_count + 1;
        call->version = call->index;
        call->rests_on = 0;
        model_append(model, clear ? model_held(model) : 1u << call->key,
                     changed(model, call, wall_ms), wall_ms);
    }
}

void model_withdraw(struct model *model, struct call *call, int64_t wall_ms)
{
    call->executed = true;
    call->status = QN_WITHDRAWN;
    call->version = 0;
    call->old = (struct cell){0};
    call->index = model->log_count + 1;
    call->rests_on = 0;
    model_append(model, 0, (struct cell){0}, wall_ms);
}

unsigned model_draw(uint64_t *random, unsigned below)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(*random >> 33) % below;
}

static uint32_t draw_kind(uint64_t *random)
{
    static const uint32_t kinds[] = {WIRE_OP_PUT,     WIRE_OP_PUT,    WIRE_OP_PUT_IF_ABSENT,
                                     WIRE_OP_REPLACE, WIRE_OP_REMOVE, WIRE_OP_REMOVE_IF,
                                     WIRE_OP_TOUCH};

    if (model_draw(random, 60) == 0) {
        return WIRE_OP_CLEAR;
    }
    return kinds[model_draw(random, sizeof kinds / sizeof *kinds)];
}

static int64_t draw_ttl(uint64_t *random)
{
    unsigned what = model_draw(random, 3);

    if (what == 0) {
        return 1 + model_draw(random, 500);
    }
    return what == 1 ? WIRE_TTL_NEVER : WIRE_TTL_CACHE;
}

void model_draw_call(const struct model *model, uint64_t *random, struct call *call)
{
    call->key = (int)model_draw(random, MODEL_KEYS);
    call->value = model_draw(random, 1000000);
    (void)snprintf(call->text, sizeof call->text, "v%u", call->value);
    call->op = (struct wire_op){
        .kind = draw_kind(random),
        .flags = model_draw(random, 3) == 0 ? WIRE_RETURN_OLD : 0,
        .ttl_ms = draw_ttl(random),
    };
    if (model_draw(random, 6) == 0) {
        call->op.flags |= WIRE_VISIBLE;
    } else if (model_draw(random, 6) == 0) {
        call->op.commit_within_ms = 1 + model_draw(random, 500);
    }
    /* sometimes a version that is not the right one, or not yet */
    call->op.expected_version =
        model->newest[call->key].version + (model_draw(random, 4) == 0 ? 1 : 0);
    if (call->op.expected_version == 0) {
        call->op.expected_version = 1;
    }
}

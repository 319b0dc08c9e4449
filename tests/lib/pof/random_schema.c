#include "tests/lib/pof/random_schema.h"

/* Some are alike, some look like others with a prefix. */
static const char *const field_names[] = {"name",  "a_name", "b",        "a",
                                          "id_id", "x",      "\xc3\xa4", "two words"};
static const char *const other_names[] = {"b_name", "name_", "x_", "a_b", "n"};
static const char *const prefixes[] = {"a_", "x_", "owner.", NULL, ""};
static const char *const type_names[] = {"Car", "Owner", "Part", "Quote\""};

static bool chance(struct dice *dice, uint32_t of)
{
    return dice_below(dice, of) == 0;
}

/* -- shapes -- */

static struct pof_shape *new_shape(struct random_schema *random, enum pof_shape_kind kind)
{
    struct pof_shape *shape = &random->shapes[random->shape_count];

    random->shape_count += random->shape_count + 1 < RANDOM_SHAPES_MAX ? 1 : 0;
    *shape = (struct pof_shape){.kind = kind};
    return shape;
}

const struct pof_shape *random_shape(struct random_schema *random, struct dice *dice,
                                     unsigned depth)
{
    const uint32_t kinds = POF_SHAPE_USER + 12; /* every third is an object */
    uint32_t kind = dice_below(dice, kinds);

    kind = kind > POF_SHAPE_USER ? POF_SHAPE_USER : kind;
    bool container = kind >= POF_SHAPE_ARRAY && kind < POF_SHAPE_USER;
    if (random->shape_count + 4 > RANDOM_SHAPES_MAX || (container && depth == 0)) {
        kind = POF_SHAPE_ANY;
        container = false;
    }
    struct pof_shape *shape = new_shape(random, (enum pof_shape_kind)kind);
    if (kind == POF_SHAPE_USER) {
        shape->user = &random->types[dice_below(dice, (uint32_t)random->schema.type_count)];
    } else if (container) {
        shape->plain = chance(dice, 4);
        shape->element = random_shape(random, dice, depth - 1);
        if (kind == POF_SHAPE_MAP_OF) {
            shape->key = chance(dice, 2) ? new_shape(random, POF_SHAPE_STRING)
                                         : random_shape(random, dice, depth - 1);
        }
    }
    return shape;
}

/* -- types -- */

static void random_fields(struct random_schema *random, struct dice *dice, size_t number)
{
    struct pof_schema_type *type = &random->types[number];
    const size_t first_name = dice_below(dice, 8);
    int32_t index = 0;

    type->field_count = dice_below(dice, RANDOM_FIELDS_MAX + 1);
    type->fields = random->fields[number];
    for (size_t i = 0; i < type->field_count; i++) {
        index += (int32_t)dice_below(dice, chance(dice, 4) ? 100 : 2);
        random->fields[number][i] =
            (struct pof_schema_field){.index = index++,
                                      .name = field_names[(first_name + i) % 8],
                                      .shape = random_shape(random, dice, 2)};
    }
}

void random_schema(struct random_schema *random, struct dice *dice)
{
    static const int32_t ids[] = {0, 7, 1000, 100000};
    const size_t count = 1 + dice_below(dice, RANDOM_TYPES_MAX);

    *random = (struct random_schema){.schema = {.types = random->types, .by_id = random->by_id}};
    random->schema.type_count = count;
    for (size_t i = 0; i < count; i++) {
        /* Versions that are no identity: the format takes one for the other in uniform lists. */
        random->types[i] = (struct pof_schema_type){
            .id = ids[i], .version = chance(dice, 2) ? 0 : 5000, .name = type_names[i]};
        random->by_id[i] = &random->types[i];
    }
    for (size_t i = 0; i < count; i++) {
        random_fields(random, dice, i);
    }
    random_view(random, dice);
}

/* -- views -- */

static struct pof_view_field random_rule(struct dice *dice, const struct pof_schema_field *field)
{
    struct pof_view_field rule = {.index = field->index, .action = POF_VIEW_SHOW};

    if (field->shape->kind == POF_SHAPE_USER && !chance(dice, 3)) {
        rule.action = POF_VIEW_FLATTEN;
        rule.name = prefixes[dice_below(dice, 5)];
    } else if (chance(dice, 3)) {
        rule.action = POF_VIEW_OMIT;
    } else if (chance(dice, 2)) {
        rule.name = other_names[dice_below(dice, 5)];
    }
    return rule;
}

static void random_rules(struct random_schema *random, struct dice *dice, size_t number)
{
    const struct pof_schema_type *type = &random->types[number];
    struct pof_view_type *rules = &random->view_types[random->view.type_count++];

    *rules = (struct pof_view_type){
        .type = type->id, .only_listed = chance(dice, 4), .fields = random->view_fields[number]};
    for (size_t i = 0; i < type->field_count; i++) {
        if (chance(dice, 2)) {
            random->view_fields[number][rules->field_count++] = random_rule(dice, &type->fields[i]);
        }
    }
}

void random_view(struct random_schema *random, struct dice *dice)
{
    random->view = (struct pof_view){.name = "random", .types = random->view_types};
    for (size_t i = 0; i < random->schema.type_count; i++) {
        if (!chance(dice, 4)) {
            random_rules(random, dice, i);
        }
    }
    while (pof_view_check(&random->view, &random->schema, NULL) != QN_OK) {
        random->view.type_count--; /* the view without rules is good */
    }
}

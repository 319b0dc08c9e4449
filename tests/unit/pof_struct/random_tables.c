#include "tests/unit/pof_struct/random_struct.h"

/* Members one behind the other. */
struct layout {
    uint32_t size;
};

static uint32_t place(struct layout *layout, size_t size)
{
    uint32_t offset = layout->size;

    layout->size += (uint32_t)((size + 15) / 16 * 16);
    return offset;
}

/* What functions of its own write: a number. */
static void write_number(struct pof_writer *w, int32_t index, const void *member)
{
    pof_write_int32(w, index, *(const int32_t *)member);
}

static enum qn_status read_number(struct pof_reader *r, const struct pof_value *value, void *member,
                                  struct pof_struct_memory *memory)
{
    int64_t number;
    enum qn_status status = pof_value_int64(value, &number);

    (void)r;
    (void)memory;
    if (status == QN_OK) {
        *(int32_t *)member = (int32_t)number;
    }
    return status;
}

static const struct pof_codec number_codec = {write_number, read_number};

static uint32_t size_of(enum pof_field_kind kind)
{
    static const size_t sizes[] = {
        [POF_FIELD_BOOL] = sizeof(bool),
        [POF_FIELD_OCTET] = 1,
        [POF_FIELD_CHAR] = 2,
        [POF_FIELD_INT16] = 2,
        [POF_FIELD_INT32] = 4,
        [POF_FIELD_INT64] = 8,
        [POF_FIELD_INT128] = 16,
        [POF_FIELD_FLOAT32] = 4,
        [POF_FIELD_FLOAT64] = 8,
        [POF_FIELD_FLOAT128] = 16,
        [POF_FIELD_DECIMAL] = sizeof(struct pof_decimal),
        [POF_FIELD_TEXT] = sizeof(char *),
        [POF_FIELD_STRING] = sizeof(struct bytes),
        [POF_FIELD_OCTETS] = sizeof(struct bytes),
        [POF_FIELD_DATE] = sizeof(struct pof_date),
        [POF_FIELD_TIME] = sizeof(struct pof_time),
        [POF_FIELD_DATETIME] = sizeof(struct pof_datetime),
        [POF_FIELD_YEAR_MONTH] = sizeof(struct pof_year_month),
        [POF_FIELD_TIME_INTERVAL] = sizeof(struct pof_day_time),
        [POF_FIELD_DAY_TIME] = sizeof(struct pof_day_time),
        [POF_FIELD_CHARS] = 24,
        [POF_FIELD_STRUCT] = 0, /* its table says */
        [POF_FIELD_STRUCT_PTR] = sizeof(void *),
        [POF_FIELD_CUSTOM] = 4,
    };

    return (uint32_t)sizes[kind];
}

/* A kind, and what it needs; structs in place only of tables that are complete. */
static void choose_kind(struct random_tables *random, struct dice *dice, uint32_t number,
                        struct pof_field *field)
{
    field->kind = (enum pof_field_kind)dice_below(dice, POF_FIELD_CUSTOM + 1);
    if (field->kind == POF_FIELD_STRUCT && number == 0) {
        field->kind = POF_FIELD_STRING;
    }
    field->size = size_of(field->kind);
    if (field->kind == POF_FIELD_STRUCT) {
        field->nested = &random->tables[dice_below(dice, number)];
        field->size = field->nested->size;
    } else if (field->kind == POF_FIELD_STRUCT_PTR) {
        field->nested = &random->tables[dice_below(dice, TABLES)];
    } else if (field->kind == POF_FIELD_CUSTOM) {
        field->codec = &number_codec;
    }
}

/* Elements in place, all or counted, or behind a pointer. */
static void choose_place(struct dice *dice, struct layout *layout, struct pof_field *field)
{
    if (dice_below(dice, 4) == 0) {
        field->fixed = 1 + dice_below(dice, 3);
        field->offset = place(layout, (size_t)field->fixed * field->size);
    } else {
        field->offset = place(layout, sizeof(void *));
    }
    if (field->fixed == 0 || dice_below(dice, 2) == 0) {
        field->count_place = 1 + place(layout, sizeof(uint32_t));
    }
}

static void choose_pair(struct random_tables *random, struct dice *dice, uint32_t number,
                        struct pof_struct *pair, struct pof_field *fields)
{
    static const enum pof_field_kind keys[] = {POF_FIELD_INT32, POF_FIELD_STRING, POF_FIELD_TEXT,
                                               POF_FIELD_BOOL, POF_FIELD_DATE};
    struct layout layout = {0};

    fields[0] = (struct pof_field){.index = 0, .kind = keys[dice_below(dice, 5)]};
    fields[0].size = size_of(fields[0].kind);
    fields[0].offset = place(&layout, fields[0].size);
    fields[1] = (struct pof_field){.index = 1};
    choose_kind(random, dice, number, &fields[1]);
    if (dice_below(dice, 4) == 0) {
        fields[1].many = (enum pof_field_many)(1 + dice_below(dice, 4));
        choose_place(dice, &layout, &fields[1]);
    } else {
        fields[1].offset = place(&layout, fields[1].size);
    }
    *pair = (struct pof_struct){
        .type = POF_PAIR, .size = layout.size, .fields = fields, .field_count = 2};
}

static void choose_many(struct random_tables *random, struct dice *dice, uint32_t number,
                        uint32_t row, struct layout *layout)
{
    struct pof_field *field = &random->fields[number][row];

    field->many = (enum pof_field_many)(1 + dice_below(dice, 5));
    if (field->many == POF_MANY_MAP) {
        struct pof_struct *pair = &random->pairs[number][row];
        choose_pair(random, dice, number, pair, random->pair_fields[number][row]);
        *field = (struct pof_field){.index = field->index,
                                    .kind = POF_FIELD_STRUCT,
                                    .many = POF_MANY_MAP,
                                    .nested = pair,
                                    .size = pair->size};
    }
    choose_place(dice, layout, field);
}

/* An initial value for what has no pointers: octets that are a number, whatever its width. */
static void choose_initial(struct random_tables *random, uint32_t number, uint32_t row)
{
    struct pof_field *field = &random->fields[number][row];
    uint8_t *initial = random->initials[number][row];
    static const struct bytes text = {(const uint8_t *)"initial", 7};

    if (field->kind == POF_FIELD_STRING) {
        memcpy(initial, &text, sizeof text);
        field->initial = initial;
    } else if (field->kind <= POF_FIELD_FLOAT128 && field->kind != POF_FIELD_BOOL) {
        memset(initial, 0x11, INITIAL_MAX);
        field->initial = initial;
    }
}

static void choose_one(struct random_tables *random, struct dice *dice, uint32_t number,
                       uint32_t row, struct layout *layout)
{
    struct pof_field *field = &random->fields[number][row];

    field->offset = place(layout, field->size);
    field->full = dice_below(dice, 8) == 0;
    field->part = field->kind == POF_FIELD_STRUCT && dice_below(dice, 4) == 0;
    if (dice_below(dice, 5) == 0) {
        field->present_place = 1 + place(layout, sizeof(bool));
    }
    if (dice_below(dice, 5) == 0) {
        choose_initial(random, number, row);
    }
}

static void choose_table(struct random_tables *random, struct dice *dice, uint32_t number)
{
    struct pof_struct *table = &random->tables[number];
    struct layout layout = {0};
    int32_t index = -1;

    *table = (struct pof_struct){
        .type = (int32_t)(number == 3 ? 1000 + number : 1 + number),
        .version = (int32_t)dice_below(dice, 3),
        .fields = random->fields[number],
        .field_count = 1 + dice_below(dice, FIELDS_MAX),
        .shared = random->shared && dice_below(dice, 2) == 0,
    };
    for (uint32_t i = 0; i < table->field_count; i++) {
        index += dice_below(dice, 8) == 0 ? 60 : 1 + (int32_t)dice_below(dice, 2);
        random->fields[number][i] = (struct pof_field){.index = index};
        choose_kind(random, dice, number, &random->fields[number][i]);
        if (dice_below(dice, 3) == 0) {
            choose_many(random, dice, number, i, &layout);
        } else {
            choose_one(random, dice, number, i, &layout);
        }
    }
    if (!table->shared && dice_below(dice, 2) == 0) {
        table->remainder_place = 1 + place(&layout, sizeof(struct bytes));
        table->version_place = 1 + place(&layout, sizeof(int32_t));
    }
    table->size = layout.size;
}

void random_tables(struct random_tables *random, struct dice *dice, bool shared)
{
    memset(random, 0, sizeof *random);
    random->shared = shared;
    for (uint32_t i = 0; i < TABLES; i++) {
        choose_table(random, dice, i);
    }
    for (uint32_t i = 0; i < TABLES; i++) {
        const char *wrong = pof_struct_check(&random->tables[i]);
        if (wrong) {
            fail_msg("table %u: %s", i, wrong);
        }
    }
}

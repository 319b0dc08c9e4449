/* Any text as JSON, and any octets as a value, by schemas and views that the input chooses.
 *
 * The first octet says what the rest is, the next four which schema, shape and view. A text is
 * refused with a place in it, or is a value whose text reads back to the same octets. Octets that
 * are shown can be read. What a view shows changes nothing, or is refused for what it hides. */
#include "tests/lib/pof/random_schema.h"
#include "wire/assert.h"
#include "wire/pof/json/json.h"

enum { HEAD_SIZE = 5, OCTETS = 1, SHAPE = 2, VIEW = 4, BASE = 8, NO_SCHEMA = 16 };

/* What the head of an input chooses. */
struct choice {
    struct random_schema random;
    struct pof_json_options options;
    struct buf base;
    bool octets;
};

static void choose(struct choice *choice, const uint8_t *head)
{
    struct dice dice = {get_u32(head + 1)};
    const uint8_t bits = head[0];

    random_schema(&choice->random, &dice);
    const struct pof_shape *shape = random_shape(&choice->random, &dice, 2);
    choice->base = (struct buf){0};
    choice->octets = bits & OCTETS;
    choice->options =
        (struct pof_json_options){.schema = bits & NO_SCHEMA ? NULL : &choice->random.schema,
                                  .shape = bits & SHAPE ? shape : NULL,
                                  .view = bits & VIEW ? &choice->random.view : NULL,
                                  .indent = bits >> 6};
    if (bits & BASE) {
        qn_assert(random_declared(&choice->base, &dice, &choice->random, shape, bits & 32) ==
                  QN_OK);
        choice->options.base = buf_bytes(&choice->base);
    }
}

static enum qn_status show(struct buf *text, struct bytes pof,
                           const struct pof_json_options *options)
{
    enum qn_status status = pof_json_write(text, pof, options);

    qn_assert(status == QN_OK || text->size == 0);
    return status;
}

/* What a writer made, without a view: its text means the same octets. */
static void look_back(struct bytes pof, struct pof_json_options options)
{
    struct buf text = {0};
    struct buf again = {0};

    options.view = NULL;
    qn_assert(show(&text, pof, &options) == QN_OK);
    qn_assert(pof_json_read(&again, buf_bytes(&text), &options, NULL) == QN_OK);
    qn_assert(bytes_equal(buf_bytes(&again), pof));
    buf_fini(&text);
    buf_fini(&again);
}

/* With a view: as a change of itself it is what it was. */
static void look_through(struct bytes pof, struct pof_json_options options)
{
    struct buf text = {0};
    struct buf again = {0};

    options.base = pof;
    enum qn_status status = show(&text, pof, &options);
    if (status == QN_OK) {
        status = pof_json_read(&again, buf_bytes(&text), &options, NULL);
        qn_assert(status != QN_OK || bytes_equal(buf_bytes(&again), pof));
    }
    qn_assert(status == QN_OK || status == QN_UNSUPPORTED);
    buf_fini(&text);
    buf_fini(&again);
}

static void read_text(struct bytes text, const struct pof_json_options *options)
{
    struct pof_json_problem problem = {.line = 0};
    struct buf pof = {0};

    if (pof_json_read(&pof, text, options, &problem) != QN_OK) {
        qn_assert(problem.line >= 1 && problem.text[0] != 0 && pof.size == 0);
    } else {
        look_back(buf_bytes(&pof), *options);
        if (options->view) {
            look_through(buf_bytes(&pof), *options);
        }
    }
    buf_fini(&pof);
}

static bool has_identities(struct bytes text)
{
    static const char mark[] = "\"$id\"";
    bool found = false;

    for (size_t i = 0; i + sizeof mark - 1 <= text.size; i++) {
        found = found || memcmp(text.data + i, mark, sizeof mark - 1) == 0;
    }
    return found;
}

/* What is shown of `pof` was read into `again`, which looks the same: what nobody sees of it may be
 * in another form, and identities have other numbers. */
static void look_same(struct bytes text, struct bytes again, const struct pof_json_options *options)
{
    struct buf text_again = {0};
    enum qn_status status = show(&text_again, again, options);

    qn_assert(status == QN_OK);
    qn_assert(bytes_equal(buf_bytes(&text_again), text) || has_identities(text));
    buf_fini(&text_again);
}

static void read_octets(struct bytes pof, struct pof_json_options options)
{
    struct pof_json_options lossy = options;
    struct buf text = {0};
    struct buf again = {0};

    lossy.lossy = true;
    enum qn_status status = show(&text, pof, &lossy);
    buf_clear(&text);
    enum qn_status exact = show(&text, pof, &options);
    qn_assert(exact == status || exact == QN_UNSUPPORTED);
    if (exact == QN_OK) {
        options.base = pof;
        exact = pof_json_read(&again, buf_bytes(&text), &options, NULL);
        qn_assert(exact == QN_OK || (options.view && exact == QN_UNSUPPORTED));
    }
    if (exact == QN_OK) {
        look_same(buf_bytes(&text), buf_bytes(&again), &options);
    }
    buf_fini(&text);
    buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choice choice;

    if (size < HEAD_SIZE) {
        return 0;
    }
    choose(&choice, data);
    if (choice.octets) {
        read_octets(bytes_of(data + HEAD_SIZE, size - HEAD_SIZE), choice.options);
    } else {
        read_text(bytes_of(data + HEAD_SIZE, size - HEAD_SIZE), &choice.options);
    }
    buf_fini(&choice.base);
    return 0;
}

/* Names of changes and positions of scans as text: they come back as they were, or not at all. */
#include "client/change.h"
#include "client/hex.h"
#include "client/position.h"
#include "tests/lib/check.h"

/* A change's name is one word, and tells the change. */
static void a_change_comes_back(void **state)
{
    struct change_id id = {.client = {{1, 2, 0xfe}},
                           .change = {UINT32_MAX, UINT64_MAX - 1, 1234567}};
    struct change_id back;
    char text[QN_CHANGE_ID_MAX];

    (void)state;
    change_print(&id, text);
    assert_true(strlen(text) < QN_CHANGE_ID_MAX);
    assert_null(strpbrk(text, " \t\n"));
    assert_int_equal(change_parse(text, &back), QN_OK);
    assert_true(client_id_equal(id.client, back.client));
    assert_int_equal(back.change.partition, UINT32_MAX);
    assert_true(back.change.session == UINT64_MAX - 1);
    assert_int_equal(back.change.sequence, 1234567);
    for (size_t i = 0; i < strlen(text); i++) {
        char before = text[i];
        text[i] = before == '0' ? '1' : '0';
        assert_int_equal(change_parse(text, &back), QN_INVALID);
        text[i] = 'G';
        assert_int_equal(change_parse(text, &back), QN_INVALID);
        text[i] = before;
    }
}

static void position_returns(struct bytes token)
{
    struct position position = {.cache = 7,
                                .partition_count = 257,
                                .partition = 256,
                                .skip = 99,
                                .view = UINT64_MAX,
                                .token = token};
    struct position back;
    struct buf text = {0};
    struct buf memory = {0};

    assert_int_equal(position_print(&position, &text), QN_OK);
    assert_int_equal(text.size, position_size(&position));
    assert_int_equal(strlen((const char *)text.data) + 1, text.size);
    assert_int_equal(position_parse((const char *)text.data, &memory, &back), QN_OK);
    assert_int_equal(back.cache, 7);
    assert_int_equal(back.partition_count, 257);
    assert_int_equal(back.partition, 256);
    assert_int_equal(back.skip, 99);
    assert_true(back.view == UINT64_MAX);
    assert_bytes_equal(back.token, token);
    buf_fini(&text);
    buf_fini(&memory);
}

/* Also with a token that holds the largest key. */
static void a_position_comes_back(void **state)
{
    static uint8_t token[WIRE_KEY_MAX + 64];

    (void)state;
    for (size_t i = 0; i < sizeof token; i++) {
        token[i] = (uint8_t)(i * 7);
    }
    position_returns(bytes_of(NULL, 0));
    position_returns(bytes_of(token, 1));
    position_returns(bytes_of(token, sizeof token));
    assert_true(2 * sizeof token + 100 < QN_POSITION_MAX);
}

/* Whatever is cut off, too long or something else is refused. */
static void other_texts_are_no_positions(void **state)
{
    static char longest[QN_POSITION_MAX + 2];
    static const char *const texts[] = {"", "p", "p1-", "p1-zz", "w1-00000000", "p1-0"};
    struct position back;
    struct buf memory = {0};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(position_parse(texts[i], &memory, &back), QN_INVALID);
    }
    memset(longest, '0', sizeof longest - 1);
    memcpy(longest, "p1-", 3);
    assert_int_equal(position_parse(longest, &memory, &back), QN_INVALID);
    buf_fini(&memory);
}

/* Digits are lower-case; anything else is refused. */
static void digits_are_read_back(void **state)
{
    static const uint8_t octets[] = {0x00, 0x7f, 0x80, 0xff};
    uint8_t back[4];
    char text[9] = "";

    (void)state;
    assert_ptr_equal(hex_write(bytes_of(octets, 4), text), text + 8);
    assert_string_equal(text, "007f80ff");
    assert_true(hex_read(text, 4, back));
    assert_memory_equal(octets, back, 4);
    assert_false(hex_read("0g", 1, back));
    assert_false(hex_read("A0", 1, back));
    assert_false(hex_read("0", 1, back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_comes_back),
        cmocka_unit_test(a_position_comes_back),
        cmocka_unit_test(other_texts_are_no_positions),
        cmocka_unit_test(digits_are_read_back),
    };

    return RUN_TESTS(tests);
}

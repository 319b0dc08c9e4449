#include "tests/lib/check.h"
#include "wire/pof/text.h"

static void expect_text(const char *text, enum pof_text_form form, const char *utf8)
{
    struct buf out = {0};

    assert_int_equal(pof_text_check(bytes_of_text(text)), form);
    if (form == POF_TEXT_BROKEN) {
        assert_int_equal(pof_text_append(&out, bytes_of_text(text)), QN_MALFORMED);
        assert_int_equal(out.size, 0);
    } else {
        assert_int_equal(pof_text_append(&out, bytes_of_text(text)), QN_OK);
        assert_bytes_equal(buf_bytes(&out), bytes_of_text(utf8));
    }
    buf_fini(&out);
}

static void utf8_stays_as_it_is(void **state)
{
    (void)state;
    expect_text("", POF_TEXT_STANDARD, "");
    expect_text("plain text of more than eight", POF_TEXT_STANDARD,
                "plain text of more than eight");
    expect_text("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", POF_TEXT_STANDARD,
                "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    expect_text("\xf4\x8f\xbf\xbf", POF_TEXT_STANDARD, "\xf4\x8f\xbf\xbf");
    assert_int_equal(pof_text_check(bytes_of("a\0b", 3)), POF_TEXT_STANDARD);
}

/* What older writers made of NUL and of characters above U+FFFF (pof.jsonl, decode/string-*). */
static void older_forms_become_utf8(void **state)
{
    struct buf out = {0};

    (void)state;
    expect_text("\xed\xa0\xbd\xed\xb8\x80", POF_TEXT_LEGACY, "\xf0\x9f\x98\x80");
    expect_text("x\xed\xa0\xbdy", POF_TEXT_LEGACY, "x\xef\xbf\xbdy");
    expect_text("\xed\xb8\x80\xed\xa0\xbd", POF_TEXT_LEGACY, "\xef\xbf\xbd\xef\xbf\xbd");
    expect_text("\xc1\x81", POF_TEXT_LEGACY, "A");
    expect_text("\xe0\x80\x81", POF_TEXT_LEGACY, "\x01");
    assert_int_equal(pof_text_append(&out, bytes_of_text("a\xc0\x80z")), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("a\0z", 3));
    buf_fini(&out);
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    expect_text("eight ok\x80", POF_TEXT_BROKEN, NULL);
    expect_text("\xc3", POF_TEXT_BROKEN, NULL);
    expect_text("\xc3\x41", POF_TEXT_BROKEN, NULL);
    expect_text("\xe2\x82", POF_TEXT_BROKEN, NULL);
    expect_text("\xf0\x9f\x98", POF_TEXT_BROKEN, NULL);
    expect_text("\xf0\x80\x80\x81", POF_TEXT_BROKEN, NULL);
    expect_text("\xf4\x90\x80\x80", POF_TEXT_BROKEN, NULL);
    expect_text("\xff", POF_TEXT_BROKEN, NULL);
}

/* A char is one UTF-16 unit, a surrogate too. */
static void every_unit_comes_back(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit <= UINT16_MAX; unit++) {
        uint8_t octets[3];
        uint16_t back = 0;
        struct bytes in = bytes_of(octets, pof_text_put_unit(octets, (uint16_t)unit));
        assert_int_equal(pof_text_take_unit(&in, &back), QN_OK);
        assert_int_equal(back, unit);
        assert_int_equal(in.size, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_stays_as_it_is),
        cmocka_unit_test(older_forms_become_utf8),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(every_unit_comes_back),
    };

    return RUN_TESTS(tests);
}

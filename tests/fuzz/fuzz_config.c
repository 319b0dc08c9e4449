/* Any text as settings file and as types file: refused or accepted, never a crash.
 *
 * Texts that include files are left out: what is on the disk of whoever runs this does not belong
 * to the input. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "config/cfg.h"
#include "config/types.h"
#include "wire/assert.h"

static bool includes(struct bytes text)
{
    static const char word[] = "@include";
    size_t size = sizeof word - 1;

    for (size_t i = 0; i + size <= text.size; i++) {
        if (memcmp(text.data + i, word, size) == 0) {
            return true;
        }
    }
    return false;
}

static void settings_load(struct bytes text)
{
    struct cfg cfg;
    struct cfg_report report = {0};
    enum qn_status status = cfg_load_text(text, "fuzz", &cfg, &report);

    qn_assert((status == QN_OK) == (report.error_count == 0));
    if (status == QN_OK) {
        qn_assert(cfg.cluster_min_isr <= cfg.cluster_copies);
        cfg_fini(&cfg);
    }
    cfg_report_fini(&report);
}

static void types_read(struct bytes text)
{
    struct types *types;
    struct cfg_report report = {0};
    enum qn_status status = types_load_text(text, "fuzz", &types, &report);

    qn_assert((status == QN_OK) == (report.error_count == 0));
    if (status == QN_OK) {
        types_free(types);
    }
    cfg_report_fini(&report);
}

/* libconfig 1.5 leaks the text it was reading when it meets a syntax error. A settings file is read
 * once, so that is harmless; but it would hide leaks of ours. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = bytes_of(data, size);

    if (!includes(text)) {
        settings_load(text);
        types_read(text);
    }
    return 0;
}

/* Any text as settings file: refused or accepted, never a crash.
 *
 * Texts that include files are left out: what is on the disk of whoever runs this does not belong
 * to the input. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "config/cfg.h"
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

struct printed {
    struct buf text;
    bool whole;
};

static void setting_add(void *arg, const char *path, const char *value, const char *origin)
{
    struct printed *printed = arg;
    const char *dot = strchr(path, '.');
    struct bytes parts[] = {bytes_of(path, (size_t)(dot - path)),
                            bytes_of_text(" = { "),
                            bytes_of_text(dot + 1),
                            bytes_of_text(" = "),
                            bytes_of_text(value),
                            bytes_of_text("; };\n")};

    /* One section a file: the same name twice is a mistake. A list stands for all. */
    if (strcmp(path, "caches.names") != 0 && strcmp(path, "logging.levels") != 0) {
        return;
    }
    (void)origin;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        enum qn_status status = buf_append(&printed->text, parts[i].data, parts[i].size);
        printed->whole = printed->whole && status == QN_OK;
    }
}

/* What is printed of the lists is read again as the same. */
static void printed_load(const struct cfg *cfg)
{
    struct printed printed = {.whole = true};
    struct cfg_report report = {0};
    struct cfg again;
    enum qn_status status = cfg_each(cfg, setting_add, &printed);

    if (status == QN_OK && printed.whole && cfg->caches_names.count > 0) {
        status = cfg_load_text(buf_bytes(&printed.text), "printed", &again, &report);
        qn_assert(status == QN_OK);
        qn_assert(again.caches_names.count == cfg->caches_names.count);
        qn_assert(again.logging_levels.count == cfg->logging_levels.count);
        cfg_fini(&again);
    }
    cfg_report_fini(&report);
    buf_fini(&printed.text);
}

static void settings_load(struct bytes text)
{
    struct cfg cfg;
    struct cfg_report report = {0};
    enum qn_status status = cfg_load_text(text, "fuzz", &cfg, &report);

    qn_assert((status == QN_OK) == (report.error_count == 0));
    if (status == QN_OK) {
        qn_assert(cfg.cluster_min_isr <= cfg.cluster_copies);
        printed_load(&cfg);
        cfg_fini(&cfg);
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
    }
    return 0;
}

#include "config/gen_man.h"

#include <string.h>

#include "config/cfg_table.h"

/* Of the page; to be changed with what it says. */
static const char date[] = "2026-12-01";

/* What a person types stands here and in the help of node/main.c; a test compares the two. */
static const struct {
    const char *name;
    const char *text;
} options[] = {
    {"-c, --config FILE", "settings file; conf.d/*.cfg beside it are read as well"},
    {"-s, --set SECTION.KEY=VALUE",
     "set one value; wins over file and environment. A list has commas between its entries: "
     "--set 'caches.names=accounts, sessions ttl=30m'"},
    {"--check-config", "check the settings and end: 0 right, 1 wrong"},
    {"--print-config", "print every setting, and where its value comes from, and end"},
    {"--sample-config", "print a settings file with every setting explained, and end"},

    {"--version", "print the version and end"},
    {"-h, --help", "print the options and end"},
};

static const struct {
    const char *name;
    const char *text;
} exits[] = {{"0", "stopped as asked"},
             {"1", "failed: the last line on stderr says why"},
             {"2", "the command line is wrong"}};

/* Text as roff prints it: no line looks like a request, and dashes stay what was typed. */
static void text_put(const char *text, FILE *to)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\') {
            (void)fputs("\\e", to);
        } else if (*text == '-') {
            (void)fputs("\\-", to);
        } else if (*text == '\'') {
            (void)fputs("\\(aq", to);
        } else {
            (void)putc(*text == '\n' ? ' ' : *text, to);
        }
    }
}

static void item_put(const char *name, const char *text, FILE *to)
{
    (void)fputs(".TP\n\\fB", to);
    text_put(name, to);
    (void)fputs("\\fR\n", to);
    text_put(text, to);
    (void)putc('\n', to);
}

static void settings_put(FILE *to)
{
    (void)fputs(".SH SETTINGS\nEach with its default. Ranges, and how a file is written: "
                "\\fBquoind \\-\\-sample\\-config\\fR.\n",
                to);
    for (size_t s = 0; s < CFG_SECTION_COUNT; s++) {
        (void)fprintf(to, ".SS %s\n", cfg_sections[s].name);
        text_put(cfg_sections[s].text, to);
        (void)putc('\n', to);
        for (size_t i = 0; i < CFG_SETTING_COUNT; i++) {
            if (strcmp(cfg_table[i].section, cfg_sections[s].name) == 0) {
                char name[128];
                (void)snprintf(name, sizeof name, "%s = %s", cfg_table[i].path,
                               *cfg_table[i].standard != '\0' ? cfg_table[i].standard : "(empty)");
                item_put(name, cfg_table[i].text, to);
            }
        }
    }
}

static void head_put(FILE *to)
{
    (void)fprintf(
        to,
        ".\\\" Written by quoin-gen-config --man.\n"
        ".TH QUOIND 8 \"%s\" \"Quoin\" \"Quoin\"\n"
        ".SH NAME\nquoind \\- a node of the Quoin data grid\n"
        ".SH SYNOPSIS\n\\fBquoind\\fR [\\fB\\-\\-config\\fR \\fIFILE\\fR] "
        "[\\fB\\-\\-set\\fR \\fISECTION.KEY=VALUE\\fR ...]\n"
        ".SH DESCRIPTION\n"
        "Keeps entries of named caches and serves them to clients until a signal ends it. "
        "Without settings each has its default, and data go to the folder\n.I data\nin the "
        "working folder.\n.PP\n"
        "Settings come, stronger ones later, from the file, from conf.d/*.cfg beside it, "
        "from the environment and from\n.BR \\-\\-set .\n",
        date);
}

static void tail_put(FILE *to)
{
    (void)fputs(".SH ENVIRONMENT\n.TP\n.B QUOIN_SECTION__KEY\na setting, such as "
                "QUOIN_NODE__DATA_PORT=7100\n"
                ".SH SIGNALS\n.TP\n.BR SIGTERM \", \" SIGINT\nend cleanly\n.TP\n.B SIGHUP\n"
                "read the settings again; those that need a restart are named in the log\n"
                ".SH EXIT STATUS\n",
                to);
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++) {
        item_put(exits[i].name, exits[i].text, to);
    }
    (void)fputs(".SH SEE ALSO\n.BR quoin (1)\n", to);
}

void man_write(FILE *to)
{
    head_put(to);
    (void)fputs(".SH OPTIONS\n", to);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        item_put(options[i].name, options[i].text, to);
    }
    settings_put(to);
    tail_put(to);
}

/* quoind: read the settings, run a node until a signal comes. */
#define _GNU_SOURCE
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "node/memory.h"
#include "node/node.h"
#include "node/notify.h"
#include "node/version.h"
#include "wire/assert.h"

extern char **environ;

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    SETS_MAX = 64,
    EXTEND_US = 30 * 1000 * 1000, /* a start that goes on may take so much longer */
};

enum action { ACTION_RUN, ACTION_CHECK, ACTION_PRINT, ACTION_SAMPLE, ACTION_VERSION, ACTION_HELP };

struct arguments {
    enum action action;
    const char *file;
    const char *sets[SETS_MAX];
    size_t set_count;
};

static void usage(FILE *to)
{
    (void)fputs(
        "quoind - a node of the Quoin data grid\n"
        "\n"
        "Examples\n"
        "  quoind --set node.data_dir=/tmp/quoin          run with defaults, data in /tmp/quoin\n"
        "  quoind --config quoin.cfg                      run with a settings file\n"
        "  quoind --set 'caches.names=accounts, sessions ttl=30m'\n"
        "                                                 a list: commas between its entries\n"
        "  quoind --config quoin.cfg --check-config       is the file right?\n"
        "  quoind --config quoin.cfg --print-config       every value, and where it comes from\n"
        "  quoind --sample-config > quoin.cfg             all settings, explained\n"
        "\n"
        "Options\n"
        "  -c, --config FILE        settings file; conf.d/*.cfg beside it are read as well\n"
        "  -s, --set SECTION.KEY=V  set one value; wins over file and environment\n"
        "      --check-config       check the settings and end: 0 right, 1 wrong\n"
        "      --print-config       print the settings and end\n"
        "      --sample-config      print a commented settings file and end\n"
        "      --version            print the version and end\n"
        "  -h, --help               this text\n"
        "\n"
        "Without any of them every setting has its default, and data go to the folder data in the\n"
        "working folder.\n"
        "\n"
        "Settings also come from the environment, as QUOIN_SECTION__KEY. SIGTERM and SIGINT stop\n"
        "the node cleanly, SIGHUP reads the settings again. Exit codes: 0 stopped, 1 failed (the "
        "reason is on stderr), 2 usage.\n",
        to);
}

/* False: the arguments are wrong, and said so. */
static bool arguments_read(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"set", required_argument, NULL, 's'},
        {"check-config", no_argument, NULL, ACTION_CHECK},
        {"print-config", no_argument, NULL, ACTION_PRINT},
        {"sample-config", no_argument, NULL, ACTION_SAMPLE},
        {"version", no_argument, NULL, ACTION_VERSION},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int got;

    while ((got = getopt_long(argc, argv, "c:s:h", options, NULL)) != -1) {
        switch (got) {
        case 'c':
            out->file = optarg;
            break;
        case 's':
            if (out->set_count == SETS_MAX) {
                (void)fprintf(stderr, "quoind: more than %d --set: use a file\n", SETS_MAX);
                return false;
            }
            out->sets[out->set_count++] = optarg;
            break;
        case 'h':
            out->action = ACTION_HELP;
            break;
        case '?':
            (void)fputs("Try: quoind --help\n", stderr);
            return false;
        default:
            out->action = (enum action)got;
            break;
        }
    }
    if (optind < argc) {
        (void)fprintf(stderr, "quoind: unexpected argument \"%s\"\nTry: quoind --help\n",
                      argv[optind]);
        return false;
    }
    return true;
}

/* Each connection is a descriptor: take as many as the system allows. */
static void descriptors_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static sigset_t stop_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    return set;
}

/* A descriptor that tells of SIGTERM and SIGINT. These and SIGHUP are blocked in all threads
 * started later; SIGHUP stays pending until `signals_take_reload`. */
static int signals_open(void)
{
    sigset_t set = stop_signals();

    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error of the write, not the end */
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) {
        return -1;
    }
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    (void)sigaddset(&set, SIGHUP);
    return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? fd : -1;
}

/* The node serves: from now on the descriptor tells of SIGHUP as well. */
static void signals_take_reload(int fd)
{
    sigset_t set = stop_signals();

    (void)sigaddset(&set, SIGHUP);
    (void)signalfd(fd, &set, 0);
}

static uint32_t signal_take(int fd)
{
    struct signalfd_siginfo info;

    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? info.ssi_signo : 0;
}

static enum log_level level_of(enum cfg_level level)
{
    static const enum log_level levels[] = {
        [CFG_LEVEL_ERROR] = LOG_LEVEL_ERROR,
        [CFG_LEVEL_WARN] = LOG_LEVEL_WARN,
        [CFG_LEVEL_INFO] = LOG_LEVEL_INFO,
        [CFG_LEVEL_DEBUG] = LOG_LEVEL_DEBUG,
    };

    return levels[level];
}

/* The levels of the settings. QN_INVALID: a module does not exist, see the report. */
static enum qn_status levels_set(const struct logger *logger, const struct cfg *cfg,
                                 struct cfg_report *report)
{
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = logger_level_set(logger, "", level_of(cfg->logging_level), &err);

    for (size_t i = 0; i < cfg->logging_levels.count && status == QN_OK; i++) {
        const struct cfg_module_level *one = &cfg->logging_levels.list[i];
        status = logger_level_set(logger, one->module, level_of(one->level), &err);
    }
    if (status != QN_OK) {
        cfg_report_error(report, cfg_origin(cfg, "logging", "levels"), 0, "logging.levels: %s",
                         err.text);
    }
    return status;
}

static void logger_open(struct logger *logger, const struct cfg *cfg)
{
    struct logger_options options = {
        .fd = STDERR_FILENO,
        .level = level_of(cfg->logging_level),
        .json = cfg->logging_format == CFG_FORMAT_JSON,
        .priority = logger_is_journal(STDERR_FILENO, getenv("JOURNAL_STREAM")),
        .node = cfg->node_id,
    };

    logger_init(logger, &options);
}

/* Lines about settings, as lines of the log. */
static void report_log(const struct logger *logger, const struct cfg_report *report)
{
    const char *line = cfg_report_text(report);

    while (*line != '\0') {
        size_t size = strcspn(line, "\n");
        logger_write(logger, LOG_LEVEL_WARN, "node", "setting", "text=\"%.*s\"", (int)size, line);
        line += size + (line[size] == '\n');
    }
}

/* What a running node needs of its process. */
struct process {
    const struct cfg_sources *sources;
    struct cfg *cfg;
    struct logger logger;
    struct notify notify;
    int signal_fd;
};

/* Read the settings again and take over what may change; the rest is named in the report. */
static void reload(struct process *process, struct node *node)
{
    struct cfg_report report = {0};
    struct cfg fresh = {0};
    size_t changed = 0;
    enum qn_status status = cfg_load(process->sources, &fresh, &report);

    if (status == QN_OK) {
        status = levels_set(&process->logger, &fresh, &report);
    }
    if (status == QN_OK) {
        changed = node_reload(node, &fresh, process->cfg, &report);
    }
    report_log(&process->logger, &report);
    logger_write(&process->logger, status == QN_OK ? LOG_LEVEL_INFO : LOG_LEVEL_WARN, "node",
                 status == QN_OK ? "reloaded" : "reload_refused", "changed=%zu", changed);
    cfg_fini(&fresh);
    cfg_report_fini(&report);
}

/* Act on a signal. False: end. */
static bool signal_handle(struct process *process, struct node *node)
{
    uint32_t number = signal_take(process->signal_fd);

    if (number == SIGHUP) {
        notify_reloading(&process->notify);
        reload(process, node);
        notify_ready(&process->notify);
        return true;
    }
    logger_write(&process->logger, LOG_LEVEL_INFO, "node", "stopping", "signal=%s",
                 number == SIGINT ? "SIGINT" : "SIGTERM");
    return false;
}

static void wait_for_end(struct process *process, struct node *node)
{
    struct pollfd fds[] = {{.fd = process->signal_fd, .events = POLLIN},
                           {.fd = node_failed_fd(node), .events = POLLIN}};

    for (;;) {
        int ready = poll(fds, 2, NODE_TEND_MS);
        node_tend(node);
        if (node_moves(node)) {
            notify_watchdog(&process->notify);
        }
        if (ready <= 0) {
            continue;
        }
        if (fds[1].revents) {
            logger_write(&process->logger, LOG_LEVEL_ERROR, "node", "failed", "%s", "");
            return;
        }
        if (!signal_handle(process, node)) {
            return;
        }
    }
}

static void recovery_tell(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    const struct process *process = arg;

    notify_extend_timeout_usec(&process->notify, EXTEND_US);
    notify_watchdog(&process->notify);
    notify_status(&process->notify, "recovering, %d %%",
                  total_bytes > 0 ? (int)(done_bytes * 100 / total_bytes) : 0);
}

static int end_failed(const struct logger *logger, const char *event, const qn_error *err)
{
    logger_write(logger, LOG_LEVEL_ERROR, "node", event, "status=%s reason=\"%s\"",
                 qn_status_name(err->status), err->text);
    return EXIT_FAILED;
}

static int serve(struct process *process)
{
    struct node_options options = {.cfg = process->cfg,
                                   .logger = &process->logger,
                                   .stop_fd = process->signal_fd,
                                   .progress = recovery_tell,
                                   .arg = process};
    qn_error err = QN_ERROR_INIT;
    struct node *node;
    enum qn_status status = node_open(&options, &node, &err);

    if (status == QN_CLOSED) {
        logger_write(&process->logger, LOG_LEVEL_INFO, "node", "stopped", "reason=\"%s\"",
                     err.text);
        return EXIT_OK;
    }
    if (status != QN_OK) {
        return end_failed(&process->logger, "start_failed", &err);
    }
    signals_take_reload(process->signal_fd);
    notify_ready(&process->notify);
    notify_status(&process->notify, "serving");
    wait_for_end(process, node);
    notify_stopping(&process->notify);
    if (node_close(node, &err) != QN_OK) {
        return end_failed(&process->logger, "stopped_with_failure", &err);
    }
    logger_write(&process->logger, LOG_LEVEL_INFO, "node", "stopped", "%s", "");
    return EXIT_OK;
}

/* A folder as it is found from anywhere. */
static const char *absolute(const char *folder, char *text, size_t size)
{
    char here[PATH_MAX];

    if (folder[0] == '/' || !getcwd(here, sizeof here)) {
        return folder;
    }
    (void)snprintf(text, size, "%s/%s", here, folder);
    return text;
}

/* What somebody must know who started it without thinking of it: by which settings it runs, and
 * where the data go. */
static void starting_log(const struct logger *logger, const struct cfg_sources *sources,
                         const struct cfg *cfg)
{
    char folder[2 * PATH_MAX];
    const char *data_dir = absolute(cfg->node_data_dir, folder, sizeof folder);

    logger_write(logger, LOG_LEVEL_INFO, "node", "starting",
                 "version=%s config=\"%s\" data_dir=\"%s\"", QUOIN_VERSION,
                 sources->file ? sources->file : "", data_dir);
    if (cfg_is_default(cfg)) {
        logger_write(logger, LOG_LEVEL_INFO, "node", "defaults",
                     "reason=\"no settings were given, so each has its default; how to give some: "
                     "quoind --help\"");
    }
}

/* `report` has notes about the settings. */
static int run(const struct cfg_sources *sources, struct cfg *cfg, struct cfg_report *report)
{
    struct process process = {.sources = sources, .cfg = cfg, .signal_fd = signals_open()};
    qn_error err = QN_ERROR_INIT;

    logger_open(&process.logger, cfg);
    descriptors_raise();
    if (process.signal_fd < 0) {
        (void)qn_error_set(&err, QN_IO, "cannot open a signalfd: raise ulimit -n");
        return end_failed(&process.logger, "start_failed", &err);
    }
    enum qn_status status = levels_set(&process.logger, cfg, report);
    qn_assert(status == QN_OK); /* they have been checked */
    starting_log(&process.logger, sources, cfg);
    report_log(&process.logger, report);
    notify_open(&process.notify);
    int code = serve(&process);
    logger_flush(&process.logger, true);
    notify_close(&process.notify);
    return code;
}

/* Read the settings; also what only this program can check: the names of its modules. */
static enum qn_status settings_load(const struct cfg_sources *sources, struct cfg *cfg,
                                    struct cfg_report *report)
{
    struct logger scratch;
    enum qn_status status = cfg_load(sources, cfg, report);

    if (status == QN_OK) {
        logger_open(&scratch, cfg);
        status = levels_set(&scratch, cfg, report);
    }
    return status;
}

static int act(enum action action, const struct arguments *arguments)
{
    struct cfg_sources sources = {.file = arguments->file,
                                  .environ = (const char *const *)environ,
                                  .sets = arguments->sets,
                                  .set_count = arguments->set_count};
    struct cfg_report report = {0};
    struct cfg cfg = {0};
    int code = EXIT_OK;
    enum qn_status status = settings_load(&sources, &cfg, &report);

    if (status != QN_OK || action != ACTION_RUN) {
        cfg_report_print(&report, stderr);
    }
    if (status != QN_OK) {
        (void)fprintf(stderr, "quoind: the settings are wrong: correct them and start again\n");
        code = EXIT_FAILED;
    } else if (action == ACTION_CHECK) {
        char folder[2 * PATH_MAX];
        (void)printf("the settings are right; data go to %s\n",
                     absolute(cfg.node_data_dir, folder, sizeof folder));
    } else if (action == ACTION_PRINT) {
        cfg_print(&cfg, stdout);
    } else {
        code = run(&sources, &cfg, &report);
    }
    cfg_fini(&cfg);
    cfg_report_fini(&report);
    return code;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.action = ACTION_RUN};

    memory_tune();
    if (!arguments_read(argc, argv, &arguments)) {
        return EXIT_USAGE;
    }
    switch (arguments.action) {
    case ACTION_HELP:
        usage(stdout);
        return EXIT_OK;
    case ACTION_VERSION:
        (void)puts("quoind " QUOIN_VERSION);
        return EXIT_OK;
    case ACTION_SAMPLE:
        cfg_sample_write(stdout);
        return EXIT_OK;
    case ACTION_RUN:
    case ACTION_CHECK:
    case ACTION_PRINT:
        break;
    }
    return act(arguments.action, &arguments);
}

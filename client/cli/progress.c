#define _GNU_SOURCE
#include "client/cli/progress.h"

#include <string.h>
#include <time.h>

#include "client/cli/text.h"

enum { PROGRESS_WIDTH = 20, PROGRESS_LEFT_MAX = 60, PROGRESS_PERIOD_NS = 100 * 1000 * 1000 };

uint64_t progress_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void progress_init(struct progress *progress, FILE *to, bool terminal, const char *what,
                   uint64_t total)
{
    *progress = (struct progress){
        .to = terminal ? to : NULL, .what = what, .total = total, .began_ns = progress_clock_ns()};
}

void progress_go_on(struct progress *progress, uint64_t count, uint64_t done)
{
    progress->from_count = count;
    progress->from_done = done;
}

static uint64_t rate(uint64_t count, uint64_t elapsed_ns)
{
    return elapsed_ns == 0 ? 0 : (uint64_t)((double)count * 1e9 / (double)elapsed_ns);
}

/* ", 12 s left", by the speed so far; nothing before there is one. */
static void left_format(const struct progress *progress, uint64_t done, uint64_t elapsed_ns,
                        char *text)
{
    *text = '\0';
    if (done <= progress->from_done || done >= progress->total || elapsed_ns == 0) {
        return;
    }
    char time[TEXT_NUMBER_MAX];
    double per_unit = (double)elapsed_ns / (double)(done - progress->from_done);
    double left_ms = per_unit * (double)(progress->total - done) / 1e6;
    if (left_ms < 1e15) {
        snprintf(text, PROGRESS_LEFT_MAX, ", %s left", text_uptime((uint64_t)left_ms, time));
    }
}

void progress_format(const struct progress *progress, uint64_t count, uint64_t done,
                     uint64_t elapsed_ns, char *line)
{
    char counted[TEXT_NUMBER_MAX];
    char per_second[TEXT_NUMBER_MAX];
    text_grouped(count, counted);
    text_grouped(rate(count - progress->from_count, elapsed_ns), per_second);
    if (progress->total == 0) {
        snprintf(line, PROGRESS_LINE_MAX, "%s %s, %s/s", counted, progress->what, per_second);
        return;
    }
    double part = done >= progress->total ? 1 : (double)done / (double)progress->total;
    char bar[PROGRESS_WIDTH + 1];
    size_t full = (size_t)(part * PROGRESS_WIDTH);
    memset(bar, '.', PROGRESS_WIDTH);
    memset(bar, '#', full);
    bar[PROGRESS_WIDTH] = '\0';
    char left[PROGRESS_LEFT_MAX];
    left_format(progress, done, elapsed_ns, left);
    snprintf(line, PROGRESS_LINE_MAX, "[%s] %3d%%  %s %s, %s/s%s", bar, (int)(part * 100), counted,
             progress->what, per_second, left);
}

void progress_show(struct progress *progress, uint64_t count, uint64_t done)
{
    if (progress->to == NULL) {
        return;
    }
    uint64_t now = progress_clock_ns();
    if (progress->drawn_ns != 0 && now - progress->drawn_ns < PROGRESS_PERIOD_NS) {
        return;
    }
    progress->drawn_ns = now;
    char line[PROGRESS_LINE_MAX];
    progress_format(progress, count, done, now - progress->began_ns, line);
    fprintf(progress->to, "\r\033[K%s", line);
    fflush(progress->to);
}

void progress_end(struct progress *progress)
{
    if (progress->to != NULL && progress->drawn_ns != 0) {
        fputs("\r\033[K", progress->to);
        fflush(progress->to);
    }
}

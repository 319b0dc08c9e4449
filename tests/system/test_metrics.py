#!/usr/bin/env python3
"""/metrics of a real node: what Prometheus accepts, under the names that are promised, within its bound."""

import re
import shutil
import subprocess
import sys

import harness
from harness import expect

SERIES_MAX = 2000

# Names, and for some the labels, that dashboards and alerts rely on. One of each must be there.
PROMISED = """
quoin_build_info{commit,version} quoin_config_info{hash} quoin_up quoin_ready quoin_node_state{state}
quoin_requests_total{cache,op,result} quoin_request_seconds{op} quoin_inflight quoin_rejected_total{reason}
quoin_partitions{role} quoin_partitions_without_leader quoin_cluster_safe
quoin_commit_seconds{kind} quoin_uncommitted_bytes
quoin_log_append_seconds quoin_log_fsync_seconds quoin_log_bytes_total quoin_log_disk_bytes
quoin_snapshot_age_seconds quoin_snapshots_total quoin_snapshot_bytes_total quoin_recovery_seconds
quoin_entries{cache} quoin_entry_bytes{cache} quoin_cache_limit_bytes{cache}
quoin_hits_total{cache} quoin_misses_total{cache} quoin_expired_total{cache} quoin_evictions_total{cache,reason}
quoin_caches{label} quoin_memory_bytes quoin_memory_limit_bytes
quoin_views_pinned quoin_cursors_expired_total quoin_replies_dropped_total quoin_disk_full
quoin_log_messages_total{level} quoin_log_messages_dropped_total
process_cpu_seconds_total process_open_fds process_max_fds process_resident_memory_bytes
process_virtual_memory_bytes process_start_time_seconds
""".split()
HISTOGRAMS = ("quoin_request_seconds", "quoin_commit_seconds", "quoin_log_append_seconds", "quoin_log_fsync_seconds")
BUCKETS = 20

SAMPLE = re.compile(r'^([a-z_]+)(?:\{(.*)\})? ([0-9.e+]+)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


class Page:
    """One scrape."""

    def __init__(self, text):
        self.text = text
        self.types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
        self.series = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                match = SAMPLE.match(line)
                expect(match, f"no sample: {line}")
                name, labels, value = match.groups()
                self.series[name, tuple(sorted(LABEL.findall(labels or "")))] = float(value)

    def value(self, name, **labels):
        wanted = (name, tuple(sorted(labels.items())))
        expect(wanted in self.series, f"{name} {labels} is not there:\n{self.text}")
        return self.series[wanted]

    def labels_of(self, name):
        """The sets of label names under which a metric is there."""
        return {tuple(label for label, _ in labels) for found, labels in self.series if found == name}


def scrape(node):
    status, text = node.http("/metrics")
    expect(status == 200, f"/metrics answers {status}:\n{text}")
    return Page(text)


def traffic(node):
    """Some of everything: hits, misses, an expired entry, a refusal, both commits, a scan."""
    for i in range(20):
        node.quoin("put", "orders", f"key{i}", str(i))
        node.quoin("get", "orders", f"key{i}")
    for i in range(5):
        node.quoin("get", "orders", f"absent{i}", code=1)
    node.quoin("put", "small", "a", "1")
    node.quoin("put", "small", "brief", "1", "--ttl", "1ms")
    node.quoin("remove", "orders", "key0")
    node.quoin("get", "nowhere", "a", code=5)
    node.quoin("commit")
    node.quoin("commit", "--hard")
    node.quoin("count", "orders")


def started(work):
    node = work.node(caches=["orders", "small size_max=1GiB"])
    node.start()
    return node


def check_promised(page, promised):
    name, _, labels = promised.rstrip("}").partition("{")
    wanted = tuple(labels.split(",")) if labels else ()
    if name in HISTOGRAMS:
        expect(page.types.get(name) == "histogram", f"{name} is {page.types.get(name)}, not a histogram")
        expect(page.labels_of(f"{name}_count") == {wanted}, f"{name}: labels {page.labels_of(f'{name}_count')}")
        buckets = {labels for found, labels in page.series if found == f"{name}_bucket"}
        rows = {tuple(pair for pair in labels if pair[0] != "le") for labels in buckets}
        expect(len(buckets) == BUCKETS * len(rows), f"{name}: {len(buckets)} buckets for {len(rows)} rows")
        return
    expect(page.labels_of(name) == {wanted}, f"{promised}: there with labels {page.labels_of(name)}")


def the_promised_names_are_there(work):
    """Every metric of the contract is there after some traffic, with its labels and as its type."""
    node = started(work)
    traffic(node)
    page = scrape(node)
    missing = []
    for promised in PROMISED:
        try:
            check_promised(page, promised)
        except harness.Failure as failure:
            missing.append(str(failure))
    expect(not missing, "\n".join(missing))


def prometheus_accepts_the_page(work):
    """promtool, which comes with Prometheus, finds nothing to say."""
    expect(shutil.which("promtool"), "promtool is not there: install the package prometheus")
    node = started(work)
    traffic(node)
    page = scrape(node)
    result = subprocess.run(["promtool", "check", "metrics"], input=page.text, text=True, timeout=harness.CALL_S,
                            capture_output=True, check=False)
    expect(result.returncode == 0 and not result.stderr.strip(),
           f"promtool ends with code {result.returncode}:\n{result.stdout}{result.stderr}")


def many_caches_stay_within_the_bound(work):
    """However many caches there are, a page has at most 2,000 series, and no entry is left out."""
    node = work.node(caches=[f"cache{i}" for i in range(80)])
    node.start()
    for i in range(80):
        node.quoin("put", f"cache{i}", "a", "1")
    node.quoin("commit")
    harness.wait_until(lambda: entries(scrape(node)) == 80, harness.START_S, "quoin_entries to sum up to 80")
    page = scrape(node)
    expect(len(page.series) <= SERIES_MAX, f"{len(page.series)} series")
    own, other = page.value("quoin_caches", label="own"), page.value("quoin_caches", label="_other")
    expect(own + other == 80 and other > 0, f"{own} caches with a label and {other} without make 80?")


def entries(page):
    return sum(value for (name, _), value in page.series.items() if name == "quoin_entries")


def grows(page, name):
    """Is it a series that only grows?"""
    family = re.sub(r"_(bucket|sum|count)$", "", name)
    return page.types.get(name) == "counter" or page.types.get(family) == "histogram"


HAPPENED = (("quoin_hits_total", {"cache": "orders"}, 19), ("quoin_misses_total", {"cache": "orders"}, 5),
            ("quoin_requests_total", {"cache": "orders", "op": "put", "result": "ok"}, 20),
            ("quoin_request_seconds_count", {"op": "put"}, 22), ("quoin_log_fsync_seconds_count", {}, 1),
            ("quoin_commit_seconds_count", {"kind": "hard"}, 1), ("quoin_log_bytes_total", {}, 100))


def too_small(first, second):
    """Counters that have not grown as what happened between the two scrapes made them grow."""
    return [f"{name} {labels} grew by {second.value(name, **labels) - first.value(name, **labels)}, not {least}"
            for name, labels, least in HAPPENED
            if second.value(name, **labels) - first.value(name, **labels) < least]


def counters_only_grow(work):
    """Between two scrapes no counter and no bucket gets smaller or lost, and what happened is counted."""
    node = started(work)
    traffic(node)
    first = scrape(node)
    traffic(node)
    # Some figures are summed up once a second.
    harness.wait_until(lambda: not too_small(first, scrape(node)), harness.START_S, "the counters to grow")
    second = scrape(node)
    for (name, labels), before in first.series.items():
        if grows(first, name):
            after = second.series.get((name, labels))
            expect(after is not None and after >= before, f"{name} {labels} went from {before} to {after}")
    expect(not too_small(first, second), "; ".join(too_small(first, second)))


if __name__ == "__main__":
    sys.exit(harness.run_tests(
        [the_promised_names_are_there, prometheus_accepts_the_page, many_caches_stay_within_the_bound,
         counters_only_grow],
        harness.parser(__doc__).parse_args()))

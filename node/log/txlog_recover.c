/* Reading a lane's log at the start.
 *
 * That a segment has a name proves that everything before its first LSN was on disk. So only the
 * last segment can end in a torn tail, and there the headers of later batches tell what was on disk
 * before them. */
#include <inttypes.h>
#include <stdio.h>

#include "node/log/segment_list.h"
#include "node/log/segment_reader.h"
#include "node/log/txlog.h"

enum { PROGRESS_STEP = 64 * 1024 * 1024, DAMAGE_TEXT_MAX = 160 };

struct recovery {
    const char *dir;
    const struct txlog_visitor *visitor;
    qn_error *err;
    struct txlog_report report;
    struct segment_list list;
    size_t file_now;
    struct segment_reader reader;
    uint64_t salt;         /* of the segment being read */
    uint64_t expected_lsn; /* of the next batch */
    uint64_t durable_lsn;  /* known to have been on disk when the process before us ended */
    bool tail_read;        /* `tail` is that of the last segment */
    struct segment_tail tail;
    bool lane_damaged; /* nothing from here on can be attributed */
    uint64_t total_bytes;
    uint64_t done_bytes; /* of the segments before this one */
    uint64_t progress_at;
};

static bool is_last(const struct recovery *r)
{
    return r->file_now + 1 == r->list.count;
}

static void damage_tell(struct recovery *r, uint64_t offset, const uint32_t *partition,
                        const char *text)
{
    struct txlog_damage damage = {.file = r->reader.path,
                                  .offset = offset,
                                  .whole_lane = !partition,
                                  .partition = partition ? *partition : 0,
                                  .text = text};

    r->report.damages++;
    r->lane_damaged = r->lane_damaged || damage.whole_lane;
    r->visitor->damage(r->visitor->arg, &damage);
}

static void progress_tell(struct recovery *r, uint64_t offset)
{
    uint64_t done = r->done_bytes + offset;

    if (r->visitor->progress && done >= r->progress_at) {
        r->progress_at = done + PROGRESS_STEP;
        r->visitor->progress(r->visitor->arg, done, r->total_bytes);
    }
}

/* Raise `durable_lsn` to what the headers behind `offset` of the last segment say. What the headers
 * before it say is known; the answer is the same for every later offset. */
static enum qn_status tail_read(struct recovery *r, uint64_t offset)
{
    if (r->tail_read) {
        return QN_OK;
    }
    enum qn_status status = segment_reader_tail(&r->reader, offset, r->salt, &r->tail, r->err);
    if (status == QN_OK) {
        r->tail_read = true;
        r->durable_lsn =
            r->tail.durable_lsn > r->durable_lsn ? r->tail.durable_lsn : r->durable_lsn;
    }
    return status;
}

/* The last segment ends at `offset`, where `r->tail` is known: cut what follows, the preallocated
 * zeros as well, so that nothing old can ever stand behind. */
static enum qn_status tail_cut(struct recovery *r, uint64_t offset)
{
    if (r->tail.end > offset) {
        r->report.torn_bytes += r->tail.end - offset;
    }
    if (r->visitor->read_only) {
        return QN_OK;
    }
    return segment_reader_cut(&r->reader, offset, r->err);
}

/* No batch with the expected LSN stands at `offset`: the segment's end, a torn tail or damage. */
static enum qn_status segment_end(struct recovery *r, uint64_t offset)
{
    char text[DAMAGE_TEXT_MAX];

    if (!is_last(r)) {
        uint64_t next = r->list.files[r->file_now + 1].first_lsn;
        if (next != r->expected_lsn) {
            (void)snprintf(text, sizeof text,
                           "no sound batch header where LSN %" PRIu64
                           " is due; the next segment begins at %" PRIu64,
                           r->expected_lsn, next);
            damage_tell(r, offset, NULL, text);
        }
        return QN_OK;
    }
    enum qn_status status = tail_read(r, offset);
    if (status != QN_OK) {
        return status;
    }
    if (r->durable_lsn > r->expected_lsn) {
        (void)snprintf(text, sizeof text,
                       "no sound batch header where LSN %" PRIu64 " is due, yet LSN %" PRIu64
                       " was on disk",
                       r->expected_lsn, r->durable_lsn);
        damage_tell(r, offset, NULL, text);
        return QN_OK;
    }
    return tail_cut(r, offset);
}

/* Are all records of the batch sound? */
static bool batch_sound(struct bytes rest)
{
    while (rest.size > 0) {
        struct record record;
        size_t size;
        if (record_decode(rest, &record, &size) != QN_OK) {
            return false;
        }
        rest = bytes_of(rest.data + size, rest.size - size);
    }
    return true;
}

static enum qn_status record_deliver(struct recovery *r, uint64_t offset, uint64_t lsn,
                                     const struct record *record)
{
    r->report.records++;
    if (r->visitor->place) {
        r->visitor->place(r->visitor->arg, r->reader.path, offset, lsn);
    }
    return r->visitor->record(r->visitor->arg, record);
}

/* Hand out the records of a batch that are needed; `offset` is where they begin in the file. */
static enum qn_status batch_deliver(struct recovery *r, uint64_t offset, struct bytes rest)
{
    uint64_t end_lsn = r->expected_lsn + rest.size;
    enum qn_status status = QN_OK;

    while (rest.size > 0 && status == QN_OK && end_lsn > r->visitor->needed_from) {
        struct record record;
        size_t size;
        enum qn_status found = record_decode(rest, &record, &size);
        if (found == QN_MALFORMED || size > rest.size) {
            damage_tell(r, offset, NULL, "bad header of a record");
            return QN_OK;
        }
        if (end_lsn - rest.size + size <= r->visitor->needed_from) {
            found = QN_ABSENT; /* a snapshot has it */
        }
        if (found == QN_OK) {
            status = record_deliver(r, offset, end_lsn - rest.size, &record);
        } else if (found == QN_CORRUPT) {
            damage_tell(r, offset, &record.partition, "bad body of a record");
        }
        rest = bytes_of(rest.data + size, rest.size - size);
        offset += size;
    }
    return status;
}

/* The batch that is due at `offset`. QN_ABSENT: none with the expected LSN stands there whole. */
static enum qn_status batch_get(struct recovery *r, uint64_t offset, struct bytes *records)
{
    struct batch_header header;
    struct bytes data;
    enum qn_status status =
        segment_reader_get(&r->reader, offset, BATCH_HEADER_SIZE, &data, r->err);

    if (status != QN_OK) {
        return status;
    }
    if (batch_header_decode(data, r->salt, &header) != QN_OK || header.lsn != r->expected_lsn ||
        header.size > r->reader.size - offset - BATCH_HEADER_SIZE) {
        return QN_ABSENT;
    }
    r->durable_lsn = header.durable_lsn > r->durable_lsn ? header.durable_lsn : r->durable_lsn;
    return segment_reader_get(&r->reader, offset + BATCH_HEADER_SIZE, header.size, records, r->err);
}

/* May the batch that is due be the torn tail, rather than damaged? QN_ABSENT: it is torn. Reading
 * the tail moves the reader's window, so `*records` is fetched anew. */
static enum qn_status batch_check(struct recovery *r, uint64_t offset, struct bytes *records)
{
    /* Not in doubt: later headers say that this batch was on disk. */
    if (r->durable_lsn > r->expected_lsn || batch_sound(*records)) {
        return QN_OK;
    }
    enum qn_status status = tail_read(r, offset);
    if (status != QN_OK) {
        return status;
    }
    return r->durable_lsn > r->expected_lsn ? batch_get(r, offset, records) : QN_ABSENT;
}

/* No batch is where one is due. When it is not needed, the reading may go on at a later one, as
 * long as that begins where what is needed does, or before. QN_ABSENT: there is none. */
static enum qn_status batch_pass_over(struct recovery *r, uint64_t *offset)
{
    struct batch_header header;

    if (r->expected_lsn >= r->visitor->needed_from) {
        return QN_ABSENT;
    }
    enum qn_status status = segment_reader_find(&r->reader, *offset, r->salt, r->expected_lsn,
                                                r->visitor->needed_from, offset, &header, r->err);
    if (status == QN_OK) {
        r->expected_lsn = header.lsn;
    }
    return status;
}

/* All batches of the segment that is open. */
static enum qn_status batches_read(struct recovery *r)
{
    uint64_t offset = SEGMENT_HEADER_SIZE;

    while (!r->lane_damaged) {
        struct bytes records;
        enum qn_status status = batch_get(r, offset, &records);
        if (status == QN_OK) {
            status = batch_check(r, offset, &records);
        }
        if (status == QN_ABSENT) {
            status = batch_pass_over(r, &offset);
            if (status == QN_OK) {
                continue;
            }
        }
        if (status == QN_ABSENT) {
            return segment_end(r, offset);
        }
        if (status == QN_OK) {
            status = batch_deliver(r, offset + BATCH_HEADER_SIZE, records);
        }
        if (status != QN_OK) {
            return status;
        }
        r->expected_lsn += records.size;
        r->report.bytes += BATCH_HEADER_SIZE + records.size;
        offset += BATCH_HEADER_SIZE + records.size;
        progress_tell(r, offset);
    }
    return QN_OK;
}

/* Check the header of the segment that is open; damage is told. */
static enum qn_status header_check(struct recovery *r)
{
    struct segment_header header;
    struct bytes block;
    enum qn_status status = segment_reader_get(&r->reader, 0, SEGMENT_HEADER_SIZE, &block, r->err);

    if (status != QN_OK) {
        return status;
    }
    status = segment_header_decode(block, &header);
    if (status == QN_UNSUPPORTED) {
        return qn_error_set(r->err, QN_CORRUPT,
                            "%s is of a newer format: start the version of quoind that wrote it",
                            r->reader.path);
    }
    if (status != QN_OK || header.first_lsn != r->list.files[r->file_now].first_lsn) {
        damage_tell(r, 0, NULL, "bad header of a segment");
        return QN_OK;
    }
    if (header.owner != r->visitor->owner) {
        damage_tell(r, 0, NULL, "a segment of another lane or another disk");
        return QN_OK;
    }
    r->salt = header.salt;
    return QN_OK;
}

static enum qn_status segment_recover(struct recovery *r)
{
    const struct segment_file *file = &r->list.files[r->file_now];
    bool change = is_last(r) && !r->visitor->read_only;
    enum qn_status status =
        segment_reader_open(&r->reader, r->dir, file->first_lsn, change, r->err);

    if (status == QN_ABSENT) {
        return qn_error_set(r->err, QN_IO, "%s has gone while it was about to be read",
                            r->reader.path);
    }
    if (status == QN_OK && change) {
        status = segment_reader_settle(&r->reader, r->err);
    }
    if (status == QN_OK) {
        status = header_check(r);
    }
    if (status != QN_OK || r->lane_damaged) {
        return status;
    }
    status = batches_read(r);
    r->done_bytes += file->size;
    return status;
}

/* Where appending may go on. Behind damage that hides what follows, above every LSN that the files
 * can hold (a segment has fewer octets of records than octets) and above all that was known, and
 * never in a file of the same name: that would replace the damaged one, and damage must not be
 * taken for absence. */
static uint64_t next_lsn(const struct recovery *r)
{
    uint64_t next = r->expected_lsn;

    if (!r->lane_damaged) {
        return next;
    }
    for (size_t i = 0; i < r->list.count; i++) {
        uint64_t end = r->list.files[i].first_lsn + r->list.files[i].size + SEGMENT_HEADER_SIZE;
        next = end > next ? end : next;
    }
    return next > r->visitor->known_end ? next : r->visitor->known_end + 1;
}

/* Damage that no file shows: something is missing. */
static void missing_tell(struct recovery *r, const char *text)
{
    (void)snprintf(r->reader.path, sizeof r->reader.path, "%s", r->dir);
    damage_tell(r, 0, NULL, text);
}

/* Pass over what the manifest says is not needed, and see whether the rest begins where it must. */
static void start_find(struct recovery *r)
{
    uint64_t needed_from = r->visitor->needed_from;

    r->file_now = segment_list_below(&r->list, needed_from);
    if (r->list.count == 0) {
        if (needed_from > 0 || r->visitor->known_end > 0) {
            missing_tell(r, "all segments are missing");
        }
        return;
    }
    r->report.first_lsn = r->list.files[0].first_lsn;
    r->expected_lsn = r->list.files[r->file_now].first_lsn;
    if (r->expected_lsn > needed_from) {
        missing_tell(r, "the first segment is missing");
    }
    for (size_t i = 0; i < r->list.count; i++) {
        r->report.disk_bytes += r->list.files[i].size;
        r->total_bytes += i < r->file_now ? 0 : r->list.files[i].size;
    }
    r->durable_lsn = r->list.files[r->list.count - 1].first_lsn;
    if (r->visitor->known_end > r->durable_lsn) {
        r->durable_lsn = r->visitor->known_end;
    }
}

enum qn_status txlog_recover(const char *dir, const struct txlog_visitor *visitor,
                             struct txlog_report *report, qn_error *err)
{
    struct recovery r = {.dir = dir, .visitor = visitor, .err = err, .reader = {.fd = -1}};
    enum qn_status status = segment_list_read(dir, &r.list, err);

    if (status == QN_OK) {
        start_find(&r);
    }
    for (; status == QN_OK && !r.lane_damaged && r.file_now < r.list.count; r.file_now++) {
        status = segment_recover(&r);
        r.report.segments++;
    }
    if (status == QN_OK) {
        r.report.next_lsn = next_lsn(&r);
        *report = r.report;
    }
    segment_reader_fini(&r.reader);
    segment_list_fini(&r.list);
    return status;
}

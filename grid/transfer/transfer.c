#include "grid/transfer/transfer.h"

#include "wire/assert.h"
#include "wire/hash.h"

/* -- sender -- */

void transfer_out_begin(struct transfer_out *out, uint32_t partition, uint32_t to,
                        uint32_t to_incarnation, uint64_t epoch, uint32_t lineage,
                        uint64_t snapshot, uint64_t snapshot_epoch, uint64_t total, int64_t now_ms)
{
    *out = (struct transfer_out){
        .partition = partition,
        .to = to,
        .to_incarnation = to_incarnation,
        .epoch = epoch,
        .lineage = lineage,
        .snapshot = snapshot,
        .snapshot_epoch = snapshot_epoch,
        .total = total,
        .moved_ms = now_ms,
        .sent_ms = now_ms - TRANSFER_RESEND_MS, /* an offer is due */
    };
}

static struct wire_peer message_of(const struct transfer_out *out, enum wire_peer_kind kind)
{
    return (struct wire_peer){
        .kind = kind,
        .partition = out->partition,
        .lineage = out->lineage,
        .epoch = out->epoch,
        .index_epoch = out->snapshot_epoch,
        .snapshot = out->snapshot,
        .total = out->total,
    };
}

static bool silent(const struct transfer_out *out, int64_t now_ms)
{
    return now_ms - out->sent_ms >= TRANSFER_RESEND_MS;
}

static enum transfer_step offer(struct transfer_out *out, int64_t now_ms, struct wire_peer *message)
{
    if (!silent(out, now_ms)) {
        return TRANSFER_WAIT;
    }
    *message = message_of(out, WIRE_PEER_SNAP_OFFER);
    out->sent_ms = now_ms;
    return TRANSFER_SEND;
}

static enum transfer_step chunk(struct transfer_out *out, int64_t now_ms, struct wire_peer *message,
                                size_t *size)
{
    uint64_t window = (uint64_t)TRANSFER_CHUNK_BYTES * TRANSFER_WINDOW_CHUNKS;

    if (out->sent > out->acked && silent(out, now_ms)) {
        out->sent = out->acked; /* something was lost on the way */
    }
    if (out->sent == out->total && out->acked == out->total) {
        /* All of it is there: the receiver installs it, or its word was lost. */
        return offer(out, now_ms, message);
    }
    if (out->sent == out->total || out->sent - out->acked >= window) {
        return TRANSFER_WAIT;
    }
    uint64_t left = out->total - out->sent;
    *size = left < TRANSFER_CHUNK_BYTES ? (size_t)left : (size_t)TRANSFER_CHUNK_BYTES;
    *message = message_of(out, WIRE_PEER_SNAP_CHUNK);
    message->offset = out->sent;
    out->sent += *size;
    out->sent_ms = now_ms;
    return TRANSFER_SEND;
}

enum transfer_step transfer_out_next(struct transfer_out *out, int64_t now_ms,
                                     struct wire_peer *message, size_t *size)
{
    *size = 0;
    if (out->done) {
        return TRANSFER_DONE;
    }
    if (out->refused || now_ms - out->moved_ms >= TRANSFER_PROGRESS_MS) {
        return TRANSFER_FAILED;
    }
    return out->accepted ? chunk(out, now_ms, message, size) : offer(out, now_ms, message);
}

uint64_t transfer_checksum(struct bytes body)
{
    return crc32c(0, body);
}

void transfer_out_receive(struct transfer_out *out, const struct wire_peer *message, int64_t now_ms)
{
    if (message->partition != out->partition || message->snapshot != out->snapshot) {
        return;
    }
    if (message->kind == WIRE_PEER_SNAP_DONE) {
        out->done = true;
        return;
    }
    if (message->kind != WIRE_PEER_SNAP_ACK || message->offset > out->total) {
        return;
    }
    if (message->why != WIRE_NAK_NONE) {
        out->refused = true;
        return;
    }
    bool further = !out->accepted || message->offset > out->acked;
    out->accepted = true;
    if (!further) {
        return;
    }
    out->acked = message->offset;
    out->sent = out->sent > out->acked ? out->sent : out->acked;
    out->moved_ms = now_ms;
}

/* -- receiver -- */

static void answer_of(const struct transfer_in *in, const struct wire_peer *message,
                      enum wire_nak why, struct wire_peer *answer)
{
    *answer = (struct wire_peer){
        .kind = WIRE_PEER_SNAP_ACK,
        .partition = message->partition,
        .lineage = message->lineage,
        .epoch = message->epoch,
        .snapshot = message->snapshot,
        .why = why,
        .offset = why == WIRE_NAK_NONE ? in->written : 0,
    };
}

static bool same(const struct transfer_in *in, uint32_t from, const struct wire_peer *message)
{
    return in->open && in->from == from && in->partition == message->partition &&
           in->snapshot == message->snapshot && in->snapshot_epoch == message->index_epoch &&
           in->total == message->total;
}

static enum transfer_in_step on_offer(struct transfer_in *in, uint32_t from,
                                      const struct wire_peer *message, bool room, int64_t now_ms,
                                      struct wire_peer *answer)
{
    if (same(in, from, message)) {
        in->epoch = message->epoch; /* the same snapshot under a later epoch: go on */
        answer_of(in, message, WIRE_NAK_NONE, answer);
        return in->written == in->total ? TRANSFER_IN_INSTALL : TRANSFER_IN_ANSWER;
    }
    if (!in->open && !room) {
        answer_of(in, message, WIRE_NAK_BUSY, answer);
        return TRANSFER_IN_REFUSE;
    }
    *in = (struct transfer_in){
        .partition = message->partition,
        .from = from,
        .epoch = message->epoch,
        .snapshot = message->snapshot,
        .snapshot_epoch = message->index_epoch,
        .total = message->total,
        .moved_ms = now_ms,
        .open = true,
    };
    answer_of(in, message, WIRE_NAK_NONE, answer);
    return TRANSFER_IN_BEGIN;
}

static enum transfer_in_step on_chunk(struct transfer_in *in, uint32_t from,
                                      const struct wire_peer *message, int64_t now_ms,
                                      struct wire_peer *answer)
{
    if (!same(in, from, message)) {
        return TRANSFER_IN_IGNORE; /* of a transfer that was given up: the sender will offer again
                                    */
    }
    answer_of(in, message, WIRE_NAK_NONE, answer);
    bool whole = message->body.size > 0 && message->body.size <= in->total - in->written &&
                 transfer_checksum(message->body) == message->round;
    if (message->offset != in->written || !whole) {
        return TRANSFER_IN_ANSWER; /* says what comes next */
    }
    in->moved_ms = now_ms;
    return TRANSFER_IN_WRITE;
}

enum transfer_in_step transfer_in_receive(struct transfer_in *in, uint32_t from,
                                          const struct wire_peer *message, bool room,
                                          int64_t now_ms, struct wire_peer *answer)
{
    bool sound = message->total > 0 && message->snapshot > 0;

    if (in->open && message->epoch < in->epoch) {
        return TRANSFER_IN_IGNORE; /* of a leader that was overtaken */
    }
    switch (message->kind) {
    case WIRE_PEER_SNAP_OFFER:
        return sound ? on_offer(in, from, message, room, now_ms, answer) : TRANSFER_IN_IGNORE;
    case WIRE_PEER_SNAP_CHUNK:
        return sound ? on_chunk(in, from, message, now_ms, answer) : TRANSFER_IN_IGNORE;
    default:
        return TRANSFER_IN_IGNORE;
    }
}

bool transfer_in_written(struct transfer_in *in, size_t size, struct wire_peer *answer)
{
    qn_assert(in->open && size <= in->total - in->written);
    in->written += size;
    answer->offset = in->written;
    return in->written == in->total;
}

void transfer_in_end(struct transfer_in *in)
{
    *in = (struct transfer_in){0};
}

bool transfer_in_stale(const struct transfer_in *in, int64_t now_ms)
{
    return in->open && now_ms - in->moved_ms >= TRANSFER_PROGRESS_MS;
}

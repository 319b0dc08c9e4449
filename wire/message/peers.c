#include "wire/message/peers.h"

enum { CONFIGURATION_OCTETS_MAX = 64 };

static struct bytes bytes_from(ProtobufCBinaryData data)
{
    return bytes_of(data.data, data.len);
}

static ProtobufCBinaryData binary_of(struct bytes bytes)
{
    return (ProtobufCBinaryData){.len = bytes.size, .data = (uint8_t *)(uintptr_t)bytes.data};
}

static enum qn_status history_read(const Quoin__Peer *in, struct arena *arena,
                                   struct wire_peer *peer)
{
    peer->history_count = in->n_history;
    peer->history = arena_calloc(arena, in->n_history, sizeof *peer->history);
    if (!peer->history) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < in->n_history; i++) {
        peer->history[i] =
            (struct wire_epoch){.epoch = in->history[i]->epoch, .first = in->history[i]->first};
    }
    return QN_OK;
}

static enum qn_status peer_read(const Quoin__Peer *in, struct arena *arena, struct bytes *payload,
                                struct wire_peer *peer)
{
    if (in->body_size > payload->size || in->n_history > WIRE_HISTORY_MAX ||
        in->configuration.len > CONFIGURATION_OCTETS_MAX) {
        return QN_MALFORMED;
    }
    *peer = (struct wire_peer){
        .kind = in->kind,
        .partition = in->partition,
        .lineage = in->lineage,
        .why = in->why,
        .epoch = in->epoch,
        .index = in->index,
        .index_epoch = in->index_epoch,
        .commit = in->commit,
        .applied = in->applied,
        .round = in->round,
        .log_start = in->log_start,
        .snapshot = in->snapshot,
        .offset = in->offset,
        .total = in->total,
        .sent_ms = in->sent_ms,
        .proof_ms = in->proof_ms,
        .configuration = bytes_from(in->configuration),
        .body = bytes_of(payload->data, in->body_size),
    };
    *payload = bytes_of(payload->data + in->body_size, payload->size - in->body_size);
    return history_read(in, arena, peer);
}

enum qn_status peers_read(const Quoin__Header *header, struct arena *arena, struct bytes *payload,
                          struct wire_message *message)
{
    enum qn_status status = QN_OK;

    message->peer_count = header->n_peers;
    message->peers = arena_calloc(arena, header->n_peers, sizeof *message->peers);
    if (!message->peers) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; status == QN_OK && i < header->n_peers; i++) {
        status = peer_read(header->peers[i], arena, payload, &message->peers[i]);
    }
    return status;
}

static enum qn_status history_fill(const struct wire_peer *peer, struct arena *arena,
                                   Quoin__Peer *out)
{
    Quoin__Epoch *rows = arena_calloc(arena, peer->history_count, sizeof *rows);

    out->history = arena_calloc(arena, peer->history_count, sizeof *out->history);
    if (!rows || !out->history) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < peer->history_count; i++) {
        quoin__epoch__init(&rows[i]);
        rows[i].epoch = peer->history[i].epoch;
        rows[i].first = peer->history[i].first;
        out->history[i] = &rows[i];
    }
    out->n_history = peer->history_count;
    return QN_OK;
}

static enum qn_status peer_fill(const struct wire_peer *peer, struct arena *arena, Quoin__Peer *out)
{
    if (peer->history_count > WIRE_HISTORY_MAX || peer->body.size > WIRE_FRAME_MAX ||
        peer->configuration.size > CONFIGURATION_OCTETS_MAX) {
        return QN_TOO_LARGE;
    }
    quoin__peer__init(out);
    out->kind = peer->kind;
    out->partition = peer->partition;
    out->lineage = peer->lineage;
    out->why = peer->why;
    out->epoch = peer->epoch;
    out->index = peer->index;
    out->index_epoch = peer->index_epoch;
    out->commit = peer->commit;
    out->applied = peer->applied;
    out->round = peer->round;
    out->log_start = peer->log_start;
    out->snapshot = peer->snapshot;
    out->offset = peer->offset;
    out->total = peer->total;
    out->sent_ms = peer->sent_ms;
    out->proof_ms = peer->proof_ms;
    out->configuration = binary_of(peer->configuration);
    out->body_size = (uint32_t)peer->body.size;
    return history_fill(peer, arena, out);
}

enum qn_status peers_fill(const struct wire_message *message, struct arena *arena,
                          Quoin__Header *header)
{
    enum qn_status status = QN_OK;

    if (message->peer_count == 0) {
        return QN_OK;
    }
    Quoin__Peer *rows = arena_calloc(arena, message->peer_count, sizeof *rows);
    header->peers = arena_calloc(arena, message->peer_count, sizeof *header->peers);
    if (!rows || !header->peers) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; status == QN_OK && i < message->peer_count; i++) {
        status = peer_fill(&message->peers[i], arena, &rows[i]);
        header->peers[i] = &rows[i];
    }
    header->n_peers = message->peer_count;
    return status;
}

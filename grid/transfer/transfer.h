/* Snapshots from node to node (protocol.md B.13): octets of a file in chunks, resumable.
 *
 * Sender and receiver of one transfer, as functions: messages and time in, messages and file
 * operations out. Which file a snapshot is, and that the log from its index on stays until the
 * transfer has ended, is the host's business. Chunks carry a checksum; the receiver acknowledges
 * what is safe on its disk, and an offer of the same snapshot goes on from there. */
#ifndef QUOIN_GRID_TRANSFER_TRANSFER_H
#define QUOIN_GRID_TRANSFER_TRANSFER_H

#include "wire/message/message.h"

enum {
    TRANSFER_CHUNK_BYTES = 1024 * 1024,
    TRANSFER_WINDOW_CHUNKS = 4,   /* on their way, not acknowledged */
    TRANSFER_PROGRESS_MS = 30000, /* without progress for so long it is given up */
    TRANSFER_RESEND_MS = 1000,
};

/* -- sender -- */

struct transfer_out {
    uint32_t partition;
    uint32_t to;
    uint32_t to_incarnation;
    uint64_t epoch; /* under which it is sent */
    uint32_t lineage;
    uint64_t snapshot; /* its index: also its identity */
    uint64_t snapshot_epoch;
    uint64_t total; /* octets of the file */
    uint64_t acked; /* safe at the receiver */
    uint64_t sent;
    int64_t moved_ms; /* last progress */
    int64_t sent_ms;
    bool accepted;
    bool refused;
    bool done;
};

enum transfer_step {
    TRANSFER_WAIT = 0, /* nothing to do now */
    TRANSFER_SEND,     /* send `message`; of a CHUNK: fill its body with the octets asked for */
    TRANSFER_DONE,     /* the receiver has installed it */
    TRANSFER_FAILED,   /* refused, or no progress: let it go */
};

void transfer_out_begin(struct transfer_out *out, uint32_t partition, uint32_t to,
                        uint32_t to_incarnation, uint64_t epoch, uint32_t lineage,
                        uint64_t snapshot, uint64_t snapshot_epoch, uint64_t total, int64_t now_ms);

/* Goes with each chunk, in `round`. */
uint64_t transfer_checksum(struct bytes body);

/* What to send next. A CHUNK's body is octets `message->offset` of the file, `*size` of them. Call
 * it again until it says WAIT. */
enum transfer_step transfer_out_next(struct transfer_out *out, int64_t now_ms,
                                     struct wire_peer *message, size_t *size);

/* SNAP_ACK or SNAP_DONE of the receiver. */
void transfer_out_receive(struct transfer_out *out, const struct wire_peer *message,
                          int64_t now_ms);

/* -- receiver -- */

struct transfer_in {
    uint32_t partition;
    uint32_t from;
    uint64_t epoch;
    uint64_t snapshot;
    uint64_t snapshot_epoch;
    uint64_t total;
    uint64_t written;
    int64_t moved_ms;
    bool open;
};

enum transfer_in_step {
    TRANSFER_IN_IGNORE = 0,
    TRANSFER_IN_BEGIN,   /* open an empty temporary file, then answer */
    TRANSFER_IN_WRITE,   /* write the body at its offset, make it safe, then `transfer_in_written`
                            completes the answer; true: that was the last, install it */
    TRANSFER_IN_ANSWER,  /* nothing new: send the answer */
    TRANSFER_IN_INSTALL, /* all octets are safe: verify, rename, restore; then SNAP_DONE */
    TRANSFER_IN_REFUSE,  /* too many transfers, or a damaged chunk: send the answer */
};

/* An OFFER or CHUNK has arrived; `answer` is what to send once the step was carried out. `room`:
 * may another transfer begin? */
enum transfer_in_step transfer_in_receive(struct transfer_in *in, uint32_t from,
                                          const struct wire_peer *message, bool room,
                                          int64_t now_ms, struct wire_peer *answer);
bool transfer_in_written(struct transfer_in *in, size_t size, struct wire_peer *answer);

/* It was installed, or given up. */
void transfer_in_end(struct transfer_in *in);

/* No progress for too long: forget it, the temporary file can go. */
bool transfer_in_stale(const struct transfer_in *in, int64_t now_ms);

#endif

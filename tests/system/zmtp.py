"""Just enough of ZMTP 3.0 and of Quoin's messages to send a node what no client of ours would.

The greeting and the NULL handshake are those of the ZMTP specification (RFC 23); the message is laid out
in wire/message/quoin.proto.
"""

import socket
import struct

GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + b"\x00" + bytes(31)
FLAG_MORE, FLAG_LONG, FLAG_COMMAND = 1, 2, 4

HELLO, HELLO_ACK, REQUEST, REPLY, NAK, CACHE_OPEN, CACHE_ACK = 1, 2, 5, 6, 7, 8, 9
OP_GET, OP_SESSION_OPEN, OP_PUT = 1, 4, 5

# Fields of the header that the tests write or read.
HEADER = {"kind": 1, "feature_level": 2, "client": 7, "correlation": 8, "status": 9, "text": 10, "name": 11,
          "cache": 13, "ops": 15, "results": 16, "partitions": 18}
OP = {"id": 1, "kind": 2, "cache": 4, "partition": 5, "lineage": 6, "epoch": 7, "session": 8, "sequence": 9,
      "first_incomplete": 10, "remaining_ms": 12, "key_size": 13, "value_size": 14}
RESULT = {"id": 1, "status": 2, "version": 4, "epoch": 7, "session": 9}
PARTITION = {"epoch": 1, "lineage": 2, "leader": 3, "shard": 4}


class Gone(Exception):
    """The other side has closed the connection."""


# ---- ZMTP --------------------------------------------------------------------------------------------


def connect(port, timeout=10):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout)


def read_exactly(link, size):
    data = b""
    while len(data) < size:
        try:
            more = link.recv(size - len(data))
        except ConnectionError as reset:
            raise Gone from reset
        if not more:
            raise Gone
        data += more
    return data


def frame(body, flags=0):
    if len(body) > 255:
        return bytes([flags | FLAG_LONG]) + struct.pack(">Q", len(body)) + body
    return bytes([flags, len(body)]) + body


def read_frame(link):
    flags = read_exactly(link, 1)[0]
    size = struct.unpack(">Q", read_exactly(link, 8))[0] if flags & FLAG_LONG else read_exactly(link, 1)[0]
    return flags, read_exactly(link, size)


def metadata(name, value):
    return bytes([len(name)]) + name + struct.pack(">I", len(value)) + value


def handshake(link):
    """Become a DEALER that is connected to the node's ROUTER."""
    link.sendall(GREETING)
    read_exactly(link, len(GREETING))
    ready = b"\x05READY" + metadata(b"Socket-Type", b"DEALER") + metadata(b"Identity", b"")
    link.sendall(frame(ready, FLAG_COMMAND))
    flags, body = read_frame(link)
    if not flags & FLAG_COMMAND or not body.startswith(b"\x05READY"):
        raise Gone


def dealer(port, timeout=10):
    link = connect(port, timeout)
    handshake(link)
    return link


# ---- Messages ----------------------------------------------------------------------------------------


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def encode(schema, **values):
    out = b""
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            out += field(schema[name], one)
    return out


def message(payload=b"", **values):
    header = encode(HEADER, **values)
    return struct.pack("<I", len(header)) + header + payload


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def decode(schema, data):
    """Name -> list of values, of the fields that the schema names."""
    names = {number: name for name, number in schema.items()}
    found = {}
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        if tag >> 3 in names:
            found.setdefault(names[tag >> 3], []).append(value)
    return found


def first(fields, name, default=0):
    return fields.get(name, [default])[0]


def signed(number):
    """Undo protobuf's zigzag."""
    return number >> 1 ^ -(number & 1)


def receive(link):
    """Header fields of the next message."""
    _, body = read_frame(link)
    size = struct.unpack("<I", body[:4])[0]
    return decode(HEADER, body[4:4 + size])


def ask(link, payload=b"", **values):
    link.sendall(frame(message(payload, **values)))
    return receive(link)

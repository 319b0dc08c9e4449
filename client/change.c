#include "client/change.h"

#include "client/hex.h"
#include "wire/hash.h"

/* "w1-" and the digits of: client, partition, session, sequence, checksum of these. */
#define PREFIX "w1-"
enum {
    PREFIX_SIZE = 3,
    BODY_SIZE = CLIENT_ID_SIZE + 4 + 8 + 8,
    OCTETS = BODY_SIZE + 4,
};

_Static_assert(PREFIX_SIZE + 2 * OCTETS < QN_CHANGE_ID_MAX, "a change's name has room");

void change_print(const struct change_id *id, char text[QN_CHANGE_ID_MAX])
{
    uint8_t octets[OCTETS];

    memcpy(octets, id->client.octets, CLIENT_ID_SIZE);
    put_u32(octets + CLIENT_ID_SIZE, id->change.partition);
    put_u64(octets + CLIENT_ID_SIZE + 4, id->change.session);
    put_u64(octets + CLIENT_ID_SIZE + 12, id->change.sequence);
    put_u32(octets + BODY_SIZE, crc32c(0, bytes_of(octets, BODY_SIZE)));
    memcpy(text, PREFIX, PREFIX_SIZE);
    *hex_write(bytes_of(octets, OCTETS), text + PREFIX_SIZE) = '\0';
}

enum qn_status change_parse(const char *text, struct change_id *id)
{
    uint8_t octets[OCTETS];

    if (strlen(text) != PREFIX_SIZE + 2 * OCTETS || memcmp(text, PREFIX, PREFIX_SIZE) != 0 ||
        !hex_read(text + PREFIX_SIZE, OCTETS, octets) ||
        get_u32(octets + BODY_SIZE) != crc32c(0, bytes_of(octets, BODY_SIZE))) {
        return QN_INVALID;
    }
    memcpy(id->client.octets, octets, CLIENT_ID_SIZE);
    id->change = (struct session_change){
        .partition = get_u32(octets + CLIENT_ID_SIZE),
        .session = get_u64(octets + CLIENT_ID_SIZE + 4),
        .sequence = get_u64(octets + CLIENT_ID_SIZE + 12),
    };
    return QN_OK;
}

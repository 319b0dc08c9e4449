#include "tests/unit/client/fake_door.h"

#include "tests/unit/client/fake_server.h"

static struct fake_server door;

const char *fake_door_open(void)
{
    fake_server_start(&door, 2);
    return door.uri;
}

void fake_door_close(void)
{
    fake_server_stop(&door);
}

void fake_door_mute(int is_mute)
{
    atomic_store(&door.curt, is_mute != 0);
}

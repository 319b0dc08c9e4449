/* A fake server for programs that see nothing else of the project. */
#ifndef QUOIN_TESTS_CLIENT_FAKE_DOOR_H
#define QUOIN_TESTS_CLIENT_FAKE_DOOR_H

/* Start it; its address lives until it is stopped. */
const char *fake_door_open(void);
void fake_door_close(void);

/* Do what requests say, but answer nothing; or answer again. */
void fake_door_mute(int is_mute);

#endif

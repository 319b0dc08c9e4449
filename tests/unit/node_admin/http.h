/* One HTTP request over a plain socket, for tests of the admin server. */
#ifndef QUOIN_TESTS_HTTP_H
#define QUOIN_TESTS_HTTP_H

#include <stddef.h>
#include <stdint.h>

enum { HTTP_REPLY_SIZE = 128 * 1024 };

struct http_reply {
    int code;
    const char *head; /* status line and headers, in `data` */
    const char *body; /* in `data` */
    char data[HTTP_REPLY_SIZE];
};

/* Connect to the numeric `address` ("127.0.0.1", "::1"); fails the test if nobody listens. */
int http_connect(const char *address, uint16_t port);

/* Send `method` `path` with the extra header lines `extra` (each ended by CR LF) and `body`, read
 * to the end of the connection. The test frees the reply. */
struct http_reply *http_ask(uint16_t port, const char *method, const char *path, const char *extra,
                            const char *body);

/* The same on an open connection, which is closed; any octets may be sent. */
struct http_reply *http_ask_raw(int fd, const char *request, size_t size);

#endif

/* Uses what is installed: header, adapters, library. Nobody listens at the address. */
#include <stdio.h>
#include <string.h>

#include <quoin.h>
#include <quoin/adapters/epoll.h>
#include <quoin/adapters/poll.h>

int main(void)
{
    qn_error err = QN_ERROR_INIT;

    if (qn_connect("quoin://127.0.0.1:1/?timeout=20ms&log_level=off", &err)) {
        return 1;
    }
    printf("%s: %s\n", qn_version_text(), qn_explain(&err));
    return err.status == QN_UNREACHABLE && strstr(qn_explain(&err), "127.0.0.1:1") ? 0 : 1;
}

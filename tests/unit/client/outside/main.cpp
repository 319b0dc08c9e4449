// The same in C++.
#include <iostream>

#include <quoin.hpp>
#include <quoin/pof.h>

// Objects from C++: C names, one library.
static bool writes()
{
    struct buf octets = {};
    struct pof_writer writer;
    pof_writer_init_binary(&writer, &octets);
    pof_write_int32(&writer, POF_NEXT, 7);
    bool written = pof_writer_finish(&writer) == QN_OK && octets.size == 2;
    buf_fini(&octets);
    return written;
}

int main()
{
    if (!writes()) {
        return 2;
    }
    try {
        quoin::client grid("quoin://127.0.0.1:1/?timeout=20ms&log_level=off");
        return 1;
    } catch (const quoin::error &failure) {
        std::cout << failure.what() << '\n';
        return failure.status() == QN_UNREACHABLE ? 0 : 1;
    }
}

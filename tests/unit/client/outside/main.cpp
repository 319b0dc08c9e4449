// The same in C++.
#include <iostream>

#include <quoin.hpp>

int main()
{
    try {
        quoin::client grid("quoin://127.0.0.1:1/?timeout=20ms&log_level=off");
        return 1;
    } catch (const quoin::error &failure) {
        std::cout << failure.what() << '\n';
        return failure.status() == QN_UNREACHABLE ? 0 : 1;
    }
}

// The first steps in C++: connect, put, get, scan; failures are exceptions.
//
//     tour quoin://localhost:7100 [cache]
#include <iostream>

#include <quoin.hpp>

int main(int argc, char **argv)
{
    using namespace std::chrono_literals;
    try {
        quoin::client grid = argc > 1 ? quoin::client(argv[1]) : quoin::client();
        quoin::cache accounts = grid.open_or_create(argc > 2 ? argv[2] : "accounts-in-cpp");

        accounts.put("alice", 100);
        accounts.put("bob", 50, quoin::options().ttl(10min));
        if (auto balance = accounts.get("alice")) {
            std::cout << "alice has " << balance->number() << '\n';
            if (accounts.replace("alice", balance->number() - 30, balance->version()) ==
                quoin::outcome::done) {
                std::cout << "alice has spent 30\n";
            }
        }
        if (!accounts.get("nobody")) {
            std::cout << "nobody has nothing\n";
        }
        for (const quoin::entry &entry : accounts.scan(true)) {
            std::cout << entry.key.text() << ' ' << entry.content->number() << '\n';
        }
        return 0;
    } catch (const quoin::error &failure) {
        std::cerr << failure.what() << '\n';
        if (failure.certainty() == QN_UNKNOWN) {
            std::cerr << "it can be settled: " << failure.change_id() << '\n';
        }
        return 1;
    }
}

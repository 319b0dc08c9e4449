// The C++ header against a fake node: each call once, failures as exceptions.
#include <cstdlib>
#include <iostream>
#include <set>

#include <quoin.hpp>

extern "C" {
#include "tests/unit/client/fake_door.h"
}

namespace
{

void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        std::cerr << "line " << line << ": " << what << '\n';
        std::exit(1);
    }
}

#define EXPECT(condition) expect((condition), #condition, __LINE__)

using namespace std::chrono_literals;

// Values come back by type; what is absent is no exception.
void one_key(const quoin::cache &cache)
{
    EXPECT(!cache.get("alice"));
    std::uint64_t version = cache.put("alice", 100);
    auto found = cache.get("alice");
    EXPECT(found && found->number() == 100 && found->version() == version && !found->ttl());
    quoin::value copy = *found;
    found.reset();
    EXPECT(copy.number() == 100);
    bool thrown = false;
    try {
        (void)copy.text();
    } catch (const quoin::error &failure) {
        thrown = failure.status() == QN_WRONG_TYPE;
    }
    EXPECT(thrown);
    EXPECT(cache.replace("alice", "rich", version + 1) == quoin::outcome::conflict);
    EXPECT(cache.replace("alice", std::string("rich"), version) == quoin::outcome::done);
    EXPECT(cache.get("alice")->text() == "rich");
    EXPECT(cache.put_if_absent("alice", 1) == quoin::outcome::exists);
    EXPECT(cache.swap("alice", 7)->text() == "rich");
    EXPECT(cache.touch("alice", 3s) == quoin::outcome::done);
    EXPECT(cache.get("alice")->ttl() == quoin::milliseconds(3000));
    EXPECT(cache.remove_if("alice", 1) == quoin::outcome::conflict);
    EXPECT(cache.remove("alice") == quoin::outcome::done);
    EXPECT(cache.remove("alice") == quoin::outcome::absent);
    EXPECT(!cache.contains("alice"));
    const unsigned char octets[] = {0, 1, 255};
    cache.put(quoin::octets{octets, 3}, quoin::octets{octets, 2}, quoin::options().ttl(5min));
    EXPECT(cache.get(quoin::octets{octets, 3})->bytes().size == 2);
}

// Scans are ranges, can be cut off and gone on with; batches answer per entry.
void many_keys(const quoin::client &grid)
{
    quoin::cache cache = grid.create("many", QN_DURABILITY_MEMORY, 1h);
    quoin::batch batch(cache);
    for (int i = 0; i < 500; i++) {
        batch.put(i, i);
    }
    batch.run();
    EXPECT(cache.count() == 0);
    grid.soft_commit();
    EXPECT(cache.count() == 500);
    std::set<std::int64_t> seen;
    for (const quoin::entry &entry : cache.scan()) {
        EXPECT(entry.key.number() == entry.content->number());
        seen.insert(entry.key.number());
        if (seen.size() == 200) {
            break;
        }
    }
    quoin::cursor first = cache.scan(false, true);
    for (int i = 0; i < 123; i++) {
        EXPECT(!first.next()->content);
    }
    std::size_t rest = 0;
    for (const quoin::entry &entry : cache.scan_from(first.position())) {
        rest += entry.key.number() >= 0;
    }
    EXPECT(rest == 500 - 123);
    batch.clear();
    std::size_t there = batch.get(7);
    std::size_t absent = batch.get("seven");
    batch.run(5s);
    EXPECT(batch.content(there)->number() == 7 && !batch.content(absent));
    EXPECT(batch.status(absent) == QN_ABSENT && batch.size() == 2);
    cache.clear(quoin::options().wait_visible());
    EXPECT(cache.count() == 0);
    grid.drop("many");
}

// A failure says what is certain, and what is not can be settled.
void failures(const quoin::client &grid, const quoin::cache &cache)
{
    bool thrown = false;
    try {
        (void)grid.open("no-such-cache");
    } catch (const quoin::error &failure) {
        thrown = failure.status() == QN_UNKNOWN_CACHE && failure.change_id().empty();
    }
    EXPECT(thrown);
    thrown = false;
    cache.put("k", 1);
    fake_door_mute(1);
    try {
        cache.put("k", 2, quoin::options().timeout(250ms));
    } catch (const quoin::error &failure) {
        fake_door_mute(0);
        thrown = failure.certainty() == QN_UNKNOWN && grid.applied(failure.change_id());
    }
    EXPECT(thrown);
    EXPECT(cache.get("k")->number() == 2);
}

} // namespace

int main()
{
    {
        quoin::client grid(std::string(fake_door_open()) + "&log_level=off");
        quoin::cache cache = grid.open("accounts");
        EXPECT(cache.name() == "accounts");
        one_key(cache);
        many_keys(grid);
        failures(grid, cache);
    }
    fake_door_close();
    return 0;
}

// Quoin in C++17: header only, around quoin.h. Every handle is owned by an object; failures are
// thrown as quoin::error, which says what is certain about a change. What is no failure - absent,
// another version, there already - is a return value.
//
//     quoin::client grid{"quoin://localhost:7100"};
//     quoin::cache accounts = grid.open("accounts");
//     accounts.put("alice", 100);
//     if (auto balance = accounts.get("alice")) {
//         std::cout << balance->number() << '\n';
//     }
//
// A client and its caches may be used by all threads; a cache, a cursor or a batch must not be used
// after its client is gone. `handle()` of each gives the C object, for calls that are not here.
#ifndef QUOIN_HPP
#define QUOIN_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <quoin.h>

namespace quoin
{

using milliseconds = std::chrono::milliseconds;

// A call has failed; what() names key, node and what to do.
class error : public std::runtime_error
{
  public:
    explicit error(const qn_error &c) : std::runtime_error(qn_explain(&c)), c_(c)
    {
    }

    qn_status status() const noexcept
    {
        return c_.status;
    }

    // Of a change: did it take effect?
    qn_certainty certainty() const noexcept
    {
        return c_.certainty;
    }

    // For client::applied() when that is unknown; else "".
    std::string change_id() const
    {
        return qn_change_id(&c_);
    }

    std::uint32_t node() const noexcept
    {
        return c_.node;
    }

    std::int32_t partition() const noexcept
    {
        return c_.partition;
    }

  private:
    qn_error c_;
};

namespace detail
{

// An error of a C call; `check` throws what it holds.
class report
{
  public:
    report()
    {
        c_.size = sizeof c_;
        c_.partition = -1;
    }

    operator qn_error *() noexcept // NOLINT: that is what it is for
    {
        return &c_;
    }

    void check() const
    {
        if (qn_error_failed(&c_)) {
            throw error(c_);
        }
    }

    // The status of the call that had this error.
    qn_status check(qn_status status)
    {
        if (status < 0) {
            (void)qn_error_set(&c_, status, "%s", qn_status_text(status));
        }
        check();
        return status;
    }

  private:
    qn_error c_ = {};
};

template <auto Free> struct deleter {
    template <typename T> void operator()(T *c) const noexcept
    {
        Free(c);
    }
};

template <typename T, auto Free> using owner = std::unique_ptr<T, deleter<Free>>;

} // namespace detail

// Octets that are no text. Borrowed.
struct octets {
    const void *data = nullptr;
    std::size_t size = 0;
};

// A key or a value to be put. Borrowed during the call only.
class arg
{
  public:
    arg(std::string_view text) : c_(qn_text(text.data() ? text.data() : "", text.size())) // NOLINT
    {
    }

    arg(const char *text) : arg(std::string_view(text)) // NOLINT
    {
    }

    arg(const std::string &text) : arg(std::string_view(text)) // NOLINT
    {
    }

    arg(octets bytes) : c_(qn_bytes(bytes.data, bytes.size)) // NOLINT
    {
    }

    template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
    arg(T number) : c_(qn_int(static_cast<std::int64_t>(number))) // NOLINT
    {
    }

    // A Binary as it is: octet 0x15, then any POF value.
    static arg binary(octets bytes)
    {
        return arg(qn_binary(bytes.data, bytes.size));
    }

    qn_arg c() const noexcept
    {
        return c_;
    }

  private:
    explicit arg(qn_arg c) : c_(c)
    {
    }

    qn_arg c_;
};

// A value (or a key) that was read: immutable, cheap to copy, lives as long as its last copy.
// Throws quoin::error (QN_WRONG_TYPE) when it is asked for what it is not.
class value
{
  public:
    // Takes the reference over.
    explicit value(qn_value *c) noexcept : c_(c)
    {
    }

    value(const value &other) noexcept : c_(qn_value_retain(other.c_.get()))
    {
    }

    value(value &&) noexcept = default;
    ~value() = default;

    value &operator=(value other) noexcept
    {
        c_ = std::move(other.c_);
        return *this;
    }

    std::string_view text() const
    {
        const char *text = nullptr;
        std::size_t size = 0;
        detail::report().check(qn_value_str(c_.get(), &text, &size));
        return {text, size};
    }

    std::int64_t number() const
    {
        std::int64_t number = 0;
        detail::report().check(qn_value_int(c_.get(), &number));
        return number;
    }

    octets bytes() const
    {
        octets found;
        detail::report().check(qn_value_bytes(c_.get(), &found.data, &found.size));
        return found;
    }

    octets binary() const noexcept
    {
        octets found;
        found.data = qn_value_binary(c_.get(), &found.size);
        return found;
    }

    std::uint64_t version() const noexcept
    {
        return qn_value_version(c_.get());
    }

    // Time that the entry had left; none: it never expires.
    std::optional<milliseconds> ttl() const noexcept
    {
        std::int64_t left = qn_value_ttl(c_.get());
        return left > 0 ? std::optional<milliseconds>(left) : std::nullopt;
    }

    const qn_value *handle() const noexcept
    {
        return c_.get();
    }

  private:
    detail::owner<qn_value, qn_value_release> c_;
};

// Options of a call, to be chained: options().ttl(5min).wait_visible().
class options
{
  public:
    options()
    {
        c_.size = sizeof c_;
    }

    options &timeout(milliseconds time) noexcept
    {
        c_.timeout_ms = time.count();
        return *this;
    }

    options &ttl(milliseconds time) noexcept
    {
        c_.ttl_ms = time.count();
        return *this;
    }

    options &never_expires() noexcept
    {
        c_.ttl_ms = QN_TTL_NEVER;
        return *this;
    }

    options &wait_visible() noexcept
    {
        c_.wait_visible = true;
        return *this;
    }

    options &commit_within(milliseconds time) noexcept
    {
        c_.commit_within_ms = time.count();
        return *this;
    }

    const qn_options &c() const noexcept
    {
        return c_;
    }

  private:
    qn_options c_ = {};
};

// A row of a scan. Without a value when only keys were asked for.
struct entry {
    value key;
    std::optional<value> content;
};

// A scan under way: for (const quoin::entry &entry : cache.scan()) ...
class cursor
{
  public:
    explicit cursor(qn_cursor *c) noexcept : c_(c)
    {
    }

    // The next entry; none: that was all. A view that is gone is replaced by a newer one, silently.
    std::optional<entry> next()
    {
        qn_value *key = nullptr;
        qn_value *content = nullptr;
        qn_status status = QN_CURSOR_EXPIRED;
        while (status == QN_CURSOR_EXPIRED) {
            detail::report report;
            status = qn_cursor_next(c_.get(), &key, &content, report);
            if (status != QN_CURSOR_EXPIRED) {
                report.check(status);
            }
        }
        if (status == QN_ABSENT) {
            return std::nullopt;
        }
        value owned(key);
        return entry{std::move(owned),
                     content ? std::optional<value>(std::in_place, content) : std::nullopt};
    }

    // Where it stands, for cache::scan_from().
    std::string position() const
    {
        std::string text(qn_cursor_position(c_.get(), nullptr, 0), '\0');
        (void)qn_cursor_position(c_.get(), text.data(), text.size());
        text.pop_back(); // its NUL
        return text;
    }

    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = entry;
        using difference_type = std::ptrdiff_t;
        using pointer = const entry *;
        using reference = const entry &;

        iterator() = default;

        explicit iterator(cursor *from) : from_(from)
        {
            ++*this;
        }

        reference operator*() const
        {
            return *entry_;
        }

        pointer operator->() const
        {
            return &*entry_;
        }

        iterator &operator++()
        {
            entry_ = from_->next();
            return *this;
        }

        bool operator!=(const iterator &other) const noexcept
        {
            return entry_.has_value() != other.entry_.has_value();
        }

        bool operator==(const iterator &other) const noexcept
        {
            return !(*this != other);
        }

      private:
        cursor *from_ = nullptr;
        std::optional<entry> entry_;
    };

    iterator begin()
    {
        return iterator(this);
    }

    iterator end() const
    {
        return {};
    }

    qn_cursor *handle() const noexcept
    {
        return c_.get();
    }

  private:
    detail::owner<qn_cursor, qn_cursor_close> c_;
};

// What a conditional change did.
enum class outcome {
    done,
    absent,   // there is no entry
    exists,   // there is one already
    conflict, // it has another version
};

// A named cache; the client owns what is behind it.
class cache
{
  public:
    explicit cache(qn_cache *c) noexcept : c_(c)
    {
    }

    std::string name() const
    {
        return qn_cache_name(c_);
    }

    std::optional<value> get(const arg &key, const options &with = {}) const
    {
        detail::report report;
        qn_value *found = nullptr;
        qn_status status = report.check(qn_get(c_, key.c(), &with.c(), &found, report));
        return status == QN_OK ? std::optional<value>(std::in_place, found) : std::nullopt;
    }

    bool contains(const arg &key, const options &with = {}) const
    {
        detail::report report;
        return report.check(qn_contains(c_, key.c(), &with.c(), report)) == QN_OK;
    }

    // The entry's new version.
    std::uint64_t put(const arg &key, const arg &content, const options &with = {}) const
    {
        detail::report report;
        std::uint64_t version = 0;
        qn_options c = with.c();
        c.version = &version;
        report.check(qn_put(c_, key.c(), content.c(), &c, report));
        return version;
    }

    // The value that was there before.
    std::optional<value> swap(const arg &key, const arg &content, const options &with = {}) const
    {
        detail::report report;
        qn_value *old = nullptr;
        qn_options c = with.c();
        c.old = &old;
        report.check(qn_put(c_, key.c(), content.c(), &c, report));
        return old ? std::optional<value>(std::in_place, old) : std::nullopt;
    }

    outcome put_if_absent(const arg &key, const arg &content, const options &with = {}) const
    {
        detail::report report;
        return told(report.check(qn_put_if_absent(c_, key.c(), content.c(), &with.c(), report)));
    }

    // `version` 0 = any.
    outcome replace(const arg &key, const arg &content, std::uint64_t version,
                    const options &with = {}) const
    {
        detail::report report;
        return told(report.check(qn_replace(c_, key.c(), content.c(), version, &with.c(), report)));
    }

    outcome remove(const arg &key, const options &with = {}) const
    {
        detail::report report;
        return told(report.check(qn_remove(c_, key.c(), &with.c(), report)));
    }

    outcome remove_if(const arg &key, std::uint64_t version, const options &with = {}) const
    {
        detail::report report;
        return told(report.check(qn_remove_if(c_, key.c(), version, &with.c(), report)));
    }

    outcome touch(const arg &key, milliseconds ttl, const options &with = {}) const
    {
        detail::report report;
        return told(report.check(qn_touch(c_, key.c(), ttl.count(), &with.c(), report)));
    }

    void clear(const options &with = {}) const
    {
        detail::report report;
        report.check(qn_clear(c_, &with.c(), report));
    }

    // As of the last soft commit; with wait_visible() as of now.
    std::uint64_t count(const options &with = {}) const
    {
        detail::report report;
        std::uint64_t count = 0;
        report.check(qn_count(c_, &count, &with.c(), report));
        return count;
    }

    // As of the last soft commit; `fresh`: as of now.
    cursor scan(bool fresh = false, bool keys_only = false) const
    {
        qn_scan_options c = {};
        c.size = sizeof c;
        c.fresh = fresh;
        c.keys_only = keys_only;
        return scan(c);
    }

    cursor scan_from(const std::string &position) const
    {
        qn_scan_options c = {};
        c.size = sizeof c;
        c.from = position.c_str();
        return scan(c);
    }

    cursor scan(const qn_scan_options &with) const
    {
        detail::report report;
        cursor opened(qn_scan(c_, &with, report));
        report.check();
        return opened;
    }

    qn_cache *handle() const noexcept
    {
        return c_;
    }

  private:
    static outcome told(qn_status status) noexcept
    {
        return status == QN_ABSENT     ? outcome::absent
               : status == QN_EXISTS   ? outcome::exists
               : status == QN_CONFLICT ? outcome::conflict
                                       : outcome::done;
    }

    qn_cache *c_;
};

// Many keys in few messages: not atomic, an answer per entry.
class batch
{
  public:
    explicit batch(const cache &of)
    {
        detail::report report;
        c_.reset(qn_batch_new(of.handle(), report));
        report.check();
    }

    // Each gives the entry's number.
    std::size_t get(const arg &key)
    {
        detail::report report;
        return added(qn_batch_get(c_.get(), key.c(), report), report);
    }

    std::size_t put(const arg &key, const arg &content)
    {
        detail::report report;
        return added(qn_batch_put(c_.get(), key.c(), content.c(), report), report);
    }

    std::size_t remove(const arg &key)
    {
        detail::report report;
        return added(qn_batch_remove(c_.get(), key.c(), report), report);
    }

    // Throws the first failure; the entries tell the rest.
    void run(milliseconds timeout = milliseconds(0))
    {
        detail::report report;
        report.check(qn_batch_run(c_.get(), timeout.count(), report));
    }

    void clear() noexcept
    {
        qn_batch_clear(c_.get());
    }

    std::size_t size() const noexcept
    {
        return qn_batch_size(c_.get());
    }

    qn_status status(std::size_t number) const noexcept
    {
        return qn_batch_status(c_.get(), number);
    }

    qn_certainty certainty(std::size_t number) const noexcept
    {
        return qn_batch_certainty(c_.get(), number);
    }

    std::optional<value> content(std::size_t number) const
    {
        qn_value *found = qn_value_retain(qn_batch_value(c_.get(), number));
        return found ? std::optional<value>(std::in_place, found) : std::nullopt;
    }

    qn_batch *handle() const noexcept
    {
        return c_.get();
    }

  private:
    static std::size_t added(std::size_t number, const detail::report &report)
    {
        report.check();
        return number;
    }

    detail::owner<qn_batch, qn_batch_free> c_;
};

// A connection to a cluster; closing waits for what is under way, up to its timeout.
class client
{
  public:
    // QUOIN_URI, else this machine.
    client() : client(nullptr)
    {
    }

    explicit client(const std::string &uri) : client(uri.c_str())
    {
    }

    explicit client(const char *uri)
    {
        detail::report report;
        c_.reset(qn_connect(uri, report));
        report.check();
    }

    cache open(const std::string &name) const
    {
        detail::report report;
        cache opened(qn_open(c_.get(), name.c_str(), report));
        report.check();
        return opened;
    }

    // Made when it is not there.
    cache open_or_create(const std::string &name) const
    {
        detail::report report;
        cache opened(qn_open_create(c_.get(), name.c_str(), report));
        report.check();
        return opened;
    }

    cache create(const std::string &name, qn_durability durability,
                 milliseconds ttl = milliseconds(0), std::uint64_t size_max_bytes = 0) const
    {
        detail::report report;
        qn_cache_options c = {};
        c.size = sizeof c;
        c.durability = durability;
        c.ttl_ms = ttl.count();
        c.size_max_bytes = size_max_bytes;
        cache opened(qn_create(c_.get(), name.c_str(), &c, report));
        report.check();
        return opened;
    }

    void drop(const std::string &name) const
    {
        detail::report report;
        report.check(qn_drop(c_.get(), name.c_str(), 0, report));
    }

    void soft_commit() const
    {
        detail::report report;
        report.check(qn_commit(c_.get(), QN_COMMIT_SOFT, 0, report));
    }

    void hard_commit() const
    {
        detail::report report;
        report.check(qn_commit(c_.get(), QN_COMMIT_HARD, 0, report));
    }

    // Settle a change of unknown outcome: did it take effect?
    bool applied(const std::string &change_id) const
    {
        detail::report report;
        qn_certainty certainty = QN_UNKNOWN;
        report.check(qn_outcome(c_.get(), change_id.c_str(), 0, &certainty, nullptr, report));
        return certainty == QN_APPLIED;
    }

    qn_client *handle() const noexcept
    {
        return c_.get();
    }

  private:
    detail::owner<qn_client, qn_close> c_;
};

} // namespace quoin

#endif

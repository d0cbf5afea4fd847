// Adds up the messages that a client receives: docs/contract.md, sections 3, 4 and 7.

#pragma once

#include "clock.hpp"
#include "latency.hpp"
#include "report.hpp"
#include "sequence.hpp"
#include "settings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace kit {

// Checks the feed messages of one connection against the contract.
class Checks {
public:
    Checks(FeedFormat feed, Clock const& clock) : feed_{feed}, clock_{clock} {}

    void check(std::string_view message, bool is_text) {
        auto const heading = feed_.decode(message, is_text);
        auto const now_ns = heading && heading->time_ns ? clock_() : 0;
        if (!heading || heading->time_ns.value_or(0) > now_ns) {
            ++wrong_;
            return;
        }
        if (heading->time_ns) latencies_.record(now_ns - *heading->time_ns);
        if (heading->number) sequence_.check(*heading->number);
    }

    // Adds this connection's findings to the sum of all connections.
    void add_to(FeedOutcome& sum) const {
        sum.wrong += wrong_;
        sum.sequence.merge(sequence_.counts());
        sum.latencies.merge(latencies_);
    }

private:
    FeedFormat const feed_;
    Clock const& clock_;
    std::uint64_t wrong_ = 0;
    Sequence sequence_;
    Latencies latencies_;
};

// Counts the messages of one connection. One thread at a time writes, the ticker reads. Aligned so
// that two connections never share a cache line.
class alignas(128) Connection {
public:
    Connection(Settings const& settings, Clock const& clock)
        : expected_{settings.messages}, next_{settings.feed ? 0 : expected_}, clock_{clock} {
        if (settings.feed) checks_ = std::make_unique<Checks>(*settings.feed, clock);
    }

    // Counts one message. Returns true once all expected messages have arrived: then close the
    // connection. Messages after that are not counted.
    //
    // A load and a store instead of a fetch_add: there is only one writer, and a locked instruction
    // for each message would be measurable. Without a feed, a message costs two of these pairs and
    // one comparison.
    bool received(std::string_view message, bool is_text) {
        auto const messages = messages_.load(std::memory_order_relaxed) + 1;
        auto const bytes = bytes_.load(std::memory_order_relaxed) + message.size();
        messages_.store(messages, std::memory_order_relaxed);
        bytes_.store(bytes, std::memory_order_relaxed);
        return messages >= next_ && inspect(message, is_text);
    }

    Totals totals() const {
        return {messages_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
    }

    // Time at which the last expected message arrived, in nanoseconds; 0 before that.
    std::uint64_t received_ns() const { return received_ns_.load(std::memory_order_relaxed); }

    Checks const* checks() const { return checks_.get(); }

private:
    // Checks a message of a feed and records the time if it is the last expected one.
    bool inspect(std::string_view message, bool is_text) {
        if (received_ns() > 0) {  // Delivered while the connection closes.
            messages_.store(expected_, std::memory_order_relaxed);
            bytes_.fetch_sub(message.size(), std::memory_order_relaxed);
            return true;
        }
        if (checks_) checks_->check(message, is_text);
        if (messages_.load(std::memory_order_relaxed) < expected_) return false;
        received_ns_.store(clock_(), std::memory_order_relaxed);
        return true;
    }

    std::uint64_t const expected_;
    // Number of the first message that is inspected: the first one of a feed, otherwise the last.
    std::uint64_t const next_;
    Clock const& clock_;
    std::unique_ptr<Checks> checks_;
    std::atomic<std::uint64_t> messages_{0};
    std::atomic<std::uint64_t> bytes_{0};
    std::atomic<std::uint64_t> received_ns_{0};
};

// Adds up the messages of all connections of a client and prints the lines.
class Receiver {
public:
    // start_ticker is called once, with the lock held, when the first connection is open.
    Receiver(Settings settings, std::string name, Clock clock, std::ostream& output,
             std::function<void(Receiver&, std::uint64_t opened_ns)> start_ticker)
        : settings_{std::move(settings)},
          clock_{std::move(clock)},
          start_ticker_{std::move(start_ticker)},
          report_{settings_.lines, std::move(name), output} {}

    // Creates the receiver that the environment variables describe, or ends the program. It is
    // never destroyed, because the ticker uses it until the program ends.
    static Receiver& from_environment();

    Url const& url() const { return settings_.url; }
    std::uint64_t connections() const { return settings_.connections; }

    // Call this from any thread as soon as the library reports that a connection is open.
    Connection& opened() {
        std::lock_guard const guard{lock_};
        auto& connection = opened_.emplace_back(settings_, clock_);
        if (opened_.size() == 1) {
            opened_ns_ = clock_();
            start_ticker_(*this, opened_ns_);
        }
        return connection;
    }

    // The ticker calls this at the end of each second. Prints nothing after the result.
    void tick() {
        std::lock_guard const guard{lock_};
        if (!is_finished_) print_seconds(end_ns());
    }

    // Call this last, after the last message was counted.
    void finish() {
        std::lock_guard const guard{lock_};
        is_finished_ = true;
        auto const received_ns = end_ns();
        print_seconds(received_ns);
        report_.print_result(
            {opened_.size(), totals(), opened_ns_, received_ns, settings_.feed, sum_up()});
    }

private:
    // Prints a line for each second that ended by end_ns and has no line yet.
    void print_seconds(std::uint64_t end_ns) {
        while (opened_ns_ + (report_.seconds_printed() + 1) * second_ns <= end_ns) {
            report_.print_second(totals());
        }
    }

    // Returns the time of the last message or, if messages are missing, the present. If the server
    // closed early, the time of its last message is unknown: reading the clock for each message
    // would slow down all trials for the sake of failed ones.
    std::uint64_t end_ns() const {
        bool is_complete = opened_.size() == settings_.connections;
        std::uint64_t last_ns = 0;
        for (auto const& connection : opened_) {
            is_complete = is_complete && connection.received_ns() > 0;
            last_ns = std::max(last_ns, connection.received_ns());
        }
        return is_complete ? last_ns : clock_();
    }

    Totals totals() const {
        Totals sum;
        for (auto const& connection : opened_) {
            auto const totals = connection.totals();
            sum.messages += totals.messages;
            sum.bytes += totals.bytes;
        }
        return sum;
    }

    FeedOutcome sum_up() const {
        FeedOutcome sum;
        for (auto const& connection : opened_) {
            if (connection.checks()) connection.checks()->add_to(sum);
        }
        return sum;
    }

    Settings const settings_;
    Clock const clock_;
    std::function<void(Receiver&, std::uint64_t)> const start_ticker_;
    std::mutex lock_;
    Report report_;
    bool is_finished_ = false;
    std::uint64_t opened_ns_ = 0;
    std::deque<Connection> opened_;
};

// Prints a line for each second since opened_ns until the program ends.
inline void keep_ticking(Receiver& receiver, std::uint64_t opened_ns) {
    std::chrono::steady_clock::time_point due{std::chrono::nanoseconds{opened_ns}};
    for (;;) {
        due += std::chrono::seconds{1};
        std::this_thread::sleep_until(due);
        receiver.tick();
    }
}

inline Receiver& Receiver::from_environment() {
    auto settings = read_or_fail(Settings::read);
    // A contestant runs in its folder; the folder's name is the contestant's name.
    auto const name = std::filesystem::current_path().filename().string();
    auto const start_ticker = [](Receiver& receiver, std::uint64_t opened_ns) {
        std::thread{[&receiver, opened_ns] { keep_ticking(receiver, opened_ns); }}.detach();
    };
    return *new Receiver{std::move(settings), name, monotonic_ns, std::cout, start_ticker};
}

}  // namespace kit

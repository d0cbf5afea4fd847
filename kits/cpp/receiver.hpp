// Adds up what arrives on all connections of a client: docs/contract.md, sections 3 and 4.

#pragma once

#include "settings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <iostream>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

namespace kit {

// ---- Counting ----------------------------------------------------------------------------------

struct Totals {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// What arrived on one connection, counted by one thread at a time and read by the ticker. In cache
// lines of its own.
class alignas(128) Counter {
public:
    Counter(std::uint64_t wanted, Clock const& clock) : wanted_{wanted}, clock_{clock} {}

    // Takes one message and tells whether more are wanted. It is not to be called after that.
    //
    // A load and a store, no fetch_add: nobody else writes, and a locked instruction for each
    // message would be felt.
    bool count(std::size_t payload_bytes) {
        auto const messages = messages_.load(std::memory_order_relaxed) + 1;
        auto const bytes = bytes_.load(std::memory_order_relaxed) + payload_bytes;
        messages_.store(messages, std::memory_order_relaxed);
        bytes_.store(bytes, std::memory_order_relaxed);
        if (messages < wanted_) return true;
        received_ns_.store(clock_(), std::memory_order_relaxed);
        return false;
    }

    Totals totals() const {
        return {messages_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
    }

    // Zero until all messages have been counted.
    std::uint64_t received_ns() const { return received_ns_.load(std::memory_order_relaxed); }

private:
    std::uint64_t const wanted_;
    Clock const& clock_;
    std::atomic<std::uint64_t> messages_{0};
    std::atomic<std::uint64_t> bytes_{0};
    std::atomic<std::uint64_t> received_ns_{0};
};

// ---- Lines: docs/contract.md, sections 3.2, 3.3 and 4 ------------------------------------------

struct Outcome {
    std::size_t connections;
    Totals totals;
    std::uint64_t opened_ns;
    std::uint64_t received_ns;
};

// Prints a client's lines.
class Report {
public:
    Report(Lines lines, std::string name, std::ostream& output)
        : lines_{lines}, name_{std::move(name)}, output_{output} {}

    std::uint64_t seconds_printed() const { return second_; }

    // Prints what arrived since the last call; totals count from the opening.
    void print_second(Totals totals) {
        auto const messages = totals.messages - printed_.messages;
        auto const bytes = totals.bytes - printed_.bytes;
        if (lines_ == Lines::autoroute) {
            output_ << "messages received per second: " << messages;
        } else {
            output_ << R"({"event":"second","second":)" << second_ << R"(,"messages":)" << messages
                    << R"(,"bytes":)" << bytes << '}';
        }
        end_line();
        printed_ = totals;
        ++second_;
    }

    void print_result(Outcome const& outcome) {
        if (lines_ == Lines::autoroute) {
            auto const nanoseconds = outcome.received_ns - outcome.opened_ns;
            output_ << "AUTOROUTE " << name_ << " :: " << (nanoseconds + 500'000) / 1'000'000 << " ms";
        } else {
            output_ << R"({"event":"result","connections":)" << outcome.connections
                    << R"(,"messages":)" << outcome.totals.messages  //
                    << R"(,"bytes":)" << outcome.totals.bytes        //
                    << R"(,"opened_ns":)" << outcome.opened_ns       //
                    << R"(,"received_ns":)" << outcome.received_ns << '}';
        }
        end_line();
    }

private:
    void end_line() {
        if (!(output_ << std::endl)) fail(1, "cannot write to stdout");
    }

    Lines const lines_;
    std::string const name_;
    std::ostream& output_;
    Totals printed_;
    std::uint64_t second_ = 0;
};

// ---- Receiver ----------------------------------------------------------------------------------

// Adds up what arrives on all connections of a client, and prints it.
class Receiver {
public:
    // start_ticker is called once, with the lock held, when the first connection is open.
    Receiver(Settings settings, std::string name, Clock clock, std::ostream& output,
             std::function<void(Receiver&, std::uint64_t opened_ns)> start_ticker)
        : settings_{std::move(settings)},
          clock_{std::move(clock)},
          start_ticker_{std::move(start_ticker)},
          report_{settings_.lines, std::move(name), output} {}

    Url const& url() const { return settings_.url; }
    std::uint64_t connections() const { return settings_.connections; }

    // To be called as soon as the library says that a connection is open.
    Counter& start_counting() {
        std::lock_guard const guard{lock_};
        auto& counter = counters_.emplace_back(settings_.messages, clock_);
        if (counters_.size() == 1) {
            opened_ns_ = clock_();
            start_ticker_(*this, opened_ns_);
        }
        return counter;
    }

    // To be called by the ticker at the end of each second. Prints nothing after the result.
    void tick() {
        std::lock_guard const guard{lock_};
        if (!is_finished_) print_seconds(end_ns());
    }

    // To be called last, when nothing is counted any more.
    void print_result() {
        std::lock_guard const guard{lock_};
        is_finished_ = true;
        auto const received_ns = end_ns();
        print_seconds(received_ns);
        report_.print_result({counters_.size(), totals(), opened_ns_, received_ns});
    }

private:
    // Prints the seconds that have ended by end_ns and are not printed.
    void print_seconds(std::uint64_t end_ns) {
        while (opened_ns_ + (report_.seconds_printed() + 1) * 1'000'000'000 <= end_ns) {
            report_.print_second(totals());
        }
    }

    // The instant of the last message or, where messages are missing, the present. If the server
    // closed early, it is not known when its last message came: reading the clock for each message
    // would slow down all trials for the sake of failed ones.
    std::uint64_t end_ns() const {
        bool is_complete = counters_.size() == settings_.connections;
        std::uint64_t last_ns = 0;
        for (auto const& counter : counters_) {
            is_complete = is_complete && counter.received_ns() > 0;
            last_ns = std::max(last_ns, counter.received_ns());
        }
        return is_complete ? last_ns : clock_();
    }

    Totals totals() const {
        Totals sum;
        for (auto const& counter : counters_) {
            auto const totals = counter.totals();
            sum.messages += totals.messages;
            sum.bytes += totals.bytes;
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
    std::deque<Counter> counters_;
};

// ---- The program around it ---------------------------------------------------------------------

// Prints a line for each second since opened_ns, for as long as the program lives.
inline void tick(Receiver& receiver, std::uint64_t opened_ns) {
    std::chrono::steady_clock::time_point due{std::chrono::nanoseconds{opened_ns}};
    for (;;) {
        due += std::chrono::seconds{1};
        std::this_thread::sleep_until(due);
        receiver.tick();
    }
}

// Makes the receiver that the environment asks for, or ends the program. It is never destroyed,
// because the ticker uses it until the program ends.
inline Receiver& receiver_from_environment() {
    auto settings = read_or_fail([](auto const& environment) { return environment.settings(); });
    // A contestant runs in its folder, whose name is its identity.
    auto const name = std::filesystem::current_path().filename().string();
    auto const start_ticker = [](Receiver& receiver, std::uint64_t opened_ns) {
        std::thread{[&receiver, opened_ns] { tick(receiver, opened_ns); }}.detach();
    };
    return *new Receiver{std::move(settings), name, monotonic_ns, std::cout, start_ticker};
}

}  // namespace kit
